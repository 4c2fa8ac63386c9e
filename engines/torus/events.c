/* torus-2QoS in a recording: events, sentences, and the torus of a step. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/fabric/labels.h"
#include "core/sm/sweep.h"
#include "core/trace/walk.h"
#include "engines/torus/internal.h"

/* --- events ---------------------------------------------------------------------------------------- */

static void release(void *kept)
{
	torus_unref(kept);
}

void torus_record_start(struct torus_run *r)
{
	rec_keep(r->in->record, torus_ref(r->t), release);
}

void torus_record_seed(struct torus_run *r, unsigned seed, bool usable, uint64_t missing)
{
	rec_event(r->in->record, REC_SEED, !usable, 0, seed, 0);
	if (usable)
		return;
	rec_extra(r->in->record, (uint32_t)(missing >> 32));
	rec_extra(r->in->record, (uint32_t)missing);
}

void torus_record_cell(struct torus_run *r, uint32_t place, enum torus_cell what, uint32_t word,
		       const uint32_t *asked, unsigned n)
{
	rec_event(r->in->record, REC_CELL, what, 0, place, 0);
	rec_extra(r->in->record, word);
	for (unsigned i = 0; i < n; i++)
		rec_extra(r->in->record, asked[i]);
}

void torus_record_place(struct torus_run *r, uint32_t place, uint32_t sw, enum torus_how how,
			const uint32_t *found, unsigned n)
{
	rec_cells(r->in->record, T_PLACE, r->t->n_places);
	rec_event(r->in->record, REC_PLACE, how, 0, sw, 0);
	rec_delta(r->in->record, T_PLACE, place, NO_ID, sw);
	for (unsigned i = 0; i < n; i++)
		rec_extra(r->in->record, found[i]);
}

void torus_record_link(struct torus_run *r, uint32_t port, uint32_t peer, unsigned d, uint32_t lower,
		       uint32_t upper, unsigned number)
{
	struct recorder *k = r->in->record;

	rec_event(k, REC_LINK, 0, r->in->topo->fabric->port_num[port], r->t->member[lower].sw, 0);
	rec_extra(k, peer);
	rec_extra(k, d);
	rec_extra(k, lower);
	rec_extra(k, upper);
	rec_extra(k, number);
}

void torus_record_ends(struct torus_run *r, uint32_t member)
{
	rec_event(r->in->record, REC_ENDS, 0, 0, r->t->member[member].sw, 0);
	rec_extra(r->in->record, member);
}

void torus_record_line(struct torus_run *r, const unsigned c[TORUS_DIMS], unsigned d, bool gap)
{
	const struct torus *t = r->t;
	unsigned at[TORUS_DIMS] = {c[0], c[1], c[2]};
	uint32_t m = NO_ID;

	if (t->conf.radix[d] < 2)
		return;
	for (at[d] = 0; at[d] < t->conf.radix[d] && m == NO_ID; at[d]++)
		m = torus_at(t, at);
	if (m == NO_ID)
		return;
	rec_event(r->in->record, REC_RING,
		  t->conf.open[d] ? TORUS_OPEN
		  : gap		  ? TORUS_BROKEN
				  : TORUS_WHOLE,
		  d, t->member[m].sw, 0);
	rec_extra(r->in->record, c[0] + t->conf.radix[0] * (c[1] + t->conf.radix[1] * c[2]));
}

void torus_record_span(struct torus_run *r, uint32_t reached)
{
	rec_event(r->in->record, REC_SPAN, 0, 0, r->t->member[r->t->root].sw, 0);
	rec_extra(r->in->record, reached);
}

void torus_record_hop(struct torus_run *r, uint32_t a, uint32_t b, const struct torus_step *s)
{
	const struct torus *t = r->t;

	if (rec_wants(r->in->record, REC_HOP, t->member[a].sw, 0))
		rec_event(r->in->record, REC_HOP, torus_rule(s), 0, t->member[a].sw, t->member[b].sw);
}

void torus_record_choice(struct torus_run *r, uint32_t a, unsigned lid, unsigned port,
			 const struct torus_step *s, unsigned n, uint32_t used)
{
	struct recorder *k = r->in->record;
	uint32_t sw = r->t->member[a].sw;

	rec_event(k, REC_CHOICE, s ? torus_rule(s) : port ? WHY_ATTACHED : WHY_OWN_LID, port, sw, lid);
	rec_delta(k, T_ENTRY, sw * (r->in->lids->max_lid + 1u) + lid, NO_PATH, port);
	if (n < 2)
		return;
	rec_extra(k, n);
	rec_extra(k, used);
}

void torus_record_row(struct torus_run *r, uint32_t a)
{
	rec_event(r->in->record, REC_TABLE, 0, 0, r->t->member[a].sw, 0);
}

/* --- the torus of a step ------------------------------------------------------------------------------ */

static void add_member(struct torus *t, const struct torus_member *whole, uint32_t place)
{
	struct torus_member *m = &t->member[t->n];
	unsigned room = 0;

	for (unsigned g = 0; g < TORUS_GROUPS; g++)
		room = whole->count[g] > room ? whole->count[g] : room;
	*m = (struct torus_member){
		.sw = whole->sw, .at = {whole->at[0], whole->at[1], whole->at[2]}, .parent = NO_ID};
	for (unsigned d = 0; d < TORUS_DIMS; d++)
		m->low[d] = TORUS_COMPLETE;
	m->port[0] = NEW_ARRAY((size_t)TORUS_GROUPS * room + 1, uint8_t);
	for (unsigned g = 1; g < TORUS_GROUPS; g++)
		m->port[g] = m->port[0] + (size_t)g * room;
	t->at[place] = t->n;
	if (t->of[m->sw] == NO_ID) /* one that is found twice is refused in the end */
		t->of[m->sw] = t->n;
	t->n++;
}

static void add_port(struct torus *t, uint32_t member, unsigned group, uint32_t port)
{
	struct torus_member *m = &t->member[member];

	m->port[group][m->count[group]++] = t->topo->fabric->port_num[port];
	t->group[port] = (uint8_t)group;
}

static void add_link(struct torus *t, const struct rec_event *ev, const uint32_t *extra)
{
	add_port(t, extra[2], 2 * extra[1] + 1, switch_port_id(t->topo->fabric, ev->a, ev->port));
	add_port(t, extra[3], 2 * extra[1], extra[0]);
	t->n_links++;
}

static void add_ends(struct torus *t, uint32_t member)
{
	const struct torus_member *whole = &t->whole->member[member];

	for (unsigned i = 0; i < whole->count[TORUS_LOCAL]; i++) {
		unsigned p = whole->port[TORUS_LOCAL][i];

		add_port(t, member, TORUS_LOCAL, switch_port_id(t->topo->fabric, whole->sw, p));
		t->n_links += p > 0;
	}
}

/* Every member of a line learns where it is broken. */
static void add_line(struct torus *t, uint32_t place, unsigned d)
{
	const unsigned *radix = t->conf.radix;
	uint32_t step = d == 0 ? 1 : d == 1 ? radix[0] : radix[0] * radix[1];

	for (unsigned i = 0; i < radix[d]; i++) {
		uint32_t m = t->at[place + i * step];

		if (m != NO_ID)
			t->member[m].low[d] = t->whole->member[m].low[d];
	}
}

static void replay(struct torus *t, const struct recording *r, size_t step)
{
	const struct rec_event *ev = recording_event(r, step);
	const struct torus *whole = t->whole;
	const uint32_t *extra;
	uint32_t cursor = 0;
	struct rec_delta d;

	recording_extra(r, step, &extra);
	switch (ev->kind) {
	case REC_PLACE:
		recording_next_delta(r, step, &cursor, &d);
		add_member(t, &whole->member[t->n], d.at);
		break;
	case REC_LINK:
		add_link(t, ev, extra);
		break;
	case REC_ENDS:
		add_ends(t, extra[0]);
		break;
	case REC_RING:
		add_line(t, extra[0], ev->port);
		break;
	case REC_SPAN:
		t->root = whole->root;
		for (uint32_t m = 0; m < t->n; m++)
			t->member[m].parent = whole->member[m].parent;
		break;
	default:
		break;
	}
}

static void *priv_at(struct walk *w, const struct routing *end)
{
	const struct recording *r = walk_recording(w);
	const struct torus *whole = recording_kept(r);
	const struct fabric *f = recording_sweep(r)->fabric;
	struct torus *t;

	(void)end;
	if (!whole || !whole->at) /* refused before anything was placed */
		return NULL;
	t = mem_dup(whole, sizeof(*t));
	t->refs = 1;
	t->whole = torus_ref(whole);
	t->n = t->n_links = 0;
	t->root = NO_ID;
	t->member = NEW_ARRAY(whole->n + 1, struct torus_member);
	t->at = NEW_ARRAY(t->n_places, uint32_t);
	memset(t->at, 0xff, t->n_places * sizeof(*t->at));
	t->of = NEW_ARRAY(f->n_switches + 1, uint32_t);
	memset(t->of, 0xff, f->n_switches * sizeof(*t->of));
	t->group = NEW_ARRAY(f->n_ports + 1, uint8_t);
	memset(t->group, TORUS_NO_GROUP, f->n_ports);
	for (size_t i = 1; i <= walk_step(w); i++)
		replay(t, r, i);
	return t;
}

/* --- sentences -------------------------------------------------------------------------------------------
 */

struct saying {
	struct walk *w;
	const struct sweep *s;
	const struct torus *t; /* of the whole run */
	const struct rec_event *ev;
	const uint32_t *extra;
	uint32_t n_extra;
	struct text *text;
};

static const char *name_of(const struct saying *y, uint32_t sw)
{
	return switch_name(y->s->fabric, sw);
}

static void say_seed(const struct saying *y)
{
	const struct torus_seed *seed = &y->t->conf.seed[y->ev->a];

	text_add(y->text, "seed %u (line %u) ", y->ev->a + 1, seed->line);
	if (y->ev->rule)
		text_add(y->text, "cannot be used: switch 0x%" PRIx64 " is not in the fabric",
			 (uint64_t)y->extra[0] << 32 | y->extra[1]);
	else
		text_add(y->text, "is used: all its switches are there");
}

/* "1,2,0" */
static const char *place_text(const struct saying *y, uint32_t place, char *buf, size_t size)
{
	const unsigned *radix = y->t->conf.radix;
	uint32_t c[TORUS_DIMS] = {place % radix[0], place / radix[0] % radix[1], place / radix[0] / radix[1]};

	return torus_place_text(c, buf, size);
}

static void say_switches(const struct saying *y, uint32_t from)
{
	for (uint32_t i = from; i < y->n_extra; i++)
		text_add(y->text, "%s%s", i > from ? ", " : "",
			 y->extra[i] == NO_ID ? "nobody" : name_of(y, y->extra[i]));
}

static void say_cell(const struct saying *y)
{
	char cell[40], at[40];

	if (y->ev->rule == TORUS_CELL) {
		text_add(y->text, "cell %s has corners to find: fingerprint %x",
			 place_text(y, y->ev->a, cell, sizeof(cell)), y->extra[0]);
		return;
	}
	text_add(y->text, "cell %s: %s for %s, by ", place_text(y, y->ev->a, cell, sizeof(cell)),
		 y->ev->rule == TORUS_NO_CORNER ? "no fourth corner of a face"
						: "no switch stands on the face",
		 place_text(y, y->extra[0], at, sizeof(at)));
	say_switches(y, 1);
}

static void say_place(const struct saying *y)
{
	uint32_t cursor = 0;
	struct rec_delta d = {0};
	char at[40];

	recording_next_delta(walk_recording(y->w), walk_step(y->w), &cursor, &d);
	text_add(y->text, "%s stands at %s: ", name_of(y, y->ev->a), place_text(y, d.at, at, sizeof(at)));
	switch (y->ev->rule) {
	case TORUS_CENTRE:
		text_add(y->text, "the centre of the seed");
		return;
	case TORUS_NEIGHBOUR:
		text_add(y->text, "the seed's neighbour in direction %s (%s)",
			 torus_direction_name(y->extra[0]), torus_direction_keyword(y->extra[0]));
		return;
	case TORUS_CORNER:
		text_add(y->text, "the fourth corner of the face of ");
		break;
	default:
		text_add(y->text, "it is next to the corner between two edges, and faces stand on these: ");
	}
	say_switches(y, 0);
}

static void say_link(const struct saying *y)
{
	const struct fabric *f = y->s->fabric;
	char a[300], b[300];

	text_add(y->text, "%s to %s leads up in %c",
		 port_label(f, switch_port_id(f, y->ev->a, y->ev->port), a, sizeof(a)),
		 port_label(f, y->extra[0], b, sizeof(b)), (char)('x' + y->extra[1]));
	if (y->extra[4] > 1)
		text_add(y->text, ", cable %u between the two", y->extra[4]);
}

static void say_ends(const struct saying *y)
{
	const struct torus_member *m = &y->t->member[y->extra[0]];

	text_add(y->text, "%s: %s with end points, itself at port 0 among them", name_of(y, y->ev->a),
		 PLURAL(m->count[TORUS_LOCAL], "port"));
}

static void say_ring(const struct saying *y)
{
	const struct torus *t = y->t;
	unsigned d = y->ev->port;
	uint32_t m = t->of[y->ev->a];
	char at[40];

	text_add(y->text, "the line through %s along %c, with %s, ",
		 place_text(y, y->extra[0], at, sizeof(at)), (char)('x' + d), name_of(y, y->ev->a));
	if (y->ev->rule == TORUS_OPEN)
		text_add(y->text, "is open");
	else if (y->ev->rule == TORUS_WHOLE)
		text_add(y->text, "closes: a whole ring of %u", t->conf.radix[d]);
	else
		text_add(y->text,
			 "is a broken ring: no way leads down from %u; packets go the other way round",
			 t->member[m].low[d]);
}

static void say_span(const struct saying *y)
{
	text_add(y->text, "%s is the root of the master spanning tree, which reaches %u of %s",
		 name_of(y, y->ev->a), y->extra[0], PLURAL(y->t->n, "switch"));
}

static void say_way(const struct saying *y, uint32_t target)
{
	uint32_t a = y->t->of[y->ev->a], b = y->t->of[target];

	torus_why_text(y->t, a, b, torus_next(y->t, a, b), y->text);
}

static void say_hop(const struct saying *y)
{
	text_add(y->text, "%s for %s, ", name_of(y, y->ev->a), name_of(y, y->ev->b));
	say_way(y, y->ev->b);
}

static void say_choice(const struct saying *y)
{
	uint32_t ep = lid_owner(y->s->lids, y->ev->b);
	char name[300];

	text_add(y->text, "%s LID %u (%s) -> port %u: ", name_of(y, y->ev->a), y->ev->b,
		 endport_label(y->s->fabric, ep, name, sizeof(name)), y->ev->port);
	if (y->ev->rule == WHY_ATTACHED || y->ev->rule == WHY_OWN_LID) {
		text_add(y->text, "%s", why_rule_name(y->ev->rule));
		return;
	}
	text_add(y->text, "%s; ", why_rule_name(y->ev->rule));
	say_way(y, y->s->topo->endport_switch[ep]);
	if (y->n_extra >= 2)
		text_add(y->text, "; of %u links that way in turn number %u", y->extra[0],
			 y->extra[1] % y->extra[0] + 1);
}

static void say_table(const struct saying *y)
{
	text_add(y->text, "%s: table finished", name_of(y, y->ev->a));
}

static void (*const say[REC_KINDS])(const struct saying *) = {
	[REC_SEED] = say_seed,	   [REC_CELL] = say_cell,   [REC_PLACE] = say_place, [REC_LINK] = say_link,
	[REC_ENDS] = say_ends,	   [REC_RING] = say_ring,   [REC_SPAN] = say_span,   [REC_HOP] = say_hop,
	[REC_CHOICE] = say_choice, [REC_TABLE] = say_table,
};

static void sentence(struct walk *w, struct text *t)
{
	const struct recording *r = walk_recording(w);
	struct saying y = {
		.w = w, .s = recording_sweep(r), .t = recording_kept(r), .ev = walk_event(w), .text = t};

	y.n_extra = recording_extra(r, walk_step(w), &y.extra);
	if (say[y.ev->kind])
		say[y.ev->kind](&y);
}

static const char *rule(const struct rec_event *ev)
{
	static const char *const seed[] = {"usable", "missing"},
				 *const cell[] = {"to find", "no corner", "no perpendicular"},
				 *const place[] = {"centre", "neighbour", "fourth corner", "perpendicular"},
				 *const line[] = {"whole ring", "broken ring", "open line"};

	switch (ev->kind) {
	case REC_CELL:
		return cell[ev->rule];
	case REC_SEED:
		return seed[ev->rule];
	case REC_PLACE:
		return place[ev->rule];
	case REC_RING:
		return line[ev->rule];
	default:
		return why_rule_name(ev->rule);
	}
}

static const char *source(const struct rec_event *ev)
{
	static const char *const where[REC_KINDS] = {
		[REC_SEED] = "torus-2qos.md 2, 5.1; torus-2QoS.conf(5)",
		[REC_CELL] = "torus-2qos.md 5.4, 5.5; torus-2QoS(8)",
		[REC_PLACE] = "torus-2qos.md 5.1, 5.4; torus-2QoS(8)",
		[REC_LINK] = "torus-2qos.md 5.3; torus-2QoS(8)",
		[REC_ENDS] = "torus-2qos.md 5.6; torus-2QoS(8)",
		[REC_RING] = "torus-2qos.md 6; torus-2QoS(8)",
		[REC_SPAN] = "torus-2qos.md 10; torus-2QoS(8)",
		[REC_HOP] = "torus-2qos.md 7.2, 7.3; Dally, Seitz 1987",
		[REC_CHOICE] = "torus-2qos.md 7.3, 7.4; torus-2QoS(8)",
		[REC_TABLE] = "torus-2qos.md 7.4; torus-2QoS(8)",
	};

	return where[ev->kind];
}

/* --- cells -------------------------------------------------------------------------------------------------
 */

static bool cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct saying y = {.t = recording_kept(r)};
	char buf[40];

	if (t != T_PLACE || !y.t)
		return false;
	text_add(out, "place %s", place_text(&y, at, buf, sizeof(buf)));
	return true;
}

static bool value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t sw, struct text *out)
{
	const struct fabric *f = recording_sweep(r)->fabric;

	(void)at;
	if (t != T_PLACE || sw >= f->n_switches)
		return false;
	text_add(out, "%s", switch_name(f, sw));
	return true;
}

const struct rec_scheme torus_scheme = {
	.rule = rule,
	.source = source,
	.sentence = sentence,
	.ops = &torus_step_ops,
	.priv_at = priv_at,
	.cell = cell,
	.value = value,
};
