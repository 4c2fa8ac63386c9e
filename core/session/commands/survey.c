/* `survey`: every single failure, ranked by what it does. */
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"

struct finding {
	uint32_t id; /* link or switch node */
	uint64_t lost, cut_off, rerouted, longer, entries;
	uint32_t gone; /* endports that the subnet manager does not reach, though their node is up */
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
	f->gone = count_cut_off(after, NULL);
	f->fallback = after->routing && strcmp(after->routing->engine, w->routing->engine);
	f->refused = !after->routing;
	if (after->routing)
		c = compare_routings(w->routing, after->routing, NULL);
	if (c) {
		f->lost = c->lost;
		f->cut_off = c->cut_off;
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
	json_t *obj;

	if (links)
		snprintf(name, sizeof(name), "%s %s", port_label(fb, fb->link_port[2 * f->id], a, sizeof(a)),
			 port_label(fb, fb->link_port[2 * f->id + 1], b, sizeof(b)));
	else
		snprintf(name, sizeof(name), "%s", fb->node_name[f->id]);
	out_text(o, "%8lu %8lu %8lu %8lu %8lu %6u  %s%s\n", f->lost, f->lost - f->cut_off, f->rerouted,
		 f->longer, f->entries, f->gone, name,
		 f->refused    ? "  (no engine routes it)"
		 : f->fallback ? "  (falls back)"
			       : "");
	obj = json_make("{s:s, s:I, s:I, s:I, s:I, s:i, s:I, s:I, s:b}", "what", name, "lost",
			(json_int_t)f->lost, "rerouted", (json_int_t)f->rerouted, "longer",
			(json_int_t)f->longer, "entries", (json_int_t)f->entries, "hosts_gone", (int)f->gone,
			"cut_off", (json_int_t)f->cut_off, "between_survivors",
			(json_int_t)(f->lost - f->cut_off), "fallback", (int)(f->fallback || f->refused));
	if (links) {
		json_put_port(obj, "a", fb, w->lids, fb->link_port[2 * f->id]);
		json_put_port(obj, "b", fb, w->lids, fb->link_port[2 * f->id + 1]);
	} else {
		json_put_node(obj, "switch", fb, w->lids, f->id);
	}
	json_array_append_new(list, obj);
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
		report_scope(s, o);
		out_text(o, "%8s %8s %8s %8s %8s %6s  %s\n", "lost", "between", "rerouted", "longer",
			 "entries", "gone", links ? "link" : "switch");
		for (uint32_t i = 0; i < n; i++)
			print_finding(w, links, &f[i], list, o);
		out_json(o, "survey", list);
	}
	free(f);
	return rc;
}

const struct command survey_commands[] = {
	{.name = "survey",
	 .syntax = "survey links|switches",
	 .help = "every single failure, ranked by what it does",
	 .details = "  lost: pairs of hosts without a path then; between: of these, between survivors: not "
		    "cut off with "
		    "what failed.\n"
		    "  gone: host ports that are up, but not in the subnet manager's part any more.\n",
	 .needs = NEEDS_ROUTING,
	 .json = JSON_SCOPE "survey[] object failures, the worst first\n"
			    "survey[].what string what fails\n"
			    "survey[].switch node? the switch\n"
			    "survey[].a port? one end of the link\n"
			    "survey[].b port? the other\n"
			    "survey[].lost integer pairs without a path then\n"
			    "survey[].cut_off integer of these: cut off with what failed\n"
			    "survey[].between_survivors integer of these: the others\n"
			    "survey[].rerouted integer pairs with another path\n"
			    "survey[].longer integer pairs with a longer path\n"
			    "survey[].entries integer changed entries\n"
			    "survey[].hosts_gone integer endports not reached any more\n"
			    "survey[].fallback boolean another engine routes, or none\n",
	 .run = cmd_survey},
	{.name = NULL},
};
