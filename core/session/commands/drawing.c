/* What is marked in drawings that are exported, of a routing or of a step of a run. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/credit/turns.h"
#include "core/analysis/shape/layout.h"
#include "core/base/memory.h"
#include "core/base/program.h"
#include "core/fabric/elements.h"
#include "core/formats/drawing.h"
#include "core/session/commands/commands.h"
#include "core/trace/walk.h"

/* --- words ------------------------------------------------------------------------------------- */

/* A file's name without its folders, which are nobody's business on a slide. */
static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const char *drawing_source(const struct fabric *f)
{
	return last_part(f->source);
}

void drawing_engine_words(const struct session *s, struct text *t)
{
	const struct sweep *w = session_sweep(s);
	const struct options *o = w ? w->setup->options : NULL;

	text_add(t, "%s", w && w->routing ? w->routing->engine : "no routing");
	for (size_t i = 0; o && i < options_count(o); i++) {
		const char *name = options_at(o, i)->name, *value = options_get(o, name);

		if (options_is_set(o, name))
			text_add(t, " %s=%s", name,
				 options_at(o, i)->type == OPT_FILE ? last_part(value) : value);
	}
}

#define NAMED_DOWN 4 /* parts named; the rest is counted */

void drawing_down_words(const struct session *s, struct text *t)
{
	const struct fabric *f = s->fabric;
	const struct state *st = session_state(s);
	uint32_t links = 0, nodes = 0, idle = 0;

	for (uint32_t k = 0; k < st->n_links; k++) {
		links += st->link_down[k];
		idle += event_idle(session_event(s), f->link_port[2 * k]) != NULL;
	}
	for (uint32_t k = 0; k < st->n_nodes; k++)
		nodes += st->node_down[k];
	if (idle)
		text_add(t, "; not active: %s", PLURAL(idle, "link"));
	if (!links && !nodes)
		return;
	if (links + nodes > NAMED_DOWN) {
		text_add(t, "; down: %s", links ? PLURAL(links, "link") : "");
		if (nodes)
			text_add(t, "%s%s", links ? ", " : "", PLURAL(nodes, "node"));
		return;
	}
	text_add(t, "; down: ");
	for (uint32_t k = 0, n = 0; k < st->n_nodes; k++)
		if (st->node_down[k])
			text_add(t, "%s%s", n++ ? ", " : "", f->node_name[k]);
	for (uint32_t k = 0, n = nodes; k < st->n_links; k++)
		if (st->link_down[k])
			text_add(t, "%s%s - %s", n++ ? ", " : "", PORT_LABEL(f, f->link_port[2 * k]),
				 PORT_LABEL(f, f->link_port[2 * k + 1]));
}

static char *title_of(const struct fabric *f, const struct layout *l)
{
	uint32_t hosts = 0;
	char others[80] = "";
	bool counted = l->n_parts && (l->part[0].kind < LAYOUT_GRID || l->part[0].kind == LAYOUT_OTHER);

	for (uint32_t k = 0; k < l->n; k++)
		hosts += l->hosts[k];
	if (l->n_parts > 1)
		snprintf(others, sizeof(others), ", %s", PLURAL(l->n_parts - 1, "other part"));
	if (!counted)
		snprintf(others + strlen(others), sizeof(others) - strlen(others), ", %s",
			 PLURAL(l->n, "switch"));
	return str_printf("%s: %s%s, %s", drawing_source(f), l->n_parts ? l->part[0].words : "", others,
			  PLURAL(hosts, "host port"));
}

/* --- places for DOT --------------------------------------------------------------------------- */

#define HOST_BELOW 40.0f
#define HOST_ROW 12.0f

/* Hosts stand below their switch, within the width of its box. Every second one is a row lower. */
static void take_places(const struct fabric *f, struct fabric_drawing *d)
{
	AUTO_FREE uint32_t *at = NEW_ARRAY(f->n_switches + 1, uint32_t);
	AUTO_FREE uint32_t *most = NEW_ARRAY(f->n_switches + 1, uint32_t);
	uint32_t beside = 0;

	for (uint32_t port = 0; port < f->n_ports; port++) {
		uint32_t peer = f->port_peer[port];

		if (peer != NO_ID && f->node_switch[f->port_node[peer]] != NO_ID)
			most[f->node_switch[f->port_node[peer]]] += !node_is_switch(f, f->port_node[port]);
	}
	d->place = mem_array(f->n_nodes + 1, sizeof(*d->place));
	for (uint32_t n = 0; n < f->n_nodes; n++)
		d->place[n][0] = d->place[n][1] = NAN;
	for (uint32_t s = 0; s < f->n_switches; s++) {
		const struct picture_rect *b = &d->picture->box[s];

		d->place[f->switch_node[s]][0] = b->x + b->w / 2;
		d->place[f->switch_node[s]][1] = -(b->y + b->h / 2);
	}
	for (uint32_t port = 0; port < f->n_ports; port++) {
		uint32_t node = f->port_node[port], peer = f->port_peer[port];
		uint32_t s = peer == NO_ID ? NO_ID : f->node_switch[f->port_node[peer]];

		if (node_is_switch(f, node) || s == NO_ID || !isnan(d->place[node][0]))
			continue;
		const struct picture_rect *b = &d->picture->box[s];
		uint32_t k = at[s]++;
		d->place[node][0] = b->x + b->w * ((float)k + 0.5f) / (float)most[s];
		d->place[node][1] = -(b->y + b->h + HOST_BELOW + HOST_ROW * (float)(k % 2));
	}
	for (uint32_t n = 0; n < f->n_nodes; n++)
		if (isnan(d->place[n][0])) { /* on no switch */
			d->place[n][0] = HOST_BELOW * (float)++beside;
			d->place[n][1] = -d->picture->height;
		}
}

/* --- making ------------------------------------------------------------------------------------- */

static int make_picture(struct session *s, const struct drawing_of *of, const struct elements *el,
			struct fabric_drawing *d, struct progress *p, struct err *e)
{
	struct layout *l = layout_new(s->fabric, el->of, p, e);

	if (!l)
		return -1;
	d->picture = picture_new(s->fabric, l, &d->page);
	d->title = title_of(s->fabric, l);
	layout_unref(l);
	take_places(s->fabric, d);
	return drawing_marks(s, of, el, d, p, e);
}

static int make_witness(struct session *s, const struct drawing_of *of, struct fabric_drawing *d,
			struct progress *p, struct err *e)
{
	if (drawing_marks(s, of, NULL, d, p, e))
		return -1;
	d->title =
		str_printf("%s: credit loop of %s", drawing_source(s->fabric), PLURAL(d->cycle.n, "channel"));
	return 0;
}

int fabric_drawing_make(struct session *s, const struct drawing_of *of, struct fabric_drawing *d,
			struct progress *p, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct elements *el = NULL;
	int rc;
	AUTO_TEXT struct text t = {0};

	*d = (struct fabric_drawing){.look = {.state = event_data(session_event(s)),
					      .lids = w ? w->lids : NULL,
					      .ranks = w ? w->routing : NULL},
				     .page = of->page};
	d->state = d->look.state;
	if (of->kind == DRAWING_WITNESS) {
		rc = make_witness(s, of, d, p, e);
	} else {
		/* placed with everything up, so that nothing moves when something fails */
		el = setup_elements(s->setup, p, NULL, e);
		rc = el ? make_picture(s, of, el, d, p, e) : -1;
	}
	elements_unref(el);
	if (rc) {
		fabric_drawing_free(d);
		return -1;
	}
	if (d->line) /* of a step */
		return 0;
	/* The engine with its options, the meaning of lines, and what failed. */
	drawing_engine_words(s, &t);
	if (d->about.len)
		text_add(&t, "; %s", text_str(&d->about));
	drawing_down_words(s, &t);
	if (d->picture && d->picture->hidden)
		text_add(&t, "; links from plane to plane are drawn where they are marked only");
	d->line = str_dup(text_str(&t));
	d->look.title = d->title;
	d->look.line = d->line;
	return 0;
}

void fabric_drawing_free(struct fabric_drawing *d)
{
	picture_free(d->picture);
	state_free(d->state);
	arena_free(d->loads);
	free(d->cycle.step);
	free(d->title);
	free(d->line);
	free(d->place);
	free(d->load);
	free(d->number);
	free(d->weight);
	free(d->figure);
	free(d->way);
	free(d->came);
	free(d->class);
	free(d->kind);
	free(d->channel);
	free(d->turn);
	text_free(&d->about);
	*d = (struct fabric_drawing){0};
}

/* --- writing ---------------------------------------------------------------------------------- */

int fabric_drawing_svg(const struct session *s, const struct fabric_drawing *d, FILE *to, struct progress *p)
{
	if (!d->picture)
		return picture_cycle_svg(to, &d->page, s->fabric, &d->cycle, &d->look, p);
	return picture_svg(to, d->picture, s->fabric, &d->look, p);
}

/* A link's own attributes in DOT, if the drawing shows it between two switches. */
static char *edge_words(const struct fabric *f, const struct picture_look *look, uint32_t link)
{
	assert(link < f->n_links);

	uint32_t a = f->node_switch[f->port_node[f->link_port[2 * link]]],
		 b = f->node_switch[f->port_node[f->link_port[2 * link + 1]]];

	if (a == NO_ID || b == NO_ID || a == b)
		return NULL;
	struct picture_bundle u = picture_bundle(f, look, a, b);
	if (u.down)
		return NULL;
	struct picture_stroke k = picture_stroke(look, &u);
	return str_printf("color=\"%s\", penwidth=%.1f%s", k.colour, k.width,
			  *k.dash ? ", style=dashed" : "");
}

int fabric_drawing_dot(const struct session *s, const struct fabric_drawing *d, FILE *to, struct progress *p)
{
	const struct fabric *f = s->fabric;
	struct dot_look look = {.place = d->place};
	bool plain = !d->look.load && !d->look.way && !d->look.class;

	if (!d->picture)
		return picture_cycle_dot(to, f, &d->cycle, p);
	AUTO_FREE char **edge = NEW_ARRAY(f->n_links + 1, char *);
	look.fill = NEW_ARRAY(f->n_nodes + 1, const char *);
	for (uint32_t k = 0; k < f->n_links && !plain; k++)
		edge[k] = edge_words(f, &d->look, k);
	for (uint32_t k = 0; k < f->n_switches && d->look.class; k++)
		look.fill[f->switch_node[k]] = d->look.kind[d->look.class[k]].colour;
	look.edge = (const char *const *)edge;
	int rc = write_dot(to, f, d->state, &look, p);
	for (uint32_t k = 0; k < f->n_links; k++)
		free(edge[k]);
	free(look.fill);
	return rc;
}

int svg_to_png(int svg, FILE *to, struct progress *p, struct err *e)
{
	char name[] = PNG_PROGRAM, format[] = "--format=png", large[] = "--unlimited";
	char *argv[] = {name, format, large, NULL};
	struct err why;

	progress_start(p, "making the PNG", 0);
	if (!program_filter(argv, svg, to, p, &why))
		return 0;
	if (progress_cancelled(p))
		return err_set(e, CANCELLED);
	return err_set(e, "program %s; `export svg FILE` writes the SVG without this program", why.msg);
}

/* A step of a run as a drawing: how far it has come, its cable, turns that it forbids. */

static void add_turn(struct fabric_drawing *d, uint32_t from, uint32_t to)
{
	d->channel[from] = d->channel[to] = 1;
	d->turn[d->look.n_turns++] = (struct picture_turn){from, to, PICTURE_TURN_ON_CYCLE};
}

/* Room for n red turns, which are `red`. */
static void begin_turns(const struct fabric *f, size_t n, const char *red, struct fabric_drawing *d)
{
	assert(!d->channel && !d->turn);
	d->channel = NEW_ARRAY(f->n_ports + 1, uint8_t);
	d->turn = NEW_ARRAY(n + 1, struct picture_turn);
	d->look.channel = d->channel;
	d->look.turn = d->turn;
	d->look.red = red;
}

void drawing_way(const struct fabric *f, const struct path_hop *hop, unsigned n, unsigned turn,
		 struct fabric_drawing *d)
{
	assert(turn <= n);
	if (!d->way)
		drawing_mark_ports(f, d);
	d->look.ways = PICTURE_THERE;
	for (unsigned k = 0; k < n; k++) {
		d->number[hop[k].sw] = k + 1;
		if (hop[k].out && hop[k].out <= f->switch_nports[hop[k].sw])
			d->way[switch_port_id(f, hop[k].sw, hop[k].out)] = PICTURE_THERE;
	}
	begin_turns(f, 1, "forbidden turn", d);
	if (turn && turn < n)
		add_turn(d, switch_port_id(f, hop[turn - 1].sw, hop[turn - 1].out),
			 switch_port_id(f, hop[turn].sw, hop[turn].out));
}

/* The cable that the step is about, the turn that it forbids, or the cycle because of which it refuses. */
static void mark_event(const struct fabric *f, const struct moment *m, struct fabric_drawing *d)
{
	const struct rec_event *ev = moment_event(m);
	struct witness *cycle = step_cycle(m);
	struct way w;
	unsigned at;

	if (cycle) {
		begin_turns(f, cycle->n, "dependencies of the cycle", d);
		for (uint32_t i = 0; i < cycle->n; i++)
			add_turn(d, cycle->edge[i].port, cycle->edge[(i + 1) % cycle->n].port);
	} else if (step_way(m, &w, &at)) {
		drawing_way(f, w.hop, w.n, at, d);
		way_free(&w);
	} else if (ev && rec_kinds[ev->kind].port && ev->port && ev->a < f->n_switches &&
		   ev->port <= f->switch_nports[ev->a]) {
		d->way[switch_port_id(f, ev->a, ev->port)] = PICTURE_STEP;
		d->look.ways = PICTURE_STEP;
	}
	witness_free(cycle);
}

void drawing_step(const struct session *s, const struct moment *m, struct fabric_drawing *d)
{
	const struct fabric *f = s->fabric;
	const struct rec_event *ev = moment_event(m);
	const char *rule = ev ? recording_rule(m->rec, ev) : "";
	AUTO_TEXT struct text t = {0};

	assert(d->class);
	memcpy(d->class, m->reach, f->n_switches);
	free(d->way);
	free(d->number);
	free(d->channel);
	free(d->turn);
	d->channel = NULL;
	d->turn = NULL;
	d->look.turn = NULL;
	d->look.n_turns = 0;
	d->look.red = NULL;
	d->look.ways = 0;
	drawing_mark_ports(f, d);
	mark_event(f, m, d);
	free(d->title);
	free(d->line);
	d->title = str_printf("%s: step %zu of %zu of %s%s%s", drawing_source(f), m->step,
			      recording_steps(m->rec), recording_engine(m->rec), *m->phase ? ": " : "",
			      m->phase);
	text_add(&t, "%s%s", m->sentence, *m->sentence ? ". " : "");
	if (*rule)
		text_add(&t, "Rule: %s.", rule);
	text_add(&t, "\n");
	drawing_engine_words(s, &t);
	drawing_down_words(s, &t);
	d->line = str_dup(text_str(&t));
	d->look.title = d->title;
	d->look.line = d->line;
}
