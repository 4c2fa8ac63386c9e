#include "core/sm/setup.h"
#include "core/base/memory.h"
#include "core/base/counted.h"

#include <stdlib.h>
#include <string.h>
#include <string.h>

static const struct switch_tables *tables_ref(const struct switch_tables *t)
{
	return t ? (const struct switch_tables *)counted_ref((struct counted *)(uintptr_t)&t->counted) : NULL;
}

struct setup *setup_new(const struct setup *m)
{
	struct setup *s = NEW(struct setup);

	atomic_init(&s->refs, 1);
	s->fabric = m->fabric ? fabric_ref(m->fabric) : NULL;
	s->loaded = m->loaded ? fabric_ref(m->loaded) : NULL;
	s->state = m->state ? state_ref(m->state) : NULL;
	s->options = options_ref(m->options);
	s->chain = m->chain ? str_dup(m->chain) : NULL;
	s->program = m->program ? str_dup(m->program) : NULL;
	s->tables = tables_ref(m->tables);
	s->scope = m->scope ? scope_ref(m->scope) : NULL;
	return s;
}

static bool asks_tables(const char *chain)
{
	size_t len = chain ? strcspn(chain, ",") : 0;

	return len == strlen("tables") && !strncmp(chain, "tables", len);
}

/* The options of `other`, or of `base`, without SLs that were told of the tables alone. NULL: there are none.
 */
static struct options *without_sls(const struct setup *base, const struct setup *other)
{
	const char *sls = options_get(base->options, "path_sl_file");
	const struct options *from = other->options ? other->options : base->options;
	struct options *o;

	if (!*sls || !asks_tables(base->chain) || !other->chain || asks_tables(other->chain) ||
	    strcmp(options_get(from, "path_sl_file"), sls) != 0)
		return NULL;
	o = options_copy(from);
	options_unset(o, "path_sl_file");
	return o;
}

struct setup *setup_with(const struct setup *base, const struct setup *other)
{
	bool same_fabric = !other->fabric || other->fabric == base->fabric;
	struct options *own = without_sls(base, other);
	struct setup *s = setup_new(&(struct setup){
		.fabric = other->fabric ? other->fabric : base->fabric,
		.loaded = other->loaded ? other->loaded
			  : same_fabric ? base->loaded
					: NULL,
		.state = other->state ? other->state : base->state,
		.options = own		    ? own
			   : other->options ? other->options
					    : base->options,
		.chain = other->chain ? other->chain : base->chain,
		.program = other->program ? other->program : base->program,
		.scope = other->scope ? other->scope : base->scope,
		.tables = other->tables ? other->tables
			  : same_fabric ? base->tables
					: NULL,
	});

	options_free(own);
	return s;
}

bool setup_counts_aggregation(const struct setup *s)
{
	return !strcmp(options_get(s->options, "aggregation_nodes"), "count");
}

struct host_set *setup_hosts(const struct setup *s)
{
	return host_set_new(s->fabric, setup_counts_aggregation(s), s->scope);
}

const char *setup_chassis_file(const struct options *o)
{
	return options_find(o, "chassis_file") ? options_file(o, "chassis_file") : NULL;
}

struct elements *setup_elements(const struct setup *s, struct progress *p, struct text *notes, struct err *e)
{
	struct state *st = state_new(s->fabric);
	struct topo *t = topo_new(s->fabric, st);
	struct elements *el = elements_new(t, setup_chassis_file(s->options), p, notes, e);

	topo_unref(t);
	state_free(st);
	return el;
}

static void setup_release(struct setup *m)
{
	fabric_unref(m->fabric);
	fabric_unref(m->loaded);
	state_free(m->state);
	options_free(m->options);
	free((void *)(uintptr_t)m->chain);
	free((void *)(uintptr_t)m->program);
	scope_unref(m->scope);
	if (m->tables)
		counted_unref((struct counted *)(uintptr_t)&m->tables->counted);
	free(m);
}

COUNTED(struct setup, struct setup, setup_ref, setup_unref, setup_release)

bool setup_equal(const struct setup *a, const struct setup *b)
{
	return a->fabric == b->fabric && (a->state == b->state || state_equal(a->state, b->state)) &&
	       options_equal(a->options, b->options) && a->tables == b->tables && a->scope == b->scope &&
	       !strcmp(a->program ? a->program : "", b->program ? b->program : "");
}
