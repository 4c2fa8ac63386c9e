/* Found by reading OpenSM's own description of the files and by trying it (tests/parity/manager.py). */
#include "core/base/cursor.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/fabric/fabric.h"
#include "core/sm/lft_file.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PKEY 0x7fff
#define NAME_BYTES 32 /* of a partition that OpenSM keeps */
#define PIECE 4094    /* bytes of a line that OpenSM takes at a time */

enum { NO_MEMBER, LIMITED, FULL };

struct partition {
	char name[NAME_BYTES];
	unsigned line; /* that defines it first; 0: OpenSM itself does */
	uint16_t pkey;
	uint8_t sl;
	uint8_t *member; /* [n_endports] */
};

struct partitions {
	const struct topo *t;
	struct pair_sls *to; /* gets the lines with GUIDs that no port has */
	struct partition *part;
	size_t n, cap;
	unsigned generated; /* the last P_Key that was given */
	bool qos, modelled;
	bool any, failed; /* a definition was read; one was not understood, so that none counts */
	struct text *notes;
	const char *file;
	unsigned line;
	/* of the definition at hand, which ends at `;` */
	size_t now_at; /* its index and 1; 0: none */
	unsigned sl;
	bool full;
	char buffer[PIECE + 3]; /* OpenSM's: this line, and behind it what longer lines before it left */
};

static void odd(struct partitions *x, struct cursor what, const char *means)
{
	char found[40];

	text_add(x->notes, "%s:%u: found '%s': %s\n", x->file, x->line, excerpt(what, found, sizeof(found)),
		 means);
}

/* OpenSM gives the whole file up. */
static bool pair_sls_file_fail(struct partitions *x, struct cursor what, const char *why)
{
	size_t before = x->notes->len;

	odd(x, what, why);
	x->to->given_up = str_printf("%.*s", (int)(x->notes->len - before - 1), x->notes->s + before);
	x->failed = true;
	return false;
}

/* OpenSM takes the beginning of a word for the word. */
static bool pair_sls_file_begins(struct cursor part, const char *word)
{
	return cur_len(part) <= strlen(word) && !memcmp(part.p, word, cur_len(part));
}

static struct partition *by_pkey(struct partitions *x, unsigned pkey)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->part[i].pkey == pkey)
			return &x->part[i];
	return NULL;
}

/* The partition with a P_Key, 0: with a name; a new one if there is none.  NULL: P_Keys are used up. */
static struct partition *partition_of(struct partitions *x, const char *name, unsigned pkey)
{
	pkey &= 0x7fff;
	for (size_t i = 0; !pkey && *name && i < x->n; i++)
		if (!strncmp(x->part[i].name, name, NAME_BYTES))
			return &x->part[i];
	while (!pkey && x->generated < DEFAULT_PKEY - 1)
		if (!by_pkey(x, ++x->generated))
			pkey = x->generated;
	if (!pkey)
		return NULL;
	struct partition *p = by_pkey(x, pkey);
	if (p)
		return p;
	GROW(x->part, x->n, x->cap);
	p = &x->part[x->n++];
	*p = (struct partition){.pkey = (uint16_t)pkey,
				.line = x->line,
				.member = NEW_ARRAY(x->t->fabric->n_endports + 1, uint8_t)};
	if (*name)
		memcpy(p->name, name, strnlen(name, NAME_BYTES));
	else
		snprintf(p->name, sizeof(p->name), "%04x", pkey);
	return p;
}

/* All ports, or those of nodes of a type. */
static void pair_sls_file_add_all(struct partitions *x, struct partition *p, unsigned type, uint8_t member)
{
	const struct fabric *f = x->t->fabric;

	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		if (x->t->endport_up[ep] && (!type || f->node_type[endport_node(f, ep)] == type))
			p->member[ep] = member;
}

static void partition_line_add(struct pair_sls *to, const struct partition *p, unsigned line, uint64_t guid)
{
	GROW(to->line, to->n_lines, to->cap_lines);
	struct partition_line *l = &to->line[to->n_lines++];
	*l = (struct partition_line){.pkey = p->pkey, .line = line, .guid = guid};
	memcpy(l->name, p->name, NAME_BYTES);
	static_assert(sizeof(l->name) > NAME_BYTES, "the name ends with a NUL");
}

/* A whole number in C notation; *rest stands behind it. */
static bool c_number(struct cursor c, uint64_t *v, struct cursor *rest)
{
	char text[40], *end;

	snprintf(text, sizeof(text), "%.*s", CUR_ARGS(c));
	errno = 0;
	*v = strtoull(text, &end, 0);
	*rest = (struct cursor){c.p + (end - text), c.end};
	return end != text && !errno;
}

/* Parts `NAME=VALUE`; *given: there is a `=`. */
static struct cursor pair_sls_file_name_of(struct cursor *value, bool *given)
{
	*given = memchr(value->p, '=', cur_len(*value)) != NULL;
	struct cursor name = cur_trimmed(cur_part(value, '='));
	*value = cur_trimmed(*value);
	return name;
}

static void take_flag(struct partitions *x, struct cursor flag)
{
	struct cursor value = flag, rest, name;
	uint64_t sl;
	bool given;

	name = pair_sls_file_name_of(&value, &given);
	if (cur_same(name, cur_text("sl"))) {
		if (c_number(value, &sl, &rest) && sl <= 15 &&
		    (cur_empty(&rest) || isspace((unsigned char)*rest.p)))
			x->sl = (unsigned)sl;
		else
			odd(x, flag, "no SL from 0 to 15, skipped");
	} else if (cur_len(name) && pair_sls_file_begins(name, "defmember")) {
		if (given && (pair_sls_file_begins(value, "limited") || pair_sls_file_begins(value, "full") ||
			      pair_sls_file_begins(value, "both")))
			x->full = !pair_sls_file_begins(value, "limited") || cur_empty(&value);
		else
			odd(x, flag, "no membership, skipped");
	}
}

/* `NAME=PKEY,flag,flag=value`; false: it failed. */
static bool define(struct partitions *x, struct cursor head)
{
	struct cursor value = cur_part(&head, ','), rest, whole = value, name;
	char text[NAME_BYTES + 1];
	uint64_t pkey = 0;
	bool given;

	while (!cur_empty(&head))
		take_flag(x, cur_trimmed(cur_part(&head, ',')));
	name = pair_sls_file_name_of(&value, &given);
	if (!given && cur_len(name) && isdigit((unsigned char)*name.p)) {
		value = name;
		name.end = name.p;
		given = true;
	}
	if (given && (!c_number(value, &pkey, &rest) || !cur_empty(&rest)))
		return pair_sls_file_fail(x, whole, "no P_Key; OpenSM gives the file up");
	snprintf(text, sizeof(text), "%.*s", CUR_ARGS(name));
	struct partition *p = partition_of(x, text, (unsigned)pkey & 0xffff);
	x->now_at = p ? (size_t)(p - x->part) + 1 : 0;
	if (p) {
		p->sl = (uint8_t)(x->qos ? x->sl : 0);
		p->line = p->line ? p->line : x->line;
	}
	x->any |= p != NULL;
	return p || pair_sls_file_fail(x, whole, "no P_Key is left; OpenSM gives the file up");
}

/* `GUID=full`; false: it failed. */
static bool pair_sls_file_take_port(struct partitions *x, struct cursor port)
{
	static const struct {
		const char *word;
		unsigned type;
	} all[] = {{"ALL", 0},
		   {"ALL_CAS", NODE_CA},
		   {"ALL_SWITCHES", NODE_SWITCH},
		   {"ALL_ROUTERS", NODE_ROUTER}};
	struct partition *p = &x->part[x->now_at - 1];
	struct cursor value = port, rest, name;
	uint8_t member = x->full ? FULL : LIMITED;
	uint64_t guid;
	bool given;

	name = pair_sls_file_name_of(&value, &given);
	if (cur_empty(&name) || pair_sls_file_begins(name, "NONE"))
		return true;
	if (given)
		member = pair_sls_file_begins(value, "full") || pair_sls_file_begins(value, "both") ? FULL
												    : LIMITED;
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (pair_sls_file_begins(name, all[i].word)) {
			pair_sls_file_add_all(x, p, all[i].type, member);
			return true;
		}
	if (pair_sls_file_begins(name, "SELF")) {
		if (x->t->sm_endport != NO_ID)
			p->member[x->t->sm_endport] = member;
		return true;
	}
	if (!c_number(name, &guid, &rest) || !cur_empty(&rest) || !guid)
		return pair_sls_file_fail(x, port, "no GUID of a port; OpenSM gives the file up");
	uint32_t ep = fabric_endport_by_guid(x->t->fabric, guid);
	if (ep == NO_ID)
		partition_line_add(x->to, p, x->line, guid);
	else if (x->t->endport_up[ep])
		p->member[ep] = member;
	return true;
}

/* What stands between two `;` on a line; false: it failed. */
static bool take_piece(struct partitions *x, struct cursor piece)
{
	if (!x->now_at && !memchr(piece.p, ':', cur_len(piece)))
		return pair_sls_file_fail(x, piece, "no partition; OpenSM gives the file up");
	if (!x->now_at && !define(x, cur_part(&piece, ':')))
		return false;
	while (!cur_empty(&piece)) {
		struct cursor port = cur_trimmed(cur_part(&piece, ','));

		if (cur_begins(port, "mgid") && cur_len(port) > 4)
			return true;
		if (!pair_sls_file_take_port(x, port))
			return false;
	}
	return true;
}

static void end_definition(struct partitions *x)
{
	x->now_at = 0;
	x->sl = 0;
	x->full = false;
}

/*
 * The first thing on a line is the `;` of a definition, at x->buffer[at]. OpenSM then goes on two bytes
 * beyond the rest of the line, where it finds what is left of an earlier line, up to a character that it made
 * a NUL.
 */
static void take_lone_end(struct partitions *x, size_t at, struct cursor line)
{
	size_t rest = strcspn(x->buffer + at + 1, "#"), left = at + 2 + rest;

	end_definition(x);
	if (strspn(x->buffer + at + 1, " \t\n") < rest)
		pair_sls_file_fail(x, line, "no GUID of a port; OpenSM gives the file up");
	else if (left < sizeof(x->buffer) &&
		 strcspn(x->buffer + left + strspn(x->buffer + left, " \t\n"), ":=,;#"))
		pair_sls_file_fail(
			x, line, "behind it OpenSM reads the rest of an earlier line, and gives the file up");
}

static void pair_sls_file_take_line(struct partitions *x, struct cursor line, bool whole)
{
	const char *start = line.p;

	if (cur_len(line) <= PIECE)
		snprintf(x->buffer, sizeof(x->buffer), "%.*s%s", CUR_ARGS(line), whole ? "\n" : "");
	line = cur_part(&line, '#');
	while (cur_blanks(&line), !cur_empty(&line)) {
		bool ends = memchr(line.p, ';', cur_len(line)) != NULL;

		if (x->now_at && *line.p == ';' && (size_t)(line.p - start) < PIECE &&
		    !memchr(start, ';', (size_t)(line.p - start))) {
			take_lone_end(x, (size_t)(line.p - start), line);
			return;
		}
		if (!take_piece(x, cur_part(&line, ';')))
			return;
		if (ends)
			end_definition(x);
	}
}

static int by_compared_pkey(const void *a, const void *b)
{
	const struct pkey_member *x = a, *y = b;
	unsigned p = (x->pkey & 0xffu) << 8 | x->pkey >> 8, q = (y->pkey & 0xffu) << 8 | y->pkey >> 8;

	return p != q ? (p > q ? 1 : -1) : y->full - x->full;
}

/* The n members so far end with those of a port, which get the order in which OpenSM compares P_Keys. */
static void end_port(struct pair_sls *p, uint32_t ep, uint32_t n)
{
	if (n > p->first[ep])
		qsort(p->member + p->first[ep], n - p->first[ep], sizeof(*p->member), by_compared_pkey);
	p->first[ep + 1] = n;
}

static void pair_sls_file_keep(const struct partitions *x, struct pair_sls *p)
{
	uint32_t n = 0, cap = 0;

	p->file = str_dup(x->file);
	p->n_lines = x->failed ? 0 : p->n_lines;
	for (size_t i = 0; i < (x->failed ? 1 : x->n); i++)
		partition_line_add(p, &x->part[i], x->part[i].line, 0);
	p->first = NEW_ARRAY(p->n_endports + 1u, uint32_t);
	for (uint32_t ep = 0; ep < p->n_endports; ep++) {
		for (const struct partition *part = x->part; part < x->part + x->n; part++) {
			if (part->member[ep] == NO_MEMBER)
				continue;
			GROW(p->member, n, cap);
			p->member[n++] = (struct pkey_member){part->pkey, part->member[ep] == FULL, part->sl};
		}
		end_port(p, ep, n);
	}
}

bool partitions_parse(struct pair_sls *p, const struct topo *t, bool qos, const struct input *in,
		      struct text *notes)
{
	struct partitions x = {
		.t = t, .to = p, .qos = qos, .modelled = true, .notes = notes, .file = in->name};
	struct lines l = lines_of(in);
	struct cursor line;

	assert(!p->first && !p->member && p->n_endports == t->fabric->n_endports);
	/* the default partition: all ports limited, the subnet manager's in full */
	pair_sls_file_add_all(&x, partition_of(&x, "Default", DEFAULT_PKEY), 0, LIMITED);
	if (t->sm_endport != NO_ID)
		x.part[0].member[t->sm_endport] = FULL;
	while (!x.failed && lines_next(&l, &line)) {
		x.line = l.no;
		if (cur_len(line) > PIECE) {
			x.modelled = false;
			odd(&x, line, "lines of more than 4094 bytes are not modelled");
		}
		pair_sls_file_take_line(&x, line, line.end < in->data + in->size);
	}
	if (x.failed || !x.any) { /* then there is the default partition alone, with all ports in full */
		if (!x.any && !x.failed)
			text_add(notes, "%s: no partition is defined; OpenSM takes its default\n", in->name);
		for (size_t i = 0; i < x.n; i++)
			memset(x.part[i].member, NO_MEMBER, t->fabric->n_endports);
		pair_sls_file_add_all(&x, &x.part[0], 0, FULL);
	}
	pair_sls_file_keep(&x, p);
	for (size_t i = 0; i < x.n; i++)
		free(x.part[i].member);
	free(x.part);
	return x.modelled;
}

/* --- the QoS policy ---------------------------------------------------------------------------- */

/* The next range of `0x1234-0x1235, 0x1236`; false: it is none. */
static bool next_range(struct cursor *list, uint64_t *from, uint64_t *to)
{
	struct cursor last = cur_trimmed(cur_part(list, ',')), all = last,
		      first = cur_trimmed(cur_part(&last, '-'));

	if (!cur_is_number(first, 0, from))
		return false;
	*to = *from;
	return !cur_find(&all, "-") || cur_is_number(cur_trimmed(last), 0, to);
}

/* Is all of it ranges, of numbers up to this one? */
static bool is_list(struct cursor list, uint64_t most)
{
	uint64_t from, to;

	if (cur_empty(&list) || list.end[-1] == ',')
		return false;
	while (!cur_empty(&list))
		if (!next_range(&list, &from, &to) || to > most)
			return false;
	return true;
}

/* Has a partition two members in full?  Without a file of partitions there is the default one, of all. */
static bool has_two_full(const struct pair_sls *p, const struct topo *t, unsigned pkey)
{
	uint32_t full = 0;

	for (uint32_t ep = 0; ep < p->n_endports && full < 2; ep++) {
		full += !p->first && pkey == DEFAULT_PKEY && t->endport_up[ep];
		for (uint32_t i = p->first ? p->first[ep] : 0; p->first && i < p->first[ep + 1]; i++)
			full += p->member[i].pkey == pkey && p->member[i].full;
	}
	return full >= 2;
}

/* `sdp, port-num 1-2`, `ipoib, pkey 0x1`, without the SL: does OpenSM take it? */
static bool is_ulp(const struct pair_sls *p, const struct topo *t, struct cursor what, struct cursor head)
{
	bool ipoib = cur_is(what, "ipoib"),
	     port = cur_is(what, "sdp") || cur_is(what, "rds") || cur_is(what, "iser");
	uint64_t from, to;

	if ((ipoib || port) && cur_empty(&head))
		return port || has_two_full(p, t, DEFAULT_PKEY);
	if ((!ipoib || !cur_word(&head, "pkey")) && (!port || !cur_word(&head, "port-num")))
		return false;
	if (!is_list(head, UINT16_MAX))
		return false;
	while (ipoib && next_range(&head, &from, &to))
		for (uint64_t pkey = from; pkey <= to; pkey++)
			if (!has_two_full(p, t, (unsigned)pkey & 0x7fff))
				return false;
	return true;
}

/* Gives paths to the ports of a list of ranges an SL, where no earlier line gave one. */
static void take_targets(struct pair_sls *p, const struct topo *t, struct cursor list, uint8_t sl)
{
	uint64_t from, to;

	while (next_range(&list, &from, &to))
		for (uint32_t ep = 0; ep < p->n_endports; ep++) {
			uint64_t guid = t->fabric->port_guid[t->fabric->endport_port[ep]];

			if (guid >= from && guid <= to && p->to[ep] == NO_PAIR_SL)
				p->to[ep] = sl;
		}
}

/* What a line of a policy is. */
enum policy_line {
	LINE_TAKEN,
	LINE_OPEN,  /* it goes on in the next one */
	LINE_WRONG, /* a syntax error: OpenSM gives the whole policy up */
	LINE_OTHER  /* not modelled */
};

/* A line of qos-ulps. *rest: SL of all other paths. */
static enum policy_line take_ulp(struct pair_sls *p, const struct topo *t, struct cursor line, unsigned *rest)
{
	const char *colon = cur_find_last(&line, ':');
	struct cursor head = cur_trimmed((struct cursor){line.p, colon ? colon : line.end}), what,
		      number = cur_trimmed((struct cursor){colon ? colon + 1 : line.end, line.end});
	uint64_t sl;

	if (cur_empty(&number))
		return LINE_OPEN;
	if (cur_find(&head, ":") || cur_find(&number, " ") || cur_find(&number, "\t")) /* several in a line */
		return LINE_OTHER;
	if (!cur_is_number(number, 0, &sl) || sl > 15)
		return LINE_WRONG;
	if (cur_is(head, "default")) {
		*rest = (unsigned)sl;
		return LINE_TAKEN;
	}
	what = cur_trimmed(cur_part(&head, ','));
	if ((cur_is(what, "any") || cur_is(what, "srp")) && cur_word(&head, "target-port-guid")) {
		head = cur_trimmed(head);
		if (!is_list(head, UINT64_MAX))
			return LINE_WRONG;
		take_targets(p, t, head, (uint8_t)sl);
		return LINE_TAKEN;
	}
	/* these ask for a service or a P_Key, which a path between two ports does not name */
	if (!cur_is(what, "any"))
		return is_ulp(p, t, what, head) ? LINE_TAKEN : LINE_WRONG;
	return (cur_word(&head, "service-id") || cur_word(&head, "pkey")) &&
			       is_list(cur_trimmed(head), UINT64_MAX)
		       ? LINE_TAKEN
		       : LINE_WRONG;
}

bool qos_policy_parse(struct pair_sls *p, const struct topo *t, const struct input *in, struct text *notes)
{
	struct lines l = lines_of(in);
	struct cursor line;
	unsigned rest = NO_PAIR_SL;
	enum policy_line is = LINE_TAKEN;
	bool inside = false;
	char found[40];
	static const char *const ends[] = {"qos-ulps", "end-qos-ulps"}; /* sections: in small letters alone */

	assert(!p->to && p->n_endports == t->fabric->n_endports);
	p->to = NEW_ARRAY(p->n_endports + 1u, uint8_t);
	memset(p->to, NO_PAIR_SL, p->n_endports + 1u);
	while (is <= LINE_OPEN && lines_next(&l, &line)) {
		line = cur_trimmed(cur_part(&line, '#'));
		if (cur_empty(&line))
			continue;
		if (is == LINE_OPEN) /* by a number or a colon; a word begins something else */
			is = isalpha((unsigned char)*line.p) ? LINE_WRONG : LINE_OTHER;
		else if (cur_same(line, cur_text(ends[inside])))
			inside = !inside;
		else if (inside)
			is = take_ulp(p, t, line, &rest);
		else
			is = cur_same(line, cur_text("port-groups")) ||
					     (cur_len(line) > 4 && !memcmp(line.p, "qos-", 4))
				     ? LINE_OTHER
				     : LINE_WRONG;
		if (is == LINE_WRONG)
			text_add(notes, "%s:%u: found '%s': OpenSM gives the whole QoS policy up\n", in->name,
				 l.no, excerpt(line, found, sizeof(found)));
		else if (is == LINE_OTHER)
			text_add(notes,
				 "%s:%u: found '%s': of the QoS policy only simple lines of qos-ulps are "
				 "modelled\n",
				 in->name, l.no, excerpt(line, found, sizeof(found)));
	}
	if (is <= LINE_OPEN && (rest == NO_PAIR_SL || inside)) {
		text_add(notes,
			 "%s: qos-ulps without `default`, or without its end: OpenSM gives the whole QoS "
			 "policy up\n",
			 in->name);
		is = LINE_WRONG;
	}
	for (uint32_t ep = 0; is == LINE_TAKEN && ep < p->n_endports; ep++)
		if (p->to[ep] == NO_PAIR_SL)
			p->to[ep] = (uint8_t)rest;
	if (is != LINE_TAKEN) {
		free(p->to);
		p->to = NULL;
	}
	return is != LINE_OTHER;
}

/* --- both ---------------------------------------------------------------------------------------- */

/* Are all pairs of ports that are up offered one SL? */
static void find_one(struct pair_sls *p, const struct topo *t)
{
	uint32_t first = NO_ID;

	if (p->first && !p->member)
		return;
	for (uint32_t ep = 0; ep < p->n_endports; ep++) {
		const struct pkey_member *m = p->first ? &p->member[p->first[ep]] : NULL;

		if (!t->endport_up[ep])
			continue;
		if (first == NO_ID)
			first = ep;
		/* alike: the first partition of each is the same one, in full, so it decides about all pairs
		 */
		if ((m && (p->first[ep] == p->first[ep + 1] || !m->full ||
			   m->pkey != p->member[p->first[first]].pkey)) ||
		    (p->to && p->to[ep] != p->to[first]))
			return;
	}
	if (first == NO_ID)
		return;
	p->all = NO_PAIR_SL;
	if (p->to)
		p->all = p->to[first];
	else if (p->first)
		p->all = p->member[p->first[first]].sl;
	p->one = true;
}

/* The content of an option's file, to be freed; NULL: none is set, or it cannot be read (*unread). */
static char *content(const struct options *o, const char *option, struct progress *p, size_t *size,
		     bool *unread, struct text *notes)
{
	const char *path = options_get(o, option);
	char *data = NULL;
	struct err e;

	if (!*path)
		return NULL;
	if (!read_small_file(path, p, &data, size, &e))
		return data;
	*unread = true;
	if (options_bool(o, "qos")) /* every opensm.conf names such files; without qos no SL is of them */
		text_add(notes, "%s: %s\n", option, e.msg);
	return NULL;
}

/* --- P_Keys that ports hold ------------------------------------------------------------------ */

#define FULL_MEMBER 0x8000u

uint32_t pkeys_untold(const struct topo *t, uint32_t *first)
{
	const struct fabric *f = t->fabric;
	const struct managers *m = fabric_managers(f);
	uint32_t n = 0;

	*first = NO_ID;
	for (uint32_t ep = 0; m && m->n_pkeys && ep < f->n_endports; ep++) {
		if (t->endport_up[ep] && !pkeys_at(m, f->port_guid[f->endport_port[ep]]) && !n++)
			*first = ep;
	}
	return n;
}

void partitions_take_pkeys(struct pair_sls *p, const struct topo *t, const struct managers *m)
{
	const struct fabric *f = t->fabric;
	AUTO_FREE uint8_t *sl = NEW_ARRAY(FULL_MEMBER, uint8_t);
	uint32_t n = 0, cap = 0;

	for (uint32_t i = 0; p->first && i < p->first[p->n_endports]; i++)
		sl[p->member[i].pkey] = p->member[i].sl;
	free(p->member);
	free(p->first);
	p->member = NULL;
	p->first = NEW_ARRAY(p->n_endports + 1u, uint32_t);
	for (uint32_t ep = 0; ep < p->n_endports; ep++) {
		uint64_t guid = f->port_guid[f->endport_port[ep]];
		const struct port_pkey *x = pkeys_at(m, guid);

		for (; x && x < m->pkey + m->n_pkeys && x->guid == guid; x++) {
			uint16_t pkey = x->pkey & (FULL_MEMBER - 1);

			if (!pkey)
				continue;
			GROW(p->member, n, cap);
			p->member[n++] = (struct pkey_member){pkey, x->pkey != pkey, sl[pkey]};
		}
		end_port(p, ep, n);
	}
}

struct pair_sls *pair_sls_read(const struct options *o, const struct topo *t, struct progress *p,
			       bool *unread, struct text *notes)
{
	const struct managers *m = fabric_managers(t->fabric);
	bool qos = options_bool(o, "qos");
	struct pair_sls *r = pair_sls_new(t->fabric->n_endports);
	struct input partitions = {.name = options_get(o, "partition_config_file")},
		     policy = {.name = options_get(o, "qos_policy_file")};
	uint32_t untold;

	*unread = false;
	AUTO_FREE char *members = content(o, "partition_config_file", p, &partitions.size, unread, notes);
	partitions.data = members;
	if (members)
		*unread |= !partitions_parse(r, t, qos, &partitions, notes);
	if (m && m->n_pkeys && t->n_endports_up && !pkeys_untold(t, &untold))
		partitions_take_pkeys(r, t, m);
	AUTO_FREE char *ulps = qos ? content(o, "qos_policy_file", p, &policy.size, unread, notes) : NULL;
	policy.data = ulps;
	if (ulps)
		*unread |= !qos_policy_parse(r, t, &policy, notes);
	if (r->first || r->to) {
		find_one(r, t);
		return r;
	}
	counted_unref(&r->counted);
	return NULL;
}

struct pair_sls *partitions_known(const struct options *o, const struct topo *t, struct progress *p)
{
	const struct managers *m = fabric_managers(t->fabric);
	AUTO_TEXT struct text notes = {0};
	bool unread;
	struct pair_sls *r = pair_sls_read(o, t, p, &unread, &notes);

	r = r ? r : pair_sls_new(t->fabric->n_endports);
	if (!r->first && m && m->n_pkeys)
		partitions_take_pkeys(r, t, m);
	return r;
}
