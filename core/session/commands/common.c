#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/fabric/fabric.h"
#include "core/session/commands/commands.h"
#include "core/sm/guid_names.h"
#include "core/sm/script.h"

int usage(const struct session *s, const char *name, struct err *e)
{
	const struct command *c = command_find(s, name, NULL);

	return err_word(e, "expected: %s", c ? c->syntax : name);
}

void tell_pair(const char *pair, struct out *o)
{
	const char *arrow = strstr(pair, " -> ");
	size_t len = arrow ? (size_t)(arrow - pair) : strlen(pair);

	out_text(o, ROW_CUT("%.*s"), (int)len, pair);
	if (arrow)
		out_text(o, " -> " ROW_CUT("%s"), arrow + strlen(" -> "));
}

/* The last word of a name stands in its column, and the first below it where columns are narrow. */
static const char *last_word(const char *name)
{
	const char *blank = strrchr(name, ' ');

	return blank ? blank + 1 : name;
}

/* Many columns are as narrow as their words for a reader whose width is known. */
static int quantity_width(const char *name, unsigned n, const struct out *o)
{
	const char *last = last_word(name);
	size_t first = last > name ? (size_t)(last - name - 1) : 0, w = strlen(last);

	return o->run->width && n > 3 ? (int)(MAX(first, w)) : 12;
}

void tell_quantities(const char *const *name, unsigned n, int before, struct out *o)
{
	bool narrow = o->run->width && n > 3, below = false;

	assert(n <= REC_QUANTITIES);
	for (unsigned i = 0; i < n; i++) {
		const char *last = narrow ? last_word(name[i]) : name[i];

		out_text(o, " %*s", quantity_width(name[i], n, o), last);
		below |= last > name[i];
	}
	out_text(o, "  to\n");
	if (!below)
		return;
	out_text(o, ROW_BEGIN "%*s", before, "");
	for (unsigned i = 0; i < n; i++) {
		size_t first = last_word(name[i]) - name[i];

		out_text(o, " %*.*s", quantity_width(name[i], n, o), first ? (int)first - 1 : 0, name[i]);
	}
	out_text(o, "\n");
}

void tell_quantity_values(const char *const *name, const int64_t *q, unsigned n, json_t *obj, struct out *o)
{
	for (unsigned i = 0; i < n; i++) {
		if (q[i] == INT64_MIN) {
			out_text(o, " %*s", quantity_width(name[i], n, o), "-");
			continue;
		}
		out_text(o, " %*" PRId64, quantity_width(name[i], n, o), q[i]);
		json_object_set_new(obj, name[i], json_integer(q[i]));
	}
}

const struct sweep *need_routing(const struct session *s, struct err *e)
{
	const struct sweep *w = session_sweep(s);

	if (session_need_fabric(s, e))
		return NULL;
	if (!w)
		err_set_kind(
			e, ERR_NO_ENGINE,
			"nothing is routed yet; `route ENGINE` does it, `tables FILE` takes what switches "
			"hold");
	else if (!w->routing)
		err_set_kind(e, ERR_NO_ENGINE, "no engine could route the fabric: there are no tables");
	else
		return w;
	return NULL;
}

int print_table(struct session *s, const char *name, const char *argument, struct out *o, struct err *e)
{
	const struct command *list = command_find(s, "list", NULL);
	char *words[] = {NULL, (char *)name, (char *)argument,
			 NULL}; /* commands never write to their words */

	struct args args = {.argc = argument ? 3 : 2, .argv = words};

	if (!list || args_read(s, list->syntax, NULL, &args, e))
		return list ? -1 : 0;
	int rc = list->run(s, &args, o, e);
	args_free(&args);
	return rc;
}

void report_missing(const struct fabric *f, struct out *o)
{
	AUTO_TEXT struct text t = {0};

	if (!f->warnings.missing)
		return;
	warnings_tell_missing(&f->warnings, &t);
	out_text(o, "INCOMPLETE: a part of the fabric is not in %s (%s; `show warnings`).\n", f->source,
		 text_str(&t));
}

void report_managers(const struct fabric *f, const char *consequence, struct out *o)
{
	AUTO_TEXT struct text t = {0};

	if (managers_fault(f) == MANAGERS_GOOD)
		return;
	managers_tell_fault(f, &t);
	out_text(o, "%c%s%s%s.\n", toupper((unsigned char)*t.s), t.s + 1, *consequence ? ": " : "",
		 consequence);
}

struct routing *routing_in_scope(const struct session *s, const struct scope *scope)
{
	assert(session_routing(s));
	const uint8_t none = 0;
	struct fabric nothing = {0};
	struct scope *all = scope ? scope_ref(scope) : scope_new(&nothing, "", &none);
	AUTO_SETUP const struct setup *setup = setup_with(s->setup, &(struct setup){.scope = all});
	struct host_set *hosts = setup_hosts(setup);
	struct routing *r = routing_with_hosts(session_sweep(s)->routing, hosts);

	host_set_unref(hosts);
	scope_unref(all);
	return r;
}

#define MISSED_SHOWN 4 /* switches named */
#define SCOPE_GONE 3   /* missing ports named */
#define UNSEEN_TOLD 4  /* nodes not seen, named */

/* The number of ports that count, the number of them that are up, and the missing ones. */
static json_t *scope_json(const struct session *s, const struct scope *scope)
{
	struct host_set *h = setup_hosts(s->setup);
	json_t *list = json_array(), *o;
	uint32_t up = 0;

	for (uint32_t i = 0; i < scope->n; i++) {
		uint32_t ep = scope_endport(s->fabric, &scope->port[i]);
		char port[40];

		if (ep != NO_ID) {
			up += h->in[ep] && session_endport_up(s, ep);
			continue;
		}
		snprintf(port, sizeof(port), "0x%016" PRIx64 "[%u]", scope->port[i].node_guid,
			 scope->port[i].port);
		json_array_append_new(list, json_text(port));
	}
	o = json_make("{s:s, s:i, s:i, s:o}", "hosts", scope->words, "ports", (int)h->n, "up", (int)up,
		      "missing", list);
	host_set_unref(h);
	return o;
}

void tell_scope(const json_t *scope, struct out *o)
{
	const char *words = json_string_value(json_object_get(scope, "hosts"));
	json_int_t ports = json_integer_value(json_object_get(scope, "ports")),
		   up = json_integer_value(json_object_get(scope, "up"));
	const json_t *missing = json_object_get(scope, "missing");
	size_t n = json_array_size(missing);

	assert(json_is_object(scope));
	out_text(o, "Scope %s: %s", words ? words : "", PLURAL((uint64_t)ports, "host port"));
	if (up < ports)
		out_text(o, ", %" JSON_INTEGER_FORMAT " of them down or cut off", ports - up);
	if (n)
		out_text(o, "; %zu of the scope not in this fabric: ", n);
	for (size_t i = 0; i < n && i < SCOPE_GONE; i++) {
		const char *port = json_string_value(json_array_get(missing, i));

		if (i)
			out_text(o, ", ");
		out_text(o, "%s", port ? port : "");
	}
	out_text(o, "%s.\n", n > SCOPE_GONE ? ", ..." : "");
}

uint32_t report_scope(const struct session *s, struct out *o)
{
	const struct scope *scope = session_scope(s);

	if (!scope)
		return 0;
	json_t *told = scope_json(s, scope);
	uint32_t n_gone = (uint32_t)json_array_size(json_object_get(told, "missing"));
	tell_scope(told, o);
	out_json(o, "scope", told);
	return n_gone;
}

void report_named(const struct options *opts, const char *name, struct out *o)
{
	const struct optdef *d = options_find(opts, name);
	bool switches = d && (d->names == OPT_SWITCHES || d->names == OPT_SWITCH_IDS);

	if (!d || !options_has_list(opts, name))
		return;
	if (!options_named(opts, name))
		out_text(o, "%s %s: nothing in this fabric is named so; the list is empty.\n", name,
			 options_get(opts, name));
	else
		out_text(o, "%s %s: %s.\n", name, options_get(opts, name),
			 PLURAL(options_named(opts, name), switches ? "switch" : "port"));
	out_json(o, name,
		 json_make("{s:s, s:i}", "names", options_get(opts, name), "guids",
			   (int)options_named(opts, name)));
}

void report_aggregation(const struct session *s, struct out *o)
{
	uint32_t n = fabric_aggregation_nodes(s->fabric);

	if (n && !setup_counts_aggregation(s->setup))
		out_text(o,
			 "%s in switches: routed, but not counted as hosts (`set aggregation_nodes "
			 "count`).\n",
			 PLURAL(n, "aggregation node"));
	out_json(o, "aggregation_nodes", json_integer(n));
}

/* Names the nodes of which the source has no record. */
static void report_unseen(const struct fabric *f, struct out *o)
{
	AUTO_TEXT struct text names = {0};
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n_nodes; i++)
		if (f->node_unseen[i] && n++ < UNSEEN_TOLD)
			text_add(&names, "%s%s", n > 1 ? ", " : ": ", f->node_name[i]);
	if (n)
		out_text(o, "%s not seen, only named by neighbours%s%s\n", PLURAL(n, "node"),
			 text_str(&names), n > UNSEEN_TOLD ? ", ..." : "");
}

void report_fabric(struct session *s, struct out *o)
{
	const struct fabric *f = s->fabric;
	uint32_t cas = 0, routers = 0;

	for (uint32_t n = 0; n < f->n_nodes; n++) {
		cas += f->node_type[n] == NODE_CA &&
		       (setup_counts_aggregation(s->setup) || !node_is_aggregation(f, n));
		routers += f->node_type[n] == NODE_ROUTER;
	}
	out_text(o, "%s (%s): %s, %s, %s", f->source, f->format, PLURAL(f->n_switches, "switch"),
		 PLURAL(cas, "host"), PLURAL(f->n_links, "link"));
	if (routers)
		out_text(o, ", %s", PLURAL(routers, "router"));
	if (f->warnings.n)
		out_text(o, "; %s: `show warnings`", PLURAL(f->warnings.n, "warning"));
	out_text(o, "\n");
	report_aggregation(s, o);
	report_missing(f, o);
	report_unseen(f, o);
	report_managers(f, "", o);
	out_json(o, "fabric",
		 json_make("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:b}", "source", f->source, "format",
			   f->format, "switches", (int)f->n_switches, "hosts", (int)cas, "routers",
			   (int)routers, "links", (int)f->n_links, "endports", (int)f->n_endports, "warnings",
			   (int)f->warnings.n, "complete", !f->warnings.missing));
}

static const char *links_text(unsigned h, char *buf, size_t size)
{
	return h ? plural(h, "link", buf, size) : "none";
}

/* Parts that only one of two fabrics has are not compared.  JSON fields "only_before" and "only_now". */
static void report_one_sided(const struct one_sided *x, const char *when, struct out *o)
{
	char key[20];

	if (x->switches || x->hosts)
		out_text(o, "Only %s, and not compared: %s, %s (%s).\n", when, PLURAL(x->switches, "switch"),
			 PLURAL(x->hosts, "host port"), x->names);
	if (x->lids)
		out_text(o, "%s that nobody %s: %s, not compared.\n", PLURAL(x->lids, "LID"),
			 *when == 'b' ? "holds now" : "held before", PLURAL(x->entries, "entry"));
	snprintf(key, sizeof(key), "only_%s", when);
	out_json(o, key,
		 json_make("{s:i, s:i, s:i, s:I}", "switches", (int)x->switches, "ports", (int)x->hosts,
			   "lids", (int)x->lids, "entries", (json_int_t)x->entries));
}

void report_comparison(const struct comparison *c, struct out *o)
{
	char a[40], b[40];

	out_text(o,
		 "%s on %s changed (%" PRIu64 " new, %" PRIu64 " gone); of %s%s %" PRIu64
		 " take another path",
		 PLURAL(c->entries_changed, "entry"), PLURAL(c->switches_changed, "switch"),
		 c->entries_gained, c->entries_lost, PLURAL(c->pairs, "pair"),
		 c->b->hosts && c->b->hosts->narrowed ? " in the scope" : "", c->rerouted);
	if (c->longer || c->shorter)
		out_text(o, " (%" PRIu64 " longer, %" PRIu64 " shorter)", c->longer, c->shorter);
	if (c->lost && c->pairs_before != c->pairs)
		out_text(o, ", %" PRIu64 " of %" PRIu64 " before are lost", c->lost, c->pairs_before);
	else
		out_text(o, ", %" PRIu64 " lost", c->lost);
	if (c->between_survivors)
		out_text(o, " (%" PRIu64 " cut off, %" PRIu64 " between survivors)", c->cut_off,
			 c->between_survivors);
	else if (c->lost)
		out_text(o, " (all cut off)");
	out_text(o, ", %" PRIu64 " regained", c->regained);
	if (c->fresh)
		out_text(o, ", %" PRIu64 " new (LIDs that were not there)", c->fresh);
	if (c->max_hops_after == c->max_hops_before)
		out_text(o, "; longest path still %s", links_text(c->max_hops_after, a, sizeof(a)));
	else
		out_text(o, "; longest path %s, was %s", links_text(c->max_hops_after, a, sizeof(a)),
			 links_text(c->max_hops_before, b, sizeof(b)));
	out_text(o, ", mean %.2f", c->mean_hops_after);
	if (c->mean_hops_after != c->mean_hops_before)
		out_text(o, " (was %.2f)", c->mean_hops_before);
	out_text(o, ".\n");
	if (c->sl_changed)
		out_text(o,
			 "%s %s another SL (%" PRIu64
			 " on the same path); hosts keep the old one until they ask again.\n",
			 PLURAL(c->sl_changed, "pair"), c->sl_changed == 1 ? "has" : "have", c->sl_alone);
	if (c->switches_gone || c->switches_new)
		out_text(o, "%s gone, %s new.\n", PLURAL(c->switches_gone, "switch"),
			 PLURAL(c->switches_new, "switch"));
	if (c->across) {
		report_one_sided(&c->across->only[0], "before", o);
		report_one_sided(&c->across->only[1], "now", o);
	}
	out_json(o, "cut_off", json_integer((json_int_t)c->cut_off));
	out_json(o, "between_survivors", json_integer((json_int_t)c->between_survivors));
	out_json(o, "change",
		 json_make("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:i, s:f, s:f, "
			   "s:i, s:i, s:I, s:I}",
			   "switches", (json_int_t)c->switches_changed, "entries",
			   (json_int_t)c->entries_changed, "entries_lost", (json_int_t)c->entries_lost,
			   "entries_gained", (json_int_t)c->entries_gained, "pairs", (json_int_t)c->pairs,
			   "pairs_before", (json_int_t)c->pairs_before, "rerouted", (json_int_t)c->rerouted,
			   "lost", (json_int_t)c->lost, "regained", (json_int_t)c->regained, "new",
			   (json_int_t)c->fresh, "longer", (json_int_t)c->longer, "shorter",
			   (json_int_t)c->shorter, "max_links_before", (int)c->max_hops_before,
			   "max_links_after", (int)c->max_hops_after, "mean_links_before",
			   c->mean_hops_before, "mean_links_after", c->mean_hops_after, "switches_gone",
			   (int)c->switches_gone, "switches_new", (int)c->switches_new, "sl_changed",
			   (json_int_t)c->sl_changed, "sl_alone", (json_int_t)c->sl_alone));
}

json_t *refusals_json(const struct sweep *w)
{
	json_t *list = json_array();

	for (size_t i = 0; i < w->n_refusals; i++)
		json_array_append_new(list, json_make("{s:s, s:s}", "engine", w->refusal[i].engine, "why",
						      w->refusal[i].why));
	return list;
}

json_t *warnings_json(const struct fabric *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->warnings.n; i++) {
		const struct warning *w = &f->warnings.w[i];
		json_t *obj = json_make("{s:s, s:i, s:s, s:b}", "kind", w->kind, "line", (int)w->line, "text",
					w->text, "missing", (int)w->missing);

		if (w->guid) {
			json_object_set_new(obj, "guid", json_guid(w->guid));
			json_object_set_new(obj, "port", json_integer(w->port));
			uint32_t node = fabric_node_by_guid(f, w->guid);
			if (node != NO_ID && w->port <= f->node_nports[node])
				json_put_label(obj, "port", f, f->node_port[node] + w->port);
		}
		json_array_append_new(list, obj);
	}
	return list;
}

uint32_t report_cut_off(const struct sweep *w, unsigned named, struct out *o)
{
	uint32_t n = count_cut_off(w, NULL), hosts = 0, switches = 0, told = 0;
	AUTO_TEXT struct text names = {0};

	assert(fabric_alike(w->topo->fabric, w->fabric));
	for (uint32_t ep = 0; ep < w->fabric->n_endports; ep++) {
		bool sw = endport_is_switch(w->fabric, ep), cut = is_cut_off(w, ep);

		switches += cut && sw;
		cut = cut && host_set_matters(w->hosts, w->fabric, ep);
		hosts += cut && !sw;
		if (cut && told++ < named)
			text_add(&names, "%s%s", told > 1 ? ", " : "", ENDPORT_LABEL(w->fabric, ep));
	}
	if (n)
		out_text(o, "%s cut off from the subnet manager", PLURAL(n, "endport"));
	if (n > hosts)
		out_text(o, ": %s, %s", PLURAL(hosts, "host port"), PLURAL(switches, "switch"));
	if (n && named)
		out_text(o, " (%s%s)", text_str(&names), told > named ? ", ..." : "");
	out_text(o, n ? ".\n" : "");
	out_json(o, "hosts_gone", json_integer(n));
	out_json(o, "hosts_cut_off", json_integer(hosts));
	out_json(o, "switches_cut_off", json_integer(switches));
	return n;
}

/* Tells the switches that the subnet manager cannot reach. */
static void report_misses(const struct sweep *w, struct out *o)
{
	const struct fabric *f = w->fabric;
	AUTO_FREE uint8_t *missed = NEW_ARRAY(f->n_switches + 1, uint8_t);
	uint32_t n = manager_misses(w->routing, missed), told = 0;
	json_t *list = json_array();

	for (uint32_t s = 0; n && s < f->n_switches; s++) {
		if (!missed[s])
			continue;
		if (!told)
			out_text(o, "From the subnet manager's place, %s, the tables do not reach %s: ",
				 ENDPORT_LABEL(f, w->topo->sm_endport), PLURAL(n, "switch"));
		if (told < MISSED_SHOWN)
			out_text(o, "%s%s", told ? ", " : "", switch_name(f, s));
		told++;
		json_array_append_new(list, json_node(f, w->lids, f->switch_node[s]));
	}
	if (n)
		out_text(o, "%s (`set guid` moves it).\n", n > MISSED_SHOWN ? ", ..." : "");
	o->run->noteworthy |= n > 0;
	out_json(o, "manager_misses", list);
}

void judged_json(const struct judged *j, struct out *o)
{
	out_json(o, "judged", json_text(judged_word(j)));
	out_json(o, "rules", json_text(judged_rules(j)));
	if (!j->held && j->at_hand)
		out_json(o, "differ_from_held", json_integer((json_int_t)j->n_differ));
}

void report_judged(const struct sweep *w, struct out *o)
{
	struct judged j = judged_of(w);
	AUTO_TEXT struct text t = {0};

	j.untimed = o->run->no_timing;
	judged_count(&j, o->run->progress);
	judged_line(&j, &t);
	out_text(o, "%s", text_str(&t));
	judged_json(&j, o);
}

void report_event(struct session *s, struct out *o)
{
	assert(session_event(s));
	const struct event *ev = session_event(s);
	const struct sweep *w = ev->sweep;

	if (!w)
		return;
	if (!w->topo->n_switches_up)
		out_text(o, "The fabric has no switch: there are no tables, and OpenSM reports SUBNET UP all "
			    "the same.\n");
	for (size_t i = 0; i < w->n_refusals && w->topo->n_switches_up; i++)
		out_text(o, "%s refuses this fabric: %s\n", w->refusal[i].engine, w->refusal[i].why);
	if (w->fatal) {
		out_text(o,
			 "STOP: OpenSM 3.3.23 %s here.  Nothing after %s is tried, no tables are made; do "
			 "not let it happen on a cluster.\n",
			 w->fatal, w->refusal[w->n_refusals - 1].engine);
		out_json(o, "fatal", json_text(w->fatal));
		o->run->found_fault = true;
	}
	if (w->n_refusals && w->routing)
		out_text(o, "Falling back as OpenSM does: %s.\n", w->routing->engine);
	if (!w->routing && !w->fatal && w->topo->n_switches_up) {
		o->run->unanswered = true;
		out_text(o,
			 "No engine is left%s: OpenSM programs nothing, the switches keep what they had.\n",
			 w->setup->chain && strstr(w->setup->chain, "no_fallback") ? " (no_fallback)" : "");
	}
	out_json(o, "refusals", refusals_json(w));
	if (w->routing) {
		uint32_t lids = 0;
		json_t *routing;

		/* What the subnet manager reaches, and what failed: sizes. */
		for (uint32_t ep = 0; ep < w->fabric->n_endports; ep++)
			lids += w->lids->count[ep];
		out_text(o, "%s routed %s, %s%s%s.\n", w->routing->engine,
			 PLURAL(w->topo->n_switches_up, "switch"), PLURAL(lids, "LID"),
			 out_took(o, " in ", w->seconds, (char[OUT_TOOK]){0}),
			 w->cached ? " (the unicast cache kept the tables)" : "");
		if (w->from_scratch && strcmp(w->scratch_reason, "first sweep"))
			out_text(o, "%s: %s.\n",
				 strcmp(w->routing->engine, SCRIPT_ENGINE) != 0
					 ? "Existing entries were ignored"
					 : "The program was told to begin from scratch",
				 w->scratch_reason);
		routing = json_make("{s:s, s:s, s:i, s:i, s:i, s:f, s:b, s:b, s:b}", "engine",
				    w->routing->engine, "asked", w->setup->chain, "switches",
				    (int)w->topo->n_switches_up, "lids", (int)lids, "max_lid",
				    (int)w->lids->max_lid, "ms", w->seconds * 1e3, "from_scratch",
				    w->from_scratch, "fallback", w->fallback, "cached", w->cached);
		if (o->run->no_timing)
			json_object_del(routing, "ms");
		out_json(o, "routing", routing);
	}
	report_cut_off(w, 1, o);
	if (w->routing)
		report_misses(w, o);
	if (*w->notes) {
		out_text(o, "%s", w->notes);
		out_json(o, "notes", json_text(w->notes));
	}
	if (ev->change)
		report_comparison(ev->change, o);
}
