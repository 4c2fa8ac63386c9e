/*
 * .topo of ibdm (core/formats/doc/formats.md 9.4): systems and the cables between their front panels.  The
 * type of a system says what it contains (ibnl.h).  The file has no GUIDs: they are counted up.
 */
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/formats/cabling.h"
#include "core/formats/ibnl.h"
#include "core/formats/readers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SWITCH 0x200000u
#define FIRST_CA 0x80000000u

/* A port of a chip, and its rate from the wires that lead to it (0 = not given). */
struct topo_place {
	uint32_t node; /* builder index, NO_ID: there is none */
	uint8_t port, width, speed;
};

/* A connector of a board to the outside. */
struct connector {
	struct cursor name;
	struct topo_place at;
};

struct board {
	struct connector *c;
	size_t n, cap;
};

/* A system, by its number among the names in net. */
struct box {
	struct cursor type, name;
	struct cursor changes; /* after `CFG:` */
	unsigned line;	       /* where it was first named */
	struct board front;
};

struct topo_reader {
	const struct input *in;
	struct net net;
	struct lines lines;
	struct ibnl_library *l;
	const char *where; /* folders of types */
	struct box *box;
	size_t n, cap;
	uint64_t next_switch, next_ca, sysguid;
	unsigned depth; /* of the board being made, within others */
	int status;
	struct err *e;
};

/* `PORT -4x-> TYPE NAME PORT` */
struct topo_cable {
	struct cursor port, type, name, peer_port;
	uint8_t width, speed;
};

static bool read_cable(struct cursor c, struct topo_cable *k)
{
	k->port = cur_token(&c);
	if (!ibnl_arrow(cur_token(&c), &k->width, &k->speed))
		return false;
	k->type = cur_token(&c);
	k->name = cur_token(&c);
	k->peer_port = cur_token(&c);
	struct cursor rest = cur_token(&c);
	return !cur_empty(&k->peer_port) && cur_empty(&rest);
}

/* `TYPE NAME` or `TYPE NAME CFG: leaf1=R, leaf2=12x` */
static bool read_box(struct cursor c, struct box *b)
{
	*b = (struct box){.type = cur_token(&c)};
	b->name = cur_token(&c);
	if (cur_empty(&b->name) || memchr(b->name.p, '>', cur_len(b->name)))
		return false;
	if (cur_word(&c, "CFG:"))
		b->changes = c;
	else
		cur_blanks(&c);
	return b->changes.p || cur_empty(&c);
}

/* Does the text begin with a system, and contain a cable? */
bool is_topo(const struct input *in)
{
	struct lines l = lines_of(in);
	struct cursor line;
	bool begun = false;
	struct topo_cable k;
	struct box b;

	while (lines_next(&l, &line)) {
		if (!cur_says(line))
			continue;
		if (begun && read_cable(line, &k))
			return true;
		if (!begun && !read_box(line, &b))
			return false;
		begun = true;
	}
	return false;
}

int cabling_topo(const struct input *in, struct cabling *c, struct err *e)
{
	struct lines lines = lines_of(in);
	struct cursor line;
	struct box b = {0};
	struct topo_cable k;

	(void)e;
	c->format = "topo";
	while (lines_next(&lines, &line)) {
		struct box next;

		if (!cur_says(line))
			continue;
		if (read_cable(line, &k)) {
			struct cursor text[4] = {b.name, k.port, k.name, k.peer_port};

			cabling_add(c, text, k.width, k.speed, lines.no);
		} else if (read_box(line, &next)) {
			b = next;
		} else {
			cabling_odd(c, lines.no, "TYPE NAME or PORT -> TYPE NAME PORT", line);
		}
	}
	return 0;
}

/* --- systems by name ------------------------------------------------------------------------------ */

static void note_box(struct topo_reader *r, const struct box *b)
{
	uint32_t id = net_name(&r->net, b->name.p, cur_len(b->name));

	assert(id <= r->n); /* boxes and names have the same numbers */
	r->net.unknown.read++;
	if (id == r->n) {
		GROW(r->box, r->n, r->cap);
		r->box[r->n] = *b;
		r->box[r->n++].line = r->lines.no;
		return;
	}
	struct box *old = &r->box[id];
	if (b->changes.p)
		old->changes = b->changes;
	if (ibnl_top(r->l, old->type) != ibnl_top(r->l, b->type))
		warnings_add(&r->net.b->warnings, "two types", r->lines.no,
			     "%.*s is a %.*s here, but a %.*s in line %u, which counts", CUR_ARGS(b->name),
			     CUR_ARGS(b->type), CUR_ARGS(old->type), old->line);
}

/* Finds the systems. After a line that is not understood, cables belong to no system until the next one. */
static void find_boxes(struct topo_reader *r)
{
	struct cursor line;
	bool begun = false;

	while (lines_next(&r->lines, &line)) {
		struct topo_cable k;
		struct box b;
		bool cable = read_cable(line, &k);

		if (!cur_says(line))
			continue;
		if (cable && begun)
			note_box(r, &(struct box){.type = k.type, .name = k.name});
		else if (!cable && (begun = read_box(line, &b)))
			note_box(r, &b);
		else
			unread_line(&r->net.unknown, r->in, r->lines.no, line,
				    "TYPE NAME, or below such a line PORT -> TYPE NAME PORT");
	}
}

/* --- inside a system ------------------------------------------------------------------------------ */

/* A part that was made for a board. */
struct topo_piece {
	uint32_t node; /* node of a chip */
	struct board board;
};

static const struct topo_place nowhere = {.node = NO_ID};

static struct topo_place at_connector(const struct board *b, struct cursor name)
{
	for (size_t i = 0; i < b->n; i++)
		if (cur_same(b->c[i].name, name))
			return b->c[i].at;
	return nowhere;
}

/* A port of a part; a chip's port is a number. */
static struct topo_place at_part(const struct ibnl_part *p, const struct topo_piece *made, struct cursor port)
{
	uint64_t number;

	if (!p->type)
		return at_connector(&made->board, port);
	if (!cur_is_number(port, 10, &number) || number < 1 || number > p->nports)
		return nowhere;
	return (struct topo_place){.node = made->node, .port = (uint8_t)number};
}

static uint8_t topo_lower(uint8_t a, uint8_t b)
{
	return a && (!b || a < b) ? a : b;
}

static uint8_t topo_told(uint8_t a, uint8_t otherwise)
{
	return a ? a : otherwise;
}

/* width, speed: the cable's, used if the ports' own wires give none. */
static void topo_join(struct topo_reader *r, struct topo_place a, struct topo_place z, uint8_t width,
		      uint8_t speed, unsigned line)
{
	assert(a.node != NO_ID && z.node != NO_ID);
	if (!fb_link(r->net.b, a.node, a.port, z.node, z.port)) {
		warnings_missing(&r->net.b->warnings, "contradicting link", line,
				 "port %u of %s or port %u of %s is cabled elsewhere or to itself; left out",
				 a.port, r->net.b->node[a.node].desc, z.port, r->net.b->node[z.node].desc);
		return;
	}
	struct fb_port *p = &r->net.b->node[a.node].port[a.port];
	struct fb_port *q = &r->net.b->node[z.node].port[z.port];
	width = topo_lower(topo_told(a.width, width), topo_told(z.width, width));
	speed = topo_lower(topo_told(a.speed, speed), topo_told(z.speed, speed));
	p->width = q->width = topo_lower(width, p->width);
	p->speed = q->speed = topo_lower(speed, p->speed);
}

static uint32_t add_chip(struct topo_reader *r, const struct ibnl_part *p, const char *path, unsigned line)
{
	bool sw = p->type == NODE_SWITCH;
	uint64_t guid = sw ? r->next_switch++ : r->next_ca;

	assert(p->type);
	if (r->net.b->n >= TOPO_CHIPS) {
		r->status = err_set(
			r->e, "%s:%u: found more chips than are read, expected at most " STR(TOPO_CHIPS),
			r->net.source, line);
		return NO_ID;
	}
	r->next_ca += sw ? 0 : p->nports + 1;
	uint32_t node = fb_add(r->net.b, p->type, guid, p->nports, NULL);
	r->sysguid = r->sysguid ? r->sysguid : guid;
	r->net.b->node[node].sysguid = r->sysguid;
	r->net.b->node[node].desc = clean_text(path, strlen(path), DESC_MAX);
	return node;
}

/* The word of CFG about a board ("R": it is missing, "12x": another variant), or an empty one. */
static struct cursor topo_change_of(struct cursor changes, const char *board)
{
	while (!cur_empty(&changes)) {
		struct cursor one = cur_part(&changes, ','), word = cur_token(&one),
			      name = cur_part(&word, '=');

		if (name.end != word.end && cur_same(name, cur_text(board)))
			return word;
	}
	return changes;
}

static void make_board(struct topo_reader *r, const struct ibnl_system *s, const struct box *of,
		       const char *path, struct board *out);

/* Makes a board within a system, in the variant that CFG names. A missing board stays empty. */
static void make_inner(struct topo_reader *r, const struct ibnl_system *s, const struct ibnl_part *p,
		       const struct box *of, const char *path, struct board *out)
{
	/* the path begins with the system's name, which CFG leaves out */
	struct cursor change = topo_change_of(of->changes, path + (of->name.end - of->name.p) + 1);
	AUTO_FREE char *kind = NULL;

	if (change.end - change.p == 1 && *change.p == 'R')
		return;
	kind = str_printf("%.*s%s%.*s", CUR_ARGS(p->kind), cur_empty(&change) ? "" : ":", CUR_ARGS(change));
	const struct ibnl_system *inner = ibnl_board(r->l, s->file, kind);
	if (!inner) {
		warnings_missing(&r->net.b->warnings, "unknown board", of->line,
				 "%s is a %s, which %s does not tell; it is left out", path, kind,
				 r->l->file[s->file].name);
	} else if (r->depth >= TOPO_BOARD_DEPTH) {
		r->status = err_set(
			r->e, "%s: found boards more than " STR(TOPO_BOARD_DEPTH) " deep within each other",
			r->l->file[s->file].name);
	} else {
		r->depth++;
		make_board(r, inner, of, path, out);
		r->depth--;
	}
}

/* Lays the wires of a part, to other parts or to connectors. */
static void lay_wires(struct topo_reader *r, const struct ibnl_system *s, const struct topo_piece *made,
		      size_t from, unsigned line, struct board *out)
{
	for (size_t k = 0; k < s->part[from].n; k++) {
		const struct ibnl_wire *w = &s->part[from].wire[k];
		struct topo_place a = at_part(&s->part[from], &made[from], w->port), z = nowhere;

		if (a.node == NO_ID) /* a variant of a board need not have all connectors */
			continue;
		if (cur_empty(&w->instance)) {
			a.width = topo_told(a.width, w->width);
			a.speed = topo_told(a.speed, w->speed);
			GROW(out->c, out->n, out->cap);
			out->c[out->n++] = (struct connector){w->to, a};
			continue;
		}
		for (size_t i = 0; i < s->n; i++)
			if (cur_same(s->part[i].name, w->instance))
				z = at_part(&s->part[i], &made[i], w->to);
		if (z.node != NO_ID)
			topo_join(r, a, z, w->width, w->speed, line);
	}
}

static void make_board(struct topo_reader *r, const struct ibnl_system *s, const struct box *of,
		       const char *path, struct board *out)
{
	AUTO_FREE struct topo_piece *made = NEW_ARRAY(s->n + 1, struct topo_piece);

	for (size_t i = 0; i < s->n && !r->status; i++) {
		const struct ibnl_part *p = &s->part[i];
		AUTO_FREE char *name = str_printf("%s/%.*s", path, CUR_ARGS(p->name));

		if (p->type)
			made[i].node = add_chip(r, p, name, of->line);
		else
			make_inner(r, s, p, of, name, &made[i].board);
	}
	for (size_t i = 0; i < s->n && !r->status; i++)
		lay_wires(r, s, made, i, of->line, out);
	for (size_t i = 0; i < s->n; i++)
		free(made[i].board.c);
}

static void make_box(struct topo_reader *r, struct box *b)
{
	const struct ibnl_system *s = ibnl_top(r->l, b->type);

	if (!s) {
		r->status = err_set(
			r->e,
			"%s:%u: found a system of type '%.*s', expected one that an .ibnl file of these "
			"folders tells: %s (IBDM_IBNL_PATH may name more)",
			r->net.source, b->line, CUR_ARGS(b->type), r->where);
		return;
	}
	r->status = unknown_report(&r->l->file[s->file].lines, &r->net.b->warnings, r->e); /* reported once */
	if (r->status)
		return;
	AUTO_FREE char *path = cur_clean(b->name, SIZE_MAX); /* as long as the name */
	r->sysguid = 0;
	make_board(r, s, b, path, &b->front);
	for (size_t i = 0; i < b->front.n; i++) {
		const struct connector *c = &b->front.c[i];

		if (c->at.node != NO_ID)
			fb_label(r->net.b, c->at.node, c->at.port, c->name.p, cur_len(c->name));
	}
}

/* --- cables -------------------------------------------------------------------------------------------- */

/* A port of a front panel; a warning if there is none. */
static struct topo_place at_front(struct topo_reader *r, const struct box *b, struct cursor port)
{
	struct topo_place at = at_connector(&b->front, port);

	if (at.node == NO_ID)
		warnings_missing(&r->net.b->warnings, "no such port", r->lines.no,
				 "%.*s, a %.*s, has no port %.*s; the cable is left out", CUR_ARGS(b->name),
				 CUR_ARGS(b->type), CUR_ARGS(port));
	return at;
}

static void topo_lay_cables(struct topo_reader *r)
{
	struct cursor line;
	uint32_t from = NO_ID;

	while (lines_next(&r->lines, &line)) {
		struct topo_cable k;
		struct box b;

		if (!cur_says(line))
			continue;
		if (!read_cable(line, &k)) {
			from = read_box(line, &b) ? net_name(&r->net, b.name.p, cur_len(b.name)) : NO_ID;
			continue;
		}
		if (from == NO_ID)
			continue;
		struct topo_place a = at_front(r, &r->box[from], k.port);
		struct topo_place z =
			at_front(r, &r->box[net_name(&r->net, k.name.p, cur_len(k.name))], k.peer_port);
		/* the cable's own rate counts; without one ibdm takes 4x SDR, whatever the ports are */
		a.width = z.width = k.width ? k.width : topo_lower(a.width, z.width);
		a.speed = z.speed = k.speed ? k.speed : topo_lower(a.speed, z.speed);
		if (a.node != NO_ID && z.node != NO_ID)
			topo_join(r, a, z, 0, 0, r->lines.no);
	}
}

int topo_with_types(const struct input *in, struct ibnl_library *l, const char *where, struct fabric **out,
		    struct err *e)
{
	struct lines all = lines_of(in);
	struct topo_reader r = {.in = in,
				.l = l,
				.where = where,
				.lines = all,
				.next_switch = FIRST_SWITCH,
				.next_ca = FIRST_CA,
				.e = e};

	net_init(&r.net, in->name);
	find_boxes(&r);
	for (size_t i = 0; i < r.n && !r.status; i++)
		make_box(&r, &r.box[i]);
	r.lines = all;
	if (!r.status)
		topo_lay_cables(&r);
	for (size_t i = 0; i < r.n; i++)
		free(r.box[i].front.c);
	free(r.box);
	if (r.status) {
		net_free(&r.net);
		return -1;
	}
	/* rates that nothing gives are ibdm's default, 4x SDR */
	for (uint32_t i = 0; i < r.net.b->n; i++)
		for (unsigned p = 1; p <= r.net.b->node[i].nports; p++) {
			struct fb_port *q = &r.net.b->node[i].port[p];

			if (q->peer_node == NO_ID)
				continue;
			q->width = topo_told(q->width, WIDTH_4X);
			q->speed = topo_told(q->speed, SPEED_SDR);
		}
	if (r.net.unknown.cut)
		cut_record(in, all.no, &r.net.b->warnings);
	return net_finish(&r.net, "topo", out, e);
}

int parse_topo(const struct input *in, struct fabric **out, struct err *e)
{
	const char *slash = strrchr(in->name, '/');
	AUTO_FREE char *folder = slash ? str_printf("%.*s", (int)(slash - in->name), in->name) : str_dup(".");
	struct ibnl_library l = {0};
	AUTO_TEXT struct text where = {0};

	ibnl_add_folders(&l, folder, &where, in->progress);
	int rc = topo_with_types(in, &l, text_str(&where), out, e);
	ibnl_free(&l);
	return rc;
}
