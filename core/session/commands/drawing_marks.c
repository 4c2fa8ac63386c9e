/* What a drawing of the fabric marks: a path, a cycle, a layer, changes, colours of switches. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/transition.h"
#include "core/analysis/credit/cdg.h"
#include "core/analysis/credit/turns.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/session/commands/commands.h"
#include "core/trace/recording.h"
#include "core/trace/walk.h"

void drawing_mark_ports(const struct fabric *f, struct fabric_drawing *d)
{
	d->way = NEW_ARRAY(f->n_ports + 1, uint8_t);
	d->number = NEW_ARRAY(f->n_switches + 1, uint32_t);
	d->look.way = d->way;
	d->look.number = d->number;
}

/* --- load, path ------------------------------------------------------------------------------- */

static int take_loads(struct session *s, struct fabric_drawing *d, struct progress *p, struct err *e)
{
	assert(session_routing(s));
	d->loads = loads_new(session_routing(s), &pattern_all, p);
	if (!d->loads)
		return err_set(e, CANCELLED);
	text_add(&d->about, "routes of all pairs of hosts, mean %.1f on a link that carries any, most %u",
		 d->loads->mean_used, d->loads->max);
	return 0;
}

/* Mark the sending ports, and number the switches in `there`. */
static void take_path(const struct fabric *f, const struct path *path, enum picture_way way,
		      struct fabric_drawing *d)
{
	for (unsigned k = 0; k < path->n; k++) {
		const struct path_hop *h = &path->hop[k];

		if (h->out && h->out <= f->switch_nports[h->sw])
			d->way[switch_port_id(f, h->sw, h->out)] |= (uint8_t)way;
		if (way == PICTURE_THERE && !d->number[h->sw])
			d->number[h->sw] = k + 1;
	}
}

static const char *path_words(const struct path *path, char *buf, size_t size)
{
	return path->end == PATH_OK ? plural(path->hops, "link", buf, size) : path_end_text(path->end);
}

static int drawing_marks_command_mark_path(struct session *s, const struct drawing_of *of,
					   struct fabric_drawing *d)
{
	const struct fabric *f = s->fabric;
	const struct arg *from = args_get(of->args, "SRC"), *to = args_get(of->args, "DST");
	struct path path;
	char words[64];

	assert(from && to);
	drawing_mark_ports(f, d);
	d->look.ways = PICTURE_THERE | PICTURE_BACK;
	path_trace(session_routing(s), from->id, from->lid, to->lid, &path);
	take_path(f, &path, PICTURE_THERE, d);
	text_add(&d->about, "path %s -> %s, %s", ENDPORT_LABEL(f, from->id), ENDPORT_LABEL(f, to->id),
		 path_words(&path, words, sizeof(words)));
	path_free(&path);
	path_trace(session_routing(s), to->id, to->lid, from->lid, &path);
	take_path(f, &path, PICTURE_BACK, d);
	text_add(&d->about, "; way back %s", path_words(&path, words, sizeof(words)));
	path_free(&path);
	return 0;
}

/* The shortest way by a port, which the engine forbids. */
static int mark_why(struct session *s, const struct drawing_of *of, struct fabric_drawing *d, struct err *e)
{
	const struct fabric *f = s->fabric;
	const struct arg *from = args_get(of->args, "SWITCH"), *to = args_get(of->args, "DESTINATION");
	unsigned port = (unsigned)args_number(of->args, "via N", 0), at;
	uint32_t sw = f->node_switch[from->id], target = session_sweep(s)->topo->endport_switch[to->id];
	struct way w;

	if (target == NO_ID || !way_forbidden(session_routing(s), sw, port, target, &w, &at))
		return err_set(
			e, "the shortest way by %s[%u] to %s has no turn that %s forbids; `why` tells more",
			switch_name(f, sw), port, ENDPORT_LABEL(f, to->id), session_routing(s)->engine);
	drawing_way(f, w.hop, w.n, at, d);
	text_add(&d->about, "%s[%u] -> %s: forbidden turn at %s", switch_name(f, sw), port,
		 ENDPORT_LABEL(f, to->id), switch_name(f, w.hop[at].sw));
	way_free(&w);
	return 0;
}

/* --- dependencies --------------------------------------------------------------------------- */

static int drawing_marks_command_mark_cycle(struct session *s, const struct drawing_of *of,
					    struct fabric_drawing *d, struct progress *p, struct err *e)
{
	assert(of->group);
	AUTO_ARENA struct cdg *c = cdg_new(session_routing(s), CDG_ALL_VLS, of->switches, p, e);
	uint32_t group = of->group - 1, n = 0;
	int rc = 0;

	if (!c)
		return -1;
	if (!c->n_components)
		rc = err_set(e, "there are no credit loops; nothing is drawn");
	else if (group >= c->n_components)
		rc = err_set(e, "found group %u, expected one of the %u groups with credit loops there are",
			     of->group, c->n_components);
	if (!rc) {
		uint32_t *cycle = NEW_ARRAY(c->size[group] + 1, uint32_t);
		n = cdg_cycle(c, group, cycle, p);
		if (n) {
			const struct fabric *f = c->routing->topo->fabric;

			/* The channels of a shortest cycle. */
			d->cycle.step = NEW_ARRAY(n + 1, struct picture_step);
			d->cycle.n = n;
			drawing_mark_ports(f, d);
			d->look.ways = PICTURE_CYCLE;
			for (uint32_t i = 0; i < n; i++) {
				uint32_t port = c->port[cycle[i]],
					 dep = cdg_dependency(c, cycle[i], cycle[(i + 1) % n]);
				uint32_t sw = f->node_switch[f->port_node[port]];

				d->cycle.step[i] =
					(struct picture_step){port, c->vl[cycle[i]], c->routes[dep]};
				d->way[port] |= PICTURE_CYCLE;
				if (!d->number[sw])
					d->number[sw] = i + 1;
			}
			text_add(&d->about, "a shortest credit loop of group %u of %u, %s, on ", of->group,
				 c->n_components, PLURAL(n, "channel"));
			text_add(&d->about, c->vls[group] & (c->vls[group] - 1) ? "VLs" : "VL");
			for (unsigned v = 0; v < CDG_VLS; v++)
				if (c->vls[group] >> v & 1)
					text_add(&d->about, " %u", v);
		} else {
			rc = err_set(e, CANCELLED);
		}
		free(cycle);
	}
	return rc;
}

static int drawing_marks_command_mark_layer(struct session *s, const struct drawing_of *of,
					    struct fabric_drawing *d, struct progress *p, struct err *e)
{
	assert(of->vl >= 0 && of->vl < CDG_VLS);
	AUTO_ARENA struct cdg *c = cdg_for_vl(session_routing(s), of->vl, of->switches, p, e);
	const struct fabric *f = s->fabric;
	uint32_t n = 0, on_cycles = 0;
	uint64_t sum = 0;

	if (!c)
		return -1;
	d->load = NEW_ARRAY(f->n_ports + 1, uint32_t);
	for (uint32_t v = 0; v < c->n_channels; v++) {
		uint32_t port = c->port[v];

		if (c->vl[v] != of->vl || f->node_switch[f->port_node[port]] == NO_ID ||
		    c->routing->topo->peer_switch[port] == NO_ID)
			continue;
		d->load[port] = c->load[v];
		sum += c->load[v];
		on_cycles += c->component[v] != NO_ID;
		n++;
	}
	d->look.load = d->load;
	d->look.mean = n ? (double)sum / n : 0;
	text_add(&d->about,
		 "VL %d: %s begin on it, %s between switches, %u on credit loops; mean %.1f routes a channel",
		 of->vl, PLURAL(c->vl_routes[of->vl], "route"), PLURAL(n, "channel"), on_cycles,
		 d->look.mean);
	return 0;
}

/* Dependencies between switches: those of the VL; without a loop on it, also those that only others have. */
static int mark_turns(struct session *s, const struct drawing_of *of, struct fabric_drawing *d,
		      struct progress *p, struct err *e)
{
	assert(of->vl >= 0 && of->vl < CDG_VLS);
	AUTO_ARENA struct cdg *c = cdg_new(session_routing(s), CDG_ALL_VLS, of->switches, p, e);
	bool loops = c && cdg_components_below(c, of->vl, c->n_components);
	size_t missing;

	if (!c)
		return -1;
	d->channel = NEW_ARRAY(s->fabric->n_ports + 1, uint8_t);
	d->turn = NEW_ARRAY(c->n_deps + 1, struct picture_turn);
	size_t n = picture_turns(c, of->vl, d->turn, d->channel, &missing);
	d->look.turn = d->turn;
	d->look.n_turns = n;
	d->look.channel = d->channel;
	d->look.pale = true;
	text_add(&d->about, "VL %d: %s between switches, %s", of->vl, PLURAL(n - missing, "dependency"),
		 loops ? "CREDIT LOOPS" : "no closed walk of arrows");
	return 0;
}

/* --- changes ---------------------------------------------------------------------------------- */

/* Entries that use a port now and did not before, or the reverse. */
static void count_moved(const struct comparison *c, const struct fabric *f, uint32_t *more, uint32_t *less)
{
	unsigned top = MAX(c->a->lids->max_lid, c->b->lids->max_lid);

	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned lid = 1; c->switch_entries[s] && lid <= top; lid++) {
			uint8_t was, now;

			if (!entry_changed(c, s, lid, &was, &now))
				continue;
			if (was && was <= f->switch_nports[s])
				less[switch_port_id(f, s, was)]++;
			if (now && now <= f->switch_nports[s])
				more[switch_port_id(f, s, now)]++;
		}
}

/* Changed entries under each switch. */
static void take_entries(const struct comparison *c, uint32_t n, struct fabric_drawing *d)
{
	assert(!d->figure && c->switch_entries);
	d->figure = NEW_ARRAY(n + 1, uint32_t);
	memcpy(d->figure, c->switch_entries, n * sizeof(*d->figure));
	d->look.figure = d->figure;
	d->look.figure_noun = "entry";
}

static void mark_comparison(const struct comparison *c, const struct session *s, struct fabric_drawing *d)
{
	const struct fabric *f = s->fabric;
	AUTO_FREE uint32_t *more = NEW_ARRAY(f->n_ports + 1, uint32_t);
	AUTO_FREE uint32_t *less = NEW_ARRAY(f->n_ports + 1, uint32_t);
	const struct layout *l = d->picture->layout;

	drawing_mark_ports(f, d);
	d->look.number = NULL;
	d->look.ways = PICTURE_MORE | PICTURE_LESS;
	count_moved(c, f, more, less);
	/* Weights of ports, and the largest weight of one line. */
	d->weight = NEW_ARRAY(f->n_ports + 1, uint32_t);
	d->look.weight = d->weight;
	for (uint32_t k = 0; k < f->n_ports; k++) {
		d->weight[k] = more[k] + less[k];
		if (more[k] > less[k])
			d->way[k] = PICTURE_MORE;
		else if (less[k] > more[k])
			d->way[k] = PICTURE_LESS;
		else if (more[k])
			d->way[k] = PICTURE_MORE | PICTURE_LESS;
	}
	for (uint32_t a = 0; a < l->n; a++)
		for (uint32_t i = l->first[a]; i < l->first[a + 1]; i++) {
			struct picture_bundle u = picture_bundle(f, &d->look, a, l->to[i]);

			d->look.most = MAX(u.weight, d->look.most);
		}
	take_entries(c, f->n_switches, d);
	text_add(&d->about,
		 "%s on %s, %s rerouted, %" PRIu64 " lost, %" PRIu64
		 " regained; a line: entries that use its ports more or less than before",
		 PLURAL(c->entries_changed, "changed entry"), PLURAL(c->switches_changed, "switch"),
		 PLURAL(c->rerouted, "pair"), c->lost, c->regained);
}

static int mark_diff(struct session *s, const struct drawing_of *of, struct fabric_drawing *d,
		     struct progress *p, struct err *e)
{
	const char *snapshot = args_word(of->args, "SNAPSHOT", NULL);
	const struct sweep *a, *b;
	uint32_t n = 0;

	if (diff_sides(s, of->args, &a, &b, e))
		return -1;
	AUTO_ROUTING struct routing *ra = session_counted(s, a->routing);
	AUTO_ROUTING struct routing *rb = session_counted(s, b->routing);
	AUTO_ARENA struct comparison *c = compare_routings(ra, rb, p);
	if (!c)
		return err_set(e, CANCELLED);
	const struct state *was = a->setup->state;
	text_add(&d->about, snapshot ? "since snapshot %s: " : "by the last event: ", snapshot);
	if (a->fabric == s->fabric && was) {
		d->came = NEW_ARRAY(s->fabric->n_links + 1, uint8_t);
		for (uint32_t k = 0; k < s->fabric->n_links; k++) {
			d->came[k] = state_link_up(s->fabric, session_state(s), k) &&
				     !state_link_up(s->fabric, was, k);
			n += d->came[k];
		}
		d->look.came = n ? d->came : NULL;
	}
	mark_comparison(c, s, d);
	return 0;
}

/* The loop, or the way to nowhere, that the worst moment has. */
static int drawing_marks_command_mark_transition(struct session *s, const struct drawing_of *of,
						 struct fabric_drawing *d, struct progress *p, struct err *e)
{
	const struct fabric *f = s->fabric;
	const struct sweep *a, *b;

	if (diff_sides(s, of->args, &a, &b, e))
		return -1;
	AUTO_ARENA struct transition *t = session_transition(s, a, b, p, e);
	if (!t)
		return -1;
	drawing_mark_ports(f, d);
	const struct mix_way *w = transition_shown(t, &d->about);
	d->look.ways = w && w->loop ? PICTURE_CYCLE : PICTURE_THERE;
	for (uint32_t i = 0; w && i < w->n; i++) {
		const struct mix_hop *h = &w->hop[i];

		if (h->port && h->port <= f->switch_nports[h->sw])
			d->way[switch_port_id(f, h->sw, h->port)] |= d->look.ways;
		if (!d->number[h->sw])
			d->number[h->sw] = i + 1;
	}
	if (w) {
		text_add(&d->about, ": ");
		mix_way_text(t, w, &d->about);
	} else {
		transition_sentence(t, &d->about);
	}
	return 0;
}

/* --- colours of switches ------------------------------------------------------------------------ */

/* The lightest is not white, so it stands out from the page. */
static const char *const shades[] = {"#cfe0f2", "#a9c8e8", "#7eabdb", "#558ecb",
				     "#3573b7", "#1d5596", "#0b3670"};
static const char *const tints[] = {"#a6cee3", "#fdbf6f", "#b2df8a", "#fb9a99", "#cab2d6", "#ffff99",
				    "#8dd3c7", "#fccde5", "#d9d9d9", "#ccebc5", "#bebada", "#e5c494"};
#define LAST_SHADE (ARRAY_LEN(shades) - 1)

static unsigned drawing_marks_command_add_kind(struct fabric_drawing *d, const char *colour, bool dark,
					       const char *words)
{
	struct picture_class *k = &d->kind[d->look.n_kinds];

	*k = (struct picture_class){.colour = colour, .dark = dark};
	snprintf(k->words, sizeof(k->words), "%s", words);
	return d->look.n_kinds++;
}

#define MOST_KINDS 16

static void colour_state(const struct session *s, struct fabric_drawing *d)
{
	const struct sweep *w = session_sweep(s);

	drawing_marks_command_add_kind(d, "#ffffff", false, "up");
	drawing_marks_command_add_kind(d, "#f7c6c5", false, "down");
	drawing_marks_command_add_kind(d, "#d9d9d9", false, "not reached");
	for (uint32_t k = 0; k < s->fabric->n_switches; k++)
		d->class[k] = session_state(s)->node_down[s->fabric->switch_node[k]] ? 1
			      : w && !switch_up(w->topo, k)			     ? 2
										     : 0;
}

static int colour_load(struct session *s, struct fabric_drawing *d, struct progress *p, struct err *e)
{
	if (take_loads(s, d, p, e))
		return -1;
	text_add(&d->about, "; a switch: its busiest link");
	for (unsigned k = 0; k < PICTURE_LOADS; k++)
		drawing_marks_command_add_kind(d, k ? picture_load_stroke(k).colour : "#ffffff", k > 2,
					       picture_load_words[k]);
	AUTO_FREE uint32_t *busiest = loads_busiest(d->loads, s->fabric);
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		d->class[sw] = (uint8_t)picture_load_class(busiest[sw], d->loads->mean_used);
	return 0;
}

/* Shades for numbers from 0.  Numbers above the last shade share it. */
static void colour_numbers(struct fabric_drawing *d, const uint32_t *n, uint32_t n_switches, uint32_t most,
			   const char *noun)
{
	for (uint32_t k = 0; k <= most && k <= LAST_SHADE; k++) {
		char words[24];

		snprintf(words, sizeof(words), k == LAST_SHADE && most > k ? "%s%u and more" : "%s%u", noun,
			 k);
		drawing_marks_command_add_kind(d, shades[k], k > 3, words);
	}
	for (uint32_t sw = 0; sw < n_switches; sw++)
		if (n[sw] != NO_ID)
			d->class[sw] = (uint8_t)(MIN(n[sw], LAST_SHADE));
}

static int colour_rank(struct session *s, struct fabric_drawing *d, struct err *e)
{
	const struct routing *r = session_routing(s);
	uint32_t most = 0;

	assert(r);
	if (!r->ops->rank)
		return err_set(e, "%s ranks no switches; updn, dnup and ftree do", r->engine);
	AUTO_FREE uint32_t *rank = NEW_ARRAY(s->fabric->n_switches + 1, uint32_t);
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++) {
		rank[sw] = switch_up(r->topo, sw) ? r->ops->rank(r, sw) : NO_RANK;
		if (rank[sw] != NO_RANK && rank[sw] > most)
			most = rank[sw];
	}
	colour_numbers(d, rank, s->fabric->n_switches, most, "rank ");
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		if (rank[sw] == NO_RANK)
			d->class[sw] = (uint8_t)d->look.n_kinds;
	drawing_marks_command_add_kind(d, "#d9d9d9", false, "no rank");
	return 0;
}

static int colour_layers(struct session *s, struct fabric_drawing *d, struct progress *p, struct err *e)
{
	assert(session_routing(s));
	AUTO_ARENA struct cdg *c = cdg_new(session_routing(s), CDG_ALL_VLS, false, p, e);
	const struct fabric *f = s->fabric;
	uint32_t most = 0;

	if (!c)
		return -1;
	AUTO_FREE uint16_t *vls = cdg_switch_vls(c);
	AUTO_FREE uint32_t *number = NEW_ARRAY(f->n_switches + 1, uint32_t);
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		number[sw] = (uint32_t)__builtin_popcount(vls[sw]);
		most = MAX(number[sw], most);
	}
	colour_numbers(d, number, f->n_switches, most, "VLs ");
	text_add(&d->about, "a switch: VLs that routes take over its links");
	return 0;
}

static void colour_chassis(const struct elements *el, struct fabric_drawing *d)
{
	const struct layout *l = d->picture->layout;
	uint32_t *place = NEW_ARRAY(el->n + 1, uint32_t), several = 0;

	drawing_marks_command_add_kind(d, "#ffffff", false, "alone");
	for (uint32_t k = 0; k < ARRAY_LEN(tints); k++)
		drawing_marks_command_add_kind(d, tints[k], false, "");
	for (uint32_t k = 0; k < el->n; k++)
		place[k] = NO_ID;
	for (uint32_t i = 0; i < l->n; i++) { /* in the order they are drawn in */
		uint32_t sw = l->order[i], k = el->of[sw];

		if (k == NO_ID || element_chips(el, k) < 2)
			continue;
		place[k] = place[k] == NO_ID ? several++ : place[k];
		d->class[sw] = (uint8_t)(1 + place[k] % ARRAY_LEN(tints));
		snprintf(d->kind[d->class[sw]].words, sizeof(d->kind->words), "%.40s%s", el->name[k],
			 place[k] >= ARRAY_LEN(tints) ? " .." : "");
	}
	d->look.n_kinds = 1 + (several < ARRAY_LEN(tints) ? several : (unsigned)ARRAY_LEN(tints));
	text_add(&d->about, "%u chassis of several switches", several);
	free(place);
}

static int colour_change(struct session *s, struct fabric_drawing *d, struct err *e)
{
	static const char *const words[] = {"no entry changed", "1 to 9", "10 to 99", "100 to 999",
					    "1000 and more"};
	const struct event *ev = session_event(s);
	const struct comparison *c = ev ? ev->change : NULL;
	const uint32_t n = s->fabric->n_switches;

	if (!c)
		return err_set(e, "the last event changed no tables");
	for (unsigned k = 0; k < ARRAY_LEN(words); k++)
		drawing_marks_command_add_kind(d, k ? shades[k + 1] : "#ffffff", k > 2, words[k]);
	for (uint32_t sw = 0; sw < n; sw++) {
		uint32_t x = c->switch_entries[sw];

		d->class[sw] = (x > 0) + (x >= 10) + (x >= 100) + (x >= 1000);
	}
	take_entries(c, n, d);
	text_add(&d->about, "%s by the last event", PLURAL(c->entries_changed, "changed entry"));
	return 0;
}

static int colour_step(struct session *s, struct fabric_drawing *d, struct err *e)
{
	const struct moment *m = session_shown(s);

	if (!m)
		return err_set(e, "there is no walk through a run: `step start` begins one");
	drawing_marks_command_add_kind(d, "#ffffff", false, "not reached yet");
	drawing_marks_command_add_kind(d, shades[1], false, "reached");
	drawing_marks_command_add_kind(d, shades[ARRAY_LEN(shades) - 1], true, "this step");
	drawing_step(s, m, d);
	return 0;
}

static int mark_map(struct session *s, const struct drawing_of *of, const struct elements *el,
		    struct fabric_drawing *d, struct progress *p, struct err *e)
{
	int rc = 0;

	d->class = NEW_ARRAY(s->fabric->n_switches + 1, uint8_t);
	d->kind = NEW_ARRAY(MOST_KINDS, struct picture_class);
	d->look.pale = true;
	text_add(&d->about, "coloured by %s: ", map_colour_names[of->colour]);
	if (of->colour == MAP_LOAD)
		rc = colour_load(s, d, p, e);
	else if (of->colour == MAP_RANK)
		rc = colour_rank(s, d, e);
	else if (of->colour == MAP_LAYERS)
		rc = colour_layers(s, d, p, e);
	else if (of->colour == MAP_CHASSIS)
		colour_chassis(el, d);
	else if (of->colour == MAP_CHANGE)
		rc = colour_change(s, d, e);
	else if (of->colour == MAP_STEP)
		rc = colour_step(s, d, e);
	else
		colour_state(s, d);
	d->look.class = d->class;
	d->look.kind = d->kind;
	if (d->about.len > 2 && d->about.s[d->about.len - 2] == ':') {
		d->about.len -= 2;
		d->about.s[d->about.len] = 0;
	}
	return rc;
}

int drawing_marks(struct session *s, const struct drawing_of *of, const struct elements *el,
		  struct fabric_drawing *d, struct progress *p, struct err *e)
{
	bool routed = of->kind != DRAWING_PLAIN &&
		      (of->kind != DRAWING_MAP || (of->colour != MAP_STATE && of->colour != MAP_CHASSIS));

	if (routed && !need_routing(s, e))
		return -1;
	switch (of->kind) {
	case DRAWING_LOAD:
		if (take_loads(s, d, p, e))
			return -1;
		d->look.load = d->loads->port;
		d->look.mean = d->loads->mean_used;
		text_add(&d->about, "; a line: the busiest direction and cable");
		return 0;
	case DRAWING_PATH:
		return drawing_marks_command_mark_path(s, of, d);
	case DRAWING_WITNESS:
	case DRAWING_CYCLE:
		return drawing_marks_command_mark_cycle(s, of, d, p, e);
	case DRAWING_LAYER:
		return drawing_marks_command_mark_layer(s, of, d, p, e);
	case DRAWING_TURNS:
		return mark_turns(s, of, d, p, e);
	case DRAWING_DIFF:
		return mark_diff(s, of, d, p, e);
	case DRAWING_TRANSITION:
		return drawing_marks_command_mark_transition(s, of, d, p, e);
	case DRAWING_WHY:
		return mark_why(s, of, d, e);
	case DRAWING_MAP:
		return mark_map(s, of, el, d, p, e);
	default:
		return 0;
	}
}
