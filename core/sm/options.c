/* OpenSM's options: values checked and normalised, set up for a run, read again on SIGHUP. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/counted.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/sm/options.h"

/* Option values under OpenSM's names: checked and normalised when they are set. */

static bool is_null(const char *v)
{
	return !*v || !strcmp(v, "(null)");
}

char *optdef_values(const struct optdef *d)
{
	assert(d->type != OPT_CHOICE || d->choices);
	switch (d->type) {
	case OPT_BOOL:
		return str_dup("TRUE|FALSE");
	case OPT_UINT:
		return str_printf("%" PRIu64 "..%" PRIu64, d->min, d->max);
	case OPT_FILE:
		return str_dup(d->names ? "FILE|NAMES" : "FILE");
	case OPT_CHOICE:
		return str_dup(d->choices);
	case OPT_STRING:
		break;
	}
	return str_dup("TEXT");
}

void optdef_tell(const struct optdef *d, struct text *t)
{
	text_add(t, "%s.", d->help);
	if (d->def && !is_null(d->def))
		text_add(t, " Default: `%s`.", d->def);
	if (d->nvidia && d->def && strcmp(d->nvidia, d->def) != 0)
		text_add(t, " By NVIDIA's rules: `%s`.", d->nvidia);
	if (d->flag)
		text_add(t, " With opensm: `%s`.", d->flag);
	if (d->own) /* OpenSM has no such option */
		return;
	const char *effect = sighup_effect(d->name);
	text_add(t, " `set` restarts OpenSM with it; at SIGHUP it is ");
	if (effect)
		text_add(t, "taken, and acts %s.", effect);
	else
		text_add(t, "not taken.");
}

struct options {
	atomic_uint refs;
	size_t n;
	const struct optdef **def; /* [n] in the order of the tables, every name once */
	uint32_t *by_name;	   /* [n] indexes by strcmp() order of the names */
	char **def_value;	   /* [n] normalised defaults */
	char **value;		   /* [n] NULL = the default */
	char **list;		   /* [n] GUIDs that names in the value mean; NULL: there are no names */
	bool nvidia;		   /* the option `rules` is nvidia: defaults are those of NVIDIA's OpenSM */
};

/* The longest part of a value that an error message repeats. */
#define SHOWN 80

static char *uint_value(const struct optdef *d, const char *v, struct err *e)
{
	uint64_t n;
	bool hex = d->def && !strncmp(d->def, "0x", 2);

	if (number_of_any(v, d->min, d->max, &n))
		return str_printf(hex ? "0x%016llx" : "%llu", (unsigned long long)n);
	if (hex)
		err_set_kind(e, ERR_SYNTAX, "%s: found '%.*s', expected a number from 0x%llx to 0x%llx",
			     d->name, SHOWN, v, (unsigned long long)d->min, (unsigned long long)d->max);
	else
		err_set_kind(e, ERR_SYNTAX, "%s: found '%.*s', expected a number from %llu to %llu", d->name,
			     SHOWN, v, (unsigned long long)d->min, (unsigned long long)d->max);
	return NULL;
}

static char *file_value(const struct optdef *d, const char *v, struct err *e)
{
	struct stat st;
	const char *lesson = lesson_name(v);
	struct err why;

	if (is_null(v))
		return str_dup("");
	if (lesson && access(v, F_OK)) {
		char *path = lesson_file(lesson, &why);

		if (!path)
			err_set(e, "%s: %s", d->name, why.msg);
		return path;
	}
	if (permitted_to_read(v, e))
		return NULL;
	if (stat(v, &st) || access(v, R_OK)) {
		err_set_kind(e, ERR_IO, "%s: %.200s: %s; expected a file that can be read", d->name, v,
			     strerror(errno));
		return NULL;
	}
	if (S_ISDIR(st.st_mode)) {
		err_set(e, "%s: %.200s is a directory; expected a file", d->name, v);
		return NULL;
	}
	return *v == GUID_LIST_MARK ? str_printf("./%s", v) : str_dup(v);
}

static char *choice_value(const struct optdef *d, const char *v, struct err *e)
{
	size_t len = strlen(v);

	assert(d->choices);
	for (const char *w = d->choices; *w;) {
		size_t n = strcspn(w, "|");

		if (n == len && !strncasecmp(w, v, n)) {
			char *s = mem_alloc(n + 1);

			memcpy(s, w, n);
			return s;
		}
		w += n + (w[n] == '|');
	}
	const char *second = strchr(d->choices, '|');
	if (second && !strchr(second + 1, '|'))
		err_set_kind(e, ERR_SYNTAX, "%s: found '%.*s', expected %.*s or %s", d->name, SHOWN, v,
			     (int)(second - d->choices), d->choices, second + 1);
	else
		err_set_kind(e, ERR_SYNTAX, "%s: found '%.*s', expected one of %s", d->name, SHOWN, v,
			     d->choices);
	return NULL;
}

/* The value in the form of options_get() (the caller frees it), or NULL and *e. */
static char *normalise(const struct optdef *d, const char *v, struct err *e)
{
	static const char *const words[] = {"TRUE", "FALSE", "yes", "no", "on", "off", "1", "0"};

	switch (d->type) {
	case OPT_BOOL:
		for (size_t i = 0; i < ARRAY_LEN(words); i++)
			if (!strcasecmp(words[i], v))
				return str_dup(words[i % 2]);
		err_set_kind(e, ERR_SYNTAX, "%s: found '%.*s', expected TRUE or FALSE", d->name, SHOWN, v);
		return NULL;
	case OPT_UINT:
		return uint_value(d, v, e);
	case OPT_FILE:
		return file_value(d, v, e);
	case OPT_CHOICE:
		return choice_value(d, v, e);
	case OPT_STRING:
		break;
	}
	return str_dup(is_null(v) ? "" : v);
}

static int find_slot(const struct options *o, const char *name)
{
	size_t lo = 0, hi = o->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int c = strcmp(o->def[o->by_name[mid]]->name, name);

		if (!c)
			return (int)o->by_name[mid];
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return -1;
}

/* The slot of an option, which must exist. */
static size_t slot(const struct options *o, const char *name)
{
	int i = find_slot(o, name);

	if (i < 0)
		abort();
	return (size_t)i;
}

struct options *options_new(const struct optdef *const *defs)
{
	struct options *o = ARENA_NEW(NULL, struct options);
	size_t n = 0, at;

	atomic_init(&o->refs, 1);
	for (size_t t = 0; defs[t]; t++)
		for (const struct optdef *d = defs[t]; d->name; d++)
			n++;
	o->def = ARENA_ARRAY(o, n + 1, const struct optdef *);
	o->by_name = ARENA_ARRAY(o, n + 1, uint32_t);
	for (size_t t = 0; defs[t]; t++) {
		for (const struct optdef *d = defs[t]; d->name; d++) {
			if (find_slot(o, d->name) >= 0)
				continue;
			/* by_name stays sorted */
			for (at = o->n; at && strcmp(o->def[o->by_name[at - 1]]->name, d->name) > 0; at--)
				o->by_name[at] = o->by_name[at - 1];
			o->by_name[at] = (uint32_t)o->n;
			o->def[o->n++] = d;
		}
	}
	o->def_value = ARENA_ARRAY(o, o->n + 1, char *);
	o->value = ARENA_ARRAY(o, o->n + 1, char *);
	o->list = ARENA_ARRAY(o, o->n + 1, char *);
	for (size_t i = 0; i < o->n; i++) {
		const struct optdef *d = o->def[i];

		/* not checked against the file system; a default out of range is shown unchanged */
		if (d->type != OPT_FILE && d->def)
			o->def_value[i] = normalise(d, d->def, NULL);
		if (!o->def_value[i])
			o->def_value[i] = str_dup(!d->def || is_null(d->def) ? "" : d->def);
	}
	return o;
}

struct options *options_copy(const struct options *o)
{
	struct options *c = ARENA_NEW(NULL, struct options);

	atomic_init(&c->refs, 1);
	c->n = o->n;
	c->nvidia = o->nvidia;
	c->def = arena_dup(c, o->def, (o->n + 1) * sizeof(*o->def));
	c->by_name = arena_dup(c, o->by_name, (o->n + 1) * sizeof(*o->by_name));
	c->def_value = ARENA_ARRAY(c, o->n + 1, char *);
	c->value = ARENA_ARRAY(c, o->n + 1, char *);
	c->list = ARENA_ARRAY(c, o->n + 1, char *);
	for (size_t i = 0; i < o->n; i++) {
		c->def_value[i] = str_dup(o->def_value[i]);
		c->value[i] = o->value[i] ? str_dup(o->value[i]) : NULL;
		c->list[i] = o->list[i] ? str_dup(o->list[i]) : NULL;
	}
	return c;
}

static void options_release(struct options *o)
{
	for (size_t i = 0; i < o->n; i++) {
		free(o->def_value[i]);
		free(o->value[i]);
		free(o->list[i]);
	}
	arena_free(o);
}

COUNTED(struct options, struct options, options_ref, options_free, options_release)
COUNTED_LATER(struct options, options_free)

bool options_equal(const struct options *a, const struct options *b)
{
	assert(a->n == b->n);
	if (a == b)
		return true;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(options_get(a, a->def[i]->name), options_get(b, a->def[i]->name)) ||
		    !str_same(a->list[i], b->list[i]))
			return false;
	return true;
}

const struct optdef *options_find(const struct options *o, const char *name)
{
	int i = find_slot(o, name);

	return i < 0 ? NULL : o->def[i];
}

size_t options_count(const struct options *o)
{
	return o->n;
}

const struct optdef *options_at(const struct options *o, size_t i)
{
	return o->def[i];
}

static const char *default_at(const struct options *o, size_t i)
{
	return o->nvidia && o->def[i]->nvidia ? o->def[i]->nvidia : o->def_value[i];
}

static const char *value_at(const struct options *o, size_t i)
{
	return o->value[i] ? o->value[i] : default_at(o, i);
}

/* A default is not kept as a value, unless other rules have another default: then it counts as set, too. */
int options_set(struct options *o, const char *name, const char *value, struct err *e)
{
	int i = find_slot(o, name);

	if (i < 0)
		return err_set_kind(e, ERR_SYNTAX, "unknown option '%.*s'", SHOWN, name);
	char *v = strcmp(value, o->def_value[i]) ? normalise(o->def[i], value, e) : str_dup(value);
	if (!v)
		return -1;
	options_unset(o, name);
	if (strcmp(v, o->def_value[i]) || o->def[i]->nvidia)
		o->value[i] = v;
	else
		free(v);
	if (!strcmp(name, "rules"))
		o->nvidia = !strcmp(value_at(o, (size_t)i), "nvidia");
	return 0;
}

void options_unset(struct options *o, const char *name)
{
	size_t i = slot(o, name);

	free(o->value[i]);
	free(o->list[i]);
	o->value[i] = o->list[i] = NULL;
	o->nvidia &= strcmp(name, "rules") != 0;
}

void options_set_list(struct options *o, const char *name, const char *value, const char *list)
{
	size_t i = slot(o, name);
	char *v = str_dup(value), *l = str_dup(list); /* v and l may be the present values */

	assert(o->def[i]->type == OPT_FILE && o->def[i]->names);
	options_unset(o, name);
	o->value[i] = v;
	o->list[i] = l;
}

bool options_has_list(const struct options *o, const char *name)
{
	return o->list[slot(o, name)] != NULL;
}

bool options_is_set(const struct options *o, const char *name)
{
	return o->value[slot(o, name)] != NULL;
}

const char *options_get(const struct options *o, const char *name)
{
	return value_at(o, slot(o, name));
}

bool options_bool(const struct options *o, const char *name)
{
	size_t i = slot(o, name);

	assert(o->def[i]->type == OPT_BOOL);
	return !strcmp(value_at(o, i), "TRUE");
}

uint64_t options_uint(const struct options *o, const char *name)
{
	size_t i = slot(o, name);

	assert(o->def[i]->type == OPT_UINT);
	return strtoull(value_at(o, i), NULL, 0);
}

const char *options_file(const struct options *o, const char *name)
{
	size_t i = slot(o, name);
	const char *v = o->list[i] ? o->list[i] : value_at(o, i);

	assert(o->def[i]->type == OPT_FILE);
	return *v ? v : NULL;
}

static const struct switch_tables *tables_ref(const struct switch_tables *t)
{
	return t ? (const struct switch_tables *)counted_ref((struct counted *)(uintptr_t)&t->counted) : NULL;
}

struct setup *setup_new(const struct setup *m)
{
	struct setup *s = NEW(struct setup);

	assert(m->options && (!m->state || m->fabric));
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

/* The options of `other`, or of `base`, without SLs that apply only to the tables.  NULL: there are none. */
static struct options *without_sls(const struct setup *base, const struct setup *other)
{
	const char *sls = options_get(base->options, "path_sl_file");
	const struct options *from = other->options ? other->options : base->options;

	if (!*sls || !asks_tables(base->chain) || !other->chain || asks_tables(other->chain) ||
	    strcmp(options_get(from, "path_sl_file"), sls) != 0)
		return NULL;
	struct options *o = options_copy(from);
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
	assert(s->fabric);

	AUTO_STATE struct state *st = state_new(s->fabric);
	AUTO_TOPO struct topo *t = topo_new(s->fabric, st);

	return elements_new(t, setup_chassis_file(s->options), p, notes, e);
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
COUNTED_LATER(struct setup, setup_unref)

bool setup_equal(const struct setup *a, const struct setup *b)
{
	return a->fabric == b->fabric && (a->state == b->state || state_equal(a->state, b->state)) &&
	       options_equal(a->options, b->options) && a->tables == b->tables && a->scope == b->scope &&
	       str_same(a->program, b->program);
}

#define NOW "with the sweep that follows"
#define ANEW "in entries that are made anew: others stay until a sweep from scratch"
#define STANDBY "when a standby takes over"
#define START "at a start alone: later sweeps do not look at it"

const char *const sighup_effects[] = {NOW, ANEW, STANDBY, START, NULL};

const char *sighup_effect(const char *option)
{
	static const struct {
		const char *name, *effect;
	} taken[] = {
		{"port_shifting", ANEW},  {"scatter_ports", ANEW},	 {"port_profile_switch_nodes", ANEW},
		{"connect_roots", NOW},	  {"max_op_vls", NOW},		 {"qos", NOW},
		{"torus_config", NOW},	  {"do_mesh_analysis", NOW},	 {"lash_start_vl", NOW},
		{"nue_max_num_vls", NOW}, {"quasi_ftree_indexing", NOW}, {"honor_guid2lid_file", STANDBY},
		{"reassign_lids", START},
	};

	if (!strncmp(option, "qos_", 4))
		return NOW;
	for (size_t i = 0; i < ARRAY_LEN(taken); i++)
		if (!strcmp(taken[i].name, option))
			return taken[i].effect;
	return NULL;
}
