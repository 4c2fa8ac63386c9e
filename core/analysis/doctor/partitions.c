/* Findings about partitions: lines of partitions.conf and members; and adaptive routing that is off. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/doctor/internal.h"
#include "core/base/memory.h"

#define DEFAULT_PKEY 0x7fff
#define FAULTS_LISTED 40

/*
 * One finding, *x, for all faults of a rule: the first is its text, the others are its detail.  line: of the
 * file, 0: none.  Up to its colon the sentence is the brief form.
 */
static void partition_fault(struct doctor *d, const struct rule *r, struct finding **x, unsigned line,
			    const char *sentence)
{
	AUTO_FREE char *place = line ? str_printf("%s:%u: ", d->partitions->file, line) : str_dup("");

	if (!*x) {
		*x = tell(d, r, "list partitions", "%s%s.", place, sentence);
		finding_brief(*x, "%.*s", (int)MIN(strcspn(sentence, ":"), BRIEF_COLUMNS), sentence);
	} else if ((*x)->count++ < FAULTS_LISTED) {
		AUTO_FREE char *others = (*x)->detail ? str_printf("%s\n", (*x)->detail) : str_dup("");

		free((*x)->detail);
		(*x)->detail = str_printf("%s%s%s.", others, place, sentence);
	}
}

int find_partition_file(struct doctor *d, const struct rule *r)
{
	if (!d->partitions || !d->partitions->given_up)
		return 0;
	struct finding *x = tell(d, r, "list partitions", "%s.", d->partitions->given_up);
	finding_brief(x, "OpenSM gives up the whole file of partitions");
	return 0;
}

/* A line whose GUID no port has: it is that of a node, or nobody's. */
int find_partition_guid(struct doctor *d, const struct rule *r)
{
	struct finding *x = NULL;
	const struct pair_sls *p = d->partitions;
	const struct fabric *f = d->f;

	for (uint32_t i = 0; p && i < p->n_lines; i++) {
		const struct partition_line *l = &p->line[i];
		uint32_t node = l->guid ? fabric_node_by_guid(f, l->guid) : NO_ID;
		AUTO_TEXT struct text t = {0};

		if (!l->guid)
			continue;
		text_add(&t, "%s: 0x%016" PRIx64,
			 node == NO_ID ? "no port has this GUID"
				       : "OpenSM wants the GUID of a port, not of a node",
			 l->guid);
		if (node != NO_ID)
			text_add(&t, " is %s, ports", f->node_name[node]);
		for (unsigned k = 1; node != NO_ID && k <= f->node_nports[node]; k++)
			if (f->port_endport[f->node_port[node] + k] != NO_ID)
				text_add(&t, " 0x%016" PRIx64, f->port_guid[f->node_port[node] + k]);
		text_add(&t, "; %s gets no port by it", l->name);
		partition_fault(d, r, &x, l->line, t.s);
		if (x->node == NO_ID)
			x->node = node;
	}
	return 0;
}

/* Is an endport that of a host that is up? */
static bool is_host_up(const struct topo *t, uint32_t ep)
{
	return t->endport_up[ep] && !endport_is_switch(t->fabric, ep) &&
	       !node_is_aggregation(t->fabric, endport_node(t->fabric, ep));
}

/* Partitions in which no member can talk to another. */
int find_no_full_member(struct doctor *d, const struct rule *r)
{
	struct finding *x = NULL;
	const struct pair_sls *p = d->partitions;
	AUTO_FREE uint32_t *limited = NEW_ARRAY(DEFAULT_PKEY + 1, uint32_t);
	AUTO_FREE bool *full = NEW_ARRAY(DEFAULT_PKEY + 1, bool);

	for (uint32_t ep = 0; p && p->member && ep < p->n_endports; ep++)
		for (uint32_t i = p->first[ep]; i < p->first[ep + 1]; i++) {
			full[p->member[i].pkey] |= p->member[i].full;
			limited[p->member[i].pkey] += is_host_up(d->t, ep);
		}
	for (uint16_t pkey = 1; pkey < DEFAULT_PKEY; pkey++) {
		AUTO_TEXT struct text t = {0};

		if (full[pkey] || limited[pkey] < 2)
			continue;
		const struct partition_line *l = partition_defined(p, pkey);
		const char *name = l ? l->name : "";
		text_add(&t, "all members of 0x%04x%s%s are limited: none of %u can talk to another by it",
			 pkey, *name ? " " : "", name, limited[pkey]);
		partition_fault(d, r, &x, l ? l->line : 0, t.s);
	}
	return 0;
}

/* Hosts that are in no partition, or only where OpenSM puts every port, while others are in one. */
int find_no_partition(struct doctor *d, const struct rule *r)
{
	const struct pair_sls *p = d->partitions;
	struct places at[2] = {0}; /* with no P_Key, with the default one */
	bool others = false;

	for (uint32_t ep = 0; p && p->member && ep < p->n_endports; ep++) {
		const struct pkey_member *m = &p->member[p->first[ep]];
		uint32_t n = p->first[ep + 1] - p->first[ep];
		bool alone = n == 1 && m->pkey == DEFAULT_PKEY;

		if (!is_host_up(d->t, ep))
			continue;
		if (!n || (alone && !m->full))
			places_add_port(&at[n], d->f, d->f->endport_port[ep]);
		others |= n && !alone;
	}
	for (unsigned i = 0; i < 2; i++) {
		const char *but = i ? " but the default one, limited" : "";
		uint32_t n = at[i].n;

		if (n && others) {
			struct finding *x =
				tell_of_places(d, r, &at[i], "list partitions", "%s in no partition%s: %s.",
					       PLURAL(n, "host port"), but, places_text(&at[i]));
			finding_brief(x, "%s in no partition%s", PLURAL(n, "host port"), but);
			x->severity = i ? SEVERITY_NOTE : r->severity;
		} else {
			text_free(&at[i].t);
		}
	}
	return 0;
}

/* The engine of adaptive routing that is asked for or in force, or NULL. */
static const char *adaptive_engine(const struct doctor *d)
{
	const char *named[] = {d->f->sm_engine, d->rq->named, d->w->setup->chain, d->r ? d->r->engine : NULL};

	for (size_t i = 0; i < ARRAY_LEN(named); i++)
		if (named[i] && !strncasecmp(named[i], "ar_", 3))
			return named[i];
	return NULL;
}

/* Do tables with groups of adaptive routing (.far) leave every entry to one port? */
static bool adaptive_is_idle(const struct switch_tables *t)
{
	if (!t || !t->adaptive)
		return false;
	for (uint32_t s = 0; s < t->n_switches; s++)
		for (unsigned lid = 1; t->lft[s] && lid <= t->top[s]; lid++)
			if (adaptive_find(t->adaptive, s, lid))
				return false;
	return true;
}

bool looked_at_adaptive(const struct doctor *d)
{
	const struct switch_tables *t = setup_tables(d->rq->setup);
	bool told = !adaptive_engine(d) || d->f->n_adaptive != NO_ID || (t && t->adaptive);

	for (uint32_t s = 0; s < d->f->n_switches; s++)
		told |= d->f->switch_adaptive[s] != ADAPTIVE_UNTOLD;
	return told;
}

int find_adaptive_off(struct doctor *d, const struct rule *r)
{
	const char *engine = adaptive_engine(d);
	const struct fabric *f = d->f;
	AUTO_TEXT struct text where = {0};
	struct places at = {0};
	uint32_t off = 0;

	if (!engine)
		return 0;
	for (uint32_t s = 0; s < f->n_switches; s++)
		if (f->switch_adaptive[s] == ADAPTIVE_OFF)
			places_add_switch(&at, f, s);
	if (at.n)
		off = at.n;
	else if (f->n_adaptive != NO_ID)
		off = f->n_switches - f->n_adaptive;
	else if (adaptive_is_idle(setup_tables(d->rq->setup)))
		off = f->n_switches;
	if (!off)
		return 0;
	if (at.n)
		text_add(&where, ": %s", places_text(&at));
	struct finding *x = tell(d, r, "list switches",
				 "%.*s routes, but adaptive routing is off on %u of %s%s: packets take one "
				 "port each.",
				 (int)strcspn(engine, ", "), engine, off, PLURAL(f->n_switches, "switch"),
				 text_str(&where));
	finding_brief(x, "adaptive routing is off on %u of %s", off, PLURAL(f->n_switches, "switch"));
	x->count = off;
	x->node = at.n ? at.node : NO_ID;
	text_free(&at.t);
	return 0;
}
