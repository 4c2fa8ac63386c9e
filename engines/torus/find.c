/* How the torus is found in the cabling (engines/doc/torus-2qos.md section 5), and its configuration. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "engines/torus/torus.h"

/* Which corners of a cell can be found from which others. The index is the fingerprint: bit c for each empty
 * corner c of the cell, and 0x100, 0x200, 0x400 for the dimensions that exist. "C3102": corner 3 is the
 * fourth of the face with corners 1, 0 and 2. "P0546": corner 0 is perpendicular to corner 4 and its edges to
 * 5 and 6. In corner numbers, bit 0 is x, bit 1 is y, bit 2 is z. */

/* Attempts in order; NULL: nothing can be found. */
static const char *const shapes[0x800] = {[0x301] = "C0132",
					  [0x302] = "C1023",
					  [0x303] = "P032 P123",
					  [0x304] = "C2013",
					  [0x305] = "P031 P213",
					  [0x308] = "C3102",
					  [0x30a] = "P120 P302",
					  [0x30c] = "P210 P301",
					  [0x501] = "C0154",
					  [0x502] = "C1045",
					  [0x503] = "P054 P145",
					  [0x510] = "C4015",
					  [0x511] = "P051 P415",
					  [0x520] = "C5104",
					  [0x522] = "P140 P504",
					  [0x530] = "P410 P501",
					  [0x601] = "C0264",
					  [0x604] = "C2046",
					  [0x605] = "P064 P246",
					  [0x610] = "C4026",
					  [0x611] = "P062 P426",
					  [0x640] = "C6204",
					  [0x644] = "P240 P604",
					  [0x650] = "P420 P602",
					  [0x701] = "C0231",
					  [0x702] = "C1045",
					  [0x703] = "C0264 C1375",
					  [0x704] = "C2046",
					  [0x705] = "C0154 C2376",
					  [0x707] = "C1375 C2376",
					  [0x708] = "C3201",
					  [0x70a] = "C1045 C3267",
					  [0x70b] = "C0264 C3267",
					  [0x70c] = "C2046 C3157",
					  [0x70d] = "C0154 C3157",
					  [0x70e] = "C1045 C2046",
					  [0x70f] = "P3576 P2467 P1457 P0546",
					  [0x710] = "C4015",
					  [0x711] = "C0132 C4576",
					  [0x713] = "C1375 C4576",
					  [0x715] = "C2376 C4576",
					  [0x717] = "C4675 C1375 C2376",
					  [0x71f] = "P3576",
					  [0x720] = "C5104",
					  [0x722] = "C1023 C5467",
					  [0x723] = "C0264 C5467",
					  [0x72a] = "C3267 C5467",
					  [0x72b] = "C5467 C0264 C3267",
					  [0x72f] = "P2467",
					  [0x730] = "C4026 C5137",
					  [0x731] = "C0132 C5137",
					  [0x732] = "C1023 C4026",
					  [0x733] = "P5673 P4267 P1237 P0623",
					  [0x737] = "P5673",
					  [0x73b] = "P4267",
					  [0x740] = "C6204",
					  [0x744] = "C2013 C6457",
					  [0x745] = "C0154 C6457",
					  [0x74c] = "C3157 C6457",
					  [0x74d] = "C6457 C0154 C3157",
					  [0x74f] = "P1457",
					  [0x750] = "C4015 C6237",
					  [0x751] = "C0132 C6237",
					  [0x754] = "C2013 C4015",
					  [0x755] = "P6573 P4157 P2137 P0513",
					  [0x757] = "P6573",
					  [0x75d] = "P4157",
					  [0x770] = "C5137 C6237",
					  [0x771] = "C0231 C5731 C6732",
					  [0x773] = "P1237",
					  [0x775] = "P2137",
					  [0x780] = "C7645",
					  [0x788] = "C3102 C7546",
					  [0x78a] = "C1045 C7546",
					  [0x78c] = "C2046 C7546",
					  [0x78e] = "C7546 C1045 C2046",
					  [0x78f] = "P0546",
					  [0x7a0] = "C5401 C7623",
					  [0x7a2] = "C1023 C7623",
					  [0x7a8] = "C3102 C5401",
					  [0x7aa] = "P7462 P5046 P3026 P1402",
					  [0x7ab] = "P7462",
					  [0x7ae] = "P5046",
					  [0x7b0] = "C4026 C7623",
					  [0x7b2] = "C1023 C7623 C4620",
					  [0x7b3] = "P0623",
					  [0x7ba] = "P3026",
					  [0x7c0] = "C6402 C7513",
					  [0x7c4] = "C2013 C7513",
					  [0x7c8] = "C3102 C6402",
					  [0x7cc] = "P7451 P6045 P3015 P2401",
					  [0x7cd] = "P7451",
					  [0x7ce] = "P6045",
					  [0x7d0] = "C4015 C7513",
					  [0x7d4] = "C2013 C4510 C7513",
					  [0x7d5] = "P0513",
					  [0x7dc] = "P3015",
					  [0x7e0] = "C5401 C6402",
					  [0x7e8] = "C3102 C5104 C6204",
					  [0x7ea] = "P1402",
					  [0x7ec] = "P2401",
					  [0x7f0] = "P7132 P6023 P5013 P4102",
					  [0x7f1] = "P7132",
					  [0x7f2] = "P6023",
					  [0x7f4] = "P5013",
					  [0x7f8] = "P4102"};

/* Attempts for a cell with these empty corners (engines/doc/torus-2qos.md 5.4, 5.5): at most 4, in order. */
static unsigned torus_attempts(unsigned fingerprint, struct torus_attempt a[4])
{
	const char *p = shapes[fingerprint] ? shapes[fingerprint] : "";
	unsigned n = 0;

	while (*p) {
		struct torus_attempt *x = &a[n++];

		*x = (struct torus_attempt){.perpendicular = *p == 'P', .target = (uint8_t)(p[1] - '0')};
		for (p += 2; *p && *p != ' '; p++)
			x->corner[x->n++] = (uint8_t)(*p - '0');
		p += *p == ' ';
	}
	assert(n <= 4);
	return n;
}

#define SEPARATORS " \t\r\n"

struct torus_conf_reading {
	struct torus_conf *c;
	const char *name;
	unsigned line, bad;
	char *rest; /* of the line, for strtok_r() */
	struct text *errors;
};

/* Adds an error for the current line. Returns false. */
PRINTF_LIKE(2, 3)
static bool torus_conf_wrong(struct torus_conf_reading *r, const char *fmt, ...)
{
	va_list ap;

	r->bad++;
	text_add(r->errors, "%s:%u: ", r->name, r->line);
	va_start(ap, fmt);
	text_addv(r->errors, fmt, ap);
	va_end(ap);
	text_putc(r->errors, '\n');
	return false;
}

static char *torus_conf_next_word(struct torus_conf_reading *r)
{
	return strtok_r(NULL, SEPARATORS, &r->rest);
}

/* As in OpenSM, a number keeps only its lower 32 bits. */
static unsigned torus_conf_number_of(const char *word, char **end)
{
	return (unsigned)strtoul(word, end, 0);
}

static struct torus_seed *open_seed(struct torus_conf_reading *r)
{
	struct torus_conf *c = r->c;

	GROW(c->seed, c->n_seeds, c->cap_seeds);
	c->seed[c->n_seeds] = (struct torus_seed){.line = r->line};
	return &c->seed[c->n_seeds++];
}

static struct torus_seed *present_seed(struct torus_conf_reading *r)
{
	return r->c->n_seeds ? &r->c->seed[r->c->n_seeds - 1] : open_seed(r);
}

/* --- keywords ---------------------------------------------------------------------------- */

static bool read_shape(struct torus_conf_reading *r, unsigned mesh)
{
	if (r->c->line)
		return torus_conf_wrong(
			r, "found a second torus or mesh, the first is in line %u; expected one", r->c->line);
	for (unsigned d = 0; mesh && d < TORUS_DIMS; d++)
		r->c->open[d] = true;
	for (unsigned d = 0; d < TORUS_DIMS; d++) {
		char *word = torus_conf_next_word(r), *end;

		if (!word)
			return torus_conf_wrong(r, "found %u radices, expected three", d);
		r->c->radix[d] = torus_conf_number_of(word, &end);
		if (r->c->radix[d] && (*end == 't' || *end == 'T'))
			r->c->open[d] = false;
		if (r->c->radix[d] == 2 || (r->c->radix[d] && (*end == 'm' || *end == 'M')))
			r->c->open[d] = true;
	}
	r->c->line = r->line;
	return true;
}

static bool read_link(struct torus_conf_reading *r, unsigned direction)
{
	struct torus_seed *s = present_seed(r);
	const char *a = torus_conf_next_word(r), *b = torus_conf_next_word(r);

	if (!a || !b)
		return torus_conf_wrong(r, "found %s, expected two switch GUIDs", a ? "one GUID" : "no GUID");
	s->link[direction] = (struct torus_seed_link){strtoull(a, NULL, 0), strtoull(b, NULL, 0), r->line};
	return true;
}

static bool read_dateline(struct torus_conf_reading *r, unsigned d)
{
	struct torus_seed *s = present_seed(r);
	const char *word = torus_conf_next_word(r);
	int64_t radix = r->c->radix[d];

	if (!word)
		return torus_conf_wrong(r, "found no position, expected a number");
	s->dateline[d] = (int)strtol(word, NULL, 0);
	if (s->dateline[d] < radix && (s->dateline[d] >= 0 || s->dateline[d] > -radix))
		return true;
	if (!radix)
		return torus_conf_wrong(
			r,
			"found a dateline before the torus or mesh line, expected it behind it (ERR 4E10)");
	return torus_conf_wrong(r, "found %d, expected a position above -%u and below %u (ERR 4E10)",
				s->dateline[d], r->c->radix[d], r->c->radix[d]);
}

static bool read_next_seed(struct torus_conf_reading *r, unsigned unused)
{
	(void)unused;
	open_seed(r);
	return true;
}

static bool read_most(struct torus_conf_reading *r, unsigned changes)
{
	const char *word = torus_conf_next_word(r);

	if (!word)
		return torus_conf_wrong(r, "found no number, expected the most %s",
					changes ? "changes to be told" : "ports a group may have");
	*(changes ? &r->c->max_changes : &r->c->max_ports) = torus_conf_number_of(word, NULL);
	return true;
}

/* Appends the missing ports in ascending order. */
static void fill_order(struct torus_conf *c, unsigned n, bool *seen)
{
	for (unsigned p = 0; p < TORUS_PORTS; p++)
		if (!seen[p])
			c->port_order[n++] = (uint8_t)p;
}

static bool read_port_order(struct torus_conf_reading *r, unsigned unused)
{
	bool seen[TORUS_PORTS] = {false};
	unsigned n = 0;
	char *word;

	(void)unused;
	r->c->order_line = r->line;
	while ((word = torus_conf_next_word(r))) {
		unsigned p = torus_conf_number_of(word, NULL);

		if (p >= TORUS_PORTS)
			return torus_conf_wrong(r, "found port %u, expected at most %u (ERR 4E21)", p,
						TORUS_PORTS - 1);
		if (!seen[p])
			r->c->port_order[n++] = (uint8_t)p;
		seen[p] = true;
	}
	fill_order(r->c, n, seen);
	return true;
}

struct keyword {
	const char *word;
	bool (*read)(struct torus_conf_reading *r, unsigned argument);
	unsigned argument;
};

static const struct keyword keywords[] = {{"torus", read_shape, 0},
					  {"mesh", read_shape, 1},
					  {"xm_link", read_link, 0},
					  {"xp_link", read_link, 1},
					  {"ym_link", read_link, 2},
					  {"yp_link", read_link, 3},
					  {"zm_link", read_link, 4},
					  {"zp_link", read_link, 5},
					  {"x_dateline", read_dateline, 0},
					  {"y_dateline", read_dateline, 1},
					  {"z_dateline", read_dateline, 2},
					  {"next_seed", read_next_seed, 0},
					  {"portgroup_max_ports", read_most, 0},
					  {"port_order", read_port_order, 0},
					  {"max_changes", read_most, 1}};

static void torus_conf_read_line(struct torus_conf_reading *r, char *line)
{
	const char *word = strtok_r(line, SEPARATORS, &r->rest);

	if (!word || *word == '#')
		return;
	r->c->first = r->c->first ? r->c->first : r->line;
	for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
		if (!strcmp(word, keywords[i].word)) {
			keywords[i].read(r, keywords[i].argument);
			return;
		}
	torus_conf_wrong(r,
			 "found \"%.60s\", expected torus, mesh, [xyz][pm]_link, [xyz]_dateline, next_seed, "
			 "portgroup_max_ports, port_order or max_changes (ERR 4E12)",
			 word);
}

unsigned torus_conf_parse(struct torus_conf *c, const char *name, const char *data, size_t size,
			  struct text *errors)
{
	struct torus_conf_reading r = {.c = c, .name = name, .errors = errors};
	bool none[TORUS_PORTS] = {false};
	char *copy = mem_alloc(size + 1), *line = copy;

	*c = (struct torus_conf){.max_ports = 16, .max_changes = 32};
	fill_order(c, 0, none);
	memcpy(copy, data, size);
	while (line < copy + size) {
		char *end = memchr(line, '\n', (size_t)(copy + size - line));

		if (!end)
			end = copy + size;
		*end = '\0';
		r.line++;
		torus_conf_read_line(&r, line);
		line = end + 1;
	}
	free(copy);
	return r.bad;
}

void torus_conf_free(struct torus_conf *c)
{
	free(c->seed);
	*c = (struct torus_conf){0};
}

const char *torus_direction_name(unsigned direction)
{
	static const char *const name[] = {"-x", "+x", "-y", "+y", "-z", "+z", "local"};

	return direction < ARRAY_LEN(name) ? name[direction] : "none";
}

const char *torus_direction_keyword(unsigned direction)
{
	static const char *const name[] = {"xm_link", "xp_link", "ym_link", "yp_link", "zm_link", "zp_link"};

	assert(direction < TORUS_DIRECTIONS);
	return name[direction];
}

/* How the torus is found in the cabling (engines/doc/torus-2qos.md section 5). */

void torus_survey(struct torus_run *r)
{
	const struct topo *t = r->in->topo;
	const struct fabric *f = t->fabric;
	uint32_t n = 0;

	r->base = NEW_ARRAY(f->n_switches + 1, uint32_t);
	r->end = NEW_ARRAY(f->n_switches + 1, uint32_t);
	r->port = NEW_ARRAY(f->n_ports + 1, uint8_t);
	r->peer = NEW_ARRAY(f->n_ports + 1, uint32_t);
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		r->base[sw] = n;
		for (unsigned p = 1; p <= f->switch_nports[sw]; p++) {
			uint32_t id = switch_port_id(f, sw, p), peer = t->peer[id];

			if (peer == NO_ID || peer == id)
				continue;
			r->n_end_links += !node_is_switch(f, f->port_node[peer]);
			if (!node_is_switch(f, f->port_node[peer]))
				continue;
			r->n_switch_links += id < peer;
			r->port[n] = (uint8_t)p;
			r->peer[n++] = peer;
		}
		r->end[sw] = n;
	}
	r->base[f->n_switches] = n;
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		r->n_cas += t->endport_up[ep] && !endport_is_switch(f, ep) &&
			    t->peer[f->endport_port[ep]] != NO_ID;
}

static void torus_find_take_out(struct torus_run *r, uint32_t port)
{
	const struct fabric *f = r->in->topo->fabric;
	uint32_t sw = f->node_switch[f->port_node[port]], i = r->base[sw];

	while (r->port[i] != f->port_num[port])
		i++;
	assert(i < r->end[sw]);
	r->end[sw]--;
	memmove(&r->port[i], &r->port[i + 1], r->end[sw] - i);
	memmove(&r->peer[i], &r->peer[i + 1], (r->end[sw] - i) * sizeof(*r->peer));
}

static uint32_t torus_find_switch_at(const struct torus_run *r, uint32_t port)
{
	const struct fabric *f = r->in->topo->fabric;

	return f->node_switch[f->port_node[port]];
}

/* Is there a free link between two switches? */
static bool free_link(const struct torus_run *r, uint32_t from, uint32_t to)
{
	for (uint32_t i = r->base[from]; i < r->end[from]; i++)
		if (torus_find_switch_at(r, r->peer[i]) == to)
			return true;
	return false;
}

/* --- placing --------------------------------------------------------------------------------- */

/* How a switch was found: by other switches, or by the direction of a seed's link. */
struct torus_find_found {
	enum torus_how how;
	uint32_t by[3];
	unsigned n;
};

/* Places a switch; an occupied place stays as it is. False when there is no such switch. */
static bool torus_find_place(struct torus_run *r, const unsigned c[TORUS_DIMS], uint32_t sw,
			     const struct torus_find_found *how)
{
	struct torus *t = r->t;
	unsigned most = t->conf.max_ports;

	if (torus_at(t, c) != NO_ID)
		return true;
	if (sw == NO_ID)
		return false;
	unsigned ports = r->in->topo->fabric->switch_nports[sw] + 1u;
	torus_add_member(t, sw, c, MIN(most, ports));
	if (RECORDED(r->in))
		torus_record_place(r, torus_place(t, c), sw, how->how, how->by, how->n);
	return true;
}

static int place_seed(struct torus_run *r)
{
	static const unsigned order[TORUS_DIRECTIONS] = {1, 0, 3, 2, 5, 4};
	const struct torus_conf *conf = &r->t->conf;
	const struct torus_seed *s = &conf->seed[r->t->seed];
	unsigned c[TORUS_DIMS];

	for (unsigned d = 0; d < TORUS_DIMS; d++)
		c[d] = (unsigned)((conf->radix[d] - (int64_t)s->dateline[d]) % conf->radix[d]);
	for (unsigned i = 0; i < TORUS_DIRECTIONS; i++) {
		const struct torus_seed_link *l = &s->link[order[i]];
		unsigned to[TORUS_DIMS] = {c[0], c[1], c[2]}, d = order[i] / 2;

		if (!l->centre)
			continue;
		to[d] = torus_shift(r->t, d, c[d], order[i] % 2 ? 1 : -1);
		if (!torus_find_place(r, c, torus_switch_by_guid(r, l->centre),
				      &(struct torus_find_found){TORUS_CENTRE, {0}, 0}) ||
		    !torus_find_place(r, to, torus_switch_by_guid(r, l->neighbour),
				      &(struct torus_find_found){TORUS_NEIGHBOUR, {order[i]}, 1}))
			return err_set(&r->out->refused,
				       "line %u: a switch of %s is not in the fabric (ERR 4E57)", l->line,
				       torus_direction_keyword(order[i]));
	}
	return 0;
}

/* --- placing links ----------------------------------------------------------------------------- */

static bool has_room(const struct torus_run *r, const struct torus_member *m, unsigned group)
{
	return m->count[group] < r->t->conf.max_ports;
}

/* Places all free links from a member to the one above it in a dimension. False when a group is full. */
static bool link_members(struct torus_run *r, unsigned d, uint32_t lower, uint32_t upper)
{
	struct torus_member *a = &r->t->member[lower], *b = &r->t->member[upper];

	if (lower == upper && r->t->conf.radix[d] == 1)
		return true;
	if (b->at[d] != torus_shift(r->t, d, a->at[d], 1))
		return false;
	for (uint32_t i = r->base[a->sw]; i < r->end[a->sw];) {
		uint32_t peer = r->peer[i], port = switch_port_id(r->in->topo->fabric, a->sw, r->port[i]);

		if (r->in->topo->peer_switch[port] != b->sw) {
			i++;
			continue;
		}
		if (!has_room(r, a, 2 * d + 1) || !has_room(r, b, 2 * d))
			return false;
		torus_find_take_out(r, port);
		torus_find_take_out(r, peer);
		torus_add_port(r->t, lower, 2 * d + 1, port);
		torus_add_port(r->t, upper, 2 * d, peer);
		r->t->n_links++;
		if (RECORDED(r->in))
			torus_record_link(r, port, peer, d, lower, upper);
	}
	return true;
}

/* --- searches ------------------------------------------------------------------------------------ */

/* The fourth switch of the face a - m - b, found by free links, or NO_ID. */
static uint32_t find_corner(const struct torus_run *r, uint32_t a, uint32_t m, uint32_t b)
{
	for (uint32_t i = r->base[a]; i < r->end[a]; i++) {
		uint32_t f = torus_find_switch_at(r, r->peer[i]);

		if (f != m && free_link(r, f, b))
			return f;
	}
	return NO_ID;
}

/* The neighbour of `base` that forms faces with all the ends, or NO_ID. */
static uint32_t find_perpendicular(const struct torus_run *r, uint32_t base, uint32_t behind,
				   const uint32_t *ends, unsigned n)
{
	for (uint32_t i = r->base[base]; i < r->end[base]; i++) {
		uint32_t f = torus_find_switch_at(r, r->peer[i]);
		unsigned k = 0;

		if (f == behind)
			continue;
		while (k < n && find_corner(r, ends[k], base, f) != NO_ID)
			k++;
		if (k == n)
			return f;
	}
	return NO_ID;
}

/* Places the links of a ring of four first, so that it is not taken for a face. */
static bool safe_ring(struct torus_run *r, unsigned d, const uint32_t pos[TORUS_DIMS])
{
	const struct torus *t = r->t;
	uint32_t s[4]; /* at pos - 1, pos, pos + 1, pos + 2 */
	bool good = true;

	if (t->conf.radix[d] != 4 || t->conf.open[d])
		return true;
	for (int k = -1; k <= 2; k++) {
		unsigned c[TORUS_DIMS] = {pos[0], pos[1], pos[2]};

		c[d] = torus_shift(t, d, pos[d], k);
		s[k + 1] = torus_at(t, c);
	}
	if ((s[0] != NO_ID) + (s[2] != NO_ID) + (s[3] != NO_ID) < 2)
		return false;
	for (unsigned k = 0; k < 4; k++) {
		uint32_t a = s[(k + 3) % 4], b = s[k];

		if (a != NO_ID && b != NO_ID && !link_members(r, d, a, b))
			good = false;
	}
	return good;
}

/* --- cells ----------------------------------------------------------------------------------------- */

struct cell {
	unsigned at[TORUS_DIMS];
	uint32_t place[8];		/* places of its corners */
	unsigned corner[8][TORUS_DIMS]; /* coordinates of its corners */
	unsigned fingerprint;
};

static uint32_t member_at(const struct torus_run *r, const struct cell *c, unsigned corner)
{
	return r->t->at[c->place[corner]];
}

/* Prepares a cell. False when it would cross an open dimension. */
static bool cell_begin(const struct torus *t, struct cell *c)
{
	unsigned next[TORUS_DIMS];

	for (unsigned d = 0; d < TORUS_DIMS; d++) {
		next[d] = torus_shift(t, d, c->at[d], 1);
		if (t->conf.open[d] && next[d] < c->at[d])
			return false;
	}
	for (unsigned k = 0; k < 8; k++) {
		for (unsigned d = 0; d < TORUS_DIMS; d++)
			c->corner[k][d] = k >> d & 1 ? next[d] : c->at[d];
		c->place[k] = torus_place(t, c->corner[k]);
	}
	return true;
}

/* Places the links along its edges that end in some of its corners (a set of bits). */
static void link_cell(struct torus_run *r, const struct cell *c, unsigned corners)
{
	for (unsigned d = 0; d < TORUS_DIMS; d++)
		for (unsigned k = 0; k < 8; k++) {
			if (k >> d & 1 || !((corners >> k | corners >> (k | 1u << d)) & 1))
				continue;
			uint32_t a = member_at(r, c, k), b = member_at(r, c, k | 1u << d);
			if (a != NO_ID && b != NO_ID)
				link_members(r, d, a, b);
		}
}

static unsigned fingerprint(const struct torus_run *r, const struct cell *c)
{
	unsigned there = 0, f = 0;

	for (unsigned d = 0; d < TORUS_DIMS; d++)
		there |= (unsigned)(r->t->conf.radix[d] > 1) << d;
	for (unsigned k = 0; k < 8; k++)
		if (member_at(r, c, k) == NO_ID)
			f |= 1u << (k & there);
	return f | there << 8;
}

static uint32_t torus_find_switch_of(const struct torus_run *r, uint32_t member)
{
	return member == NO_ID ? NO_ID : r->t->member[member].sw;
}

/* Searches along the third axis. Corners 1 and 3 are the ends of the edges that meet in the second. */
static uint32_t try_perpendicular(struct torus_run *r, const struct cell *c, const struct torus_attempt *a)
{
	unsigned base = a->corner[1], d = base ^ a->target;
	uint32_t ends[2], b = member_at(r, c, base), behind;

	assert(d == 1 || d == 2 || d == 4);
	d /= 2; /* the dimension of that bit */
	for (unsigned other = 0; other < TORUS_DIMS; other++)
		if (b == NO_ID || (other != d && !safe_ring(r, other, r->t->member[b].at)))
			return NO_ID;
	behind = torus_find_switch_of(r, torus_beside(r->t, r->t->member[b].at, 2 * d + (base >> d & 1)));
	ends[0] = torus_find_switch_of(r, member_at(r, c, a->corner[0]));
	ends[1] = a->n > 2 ? torus_find_switch_of(r, member_at(r, c, a->corner[2])) : ends[0];
	if (behind == NO_ID || ends[0] == NO_ID || ends[1] == NO_ID)
		return NO_ID;
	return find_perpendicular(r, r->t->member[b].sw, behind, ends, a->n > 2 ? 2 : 1);
}

static bool torus_find_attempt(struct torus_run *r, const struct cell *c, const struct torus_attempt *a)
{
	struct torus_find_found found = {.how = a->perpendicular ? TORUS_PERPENDICULAR : TORUS_CORNER};
	uint32_t sw = NO_ID, *by = found.by;

	for (unsigned i = 0; i < a->n; i++)
		by[found.n++] = torus_find_switch_of(r, member_at(r, c, a->corner[i]));
	if (a->perpendicular)
		sw = try_perpendicular(r, c, a);
	else if (by[0] != NO_ID && by[1] != NO_ID && by[2] != NO_ID)
		sw = find_corner(r, by[0], by[1], by[2]); /* the fourth corner of a face */
	if (sw == NO_ID && RECORDED(r->in))
		torus_record_cell(r, c->place[0], a->perpendicular ? TORUS_NO_PERPENDICULAR : TORUS_NO_CORNER,
				  c->place[a->target], found.by, found.n);
	if (sw == NO_ID)
		return false;
	return torus_find_place(r, c->corner[a->target], sw, &found);
}

static void locate(struct torus_run *r, struct cell *c)
{
	struct torus_attempt a[4];
	unsigned fresh = cell_begin(r->t, c) ? 255 : 0; /* corners */

	while (fresh) {
		link_cell(r, c, fresh);
		fresh = 0;
		unsigned f = fingerprint(r, c), n = torus_attempts(f, a);
		if (n && RECORDED(r->in))
			torus_record_cell(r, c->place[0], TORUS_CELL, f, NULL, 0);
		for (unsigned i = 0; i < n && !fresh; i++)
			fresh = (unsigned)torus_find_attempt(r, c, &a[i]) << a[i].target;
	}
}

static int scan(struct torus_run *r)
{
	uint32_t before;

	progress_start(r->in->progress, "finding the torus", r->t->n_places);
	do {
		before = r->t->n_links;
		r->t->scans++;
		rec_note(r->in, "scan %u", r->t->scans);
		/* without a free link nothing more can be found */
		for (uint32_t i = 0;
		     i < r->t->n_places && (r->t->n_links < r->n_switch_links || RECORDED(r->in)); i++) {
			struct cell c = {0};

			if (!progress_step(r->in->progress, i))
				return err_set(&r->out->refused, CANCELLED);
			torus_coordinates(r->t, i, c.at);
			locate(r, &c);
		}
	} while (r->t->n_links != before);
	return 0;
}

/* --- end points --------------------------------------------------------------------------------------- */

/* Adds port 0 and the ports with CAs or routers, in ascending order. */
static int torus_find_add_ends(struct torus_run *r, uint32_t id)
{
	const struct topo *t = r->in->topo;
	const struct fabric *f = t->fabric;
	struct torus_member *m = &r->t->member[id];
	char a[40];

	for (unsigned p = 0; p <= f->switch_nports[m->sw]; p++) {
		uint32_t port = switch_port_id(f, m->sw, p), peer = t->peer[port];

		if (p && (peer == NO_ID || node_is_switch(f, f->port_node[peer])))
			continue;
		if (!has_room(r, m, TORUS_LOCAL))
			return err_set(&r->out->refused,
				       "%s at %s has more than %u end points with port 0, expected at most "
				       "portgroup_max_ports (ERR %s)",
				       switch_name(f, m->sw), torus_place_text(m->at, a, sizeof(a)),
				       r->t->conf.max_ports, p ? "4E1E" : "4E1D");
		torus_add_port(r->t, id, TORUS_LOCAL, port);
		r->t->n_links += p > 0;
	}
	return 0;
}

static int place_ends(struct torus_run *r)
{
	struct torus *t = r->t;
	char a[40], b[40];

	for (uint32_t i = 0; i < t->n_places; i++) {
		uint32_t m = t->at[i];

		if (m == NO_ID)
			continue;
		uint32_t *of = &t->of[t->member[m].sw];
		if (*of != NO_ID)
			return err_set(
				&r->out->refused,
				"%s is found both at %s and at %s: wrong radices, or a wrong seed (ERR 4E1C)",
				torus_name(t, m), torus_place_text(t->member[*of].at, a, sizeof(a)),
				torus_place_text(t->member[m].at, b, sizeof(b)));
		*of = m;
		if (torus_find_add_ends(r, m))
			return -1;
		if (RECORDED(r->in))
			torus_record_ends(r, m);
	}
	return 0;
}

int torus_discover(struct torus_run *r)
{
	torus_clear_places(r->t);
	rec_phase(r->in, "finding the torus");
	return place_seed(r) || scan(r) || place_ends(r) ? -1 : 0;
}
