/* Commands that judge and compare routings. */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/check.h"
#include "core/analysis/figures.h"
#include "core/analysis/loads.h"
#include "core/analysis/shift.h"
#include "core/analysis/turns.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"

/* --- check --------------------------------------------------------------------------------- */

static void print_check(const struct sweep *w, const struct check_result *c, struct out *o)
{
	char a[40], b[300];

	out_text(o, "%s between hosts: %lu unreachable", plural(c->pairs, "path", a, sizeof(a)),
		 c->unreachable);
	if (c->looping)
		out_text(o, " (%lu of them loop)", c->looping);
	out_text(o, ", longest %s.\n", PLURAL(c->max_hops, "hop"));
	for (unsigned h = 0; h < 64; h++)
		if (c->hops_count[h])
			out_text(o, "  %2u%s %s %lu\n", h, h == 63 ? "+" : "",
				 h == 1 ? "hop: " : "hops:", c->hops_count[h]);
	if (c->switch_unreachable)
		out_text(o, "From hosts to switches: %lu unreachable.\n", c->switch_unreachable);
	if (c->no_lid)
		out_text(o, "%s without LID.\n", plural(c->no_lid, "endport", a, sizeof(a)));
	for (unsigned i = 0; i < c->n_examples; i++)
		out_text(o, "  from %s to LID %u (%s): %s\n", switch_name(w->fabric, c->example[i].sw),
			 c->example[i].lid,
			 endport_label(w->fabric, lid_owner(w->lids, c->example[i].lid), b, sizeof(b)),
			 path_end_text(c->example[i].end));
	out_json(o, "check",
		 json_pack("{s:I, s:I, s:I, s:I, s:i, s:i}", "pairs", (json_int_t)c->pairs, "unreachable",
			   (json_int_t)c->unreachable, "looping", (json_int_t)c->looping,
			   "switch_unreachable", (json_int_t)c->switch_unreachable, "no_lid", (int)c->no_lid,
			   "max_hops", (int)c->max_hops));
}

/* Does a route turn from down to up between two channels in turn? */
static bool turns_up(const struct routing *r, uint32_t port, uint32_t next)
{
	const struct fabric *f = r->topo->fabric;
	uint32_t a = f->node_switch[f->port_node[port]], b = f->node_switch[f->port_node[next]];

	return r->ops->direction(r, a, f->port_num[port]) == 'D' &&
	       r->ops->direction(r, b, f->port_num[next]) == 'U';
}

/* Where a shortest credit loop turns from down to up: without such turns there could be none in a tree. */
static void print_loop_turns(const struct sweep *w, const struct cdg *c, struct out *o)
{
	const struct fabric *f = w->fabric;
	uint32_t *cycle, n, turns = 0, first = NO_ID;
	const char *option = w->routing->ops->turn_option;
	char a[40];

	if (!has_directions(w->routing) || !c->n_components)
		return;
	cycle = NEW_ARRAY(c->size[0], uint32_t);
	n = cdg_cycle(c, 0, cycle);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t next = c->port[cycle[(i + 1) % n]];

		if (!turns_up(w->routing, c->port[cycle[i]], next))
			continue;
		first = turns++ ? first : f->port_node[next];
	}
	free(cycle);
	if (turns)
		out_text(o, "  It is closed by %s from down to up, one at %s",
			 plural(turns, "turn", a, sizeof(a)), f->node_name[first]);
	if (turns && option && options_uint(w->setup->options, option))
		out_text(o, ": reverse hops make them (%s %s)", option,
			 options_get(w->setup->options, option));
	if (turns)
		out_text(o, ".\n");
	out_json(o, "loop_turns", json_integer(turns));
}

/* Credit loops and dropped routes; how many there are of both, -1 when cancelled. */
static int64_t check_loops(const struct sweep *w, struct out *o)
{
	struct cdg *c = cdg_new(w->routing, CDG_ALL_VLS, false, o->run->progress);
	int64_t n;

	if (!c)
		return -1;
	n = report_cycles(c, 1, 0, o->run->progress, o);
	print_loop_turns(w, c, o);
	n += (int64_t)report_dropped(c, o);
	cdg_free(c);
	return progress_cancelled(o->run->progress) ? -1 : n;
}

/* Turns from down to up: information, for OpenSM itself leaves some.  -1 when cancelled. */
static int check_turns(const struct sweep *w, struct out *o)
{
	struct turns t;
	char a[40], b[300], c[300];

	if (!has_directions(w->routing))
		return 0;
	if (turns_count(w->routing, &t, o->run->progress))
		return -1;
	if (t.n) {
		const struct turn *x = &t.turn[0];

		out_text(o, "%s from down to up (which %s forbids): on %lu of %lu paths between hosts",
			 plural(t.n, "turn", a, sizeof(a)), w->routing->engine, t.bad, t.routes);
		out_text(o, t.switch_bad ? ", %lu of %lu to switches.\n" : ".\n", t.switch_bad,
			 t.switch_routes);
		out_text(o, "  for one %s, in by port %u, out by port %u: %s", switch_name(w->fabric, x->sw),
			 x->in, x->out, endport_label(w->fabric, x->source, b, sizeof(b)));
		out_text(o, " to LID %u (%s)\n", x->dlid,
			 endport_label(w->fabric, lid_owner(w->lids, x->dlid), c, sizeof(c)));
	} else {
		out_text(o, "No path turns from down to up.\n");
	}
	out_json(o, "turns",
		 json_pack("{s:i, s:I, s:I}", "turns", (int)t.n, "paths", (json_int_t)t.bad, "switch_paths",
			   (json_int_t)t.switch_bad));
	turns_free(&t);
	return 0;
}

static int cmd_check(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct check_result c;
	int64_t loops;
	uint32_t cut;
	bool sound;

	(void)argc;
	(void)argv;
	if (check_routing(w->routing, &c, o->run->progress))
		return err_set(e, CANCELLED);
	cut = count_cut_off(w, NULL);
	print_check(w, &c, o);
	if (cut)
		out_text(o, "%s cut off from the subnet manager.\n", PLURAL(cut, "endport"));
	out_json(o, "cut_off", json_integer(cut));
	loops = check_turns(w, o) ? -1 : check_loops(w, o);
	if (loops < 0)
		return err_set(e, CANCELLED);
	if (routing_layers_idle(w->routing))
		out_text(o,
			 "All routes are taken to be on VL 0: %s computes %u layers, but qos is off (`set qos "
			 "TRUE`).\n",
			 w->routing->engine, w->routing->ops->n_layers(w->routing));
	out_json(o, "layers_in_force", json_boolean(!routing_layers_idle(w->routing)));
	sound = check_sound(&c) && !cut && !loops;
	out_text(o, sound ? "Sound: every host reaches every host, without credit loops.\n" : "NOT SOUND.\n");
	out_json(o, "sound", json_boolean(sound));
	o->run->found_fault |= !sound;
	return 0;
}

/* --- diff ----------------------------------------------------------------------------------- */

#define DIFF_LINES 20

static const char *port_text(unsigned p, char *buf, size_t size)
{
	if (p == NO_PATH)
		return "-";
	snprintf(buf, size, "%u", p);
	return buf;
}

static void diff_entries(const struct comparison *c, uint64_t limit, struct out *o)
{
	const struct fabric *f = c->b->topo->fabric;
	json_t *list = json_array();
	uint64_t n = 0;
	char a[8], b[8], name[300];

	for (uint32_t s = 0; s < f->n_switches; s++) {
		unsigned top =
			c->a->lids->max_lid > c->b->lids->max_lid ? c->a->lids->max_lid : c->b->lids->max_lid;

		for (unsigned lid = 1; c->switch_entries[s] && lid <= top && n < limit; lid++) {
			uint8_t was, now;
			uint32_t owner = lid_owner(c->b->lids, lid);

			if (!entry_changed(c, s, lid, &was, &now))
				continue;
			n++;
			out_text(o, "! %-24s LID %5u  %3s -> %-3s  %s\n", switch_name(f, s), lid,
				 port_text(was, a, sizeof(a)), port_text(now, b, sizeof(b)),
				 owner == NO_ID ? "(nobody)" : endport_label(f, owner, name, sizeof(name)));
			json_array_append_new(list,
					      json_pack("{s:s, s:i, s:i, s:i}", "switch", switch_name(f, s),
							"lid", (int)lid, "was", (int)was, "now", (int)now));
		}
	}
	if (c->entries_changed > n)
		out_text(o, "  ... %s; `diff ... all` prints them\n",
			 PLURAL(c->entries_changed - n, "more entry"));
	out_json(o, "entries", list);
}

static const char *hops_word(unsigned h, char *buf, size_t size)
{
	if (h >= HOPS_LOOP)
		return h == HOPS_LOOP ? "loop" : "none";
	snprintf(buf, size, "%u", h);
	return buf;
}

static void diff_pairs(const struct comparison *c, uint64_t limit, struct out *o)
{
	static const char *const words[] = {"~ rerouted", "x lost", "+ regained"};
	const struct fabric *f = c->b->topo->fabric;
	uint64_t total = c->rerouted + c->lost + c->regained, n = total < limit ? total : limit;
	json_t *list = json_array();
	char a[300], b[300], h1[8], h2[8];

	for (uint64_t i = 0; i < n; i++) {
		const struct pair_group *g;
		uint32_t src = comparison_pair(c, i, &g), dst = lid_owner(c->b->lids, g->lid);

		if (dst == NO_ID)
			dst = lid_owner(c->a->lids, g->lid);
		endport_label(f, src, a, sizeof(a));
		endport_label(f, dst, b, sizeof(b));
		out_text(o, "%-11s %s -> %s (LID %u)  hops %s -> %s\n", words[g->change], a, b, g->lid,
			 hops_word(g->before, h1, sizeof(h1)), hops_word(g->after, h2, sizeof(h2)));
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:i, s:s, s:s}", "change",
						      words[g->change] + 2, "src", a, "dst", b, "dlid",
						      (int)g->lid, "before", h1, "after", h2));
	}
	if (total > n)
		out_text(o, "  ... %s; `diff ... all` prints them\n", PLURAL(total - n, "more pair"));
	out_json(o, "pairs", list);
}

static json_t *was_now(double was, double now, bool whole)
{
	if (whole)
		return json_pack("{s:I, s:I}", "was", (json_int_t)was, "now", (json_int_t)now);
	return json_pack("{s:f, s:f}", "was", was, "now", now);
}

/* Lengths, links and usage before and after: a line for what changed as it is shown.  -1 when cancelled. */
static int diff_figures(const struct comparison *c, struct out *o, struct progress *p)
{
	static const enum figure told[] = {FIG_HOPS_MEAN,  FIG_HOPS_MOST,   FIG_FIRST_MEAN, FIG_FIRST_LEAST,
					   FIG_LINKS_MEAN, FIG_LINKS_LEAST, FIG_USAGE_MOST};
	struct figures was, now;
	json_t *list;
	char a[32], b[32];

	if (figures_of_tables(c->a, NULL, &was, p) || figures_of_tables(c->b, NULL, &now, p))
		return -1;
	list = json_object();
	for (size_t i = 0; i < ARRAY_LEN(told); i++) {
		const struct figure_def *d = &figure_defs[told[i]];

		if (figure_order(&was, &now, told[i]))
			out_text(o, "  %-29s %s -> %s\n", d->name, figure_text(&was, told[i], a, sizeof(a)),
				 figure_text(&now, told[i], b, sizeof(b)));
		json_object_set_new(list, d->key, was_now(was.v[told[i]], now.v[told[i]], !d->decimals));
	}
	out_json(o, "figures", list);
	return 0;
}

/* The two sides of a diff; references are taken.  -1 and *e. */
static int diff_sides(struct session *s, int argc, char **argv, const struct sweep **a,
		      const struct sweep **b, struct err *e)
{
	*b = need_routing(s, e);
	if (!*b)
		return -1;
	if (argc == 0) {
		*a = s->at ? s->event[s->at - 1].sweep : NULL;
		return *a && (*a)->routing ? 0 : err_set(e, "the event before had no tables to compare with");
	}
	*a = session_find_snapshot(s, argv[0]);
	if (!*a)
		return err_set(e, "there is no snapshot \"%s\"; `snapshot` lists them", argv[0]);
	if (argc == 2) {
		*b = session_find_snapshot(s, argv[1]);
		if (!*b)
			return err_set(e, "there is no snapshot \"%s\"; `snapshot` lists them", argv[1]);
	}
	return 0;
}

static int cmd_diff(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	const struct sweep *a, *b;
	struct comparison *c;
	uint64_t limit = DIFF_LINES;
	int rc;

	if (argc > 1 && !strcmp(argv[argc - 1], "all")) {
		limit = UINT64_MAX;
		argc--;
	}
	if (diff_sides(s, argc - 1, argv + 1, &a, &b, e))
		return -1;
	c = compare_routings(a->routing, b->routing, o->run->progress);
	if (!c)
		return err_set(e, CANCELLED);
	if (strcmp(a->routing->engine, b->routing->engine))
		out_text(o, "%s -> %s: ", a->routing->engine, b->routing->engine);
	report_comparison(c, o);
	rc = diff_figures(c, o, o->run->progress);
	if (!rc) {
		diff_entries(c, limit, o);
		diff_pairs(c, limit, o);
	}
	comparison_free(c);
	return rc ? err_set(e, CANCELLED) : 0;
}

/* --- load-map --------------------------------------------------------------------------------- */

static int by_load(const void *x, const void *y, void *ctx)
{
	const struct loads *l = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	if (l->port[a] != l->port[b])
		return l->port[a] > l->port[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void print_loads(const struct topo *t, const struct loads *l, uint32_t limit, struct out *o)
{
	const struct fabric *f = t->fabric;
	uint32_t *order = NEW_ARRAY(l->n_links, uint32_t), n = 0;
	json_t *list = json_array();
	char a[300], b[300];

	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->switch_nports[s]; p++)
			if (t->peer_switch[switch_port_id(f, s, p)] != NO_ID)
				order[n++] = switch_port_id(f, s, p);
	qsort_r(order, n, sizeof(*order), by_load, (void *)l);
	out_text(o, "%s over %s: min %u, mean %.1f, max %u\n", PLURAL(l->routes, "route"),
		 PLURAL(l->n_links, "directed link"), l->min, l->mean, l->max);
	for (uint32_t i = 0; i < n && i < limit; i++) {
		port_label(f, order[i], a, sizeof(a));
		port_label(f, t->peer[order[i]], b, sizeof(b));
		out_text(o, "%8u  %s -> %s\n", l->port[order[i]], a, b);
		json_array_append_new(list, json_pack("{s:s, s:s, s:i}", "from", a, "to", b, "routes",
						      (int)l->port[order[i]]));
	}
	if (n > limit)
		out_text(o, "  ... %s; `load-map PATTERN all` prints them\n", PLURAL(n - limit, "more link"));
	out_json(o, "loads",
		 json_pack("{s:I, s:i, s:i, s:f, s:i, s:o}", "routes", (json_int_t)l->routes, "links",
			   (int)l->n_links, "min", (int)l->min, "mean", l->mean, "max", (int)l->max, "ports",
			   list));
	free(order);
}

static int cmd_load_map(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct text pattern = {0};
	struct loads *l;
	uint32_t limit = 20;

	if (argc > 2 && !strcmp(argv[argc - 1], "all")) {
		limit = UINT32_MAX;
		argc--;
	}
	for (int i = 1; i < argc; i++)
		text_add(&pattern, "%s%s", i > 1 ? " " : "", argv[i]);
	l = loads_new(w->routing, argc > 1 ? text_str(&pattern) : "all", o->run->progress, e);
	text_free(&pattern);
	if (!l)
		return -1;
	print_loads(w->topo, l, limit, o);
	loads_free(l);
	return 0;
}

/* --- shifts ------------------------------------------------------------------------------------- */

#define SHIFT_LINES 10
/* Flows looked at when no sample is asked for. */
#define SHIFT_FLOWS 20000000u

static int by_congestion(const void *x, const void *y)
{
	const struct shift_load *a = x, *b = y;

	if (a->max != b->max)
		return a->max > b->max ? -1 : 1;
	return a->shift < b->shift ? -1 : a->shift > b->shift;
}

static void print_shift(const struct sweep *w, const struct shift_load *l, json_t *list, struct out *o)
{
	const struct topo *t = w->topo;
	char a[300] = "-", b[300] = "-";

	if (l->port != NO_ID) {
		port_label(t->fabric, l->port, a, sizeof(a));
		port_label(t->fabric, t->peer[l->port], b, sizeof(b));
	}
	out_text(o, "%8u %6u  %s -> %s%s\n", l->shift, l->max, a, b,
		 l->lost ? "  (flows without a way: see check)" : "");
	json_array_append_new(list, json_pack("{s:i, s:i, s:s, s:s, s:i, s:i}", "shift", (int)l->shift, "max",
					      (int)l->max, "from", a, "to", b, "flows", (int)l->flows, "lost",
					      (int)l->lost));
}

static void print_shifts(const struct sweep *w, struct shifts *s, struct out *o)
{
	json_t *list = json_array();
	uint32_t max = s->n ? s->load[s->worst].max : 0;

	out_text(o, "Order of %s (%s)", PLURAL(s->n_places, "place"),
		 s->by_engine ? "the engine's own" : "by LID");
	if (s->n_missing)
		out_text(o, ", %u of them of missing nodes", s->n_missing);
	out_text(o, "; %u of %s looked at.\n", s->n, PLURAL(s->n_places ? s->n_places - 1 : 0, "shift"));
	out_text(o, "Most flows on a link: mean %.2f, worst %u; %s without two flows on a link.\n", s->mean,
		 max, PLURAL(s->free, "shift"));
	qsort(s->load, s->n, sizeof(*s->load), by_congestion);
	if (max > 1)
		out_text(o, "%8s %6s  %s\n", "shift", "flows", "link");
	for (uint32_t i = 0; max > 1 && i < s->n && i < SHIFT_LINES; i++)
		print_shift(w, &s->load[i], list, o);
	if (max <= 1)
		out_text(o, "Free of congestion: no link carries more than one flow in any of them.\n");
	out_json(o, "shifts",
		 json_pack("{s:i, s:i, s:i, s:i, s:i, s:f, s:b, s:o}", "places", (int)s->n_places, "missing",
			   (int)s->n_missing, "looked_at", (int)s->n, "free", (int)s->free, "worst", (int)max,
			   "mean", s->mean, "engine_order", (int)s->by_engine, "list", list));
}

static int cmd_shifts(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct shifts *sh;
	uint32_t n = 0;
	unsigned long sample = 0;
	char *end;

	if (argc == 2) {
		sample = strtoul(argv[1], &end, 10);
		if (*end || !sample || sample > UINT32_MAX)
			return err_set(e, "shifts: found \"%s\", expected how many shifts to look at, from 1",
				       argv[1]);
	} else {
		free(shift_order(w->routing, &n));
		if ((uint64_t)n * n > SHIFT_FLOWS)
			sample = SHIFT_FLOWS / n ? SHIFT_FLOWS / n : 1;
	}
	sh = shifts_new(w->routing, sample, o->run->progress);
	if (!sh)
		return err_set(e, CANCELLED);
	print_shifts(w, sh, o);
	shifts_free(sh);
	return 0;
}

/* --- survey --------------------------------------------------------------------------------------- */

struct finding {
	uint32_t id; /* link or switch node */
	uint64_t lost, rerouted, longer, entries;
	uint32_t cut;
	bool fallback, refused;
};

static int by_harm(const void *x, const void *y)
{
	const struct finding *a = x, *b = y;

	if (a->refused != b->refused)
		return a->refused ? -1 : 1;
	if (a->lost != b->lost)
		return a->lost > b->lost ? -1 : 1;
	if (a->fallback != b->fallback)
		return a->fallback ? -1 : 1;
	if (a->longer != b->longer)
		return a->longer > b->longer ? -1 : 1;
	if (a->rerouted != b->rerouted)
		return a->rerouted > b->rerouted ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* What one failure does. */
static int survey_one(struct session *s, const struct sweep *w, bool links, struct finding *f, struct err *e)
{
	struct state *state = state_copy(w->setup->state);
	const struct setup *setup;
	struct sweep *after;
	struct comparison *c = NULL;

	if (links)
		state->link_down[f->id] = 1;
	else
		state->node_down[f->id] = 1;
	setup = setup_with(w->setup, &(struct setup){.state = state});
	state_free(state);
	after = sweep_run(&(struct sweep_request){.setup = setup, .engines = s->engines, .prev = w}, e);
	setup_unref(setup);
	if (!after)
		return -1;
	f->cut = count_cut_off(after, NULL);
	f->fallback = after->routing && strcmp(after->routing->engine, w->routing->engine);
	f->refused = !after->routing;
	if (after->routing)
		c = compare_routings(w->routing, after->routing, NULL);
	if (c) {
		f->lost = c->lost;
		f->rerouted = c->rerouted;
		f->longer = c->longer;
		f->entries = c->entries_changed;
	}
	comparison_free(c);
	sweep_unref(after);
	return 0;
}

static uint32_t list_victims(const struct sweep *w, bool links, struct finding *f)
{
	const struct fabric *fb = w->fabric;
	uint32_t n = 0;

	for (uint32_t l = 0; links && l < fb->n_links; l++)
		if (w->topo->peer_switch[fb->link_port[2 * l]] != NO_ID)
			f[n++].id = l;
	for (uint32_t sw = 0; !links && sw < fb->n_switches; sw++)
		if (switch_up(w->topo, sw))
			f[n++].id = fb->switch_node[sw];
	return n;
}

static void print_finding(const struct sweep *w, bool links, const struct finding *f, json_t *list,
			  struct out *o)
{
	const struct fabric *fb = w->fabric;
	char a[300], b[300], name[620];

	if (links)
		snprintf(name, sizeof(name), "%s %s", port_label(fb, fb->link_port[2 * f->id], a, sizeof(a)),
			 port_label(fb, fb->link_port[2 * f->id + 1], b, sizeof(b)));
	else
		snprintf(name, sizeof(name), "%s", fb->node_name[f->id]);
	out_text(o, "%8lu %8lu %8lu %8lu %6u  %s%s\n", f->lost, f->rerouted, f->longer, f->entries, f->cut,
		 name,
		 f->refused    ? "  (no engine routes it)"
		 : f->fallback ? "  (falls back)"
			       : "");
	json_array_append_new(list,
			      json_pack("{s:s, s:I, s:I, s:I, s:I, s:i, s:b}", "what", name, "lost",
					(json_int_t)f->lost, "rerouted", (json_int_t)f->rerouted, "longer",
					(json_int_t)f->longer, "entries", (json_int_t)f->entries, "cut_off",
					(int)f->cut, "fallback", (int)(f->fallback || f->refused)));
}

static int cmd_survey(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	bool links = !strcmp(argv[1], "links");
	struct finding *f;
	uint32_t n;
	int rc = 0;

	(void)argc;
	f = NEW_ARRAY(links ? w->fabric->n_links : w->fabric->n_switches, struct finding);
	n = list_victims(w, links, f);
	progress_start(o->run->progress, "surveying failures", n);
	for (uint32_t i = 0; !rc && i < n; i++) {
		if (!progress_step(o->run->progress, i))
			rc = err_set(e, CANCELLED);
		else
			rc = survey_one(s, w, links, &f[i], e);
	}
	if (!rc) {
		json_t *list = json_array();

		qsort(f, n, sizeof(*f), by_harm);
		out_text(o, "%8s %8s %8s %8s %6s  %s\n", "lost", "rerouted", "longer", "entries", "cutoff",
			 links ? "link" : "switch");
		for (uint32_t i = 0; i < n; i++)
			print_finding(w, links, &f[i], list, o);
		out_json(o, "survey", list);
	}
	free(f);
	return rc;
}

const struct command analysis_commands[] = {
	{.name = "check",
	 .syntax = "check",
	 .help = "unreachable pairs, forwarding loops, credit loops per VL; exit status 1 in batch when "
		 "something is "
		 "wrong",
	 .needs = NEEDS_ROUTING,
	 .run = cmd_check},
	{.name = "diff",
	 .syntax = "diff [SNAPSHOT [SNAPSHOT]] [all]",
	 .help = "compare routings entry by entry and pair by pair",
	 .details = "  Without a name: what the last event changed.  One name: from the snapshot to now.  "
		    "First links: "
		    "ports by\n"
		    "  which an edge switch sends the LIDs of a distant host port; all links: those on the "
		    "whole paths "
		    "from there.\n",
	 .run = cmd_diff},
	{.name = "load-map",
	 .syntax = "load-map [all | lids | shift K | bisection [seed=K] | hotspot NODE] [all]",
	 .help = "routes per link for a traffic pattern",
	 .details = "  all: one route for each pair of hosts (default); lids: one for each LID; shift K: "
		    "each host to the\n"
		    "  K-th behind it; bisection: a random half to the other, one to one, both ways; "
		    "hotspot: all to one.\n"
		    "  Lists the 20 links with most; with `all` behind the pattern every link.\n",
	 .needs = NEEDS_ROUTING,
	 .run = cmd_load_map},
	{.name = "shifts",
	 .syntax = "shifts [SAMPLE]",
	 .help = "most flows on a link when every node sends K places further, for all K or SAMPLE of them",
	 .details = "  The order is the engine's (ftree) or that of the LIDs.  Without SAMPLE large fabrics "
		    "are sampled "
		    "too.\n",
	 .needs = NEEDS_ROUTING,
	 .run = cmd_shifts},
	{.name = "survey",
	 .syntax = "survey links|switches",
	 .help = "every single failure, ranked by what it does",
	 .needs = NEEDS_ROUTING,
	 .run = cmd_survey},
	{.name = NULL},
};
