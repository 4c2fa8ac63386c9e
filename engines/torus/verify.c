/* Does the configuration match the fabric (engines/doc/torus-2qos.md 2.3)? */
#include <inttypes.h>
#include <string.h>

#include "engines/engines.h"
#include "engines/torus/torus.h"

/* More places than this cannot all be switches: there are not enough LIDs. */
#define MOST_PLACES 65536

/* --- seeds ---------------------------------------------------------------------------------- */

static const struct torus_seed_link *down(const struct torus_seed *s, unsigned d)
{
	return &s->link[2 * d];
}

static const struct torus_seed_link *up(const struct torus_seed *s, unsigned d)
{
	return &s->link[2 * d + 1];
}

PRINTF_LIKE(4, 5)
static int seed_error(struct torus_run *r, const struct torus_seed *s, unsigned code, const char *fmt, ...)
{
	AUTO_TEXT struct text x = {0};
	va_list ap;

	va_start(ap, fmt);
	text_addv(&x, fmt, ap);
	va_end(ap);
	if (r->t->conf.n_seeds)
		err_set(&r->out->refused, "seed %u (line %u): %s (ERR %X)",
			(unsigned)(s - r->t->conf.seed) + 1, s->line, text_str(&x), code);
	else
		err_set(&r->out->refused, "no seed is given: %s (ERR %X)", text_str(&x), code);
	return -1;
}

/* A ring of four needs links in both directions, from one centre. */
static int verify_four(struct torus_run *r, const struct torus_seed *s, unsigned d)
{
	static const unsigned code[TORUS_DIMS] = {0x4E22, 0x4E25, 0x4E28};
	const struct torus_conf *c = &r->t->conf;
	char x = (char)('x' + d);

	if (c->radix[d] != 4 || c->open[d])
		return 0;
	if (!up(s, d)->centre)
		return seed_error(
			r, s, code[d],
			"found no %cp_link, expected both %cp_link and %cm_link, for the %c radix is 4", x, x,
			x, x);
	if (!down(s, d)->centre)
		return seed_error(
			r, s, code[d] + 1,
			"found no %cm_link, expected both %cp_link and %cm_link, for the %c radix is 4", x, x,
			x, x);
	if (up(s, d)->centre != down(s, d)->centre)
		return seed_error(r, s, code[d] + 2,
				  "found different first switches in %cp_link and %cm_link, expected one", x,
				  x);
	return 0;
}

/* A dimension needs at least one link, from the centre that the x links name. */
static int verify_links(struct torus_run *r, const struct torus_seed *s, unsigned d)
{
	static const unsigned none[TORUS_DIMS] = {0x4E2B, 0x4E2E, 0x4E2C},
			      other[TORUS_DIMS] = {0, 0x4E2F, 0x4E2D};
	char x = (char)('x' + d);

	if (r->t->conf.radix[d] <= 1)
		return 0;
	if (!up(s, d)->centre && !down(s, d)->centre)
		return seed_error(r, s, none[d], "found neither %cp_link nor %cm_link, expected one of them",
				  x, x);
	for (unsigned i = 0; d && i < 4; i++) {
		uint64_t a = s->link[2 * d + i % 2].centre, b = s->link[i / 2].centre;

		if (a && b && a != b)
			return seed_error(
				r, s, other[d],
				"found another first switch in a %c link than in an x link, expected one", x);
	}
	return 0;
}

/* Are all its switches in the fabric? Else *missing is the first that is not. */
static bool torus_verify_usable(const struct torus_run *r, const struct torus_seed *s, uint64_t *missing)
{
	for (unsigned i = 0; i < TORUS_DIRECTIONS; i++) {
		const struct torus_seed_link *l = &s->link[i];

		if (!l->centre || r->t->conf.radix[i / 2] <= 1)
			continue;
		*missing = torus_switch_by_guid(r, l->centre) != NO_ID ? l->neighbour : l->centre;
		if (torus_switch_by_guid(r, *missing) == NO_ID)
			return false;
	}
	return true;
}

static int choose_seed(struct torus_run *r)
{
	static const struct torus_seed empty;
	const struct torus_conf *c = &r->t->conf;
	uint64_t missing = 0, first = 0;
	size_t n = c->n_seeds ? c->n_seeds : 1;
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		const struct torus_seed *s = c->n_seeds ? &c->seed[i] : &empty;

		for (unsigned d = 0; d < TORUS_DIMS; d++)
			if (verify_four(r, s, d))
				return -1;
		if (verify_links(r, s, 0) || verify_links(r, s, 2) || verify_links(r, s, 1))
			return -1;
	}
	for (size_t i = 0; i < c->n_seeds && !found; i++) {
		found = torus_verify_usable(r, &c->seed[i], &missing);
		r->t->seed = (unsigned)i;
		first = first ? first : missing;
		if (RECORDED(r->in))
			torus_record_seed(r, (unsigned)i, found, missing);
	}
	if (found)
		return 0;
	if (!c->n_seeds) {
		r->out->fatal = "crashes";
		return err_set(&r->out->refused, "no seed is given; OpenSM passes that with a radix of 1 in "
						 "every dimension, and crashes");
	}
	return err_set(&r->out->refused,
		       "no seed can be used: switch 0x%" PRIx64
		       " of the first is not in the fabric (ERR 4E30)",
		       first);
}

/* --- all ------------------------------------------------------------------------------------ */

static int verify_radices(struct torus_run *r)
{
	const struct torus_conf *c = &r->t->conf;
	uint64_t places = 1;

	if (!c->line)
		return err_set(&r->out->refused, "found no torus or mesh line, expected one (ERR 4E20)");
	for (unsigned d = 0; d < TORUS_DIMS; d++) {
		if (!c->radix[d])
			return err_set(&r->out->refused,
				       "line %u: found radices %u %u %u, expected none to be 0 (ERR 4E20)",
				       c->line, c->radix[0], c->radix[1], c->radix[2]);
		places = places > MOST_PLACES ? places : places * c->radix[d];
	}
	if (places > MOST_PLACES)
		return err_set(&r->out->refused, "line %u: found %u x %u x %u places, expected at most %u",
			       c->line, c->radix[0], c->radix[1], c->radix[2], MOST_PLACES);
	r->t->n_places = (uint32_t)places;
	return 0;
}

/* See engines/doc/torus-2qos.md 9. */
static int verify_vls(struct torus_run *r)
{
	const struct topo *tp = r->in->topo;
	const struct fabric *f = tp->fabric;
	struct torus *t = r->t;
	unsigned max = (unsigned)options_uint(r->in->options, "max_op_vls");

	t->sw_vls = t->end_vls = 15;
	for (uint32_t p = 0; p < f->n_ports; p++) {
		uint32_t peer = tp->peer[p];
		bool is_switch = node_is_switch(f, f->port_node[p]);
		unsigned *least = is_switch ? &t->sw_vls : &t->end_vls, code = f->port_opervls[p];

		if (peer == NO_ID || (is_switch && !node_is_switch(f, f->port_node[peer])))
			continue;
		code = max && code > max ? max : code; /* max_op_vls 0 does not limit the lanes */
		unsigned vls = code ? vls_of_code(code) : 1;
		*least = vls < *least ? vls : *least;
	}
	if (t->sw_vls < 2)
		return err_set(&r->out->refused,
			       "links between switches have 1 data VL, expected at least 2 (ERR 4E48)");
	if (t->sw_vls < 4)
		note_add(&r->out->notes, 0,
			 "torus-2QoS: links between switches have %u data VLs; with fewer than 4 a failed "
			 "switch may bring credit loops\n",
			 t->sw_vls);
	if (t->sw_vls < 8 || t->end_vls < 2)
		note_add(&r->out->notes, 0,
			 "torus-2QoS: links between switches have %u data VLs, host ports %u; fewer than 8 "
			 "or 2 give one level of QoS only\n",
			 t->sw_vls, t->end_vls);
	return 0;
}

/* On a switch with N ports, the first N + 1 ports of the order must exist. */
static int verify_order(struct torus_run *r)
{
	const struct fabric *f = r->in->topo->fabric;

	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		for (unsigned i = 0; switch_up(r->in->topo, sw) && i <= f->switch_nports[sw]; i++)
			if (i < TORUS_PORTS && r->t->conf.port_order[i] > f->switch_nports[sw])
				return err_set(&r->out->refused,
					       "line %u: found port %u in port_order, expected ports that "
					       "all switches have; %s has %u (ERR 4E21)",
					       r->t->conf.order_line, r->t->conf.port_order[i],
					       switch_name(f, sw), f->switch_nports[sw]);
	return 0;
}

int torus_verify(struct torus_run *r)
{
	const struct torus_conf *c = &r->t->conf;
	bool mesh = true;

	if (verify_radices(r) || verify_vls(r))
		return -1;
	for (unsigned d = 0; d < TORUS_DIMS; d++)
		mesh &= c->open[d];
	rec_note(r->in,
		 "%u links, %u switches, %u CA and router ports; data VLs: %u between switches, %u at hosts",
		 r->n_switch_links + r->n_end_links, r->in->topo->n_switches_up, r->n_cas, r->t->sw_vls,
		 r->t->end_vls);
	rec_note(r->in, "looking for a %u x %u x %u %s", c->radix[0], c->radix[1], c->radix[2],
		 mesh ? "mesh" : "torus");
	if (verify_order(r))
		return -1;
	return choose_seed(r);
}
