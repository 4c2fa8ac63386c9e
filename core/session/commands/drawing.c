#include "core/session/commands/drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/layout.h"
#include "core/base/memory.h"
#include "core/base/program.h"
#include "core/fabric/elements.h"
#include "core/session/commands/commands.h"

/* Chips of one chassis as cabled, not as they are up: so nothing moves when something fails. */
static struct layout *fabric_layout(const struct fabric *f, struct progress *p, struct err *e)
{
	struct state *all_up = state_new(f);
	struct topo *t = topo_new(f, all_up);
	struct elements *el = elements_new(t, NULL, p, NULL, e);
	struct layout *l = el ? layout_new(f, el->of, p, e) : NULL;

	elements_unref(el);
	topo_unref(t);
	state_free(all_up);
	return l;
}

static char *title_of(const struct fabric *f, const struct layout *l)
{
	const char *slash = strrchr(f->source, '/'), *name = slash ? slash + 1 : f->source;
	uint32_t hosts = 0;
	char others[80] = "";
	bool counted = l->n_parts && (l->part[0].kind < LAYOUT_GRID || l->part[0].kind == LAYOUT_OTHER);

	for (uint32_t k = 0; k < l->n; k++)
		hosts += l->hosts[k];
	if (l->n_parts > 1)
		snprintf(others, sizeof(others), ", %s", PLURAL(l->n_parts - 1, "other part"));
	return str_printf("%s: %s%s%s%s, %s", name, l->n_parts ? l->part[0].words : "", others,
			  counted ? "" : ", ", counted ? "" : PLURAL(l->n, "switch"),
			  PLURAL(hosts, "host port"));
}

/* The engine, what lines mean, what failed. */
static char *line_of(const struct session *s, const struct fabric_drawing *d)
{
	const struct sweep *w = session_sweep(s);
	const struct state *st = session_state(s);
	uint32_t links = 0, nodes = 0;
	struct text t = {0};
	char *line;

	for (uint32_t k = 0; k < st->n_links; k++)
		links += st->link_down[k];
	for (uint32_t k = 0; k < st->n_nodes; k++)
		nodes += st->node_down[k];
	text_add(&t, "%s", w && w->routing ? w->routing->engine : "no routing");
	if (d->loads)
		text_add(&t,
			 ", all pairs of hosts; a line: the busiest direction and cable; mean %.1f routes, "
			 "most %u",
			 d->loads->mean, d->loads->max);
	if (d->path)
		text_add(&t, ", %s", d->path);
	if (links)
		text_add(&t, "; %s down", PLURAL(links, "link"));
	if (nodes)
		text_add(&t, "; %s down", PLURAL(nodes, "node"));
	if (d->picture->hidden)
		text_add(&t, "; links from plane to plane are not drawn, but when they are down");
	line = str_dup(text_str(&t));
	text_free(&t);
	return line;
}

static void take_places(const struct fabric *f, struct fabric_drawing *d)
{
	d->place = mem_array(f->n_nodes + 1, sizeof(*d->place));
	for (uint32_t n = 0; n < f->n_nodes; n++)
		d->place[n][0] = d->place[n][1] = NAN;
	for (uint32_t s = 0; s < f->n_switches; s++) {
		const struct picture_rect *b = &d->picture->box[s];

		d->place[f->switch_node[s]][0] = b->x + b->w / 2;
		d->place[f->switch_node[s]][1] = -(b->y + b->h / 2);
	}
}

/* Mark the ports that send, and (there) number the switches. */
static void take_path(const struct fabric *f, const struct path *path, enum picture_way way,
		      struct fabric_drawing *d)
{
	for (unsigned k = 0; k < path->n; k++) {
		const struct path_hop *h = &path->hop[k];

		if (h->out && h->out != NO_PATH)
			d->way[switch_port_id(f, h->sw, h->out)] |= (uint8_t)way;
		if (way == PICTURE_THERE && !d->number[h->sw])
			d->number[h->sw] = k + 1;
	}
}

static int make_path(struct session *s, const struct drawing_of *of, struct fabric_drawing *d, struct err *e)
{
	const struct fabric *f = s->fabric;
	unsigned slid, dlid;
	uint32_t src = session_endport(s, of->from, &slid, e);
	uint32_t dst = src == NO_ID ? NO_ID : session_endport(s, of->to, &dlid, e);
	struct path path;

	if (dst == NO_ID)
		return -1;
	d->way = NEW_ARRAY(f->n_ports + 1, uint8_t);
	d->number = NEW_ARRAY(f->n_switches + 1, uint32_t);
	path_trace(session_routing(s), src, slid, dlid, &path);
	take_path(f, &path, PICTURE_THERE, d);
	d->path = str_printf("path %s -> %s, %s", f->node_name[endport_node(f, src)],
			     f->node_name[endport_node(f, dst)],
			     path.end == PATH_OK ? PLURAL(path.hops, "link") : path_end_text(path.end));
	path_free(&path);
	path_trace(session_routing(s), dst, dlid, slid, &path);
	take_path(f, &path, PICTURE_BACK, d);
	path_free(&path);
	return 0;
}

static int make_marks(struct session *s, const struct drawing_of *of, struct fabric_drawing *d,
		      struct progress *p, struct err *e)
{
	if ((of->load || of->from) && !need_routing(s, e))
		return -1;
	if (of->load) {
		d->loads = loads_new(session_routing(s), &pattern_all, p);
		return d->loads ? 0 : err_set(e, CANCELLED);
	}
	return of->from ? make_path(s, of, d, e) : 0;
}

int fabric_drawing_make(struct session *s, const struct drawing_of *of, struct fabric_drawing *d,
			struct progress *p, struct err *e)
{
	struct layout *l = NULL;

	*d = (struct fabric_drawing){0};
	if (!make_marks(s, of, d, p, e))
		l = fabric_layout(s->fabric, p, e);
	if (!l) {
		fabric_drawing_free(d);
		return -1;
	}
	d->picture = picture_new(s->fabric, l);
	take_places(s->fabric, d);
	d->title = title_of(s->fabric, l);
	d->line = line_of(s, d);
	layout_unref(l);
	return 0;
}

void fabric_drawing_free(struct fabric_drawing *d)
{
	picture_free(d->picture);
	loads_free(d->loads);
	free(d->title);
	free(d->line);
	free(d->place);
	free(d->way);
	free(d->number);
	free(d->path);
	*d = (struct fabric_drawing){0};
}

int fabric_drawing_svg(const struct session *s, const struct fabric_drawing *d, FILE *to, struct progress *p)
{
	struct picture_look look = {.title = d->title,
				    .line = d->line,
				    .state = session_state(s),
				    .load = d->loads ? d->loads->port : NULL,
				    .way = d->way,
				    .number = d->number,
				    .mean = d->loads ? d->loads->mean : 0};

	return picture_svg(to, d->picture, s->fabric, &look, p);
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
	return err_set(e, "program %s; `export svg FILE` writes what it was given", why.msg);
}
