/* A sweep on another fabric: how the subnet manager's memory follows when cables and nodes change. */
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/sm/sm_memory.h"
#include "core/sm/sweep.h"

/* The topo with those cables alone that both fabrics have: others came up since then, or were lost. */
static struct topo *common_topo(const struct topo *was, const struct fabric *to, const uint32_t *match)
{
	struct topo *t = topo_on(was, to, match);

	for (uint32_t p = 0; p < to->n_ports; p++)
		if (t->peer[p] != NO_ID && to->port_peer[p] != t->peer[p])
			t->peer[p] = t->peer_switch[p] = NO_ID;
	t->sm_endport = was->sm_endport == NO_ID ? NO_ID : match[was->sm_endport];
	t->sm_moved = was->sm_moved;
	t->sm_regard = was->sm_regard;
	return t;
}

/* Codes of ports: those remembered where the port was there and its source says the same as before. */
static uint8_t *codes_on(const uint8_t *was, const struct fabric *from, const struct fabric *to)
{
	uint8_t *code = mem_dup(to->port_opervls, to->n_ports);

	for (uint32_t p = 0; p < to->n_ports; p++) {
		uint32_t q = fabric_port_in(from, to, p);

		if (q != NO_ID && from->port_opervls[q] == to->port_opervls[p])
			code[p] = was[q];
	}
	return code;
}

static struct sm_memory *memory_on(const struct sweep *s, const struct topo *t, const struct lids *l)
{
	const struct sm_memory *m = s->memory;
	const struct fabric *from = s->fabric, *to = t->fabric;
	struct sm_memory *n = NEW(struct sm_memory);
	struct cache_sweep cs = {.was = s->topo, .lids_was = s->lids, .tables = m->tables};

	n->lids = lid_memory_on(m->lids, from, to);
	n->tables = m->tables ? routing_on(m->tables, t, l) : NULL;
	n->ignore = m->ignore;
	n->cache = m->cache ? ucast_cache_on(m->cache, &cs, to) : NULL;
	n->opervls = codes_on(m->opervls, from, to);
	n->active = NEW_ARRAY(to->n_ports, uint8_t);
	for (uint32_t p = 0; p < to->n_ports; p++) {
		uint32_t q = fabric_port_in(from, to, p);

		n->active[p] = q != NO_ID && m->active[q];
	}
	n->random = m->random;
	n->marked = NEW_ARRAY(to->n_switches, uint8_t);
	for (uint32_t sw = 0; sw < to->n_switches; sw++) {
		uint32_t was = fabric_switch_in(from, to, sw);

		n->marked[sw] = was != NO_ID && m->marked[was];
	}
	return n;
}

/*
 * What the next sweep finds behind the carried one.  Readings of tables would make a chain without an end,
 * and hold all that was ever read: of such a sweep only the last computed one before it is kept.
 */
static const struct sweep *sweep_on_behind(const struct sweep *was)
{
	const struct sweep *computed = was->prev;
	struct sweep *s;

	if (sweep_remembers(was))
		return sweep_ref(was);
	while (computed && !sweep_remembers(computed))
		computed = computed->prev;
	s = sweep_with_hosts(was, was->setup);
	sweep_unref(s->prev);
	s->prev = computed ? sweep_ref(computed) : NULL;
	return s;
}

struct sweep *sweep_on(const struct sweep *was, const struct setup *setup)
{
	const struct fabric *from = was->fabric, *to = setup->fabric;
	struct state *state;
	struct sweep *s;
	uint32_t *match; /* [n_endports of from] endports of to */

	if (!fabric_akin(from, to))
		return NULL;
	match = NEW_ARRAY(from->n_endports + 1, uint32_t);
	for (uint32_t ep = 0; ep < from->n_endports; ep++)
		match[ep] = fabric_endport_in(to, from, ep);
	s = NEW(struct sweep);
	s->refs = 1;
	state = state_on(was->setup->state, from, to, true);
	/* its tables and scope have no meaning here; options and chain are those that it had */
	s->setup = setup_with(
		setup,
		&(struct setup){.state = state, .options = was->setup->options, .chain = was->setup->chain});
	state_free(state);
	s->fabric = to;
	s->topo = common_topo(was->topo, to, match);
	s->lids = lids_on(was->lids, to, match);
	free(match);
	s->hosts = setup_hosts(s->setup);
	s->memory = memory_on(was, s->topo, s->lids);
	s->routing = was->routing ? routing_on(was->routing, s->topo, s->lids) : NULL;
	s->fatal = was->fatal;
	s->notes = str_dup("");
	s->from_scratch = was->from_scratch;
	s->carried = true;
	s->number = was->number;
	s->opervls = codes_on(was->opervls, from, to);
	s->prev = sweep_on_behind(was);
	return s;
}
