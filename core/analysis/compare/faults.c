/* Faults of tables: how they are found, compared, and written to JSON and read from it. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/faults.h"
#include "core/analysis/compare/internal.h"
#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/routing/json_names.h"

const struct verdict_words verdict_words[VERDICTS] = {
	[VERDICT_NO_HOSTS] = {"NOTHING JUDGED", "No host counts: nothing is judged."},
	[VERDICT_FAULT] = {"NOT SOUND", "NOT SOUND."},
	[VERDICT_UNKNOWN] = {"INCOMPLETE",
			     "Nothing wrong in the part that is known; whether the fabric is sound is not."},
	[VERDICT_CHANCE] = {"BY CHANCE", "Nothing wrong in these tables; but OpenSM's own may leave hosts "
					 "without a route, by chance."},
	[VERDICT_NO_PAIRS] = {"NOTHING JUDGED", "No pair of hosts: nothing is judged."},
	[VERDICT_PART] = {"PART OF THE SCOPE", "Nothing wrong among the hosts of the scope that are there."},
	[VERDICT_IN_SCOPE] = {"Sound within the scope",
			      "Sound within the scope: every host of it reaches every other, and their own "
			      "routes make no credit loops."},
	[VERDICT_APART] = {"Sound within the partitions",
			   "Sound within the partitions: hosts that share a P_Key reach each other, without "
			   "credit loops."},
	[VERDICT_SOUND] = {"Sound", "Sound: every host reaches every host, without credit loops."},
};

static uint32_t not_here(const struct scope *scope, const struct fabric *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; scope && *scope->words && i < scope->n; i++)
		n += scope_endport(f, &scope->port[i]) == NO_ID;
	return n;
}

uint32_t sound_next_by_chance(const struct sweep *w, uint32_t *at)
{
	assert(w->routing);
	const struct routing *r = w->routing;
	uint32_t ep;

	do
		ep = r->ops->next_by_chance ? r->ops->next_by_chance(r, at) : NO_ID;
	while (ep != NO_ID && !host_set_matters(w->hosts, w->fabric, ep));
	return ep;
}

static void faults_sound_judge(const struct sweep *w, struct soundness *x)
{
	const struct check_result *c = &x->counts;
	bool wrong = !x->strange && (c->unreachable != x->untold || c->no_lid || x->cut_off ||
				     x->loops->n_components || x->loops->dropped);
	bool part = w->fabric->warnings.missing || x->strange || (x->untold && tables_lacking(w, NULL));

	x->fault = wrong || x->gone;
	x->sound = !x->fault && c->pairs && !part && !x->by_chance;
	if (!w->hosts->n && w->hosts->narrowed)
		x->verdict = VERDICT_NO_HOSTS;
	else if (wrong)
		x->verdict = VERDICT_FAULT;
	else if (part)
		x->verdict = VERDICT_UNKNOWN;
	else if (x->by_chance)
		x->verdict = VERDICT_CHANCE;
	else if (!c->pairs)
		x->verdict = VERDICT_NO_PAIRS;
	else if (x->gone)
		x->verdict = VERDICT_PART;
	else if (c->apart)
		x->verdict = VERDICT_APART;
	else
		x->verdict = w->hosts->narrowed ? VERDICT_IN_SCOPE : VERDICT_SOUND;
}

int soundness_find(const struct sweep *w, struct soundness *x, const struct last_seen *seen,
		   const struct ways_listener *to, struct progress *p, struct err *e)
{
	assert(w->routing);
	*x = (struct soundness){
		.cut_off = count_cut_off(w, NULL),
		.gone = not_here(w->setup->scope, w->fabric),
		.strange = tables_strange(w),
		.by_chance = sound_next_by_chance(w, &(uint32_t){0}) != NO_ID,
	};
	if (check_routing(w->routing, &x->counts, p))
		return err_set(e, CANCELLED);
	const struct causes_request rq = {.w = w, .known = &x->counts, .seen = seen, .lost = to};
	x->causes = causes_find(&rq, p, e);
	x->loops = x->causes ? cdg_new_loops(w->routing, p, e) : NULL;
	if (!x->loops) {
		soundness_clear(x);
		return -1;
	}
	x->untold = x->strange ? x->counts.unreachable : x->causes->untold;
	faults_sound_judge(w, x);
	return 0;
}

void soundness_clear(struct soundness *x)
{
	arena_free(x->causes);
	arena_free(x->loops);
	x->causes = NULL;
	x->loops = NULL;
}

const char *const fault_names[FAULT_KINDS] = {"unreachable", "loop",	    "no_lid",	  "cut_off",
					      "credit_loop", "dropped",	    "missing",	  "not_here",
					      "host_gone",   "switch_gone", "cable_gone", "cable_slower"};

void faults_begin(struct faults *s, const struct fabric *f, const struct lids *l, struct err *e)
{
	*s = (struct faults){.fabric = f, .lids = l, .e = e};
}

void fault_put(struct faults *s, const struct fault *f)
{
	enum { AT_ONCE = 65536 }; /* memory is asked for this many at a time */

	assert(f->kind < FAULT_KINDS);
	if (!s->failed && s->n % AT_ONCE == 0)
		s->failed = mem_room(s->e, AT_ONCE * sizeof(*s->f) * 2, "more than %zu faults", s->n) != 0;
	if (s->failed)
		return;
	GROW(s->f, s->n, s->cap);
	s->f[s->n++] = *f;
}

void faults_add_path(struct faults *s, uint32_t sw, unsigned lid, bool loops)
{
	const struct fabric *f = s->fabric;
	uint32_t ep = lid_owner(s->lids, lid), node = f->switch_node[sw];

	assert(sw < f->n_switches && ep != NO_ID);
	fault_put(s, &(struct fault){.kind = loops ? FAULT_LOOP : FAULT_UNREACHABLE,
				     .offset = (uint16_t)(lid - s->lids->base[ep]),
				     .from = f->node_guid[node],
				     .to = f->port_guid[f->endport_port[ep]],
				     .at_from.id = node,
				     .at_to.id = ep});
}

void faults_add_host(struct faults *s, uint32_t sw, uint32_t ep)
{
	assert(sw < s->fabric->n_switches && ep < s->fabric->n_endports);
	fault_put(s, &(struct fault){.kind = FAULT_UNREACHABLE,
				     .from = s->fabric->node_guid[s->fabric->switch_node[sw]],
				     .to = s->fabric->port_guid[s->fabric->endport_port[ep]],
				     .at_from.id = s->fabric->switch_node[sw],
				     .at_to.id = ep});
}

void faults_add_endport(struct faults *s, enum fault_kind kind, uint32_t ep)
{
	assert(ep < s->fabric->n_endports);
	fault_put(s, &(struct fault){.kind = (uint8_t)kind,
				     .to = s->fabric->port_guid[s->fabric->endport_port[ep]],
				     .at_from.id = NO_ID,
				     .at_to.id = ep});
}

void faults_add_loops(struct faults *s, const struct cdg *c)
{
	const struct fabric *f = s->fabric;

	assert(fabric_alike(c->routing->topo->fabric, f));
	for (uint32_t v = 0; v < c->n_channels; v++) {
		uint32_t node = f->port_node[c->port[v]];

		if (c->component[v] != NO_ID)
			fault_put(s, &(struct fault){.kind = FAULT_CREDIT_LOOP,
						     .vl = c->vl[v],
						     .port = f->port_num[c->port[v]],
						     .from = f->node_guid[node],
						     .at_from.id = node,
						     .at_to.id = NO_ID});
	}
	if (c->dropped)
		fault_put(s, &(struct fault){.kind = FAULT_DROPPED,
					     .u.routes = c->dropped,
					     .at_from.id = NO_ID,
					     .at_to.id = NO_ID});
}

void faults_add_missing(struct faults *s)
{
	const struct warnings *w = &s->fabric->warnings;

	for (size_t i = 0; i < w->n; i++)
		if (w->w[i].missing)
			fault_put(s,
				  &(struct fault){.kind = FAULT_MISSING,
						  .port = w->w[i].port,
						  .from = w->w[i].guid,
						  .u.what = w->w[i].kind,
						  .at_from.id = fabric_node_by_guid(s->fabric, w->w[i].guid),
						  .at_to.id = NO_ID});
}

void faults_add_not_here(struct faults *s, uint64_t node_guid, unsigned port)
{
	fault_put(s, &(struct fault){.kind = FAULT_NOT_HERE,
				     .port = (uint8_t)port,
				     .from = node_guid,
				     .at_from.id = fabric_node_by_guid(s->fabric, node_guid),
				     .at_to.id = NO_ID});
}

void faults_free(struct faults *s)
{
	free(s->f);
	json_decref(s->doc);
	*s = (struct faults){0};
}

static int fault_order_ends(const struct fault *a, const struct fault *b)
{
	ORDER(a->kind, b->kind);
	if (a->kind == FAULT_MISSING && strcmp(a->u.what, b->u.what) != 0)
		return strcmp(a->u.what, b->u.what);
	ORDER(a->to, b->to);
	ORDER(a->offset, b->offset);
	return 0;
}

/* Order by everything except `from`, port and VL; then by those. */
static int fault_order_from(const struct fault *a, const struct fault *b)
{
	ORDER(a->from, b->from);
	ORDER(a->port, b->port);
	ORDER(a->vl, b->vl);
	return 0;
}

static int faults_order(const void *x, const void *y)
{
	int ends = fault_order_ends(x, y);

	return ends ? ends : fault_order_from(x, y);
}

int faults_sort(struct faults *s)
{
	size_t n = 0;

	if (s->failed)
		return -1;
	if (s->n)
		qsort(s->f, s->n, sizeof(*s->f), faults_order);
	for (size_t i = 0; i < s->n; i++)
		if (!n || faults_order(&s->f[n - 1], &s->f[i]))
			s->f[n++] = s->f[i];
	s->n = n;
	return 0;
}

size_t faults_minus(const struct faults *a, const struct faults *b, struct faults *out)
{
	size_t i = 0, j = 0;

	*out = (struct faults){.fabric = a->fabric, .lids = a->lids, .e = a->e};
	while (i < a->n) {
		int c = j < b->n ? faults_order(&a->f[i], &b->f[j]) : -1;

		if (c < 0 || (!c && a->f[i].kind == FAULT_DROPPED && a->f[i].u.routes > b->f[j].u.routes)) {
			GROW(out->f, out->n, out->cap);
			out->f[out->n++] = a->f[i];
		}
		i += c <= 0;
		j += c >= 0;
	}
	return out->n;
}

/* --- in words ----------------------------------------------------------------------------- */

static const char *faults_member(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "?";
}

static void from_text(const struct faults *s, const struct fault *f, struct text *t)
{
	const char *name = NULL;

	if (!s->fabric && f->at_from.object)
		name = faults_member(f->at_from.object, "name");
	else if (s->fabric && f->at_from.id != NO_ID)
		name = s->fabric->node_name[f->at_from.id];
	if (name)
		text_add(t, "%s", name);
	else
		text_add(t, "0x%016" PRIx64, f->from);
	if (fault_has_port(f))
		text_add(t, "[%u]", f->port);
}

static void to_text(const struct faults *s, const struct fault *f, struct text *t)
{
	char a[300];

	text_add(t, "%s",
		 s->fabric ? endport_label(s->fabric, f->at_to.id, a, sizeof(a))
			   : faults_member(f->at_to.object, "name"));
	if (f->offset)
		text_add(t, " (LID +%u)", f->offset);
}

void fault_text(const struct faults *s, const struct fault *f, struct text *t)
{
	switch (f->kind) {
	case FAULT_UNREACHABLE:
	case FAULT_LOOP:
		text_add(t, f->kind == FAULT_LOOP ? "forwarding loop from " : "no path from ");
		from_text(s, f, t);
		text_add(t, " to ");
		to_text(s, f, t);
		break;
	case FAULT_NO_LID:
	case FAULT_CUT_OFF:
		to_text(s, f, t);
		text_add(t, f->kind == FAULT_NO_LID ? " has no LID" : " is cut off from the subnet manager");
		break;
	case FAULT_CREDIT_LOOP:
		text_add(t, "on a credit loop: ");
		from_text(s, f, t);
		text_add(t, ", VL %u", f->vl);
		break;
	case FAULT_DROPPED:
		text_add(t, "%s dropped at VL %d", PLURAL(f->u.routes, "route"), CDG_DROP_VL);
		break;
	case FAULT_NOT_HERE:
		text_add(t, "of the scope, but not in the fabric: ");
		from_text(s, f, t);
		break;
	case FAULT_HOST_GONE:
	case FAULT_SWITCH_GONE:
		text_add(t, f->kind == FAULT_HOST_GONE ? "host gone: " : "switch gone: ");
		from_text(s, f, t);
		break;
	case FAULT_CABLE_GONE:
		text_add(t, "cable gone: ");
		from_text(s, f, t);
		text_add(t, " to %s[%u]", faults_member(f->at_to.object, "name"), f->offset);
		break;
	case FAULT_CABLE_SLOWER:
		text_add(t, "slower cable: ");
		from_text(s, f, t);
		text_add(t, " to %s[%u], %s before", faults_member(f->at_to.object, "name"), f->offset,
			 f->u.what);
		break;
	default:
		text_add(t, "missing: %s", f->u.what);
		if (f->from) {
			text_add(t, " at ");
			from_text(s, f, t);
		}
	}
}

/* Faults to and from JSON. */

/* --- groups: faults of one kind with the same list of `from` ------------------------ */

/* Successive faults that differ in `from` only. */
struct faults_json_run {
	const struct fault *f;
	size_t n;
	uint64_t sum; /* a hash of what is compared */
};

static int faults_json_run_order(const void *x, const void *y)
{
	const struct faults_json_run *a = x, *b = y;
	int c = 0;

	ORDER(a->f->kind, b->f->kind);
	if (a->f->kind == FAULT_MISSING) /* missing parts are never joined */
		return COMPARED(a->f, b->f);
	ORDER(a->sum, b->sum);
	ORDER(a->n, b->n);
	for (size_t i = 0; i < a->n && !c; i++)
		c = fault_order_from(&a->f[i], &b->f[i]);
	return c;
}

static bool faults_json_joined(const struct faults_json_run *a, const struct faults_json_run *b)
{
	return a->f->kind != FAULT_MISSING && !faults_json_run_order(a, b);
}

static int by_place(const void *x, const void *y)
{
	const struct faults_json_run *a = *(const struct faults_json_run *const *)x,
				     *b = *(const struct faults_json_run *const *)y;

	return COMPARED(a->f, b->f);
}

static struct faults_json_run *find_runs(const struct faults *s, size_t *n)
{
	struct faults_json_run *run = NEW_ARRAY(s->n, struct faults_json_run);

	*n = 0;
	for (size_t i = 0, next; i < s->n; i = next) {
		for (next = i + 1; next < s->n && !fault_order_ends(&s->f[i], &s->f[next]);)
			next++;
		uint64_t h = next - i;

		for (size_t k = i; k < next; k++)
			h = mix(h, s->f[k].from + s->f[k].port * 256u + s->f[k].vl);
		run[(*n)++] = (struct faults_json_run){&s->f[i], next - i, h};
	}
	return run;
}

/* --- out ------------------------------------------------------------------------------------- */

/* Copies the known keys of an end from a document, with clean text. */
static json_t *faults_json_copy(const json_t *from)
{
	static const char *const keys[] = {"guid", "lid", "port", "label", "port_guid", "vl", "lid_offset"};
	json_t *o = json_object();
	const char *name = json_string_value(json_object_get(from, "name"));

	json_object_set_new(o, "name", name ? json_text(name) : json_null());
	json_object_set_new(o, "lid", json_null());
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		json_t *v = json_object_get(from, keys[i]);
		if (json_is_integer(v))
			json_object_set(o, keys[i], v);
		else if (json_is_string(v))
			json_object_set_new(o, keys[i], json_text(json_string_value(v)));
	}
	if (json_object_get(from, "planned"))
		json_object_set_new(o, "guid", json_null());
	return o;
}

static json_t *from_json(const struct faults *s, const struct fault *f)
{
	json_t *o = !s->fabric		     ? faults_json_copy(f->at_from.object)
		    : f->at_from.id == NO_ID ? json_make("{s:o, s:o, s:o}", "name", json_null(), "guid",
							 json_guid(f->from), "lid", json_null())
					     : json_node(s->fabric, s->lids, f->at_from.id);
	if (fault_has_port(f))
		json_object_set_new(o, "port", json_integer(f->port));
	if (fault_has_port(f) && s->fabric && f->at_from.id != NO_ID &&
	    f->port <= s->fabric->node_nports[f->at_from.id])
		json_put_label(o, "port", s->fabric, s->fabric->node_port[f->at_from.id] + f->port);
	if (f->kind == FAULT_CREDIT_LOOP)
		json_object_set_new(o, "vl", json_integer(f->vl));
	return o;
}

static json_t *to_json(const struct faults *s, const struct fault *f)
{
	json_t *o;

	if (!s->fabric) {
		o = faults_json_copy(f->at_to.object);
		if (f->kind == FAULT_CABLE_GONE || f->kind == FAULT_CABLE_SLOWER)
			json_object_set_new(o, "port", json_integer(f->offset));
		return o;
	}
	o = json_object();
	json_put_endport(o, "name", s->fabric, s->lids, f->at_to.id);
	json_object_set_new(o, "port_guid", json_guid(f->to));
	json_object_set_new(o, "lid_offset", json_integer(f->offset));
	return o;
}

static json_t *group_json(const struct faults *s, const struct faults_json_run *run, size_t n)
{
	const struct fault *f = run->f;
	bool dropped = f->kind == FAULT_DROPPED;
	json_t *from = json_array(), *to = json_array();

	for (size_t i = 0; i < run->n; i++)
		if (f[i].from)
			json_array_append_new(from, from_json(s, &f[i]));
	for (size_t i = 0; i < n; i++)
		if (run[i].f->to)
			json_array_append_new(to, to_json(s, run[i].f));
	json_t *o = json_make("{s:s, s:I, s:s*}", "kind", fault_names[f->kind], "count",
			      dropped ? (json_int_t)f->u.routes : (json_int_t)(run->n * n), "what",
			      f->kind == FAULT_MISSING ? f->u.what : NULL);
	if (json_array_size(from))
		json_object_set(o, f->kind == FAULT_CREDIT_LOOP ? "channels" : "from", from);
	if (json_array_size(to))
		json_object_set(o, "to", to);
	json_decref(from);
	json_decref(to);
	return o;
}

json_t *faults_json(const struct faults *s)
{
	json_t *list = json_array();
	size_t n, n_groups = 0;
	AUTO_FREE struct faults_json_run *run = find_runs(s, &n);
	AUTO_FREE struct faults_json_run **group = NEW_ARRAY(n + 1, struct faults_json_run *);

	if (n)
		qsort(run, n, sizeof(*run), faults_json_run_order);
	for (size_t i = 0; i < n; i++)
		if (!i || !faults_json_joined(&run[i - 1], &run[i]))
			group[n_groups++] = &run[i];
	if (n_groups)
		qsort(group, n_groups, sizeof(struct faults_json_run *), by_place);
	for (size_t g = 0; g < n_groups; g++) {
		size_t many = 1;

		while (group[g] + many < run + n && faults_json_joined(group[g], group[g] + many))
			many++;
		json_array_append_new(list, group_json(s, group[g], many));
	}
	return list;
}

/* --- in ---------------------------------------------------------------------------------------- */

#define MISSING_MOST 10000000 /* limit for faults without places, of which only the number is known */

struct faults_json_reader {
	struct faults *s;
	const char *path;
	size_t number; /* of the fault that is read, from 1 */
	struct err *e;
};

static int faults_json_wrong(const struct faults_json_reader *r, const char *found, const char *expected)
{
	return err_set(r->e, "%s: fault %zu of its check: found %s, expected %s", r->path, r->number, found,
		       expected);
}

static int faults_json_read_guid(const struct faults_json_reader *r, const json_t *o, const char *key,
				 uint64_t *guid)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s && number_of_hex(s, guid)
		       ? 0
		       : faults_json_wrong(r, s ? s : "nothing", "a GUID, 0x and 16 digits");
}

/* A number of an object, 0 if it is left out. */
static int faults_json_read_number(const struct faults_json_reader *r, const json_t *o, const char *key,
				   json_int_t most, json_int_t *v)
{
	const json_t *n = json_object_get(o, key);

	*v = n ? json_integer_value(n) : 0;
	return (n && !json_is_integer(n)) || *v < 0 || *v > most
		       ? faults_json_wrong(r, key, "a number that it can be")
		       : 0;
}

static int read_from(const struct faults_json_reader *r, const json_t *o, struct fault *f)
{
	json_int_t port, vl;

	f->at_from.object = o;
	f->from = f->port = f->vl = 0;
	if (!o)
		return 0;
	if (faults_json_read_guid(r, o, "guid", &f->from) ||
	    faults_json_read_number(r, o, "port", MAX_PORTS, &port) ||
	    faults_json_read_number(r, o, "vl", CDG_VLS - 1, &vl))
		return -1;
	f->port = (uint8_t)port;
	f->vl = (uint8_t)vl;
	return 0;
}

static int faults_json_read_to(const struct faults_json_reader *r, const json_t *o, struct fault *f)
{
	json_int_t offset;

	f->at_to.object = o;
	if (!o)
		return 0;
	if (faults_json_read_guid(r, o, "port_guid", &f->to) ||
	    faults_json_read_number(r, o, "lid_offset", UINT16_MAX, &offset))
		return -1;
	f->offset = (uint16_t)offset;
	return 0;
}

/* Adds faults from all `from` to all `to`. A missing list is one empty end, `from` has at least `count`. */
static int read_ends(const struct faults_json_reader *r, const json_t *o, struct fault *f, size_t count)
{
	const json_t *from = json_object_get(o, f->kind == FAULT_CREDIT_LOOP ? "channels" : "from");
	const json_t *to = json_object_get(o, "to");
	size_t n_from = json_array_size(from), n_to = json_array_size(to);
	size_t rows = n_to ? n_to : 1, columns = MAX(n_from, count);

	if ((from && !n_from) || (to && !n_to))
		return faults_json_wrong(r, "no list", "a list of what it is from and to");
	if ((!from && (f->kind <= FAULT_LOOP || f->kind == FAULT_CREDIT_LOOP || f->kind == FAULT_NOT_HERE)) ||
	    (!to && f->kind <= FAULT_CUT_OFF))
		return faults_json_wrong(r, "no list", "a list of what it is from and to");
	for (size_t i = 0; i < rows; i++) {
		if (faults_json_read_to(r, json_array_get(to, i), f))
			return -1;
		for (size_t k = 0; k < columns && !r->s->failed; k++) {
			if (read_from(r, json_array_get(from, k), f))
				return -1;
			fault_put(r->s, f);
		}
	}
	return r->s->failed ? -1 : 0;
}

static int read_fault(const struct faults_json_reader *r, const json_t *o)
{
	const char *kind = json_string_value(json_object_get(o, "kind"));
	const char *what = json_string_value(json_object_get(o, "what"));
	struct fault f = {.kind = FAULT_KINDS};
	json_int_t count;

	for (unsigned k = 0; kind && k < FAULT_HOST_GONE; k++)
		if (!strcmp(kind, fault_names[k]))
			f.kind = (uint8_t)k;
	if (f.kind == FAULT_KINDS)
		return faults_json_wrong(r, kind ? kind : "nothing",
					 "a kind of fault that this program knows");
	if (faults_json_read_number(r, o, "count", f.kind == FAULT_MISSING ? MISSING_MOST : INT64_MAX,
				    &count))
		return -1;
	if (f.kind == FAULT_MISSING && !what)
		return faults_json_wrong(r, "nothing", "what is missing");
	if (f.kind == FAULT_MISSING)
		f.u.what = what;
	if (f.kind == FAULT_DROPPED)
		f.u.routes = (uint64_t)count;
	return read_ends(r, o, &f, f.kind == FAULT_MISSING && count ? (size_t)count : 1);
}

struct faults_json_found {
	json_t *check;
	size_t n; /* objects */
};

static void take_check(void *ctx, json_t *v)
{
	struct faults_json_found *x = ctx;
	const char *command = json_string_value(json_object_get(v, "command"));

	x->n++;
	if (command && !strcmp(command, "check")) { /* the last one counts */
		json_decref(x->check);
		x->check = json_incref(v);
	}
}

static int read_check(struct faults *s, const struct input *in, struct err *e)
{
	struct faults_json_reader r = {.s = s, .path = in->name, .e = e};
	struct faults_json_found x = {0};
	int rc = json_values_read(in, "ibscope --json -e check", take_check, &x, e);

	s->doc = x.check;
	if (rc)
		return rc;
	if (!x.check)
		return err_set(e,
			       "%s: found %s, none of them of check; expected what `ibscope --json -e check` "
			       "prints",
			       in->name, PLURAL(x.n, "object"));
	const json_t *list = json_object_get(x.check, "faults");
	if (!json_is_true(json_object_get(x.check, "ok")))
		return err_set(e, "%s: the check in it failed; expected a check that listed its faults",
			       in->name);
	if (!json_is_array(list))
		return err_set(e,
			       "%s: the check in it has no list of faults; let this version of ibscope write "
			       "the file",
			       in->name);
	for (size_t i = 0; i < json_array_size(list) && !rc; i++) {
		r.number = i + 1;
		rc = progress_step(in->progress, i) ? read_fault(&r, json_array_get(list, i))
						    : err_set(e, CANCELLED);
	}
	return rc;
}

int faults_read(struct faults *s, const char *path, struct progress *p, struct err *e)
{
	struct input in = {.name = path, .progress = p};
	AUTO_FREE char *data = NULL;

	faults_begin(s, NULL, NULL, e);
	progress_start(p, "reading the faults of before", 0);
	if (read_file(path, p, &data, &in.size, e))
		return -1;
	in.data = data;
	int rc = mem_room(e, in.size * 8, "what %s holds", path);
	if (!rc)
		rc = read_check(s, &in, e);
	if (!rc)
		rc = faults_sort(s);
	if (rc)
		faults_free(s);
	return rc;
}
