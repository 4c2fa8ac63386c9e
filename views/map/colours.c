/* The map's colours: how each switch looks if it is not marked. */
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/trace/moment.h"
#include "core/trace/walk.h"
#include "views/map/map.h"

static const uint32_t shade_char[] = {0x00b7, 0x2591, 0x2592, 0x2593, 0x2588}; /* · ░ ▒ ▓ █ */

unsigned map_shade(const struct map *m, uint32_t load)
{
	return picture_load_class(load, m->mean);
}

/* --- one function per colour ------------------------------------------------------------------------ */

static struct map_look colours_letter(unsigned n, const char *letters)
{
	size_t len = strlen(letters);

	return (struct map_look){(uint32_t)(unsigned char)letters[n < len ? n : len - 1], CANVAS_PLAIN,
				 (uint8_t)(n < 254 ? n + 1 : 255)};
}

static const char counts[] = "0123456789abcdefghijklmnopqrstuvwxyz";

/* Shows ranks. The rank of most switches on a level is the usual one of the level. */
static void look_rank(struct view *v)
{
	const struct routing *r = scene_routing(v->scene);
	struct map *m = map_of(v);
	uint32_t *votes = NEW_ARRAY(256 * 64, uint32_t);
	uint32_t usual[256], unranked = scene_unfinished(v->scene, T_RANK) ? '.' : '-';

	for (uint32_t s = 0; s < m->layout->n; s++) {
		uint32_t rank = r->ops->rank(r, s);

		if (rank < 64)
			votes[m->layout->level[s] * 64 + rank]++;
	}
	for (unsigned l = 0; l < 256; l++) {
		usual[l] = 0;
		for (unsigned k = 1; k < 64; k++)
			if (votes[l * 64 + k] > votes[l * 64 + usual[l]])
				usual[l] = k;
	}
	for (uint32_t s = 0; s < m->layout->n; s++) {
		uint32_t rank = r->ops->rank(r, s), part = m->layout->part_of[s];
		bool tree = part != NO_ID && m->layout->part[part].kind == LAYOUT_TREE;

		m->look[s] = rank == NO_RANK ? (struct map_look){unranked, CANVAS_PLAIN, 0}
					     : colours_letter(rank, counts);
		if (moment_touched(v->scene->moment, T_RANK, s)) {
			m->look[s].role = CANVAS_PATH;
			m->look[s].weight = 255;
		} else if (rank == NO_RANK && v->scene->moment) {
			m->look[s].role = CANVAS_DIM;
		} else if (tree && rank != usual[m->layout->level[s]]) {
			m->look[s].role = CANVAS_CHANGED;
			m->look[s].weight = 255;
		}
	}
	free(votes);
}

/* Chassis get letters in the order in which they appear in the drawing. */
static void look_chassis(struct view *v, const struct view_chassis *c)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	struct map *m = map_of(v);
	uint32_t *number = NEW_ARRAY(c->el->n + 1, uint32_t), n = 0;

	for (uint32_t i = 0; i < m->layout->n; i++) {
		uint32_t s = m->layout->order[i], e = c->of[s];

		if (e == NO_ID) {
			m->look[s] = (struct map_look){'.', CANVAS_DIM, 0};
			continue;
		}
		if (!number[e])
			number[e] = ++n;
		m->look[s] = colours_letter((number[e] - 1) % (uint32_t)(sizeof(letters) - 1), letters);
		m->look[s].weight = 1;
	}
	free(number);
}

/* All other colours, where each switch is independent of the others. */
static void look_plain(struct view *v, const struct graph *g)
{
	static const uint8_t reached[] = {[REACH_NOT_YET] = 0, [REACH_BEFORE] = 2, [REACH_NOW] = 4};
	struct map *m = map_of(v);
	uint16_t *vls = g ? cdg_switch_vls(g->cdg) : NULL;

	for (uint32_t s = 0; s < m->layout->n; s++) {
		unsigned shade = 0;

		if (m->colour == MAP_LAYERS) { /* virtual lanes with routes on its links to switches */
			m->look[s] = colours_letter(vls ? (unsigned)__builtin_popcount(vls[s]) : 0, counts);
			continue;
		}
		if (m->colour == MAP_LOAD && m->busiest)
			shade = map_shade(m, m->busiest[s]);
		else if (m->colour == MAP_CHANGE && m->changed[s])
			shade = 1 + (unsigned)((uint64_t)m->changed[s] * 3 / m->most_changed);
		else if (m->colour == MAP_STEP) /* how far the walk through an engine's run has come */
			shade = reached[v->scene->moment->reach[s]];
		m->look[s] = (struct map_look){shade_char[shade], (uint8_t)(CANVAS_SHADE0 + shade),
					       (uint8_t)shade};
		if (m->colour == MAP_CHANGE && shade)
			m->look[s].role = CANVAS_CHANGED;
	}
	free(vls);
}

/* --- the colour in force ------------------------------------------------------------------------------ */

bool map_colour_offered(const struct view *v, enum map_colour c)
{
	struct scene *sc = v->scene;
	const struct routing *r = scene_routing(sc);
	const struct view_chassis *ch;

	switch (c) {
	case MAP_STATE:
		return true;
	case MAP_LOAD:
	case MAP_LAYERS:
		return r != NULL;
	case MAP_RANK:
		return r && r->ops->rank;
	case MAP_CHASSIS:
		ch = scene_chassis(sc, NULL);
		return ch && ch->several;
	case MAP_CHANGE:
		return map_of(v)->most_changed != 0;
	case MAP_STEP:
		return sc->moment != NULL;
	default:
		return false;
	}
}

bool map_colour_digits(const struct view *v)
{
	enum map_colour c = map_of(v)->colour;

	return (c == MAP_RANK || c == MAP_LAYERS) && map_colour_offered(v, c);
}

void map_colours_load(struct view *v)
{
	struct scene *sc = v->scene;
	const struct fabric *f = sc->fabric;
	struct map *m = map_of(v);
	const struct loads *l;

	map_colours_free(m);
	m->look = NEW_ARRAY(m->layout->n + 1, struct map_look);
	m->down = NEW_ARRAY(f->n_switches + 1, uint8_t);
	m->changed = NEW_ARRAY(f->n_switches + 1, uint32_t);
	m->most_changed = 0;
	for (uint32_t s = 0; s < f->n_switches; s++) {
		m->down[s] = !sc->topo->node_up[f->switch_node[s]];
		m->changed[s] = sc->change ? sc->change->switch_entries[s] : 0;
		m->most_changed = MAX(m->changed[s], m->most_changed);
	}
	l = scene_routing(v->scene) ? view_ask_value(v, &task_loads, NULL) : NULL;
	if (l) {
		m->load = l->port;
		m->busiest = loads_busiest(l, f);
		m->mean = l->mean_used;
	}
	if (m->colour == MAP_STATE || !map_colour_offered(v, m->colour)) {
		/* nothing can be shown here, but perhaps after another event */
		for (uint32_t s = 0; s < m->layout->n; s++)
			m->look[s] = (struct map_look){'o', CANVAS_PLAIN, 0};
	} else if (m->colour == MAP_RANK) {
		look_rank(v);
	} else if (m->colour == MAP_CHASSIS) {
		look_chassis(v, scene_chassis(sc, NULL));
	} else {
		look_plain(v, m->colour == MAP_LAYERS ? view_ask_value(v, &task_graph, NULL) : NULL);
	}
}

void map_colours_free(struct map *m)
{
	free(m->look);
	free(m->busiest);
	free(m->down);
	free(m->changed);
	m->look = NULL;
	m->busiest = m->changed = NULL;
	m->down = NULL;
	m->load = NULL;
	m->mean = 0;
}

void map_colour_legend(const struct view *v, struct text *t)
{
	static const char *const text[MAP_COLOURS] = {
		[MAP_STATE] = "o switch",
		[MAP_LAYERS] = "0-9 a-z virtual lanes that its links use",
		[MAP_CHASSIS] = "A-Z a-z chassis  . alone",
		[MAP_STEP] = "· not reached yet  ▒ reached  █ this step"};
	const struct map *m = map_of(v);
	enum map_colour c = map_colour_offered(v, m->colour) ? m->colour : MAP_STATE;

	if (c == MAP_RANK)
		text_add(t, scene_unfinished(v->scene, T_RANK)
				    ? "0-9 a-z rank, . none yet; that of this step stands out"
				    : "0-9 a-z rank, - none; it stands out where others of the level have "
				      "another");
	else if (c == MAP_CHANGE)
		text_add(t, "entries changed: · none  ░ ▒ ▓ █ up to %u", m->most_changed);
	else if (c == MAP_LOAD && !m->busiest)
		text_add(t, "computing the loads");
	else if (c == MAP_LOAD && m->overlay > MAP_LINKS)
		text_add(t, "load, x the mean: · 0 ░ <0.5 ▒ <1.5 ▓ <2.5 █");
	else if (c == MAP_LOAD)
		text_add(t, "load, x the mean: · 0  ░ <0.5  ▒ <1.5  ▓ <2.5  █ more");
	else
		text_add(t, "%s", text[c]);
}

enum canvas_role map_sign_role(const struct view *v, uint32_t ch)
{
	const struct map *m = map_of(v);

	for (uint32_t s = 0; m->mark && s < v->scene->fabric->n_switches; s++)
		if (m->mark[s] == ch)
			return (enum canvas_role)m->mark_role[s];
	if (m->colour == MAP_LOAD || m->colour == MAP_STEP || m->colour == MAP_CHANGE)
		for (unsigned k = 0; k < ARRAY_LEN(shade_char); k++)
			if (shade_char[k] == ch)
				return m->colour == MAP_CHANGE && k ? CANVAS_CHANGED
								    : (enum canvas_role)(CANVAS_SHADE0 + k);
	return ch == 'x' ? CANVAS_BAD : ch == '!' ? CANVAS_CHANGED : CANVAS_DIM;
}
