/* `diff`: two routings, entry by entry and pair by pair. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/analysis/compare/figures.h"
#include "core/analysis/traffic/load_diff.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/labels.h"
#include "core/session/commands/commands.h"

#define DIFF_LINES 20
#define LOAD_LINES 5 /* links with a higher load, and as many with a lower one */

static void diff_entries(const struct comparison *c, uint64_t limit, struct out *o)
{
	const struct fabric *f = c->b->topo->fabric;
	json_t *list = json_array(), *obj;
	uint64_t n = 0;
	char a[8], b[8];

	progress_start(o->run->progress, "listing entries", f->n_switches);
	for (uint32_t s = 0; s < f->n_switches && progress_step(o->run->progress, s); s++) {
		unsigned top = MAX(c->a->lids->max_lid, c->b->lids->max_lid);

		for (unsigned lid = 1; c->switch_entries[s] && lid <= top && n < limit; lid++) {
			uint8_t was, now;
			uint32_t owner = lid_owner(c->b->lids, lid);

			if (!entry_changed(c, s, lid, &was, &now))
				continue;
			n++;
			out_text(o, "! " ROW_COLUMN("%-24s") " LID %5u  %3s -> %-3s  " ROW_CUT("%s") "\n",
				 switch_name(f, s), lid, lft_port_label(was, a, sizeof(a)),
				 lft_port_label(now, b, sizeof(b)),
				 owner == NO_ID ? "(nobody)" : ENDPORT_LABEL(f, owner));
			obj = json_make("{s:i, s:i, s:i}", "lid", (int)lid, "was", (int)was, "now", (int)now);
			json_put_out(obj, "was", f, s, was);
			json_put_out(obj, "now", f, s, now);
			json_put_switch(obj, "switch", f, c->b->lids, s);
			json_put_endport(obj, "owner", f, c->b->lids, owner);
			json_array_append_new(list, obj);
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
	static const char *const words[] = {"~ rerouted", "x lost", "+ regained", "+ new", "~ SL"};
	const struct fabric *f = c->b->topo->fabric;
	uint64_t total = comparison_listed(c), n = MIN(total, limit);
	json_t *list = json_array(), *obj;
	char h1[8], h2[8];
	const char *before, *after;
	struct sl_range was, now;
	char s1[SL_WORD], s2[SL_WORD];

	for (uint64_t i = 0; i < n && !(i % 256 == 0 && progress_cancelled(o->run->progress)); i++) {
		struct pair_group g;
		uint32_t src = comparison_pair(c, i, &g);

		before = hops_word(g.before, h1, sizeof(h1));
		after = hops_word(g.after, h2, sizeof(h2));
		out_text(o, "%-11s " ROW_CUT("%s") " -> " ROW_CUT("%s") " (LID %u)  links %s -> %s",
			 words[g.change], ENDPORT_LABEL(f, src), ENDPORT_LABEL(f, g.dst), g.lid, before,
			 after);
		obj = json_make("{s:s, s:i, s:s, s:s}", "change", words[g.change] + 2, "dlid", (int)g.lid,
				"before", before, "after", after);
		if (comparison_sls(c, &g, src, &was, &now)) {
			out_text(o, "  SL %s -> %s", sl_word(was, s1), sl_word(now, s2));
			json_object_set_new(obj, "sl_before", json_text(s1));
			json_object_set_new(obj, "sl_after", json_text(s2));
		}
		out_text(o, "\n");
		json_put_endport(obj, "src", f, c->b->lids, src);
		json_put_endport(obj, "dst", f, c->b->lids, g.dst);
		json_array_append_new(list, obj);
	}
	if (total > n)
		out_text(o, "  ... %s; `diff ... all` prints them\n", PLURAL(total - n, "more pair"));
	out_json(o, "pairs", list);
}

static json_t *was_now(double was, double now, bool whole)
{
	if (whole)
		return json_make("{s:I, s:I}", "was", (json_int_t)was, "now", (json_int_t)now);
	return json_make("{s:f, s:f}", "was", was, "now", now);
}

/* Figures before and after. A figure has a line only if its printed form changed. -1 when cancelled. */
static int diff_figures(const struct comparison *c, struct out *o, struct progress *p)
{
	static const enum figure told[] = {FIG_HOPS_MEAN,  FIG_HOPS_MOST,   FIG_FIRST_MEAN, FIG_FIRST_LEAST,
					   FIG_LINKS_MEAN, FIG_LINKS_LEAST, FIG_USAGE_MOST};
	struct figures was, now;
	json_t *list;
	char a[32], b[32];

	if (figures_of_tables(c->across ? c->across->own : c->a, NULL, &was, p) ||
	    figures_of_tables(c->across ? c->across->own_b : c->b, NULL, &now, p))
		return -1;
	list = json_object();
	for (size_t i = 0; i < ARRAY_LEN(told); i++) {
		const struct field *d = &figure_fields[told[i]];

		if (figure_order(&was, &now, told[i]))
			out_text(o, "  %-29s %s -> %s\n", d->column, figure_text(&was, told[i], a, sizeof(a)),
				 figure_text(&now, told[i], b, sizeof(b)));
		json_object_set_new(list, d->key, was_now(was.v[told[i]], now.v[told[i]], !d->decimals));
	}
	out_json(o, "figures", list);
	return 0;
}

int diff_sides(struct session *s, const struct args *args, const struct sweep **a, const struct sweep **b,
	       struct err *e)
{
	const struct arg *first = args_get(args, "SNAPSHOT"), *second;
	const struct event *before;

	*b = need_routing(s, e);
	if (!*b)
		return -1;
	if (!first) {
		before = session_event_before(s, s->at);
		*a = before ? before->sweep : NULL;
		return *a && (*a)->routing ? 0 : err_set(e, "the event before had no tables to compare with");
	}
	second = args_next(args, "SNAPSHOT", first);
	if (!(*a = session_find_snapshot(s, first->word)))
		return err_set(e, "there is no snapshot \"%s\"; `snapshot` lists them", first->word);
	if (second && !(*b = session_find_snapshot(s, second->word)))
		return err_set(e, "there is no snapshot \"%s\"; `snapshot` lists them", second->word);
	return 0;
}

/* Channels that carry more or fewer routes than before. */
static void diff_loads(const struct load_diff *d, uint64_t moved, uint64_t limit, struct out *o)
{
	json_t *list = json_array(), *x;
	uint32_t told = 0;
	char a[700];

	out_text(o, "Loads: %s hotter, %u cooler; most routes on a link %u -> %u.\n",
		 PLURAL(d->hotter, "link"), d->cooler, d->max_before, d->max_after);
	for (uint32_t i = 0; i < d->n; i++) {
		const struct load_change *c = &d->change[i];
		const struct fabric *f;
		uint32_t port;

		/* a few of both */
		if (limit != UINT64_MAX && (i < d->hotter ? i : i - d->hotter) >= LOAD_LINES)
			continue;
		told++;
		f = load_change_fabric(d, c, &port);
		out_text(o, ROW_BEGIN "%8u -> %-8u %+7" PRId64 "  ", c->before, c->after, load_gain(c));
		tell_pair(load_change_label(d, c, a, sizeof(a)), o);
		out_text(o, "\n");
		x = json_make("{s:i, s:i, s:I}", "before", (int)c->before, "after", (int)c->after, "gain",
			      (json_int_t)load_gain(c));
		json_put_port(x, "from", f, (c->port != NO_ID ? d->b : d->a)->lids, port);
		json_array_append_new(list, x);
	}
	if (told < d->n)
		out_text(o, "  ... %s; `diff ... all` prints them\n", PLURAL(d->n - told, "more link"));
	out_json(o, "loads",
		 json_make("{s:i, s:i, s:I, s:i, s:i, s:o}", "hotter", (int)d->hotter, "cooler",
			   (int)d->cooler, "moved", (json_int_t)moved, "max_before", (int)d->max_before,
			   "max_after", (int)d->max_after, "ports", list));
}

/* What the tables before are, where that is not what the present ones are. */
static void tell_compared_with(const struct sweep *a, const struct sweep *b, struct out *o)
{
	struct judged before = judged_of(a), now = judged_of(b);
	struct text t = {0}, u = {0};

	before.untimed = now.untimed = o->run->no_timing;
	judged_brief(&before, &t);
	judged_brief(&now, &u);
	if (strcmp(text_str(&t), text_str(&u)) != 0)
		out_text(o, "Compared with: %s.\n", text_str(&t));
	out_json(o, "compared_with", json_text(judged_word(&before)));
	text_free(&t);
	text_free(&u);
}

static int cmd_diff(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *a, *b;
	struct routing *ra, *rb;
	struct comparison *c;
	struct load_diff *d = NULL;
	uint64_t limit = args_has(args, "all") ? UINT64_MAX : DIFF_LINES;
	int rc;

	if (diff_sides(s, args, &a, &b, e))
		return -1;
	ra = session_counted(s, a->routing);
	rb = session_counted(s, b->routing);
	c = compare_routings(ra, rb, o->run->progress);
	if (c)
		d = load_diff_new(ra, rb, o->run->progress);
	routing_unref(ra);
	routing_unref(rb);
	if (!d) {
		comparison_free(c);
		return err_set(e, CANCELLED);
	}
	if (c->across && c->across->only[1].switches == c->b->topo->fabric->n_switches) {
		load_diff_free(d);
		comparison_free(c);
		return err_set(
			e,
			"found no switch of %s in %s, by GUID: expected two fabrics with something in common",
			b->fabric->source, a->fabric->source);
	}
	report_judged(b, o);
	tell_compared_with(a, b, o);
	report_scope(s, o);
	report_missing(a->fabric, o);
	if (b->fabric != a->fabric)
		report_missing(b->fabric, o);
	if (strcmp(a->routing->engine, b->routing->engine))
		out_text(o, "%s -> %s: ", a->routing->engine, b->routing->engine);
	report_comparison(c, o);
	rc = diff_figures(c, o, o->run->progress);
	if (!rc) {
		diff_loads(d, comparison_pairs(c), limit, o);
		diff_entries(c, limit, o);
		diff_pairs(c, limit, o);
		rc = progress_cancelled(o->run->progress);
	}
	comparison_free(c);
	load_diff_free(d);
	return rc ? err_set(e, CANCELLED) : 0;
}

const struct command diff_commands[] = {
	{.name = "diff",
	 .group = WHAT_IF,
	 .syntax = "diff [SNAPSHOT [SNAPSHOT]] [all]",
	 .help = "compare two routings entry by entry and pair by pair",
	 .details = "  Without a name: what the last event changed.  With one name: from that snapshot to "
		    "now.  first links: ports by\n"
		    "  which an edge switch sends the LIDs of a distant host port; all links: those on the "
		    "whole paths from there.\n",
	 .json = JSON_JUDGED
	 "compared_with string(held/computed) the same of the tables before\n" JSON_SCOPE JSON_CHANGE
	 "figures object? what is counted of both\n"
	 "figures.* object before and after, as `compare` names them\n"
	 "figures.*.was number(..) before\n"
	 "figures.*.now number(..) now\n"
	 "loads object routes on links, all hosts to all, before and now\n"
	 "loads.hotter integer links, each direction by itself, that carry more\n"
	 "loads.cooler integer links that carry fewer\n"
	 "loads.moved integer pairs that moved: rerouted, lost, regained or new\n"
	 "loads.max_before integer most on a link before\n"
	 "loads.max_after integer most on a link now\n"
	 "loads.ports[] object links that carry most more, then those that carry most less: the first of "
	 "each, or all\n"
	 "loads.ports[].from port port that sends\n"
	 "loads.ports[].before integer routes before\n"
	 "loads.ports[].after integer routes now\n"
	 "loads.ports[].gain integer(..) routes more than before\n"
	 "entries[] object changed entries: the first, or all\n"
	 "entries[].switch node the switch\n"
	 "entries[].lid lid the LID\n"
	 "entries[].owner endport whose LID it is\n"
	 "entries[].was portnum port before; 255: none\n"
	 "entries[].now portnum port now; 255: none\n"
	 "pairs[] object changed pairs: the first, or all\n"
	 "pairs[].change string(rerouted/lost/regained/new/SL) what became of it; SL: another SL, the same "
	 "path\n"
	 "pairs[].sl_before string? SL before, where it is another now; 2..5: drawn at random\n"
	 "pairs[].sl_after string? SL now\n"
	 "pairs[].src endport source\n"
	 "pairs[].dst endport destination\n"
	 "pairs[].dlid lid LID of the destination\n"
	 "pairs[].before string(none/loop/^[0-9]+$) links before, none or loop\n"
	 "pairs[].after string(none/loop/^[0-9]+$) links now, none or loop\n",
	 .run = cmd_diff},
	{.name = NULL},
};
