#include "core/analysis/blame/measured.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/memory.h"
#include "core/fabric/labels.h"

const char *const port_fault_words[N_PORT_FAULTS] = {"errors", "flapped", "congested", "degraded"};

#define BIT(k) (1u << (k))
#define DATA_BITS                                                                           \
	(BIT(COUNT_TRANSMIT_DATA) | BIT(COUNT_RECEIVE_DATA) | BIT(COUNT_TRANSMIT_PACKETS) | \
	 BIT(COUNT_RECEIVE_PACKETS))
#define ALL_BITS (BIT(N_COUNTERS) - 1)
/* What a port's own receiver counts of damage. */
#define ERROR_BITS                                                                               \
	(BIT(COUNT_SYMBOL) | BIT(COUNT_RECOVERIES) | BIT(COUNT_RECEIVE) | BIT(COUNT_INTEGRITY) | \
	 BIT(COUNT_OVERRUNS))

/* --- rows to ports ----------------------------------------------------------------------------------- */

/* Endports by LID: [MAX_LID + 1]. */
static uint32_t *owners_of(const struct fabric *f, const struct lids *l)
{
	uint32_t *owner = NEW_ARRAY(MAX_LID + 1, uint32_t);

	for (unsigned lid = 0; lid <= MAX_LID; lid++)
		owner[lid] = l && lid <= l->max_lid ? lid_owner(l, lid) : NO_ID;
	for (uint32_t ep = 0; !l && ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep], lid = f->port_lid[port];

		for (unsigned i = 0; lid && i < 1u << f->port_lmc[port] && lid + i <= MAX_LID; i++)
			owner[lid + i] = ep;
	}
	return owner;
}

static uint32_t measured_port_of(const struct fabric *f, const uint32_t *owner, const struct counted_port *c)
{
	uint32_t node = c->guid ? fabric_node_by_guid(f, c->guid) : NO_ID, ep;

	if (node == NO_ID) {
		ep = c->guid ? fabric_endport_by_guid(f, c->guid) : owner[c->lid];
		node = ep == NO_ID ? NO_ID : endport_node(f, ep);
	}
	return node == NO_ID || c->port > f->node_nports[node] ? NO_ID : f->node_port[node] + c->port;
}

/* Rows of one port together. */
struct measured_placed {
	struct counted_port *port; /* cables borrowed */
	uint32_t *at;		   /* [n_ports] place and 1 */
	uint32_t n, unknown;
};

static void measured_join(struct counted_port *to, const struct counted_port *c)
{
	for (unsigned k = 0; k < N_COUNTERS; k++)
		if (c->told & BIT(k))
			counters_set(to, k, c->value[k], (c->wide & BIT(k)) != 0);
	for (unsigned k = 0; k < N_BERS; k++)
		to->ber[k] = c->ber[k] >= 0 ? c->ber[k] : to->ber[k];
	if (c->temperature > TEMPERATURE_NONE)
		to->temperature = c->temperature;
	if (c->most > TEMPERATURE_NONE)
		to->most = c->most;
	to->cable = c->cable ? c->cable : to->cable;
	to->sparse = to->sparse || c->sparse;
}

static void measured_place(const struct fabric *f, const uint32_t *owner, const struct counter_reading *r,
			   struct measured_placed *p)
{
	*p = (struct measured_placed){.port = NEW_ARRAY(r->n + 1, struct counted_port),
				      .at = NEW_ARRAY(f->n_ports + 1, uint32_t)};
	for (size_t i = 0; i < r->n; i++) {
		uint32_t port = measured_port_of(f, owner, &r->port[i]);

		if (port == NO_ID) {
			p->unknown++;
		} else if (!p->at[port]) {
			p->port[p->n] = r->port[i];
			p->at[port] = ++p->n;
		} else {
			measured_join(&p->port[p->at[port] - 1], &r->port[i]);
		}
	}
	for (uint32_t i = 0; i < p->n; i++)
		if (p->port[i].sparse)
			p->port[i].told |= ALL_BITS & ~DATA_BITS;
}

/* --- differences --------------------------------------------------------------------------------------- */

static bool at_top(const struct counted_port *c, unsigned k)
{
	return !(c->wide & BIT(k)) && c->value[k] == counter_tops[k];
}

/* Went a counter back without a reset?  Those of traffic go round in some devices; those of errors never do.
 */
static bool goes_round(const struct counted_port *now, const struct counted_port *was, unsigned k)
{
	return (DATA_BITS | BIT(COUNT_WAIT)) & BIT(k) && !((now->wide | was->wide) & BIT(k)) &&
	       was->value[k] > counter_tops[k] / 2 && now->value[k] < counter_tops[k] / 2;
}

static void measured_difference(struct measured_port *m, const struct counted_port *now,
				const struct counted_port *was)
{
	m->told = now->told & was->told;
	for (unsigned k = 0; k < N_COUNTERS; k++)
		if (m->told & BIT(k) && now->value[k] < was->value[k] && !at_top(now, k) &&
		    !goes_round(now, was, k))
			m->reset = true;
	for (unsigned k = 0; k < N_COUNTERS; k++) {
		if (!(m->told & BIT(k)))
			continue;
		m->top |= at_top(now, k) || (at_top(was, k) && !m->reset) ? BIT(k) : 0;
		if (m->reset) {
			m->grown[k] = now->value[k];
		} else if (at_top(was, k) && now->value[k] >= was->value[k]) {
			m->grown[k] = 0; /* how much of it is new is not known */
		} else if (now->value[k] >= was->value[k]) {
			m->grown[k] = now->value[k] - was->value[k];
		} else if (!at_top(now, k)) {
			m->wrapped |= BIT(k);
			m->top &= ~BIT(k);
			m->grown[k] = counter_tops[k] - was->value[k] + 1 + now->value[k];
		}
	}
}

static uint64_t grown(const struct measured_port *m, enum counter k)
{
	return m->told & BIT(k) ? m->grown[k] : 0;
}

static uint8_t measured_judge(const struct measured_port *m, bool two)
{
	uint64_t errors = 0, wait = grown(m, COUNT_WAIT);
	uint8_t faults = 0;

	for (unsigned k = 0; k < N_COUNTERS; k++)
		errors += ERROR_BITS & BIT(k) ? grown(m, k) : 0;
	if (errors >= (two ? 1 : ERRORS_LEAST))
		faults |= BIT(FAULT_ERRORS);
	if (grown(m, COUNT_DOWNED) >= (two ? 1 : DOWN_LEAST))
		faults |= BIT(FAULT_FLAPPED);
	/* the wait at its top says nothing of a time that nobody knows */
	if (grown(m, COUNT_DISCARDS) >= (two ? 1 : DISCARDS_LEAST) ||
	    (wait >= WAIT_LEAST && m->told & BIT(COUNT_TRANSMIT_DATA) && !(m->top & BIT(COUNT_WAIT)) &&
	     !(m->top & BIT(COUNT_TRANSMIT_DATA)) && wait >= m->grown[COUNT_TRANSMIT_DATA] / WAIT_DATA))
		faults |= BIT(FAULT_CONGESTED);
	if (m->ber[BER_EFFECTIVE] >= BER_MOST || m->ber[BER_SYMBOL] >= BER_MOST ||
	    (m->temperature > TEMPERATURE_NONE && m->most > TEMPERATURE_NONE && m->temperature >= m->most))
		faults |= BIT(FAULT_DEGRADED);
	return faults;
}

static void add_up(struct measured *m, const struct measured_port *x)
{
	m->n_reset += x->reset;
	m->n_wrapped += x->wrapped != 0;
	m->n_top += x->top != 0;
	for (unsigned k = 0; k < N_PORT_FAULTS; k++)
		m->n_faults[k] += x->faults >> k & 1;
}

struct measured *measured_new(const struct fabric *f, const struct lids *l, const struct counter_reading *now,
			      const struct counter_reading *before)
{
	struct measured *m = NEW(struct measured);
	uint32_t *owner = owners_of(f, l);
	struct measured_placed a, b = {0};

	measured_place(f, owner, now, &a);
	if (before)
		measured_place(f, owner, before, &b);
	free(owner);
	m->fabric = f;
	m->two = before != NULL;
	m->n = a.n;
	m->at = a.at;
	m->unknown = a.unknown;
	m->port = NEW_ARRAY(a.n + 1, struct measured_port);
	for (uint32_t port = 0; port < f->n_ports; port++) {
		const struct counted_port *c = a.at[port] ? &a.port[a.at[port] - 1] : NULL;
		struct counted_port none;
		const struct counted_port *was = before && b.at[port] ? &b.port[b.at[port] - 1] : NULL;
		struct measured_port *x;

		m->alone += before && !was != !c;
		if (!c)
			continue;
		/* what ibqueryerrors does not name has no errors */
		if (!was && before && c->sparse) {
			none = (struct counted_port){.told = ALL_BITS & ~DATA_BITS};
			was = &none;
		}
		x = &m->port[a.at[port] - 1];
		x->temperature = c->temperature;
		x->most = c->most;
		x->cable = c->cable ? str_dup(c->cable) : NULL;
		memcpy(x->ber, c->ber, sizeof(x->ber));
		if (was) {
			measured_difference(x, c, was);
		} else {
			x->told = c->told;
			memcpy(x->grown, c->value, sizeof(x->grown));
			for (unsigned k = 0; k < N_COUNTERS; k++)
				x->top |= c->told & BIT(k) && at_top(c, k) ? BIT(k) : 0;
		}
		x->faults = measured_judge(x, was != NULL);
		add_up(m, x);
	}
	free(a.port);
	free(b.port);
	free(b.at);
	return m;
}

void measured_free(struct measured *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->n; i++)
		free(m->port[i].cable);
	free(m->at);
	free(m->port);
	free(m);
}

const struct measured_port *measured_of(const struct measured *m, uint32_t port)
{
	return m && port != NO_ID && m->at[port] ? &m->port[m->at[port] - 1] : NULL;
}

/* --- words --------------------------------------------------------------------------------------------- */

static void tell_counter(const struct measured_port *p, enum counter k, struct text *t)
{
	if (grown(p, k) || p->top & BIT(k))
		text_add(t, "%s%s %s%" PRIu64, t->len ? ", " : "", counter_words[k],
			 p->top & BIT(k) ? ">= " : "", p->grown[k]);
}

void measured_tell(const struct measured_port *p, unsigned faults, struct text *to)
{
	struct text t = {0};

	for (unsigned k = 0; faults & BIT(FAULT_ERRORS) && k < N_COUNTERS; k++)
		if (ERROR_BITS & BIT(k))
			tell_counter(p, k, &t);
	if (faults & BIT(FAULT_FLAPPED))
		tell_counter(p, COUNT_DOWNED, &t);
	if (faults & BIT(FAULT_CONGESTED)) {
		tell_counter(p, COUNT_DISCARDS, &t);
		tell_counter(p, COUNT_WAIT, &t);
	}
	for (unsigned k = 0; faults & BIT(FAULT_DEGRADED) && k < N_BERS; k++)
		if (k != BER_RAW && p->ber[k] >= BER_MOST)
			text_add(&t, "%s%s BER %.2g", t.len ? ", " : "", ber_words[k], p->ber[k]);
	if (faults & BIT(FAULT_DEGRADED) && p->temperature > TEMPERATURE_NONE && p->most > TEMPERATURE_NONE &&
	    p->temperature >= p->most)
		text_add(&t, "%s%.0f C, limit %.0f C", t.len ? ", " : "", p->temperature, p->most);
	text_add(to, "%s", text_str(&t));
	text_free(&t);
}

unsigned measured_link(const struct measured *m, const struct fabric *f, uint32_t port, struct text *t)
{
	const unsigned ours = BIT(FAULT_CONGESTED) | BIT(FAULT_FLAPPED) | BIT(FAULT_DEGRADED),
		       theirs = BIT(FAULT_ERRORS) | BIT(FAULT_FLAPPED) | BIT(FAULT_DEGRADED);
	uint32_t end[2] = {port, port == NO_ID ? NO_ID : f->port_peer[port]};
	unsigned all = 0;

	for (unsigned i = 0; i < 2; i++) {
		const struct measured_port *p = measured_of(m, end[i]);
		unsigned faults = p ? p->faults & (i ? theirs : ours) : 0;

		all |= faults;
		if (!faults || !t)
			continue;
		text_add(t, "%s", t->len ? "; " : "");
		measured_tell(p, faults, t);
		text_add(t, " at %s", PORT_LABEL(f, end[i]));
	}
	return all;
}
