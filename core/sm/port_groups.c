/* OpenSM's QoS policy: levels and groups of ports. */
#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/sm/engine.h"
#include "core/sm/port_groups.h"

sl2vl_map qos_parse_sl2vl(const char *list)
{
	sl2vl_map m = 0;

	for (unsigned sl = 0; sl < 16; sl++) {
		char *end;

		m |= (sl2vl_map)(strtoul(list, &end, 0) & 15) << (4 * sl);
		list = *end ? end + 1 : end;
	}
	return m;
}

/* The map for a kind of ports, before it is reduced to a port's VLs. */
static sl2vl_map map_of_kind(const struct options *o, const char *name)
{
	const char *list = options_get(o, name);

	if (!*list)
		list = options_get(o, "qos_sl2vl");
	return qos_parse_sl2vl(*list ? list : QOS_DEFAULT_SL2VL);
}

/* Do all live external ports have one map? Then it is *all. */
static bool one_map(const struct topo *t, sl2vl_map m, const uint8_t *opervls, sl2vl_map *all)
{
	const struct fabric *f = t->fabric;
	bool first = true;

	*all = m;
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		for (unsigned p = 1; switch_up(t, sw) && p <= f->switch_nports[sw]; p++) {
			uint32_t port = switch_port_id(f, sw, p);
			sl2vl_map cut = opervls_cut(m, opervls[port]);

			if (t->peer[port] == NO_ID)
				continue;
			if (!first && cut != *all)
				return false;
			*all = cut;
			first = false;
		}
	}
	return true;
}

static void give_switches(struct sl_tables *l, const struct topo *t, sl2vl_map m, const uint8_t *opervls)
{
	const struct fabric *f = t->fabric;
	sl2vl_map all;

	if (one_map(t, m, opervls, &all)) {
		sl_tables_set_all(l, all);
		return;
	}
	for (uint32_t sw = 0; sw < f->n_switches; sw++)
		for (unsigned p = 1; switch_up(t, sw) && p <= f->switch_nports[sw]; p++)
			sl_tables_set_out(l, sw, p, opervls_cut(m, opervls[switch_port_id(f, sw, p)]));
}

void qos_give_maps(struct sl_tables *l, const struct topo *t, const struct options *o, const uint8_t *opervls)
{
	const struct fabric *f = t->fabric;
	unsigned max = (unsigned)options_uint(o, "max_op_vls");
	sl2vl_map ca = map_of_kind(o, "qos_ca_sl2vl"), rtr = map_of_kind(o, "qos_rtr_sl2vl"),
		  sw0 = map_of_kind(o, "qos_sw0_sl2vl"), swe = map_of_kind(o, "qos_swe_sl2vl");

	assert(l->n_switches == f->n_switches && l->n_endports == f->n_endports);
	l->programmed = true;
	l->closed = sl2vl_of(swe, 0) == 15;
	give_switches(l, t, swe, opervls);
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep];

		if (!t->endport_up[ep])
			continue;
		if (endport_is_switch(f, ep)) {
			if (f->switch_esp0[t->endport_switch[ep]])
				sl_tables_set_endport(l, ep, opervls_cut(sw0, opervls[port]));
		} else if (t->peer[port] != NO_ID) {
			sl_tables_set_endport(
				l, ep,
				opervls_cut(f->node_type[f->port_node[port]] == NODE_ROUTER ? rtr : ca,
					    opervls_given(t, port, max)));
		}
	}
}

const char *qos_unread(const struct options *o)
{
	bool partitions = *options_get(o, "partition_config_file"),
	     policy = *options_get(o, "qos_policy_file");

	if (!options_bool(o, "qos"))
		return NULL;
	if (partitions && policy)
		return "partition_config_file and qos_policy_file";
	if (partitions)
		return "partition_config_file";
	return policy ? "qos_policy_file" : NULL;
}

void qos_tell_unread(const struct options *o, struct text *t)
{
	const char *what = qos_unread(o);

	if (what)
		text_add(
			t,
			"%s: not all of it is modelled here; with qos OpenSM may take other SLs from it, and "
			"so other VLs, than ibscope tells (`set path_sl_file FILE` takes SLs)\n",
			what);
}

#define MOST_PATTERN 255
#define MOST_NESTED 32 /* groups made of groups */

enum rule_kind { BY_GUID, BY_RANGE, BY_NAME, BY_REGEXP, BY_UNION, BY_SUBTRACT, N_RULES };

static const char *const rule_names[N_RULES] = {"port-guid",   "port-guid-range", "port-name",
						"port-regexp", "union-rule",	  "subtract-rule"};

struct port_groups_rule {
	enum rule_kind kind;
	char *value;
	regex_t regexp; /* BY_REGEXP */
	unsigned port;	/* BY_REGEXP: only this one; 0 = all */
};

struct port_groups_member {
	char *name; /* NULL: not given yet */
	struct port_groups_rule *rule;
	size_t n, cap;
};

struct port_groups {
	struct port_groups_member *group;
	size_t n, cap;
};

/* --- reading ------------------------------------------------------------------------------------ */

/*
 * glibc copies what + and { } repeat, so that nested ones need memory without end, and back references time.
 * Are there such?
 */
static bool is_endless(const char *s)
{
	for (char before = 0; *s; before = *s++) {
		if (*s == '{' || (*s == '+' && before && strchr("+*?)", before)))
			return true;
		if (*s == '\\' && (!*++s || isdigit((unsigned char)*s)))
			return true;
	}
	return false;
}

/* Compiles a pattern `REGEXP` or `REGEXP:PORT`.  What may take for ever is refused. */
static int read_regexp(struct port_groups_rule *r, const char *at, struct err *e)
{
	char *colon = strrchr(r->value, ':');
	uint64_t port;
	char why[80];

	if (colon && number_of_any(colon + 1, 1, 254, &port)) {
		r->port = (unsigned)port;
		*colon = '\0';
	}
	if (strlen(r->value) > MOST_PATTERN || is_endless(r->value))
		return err_set(
			e,
			"%s: found '%.40s', expected a regular expression of up to %d characters, without "
			"{, back references and + behind a repetition or )",
			at, r->value, MOST_PATTERN);
	int rc = regcomp(&r->regexp, r->value, REG_EXTENDED | REG_NOSUB);
	if (!rc)
		return 0;
	regerror(rc, &r->regexp, why, sizeof(why));
	return err_set(e, "%s: found '%.40s', expected a regular expression: %s", at, r->value, why);
}

static int add_rule(struct port_groups_member *g, enum rule_kind kind, struct cursor value, const char *at,
		    struct err *e)
{
	struct port_groups_rule r = {.kind = kind, .value = str_printf("%.*s", CUR_ARGS(value))};

	if (kind == BY_REGEXP && read_regexp(&r, at, e)) {
		free(r.value);
		return -1;
	}
	GROW(g->rule, g->n, g->cap);
	g->rule[g->n++] = r;
	return 0;
}

/* `KEY: VALUE`.  Other keys ("use") do not say who is in it. */
static int port_groups_read_key(struct port_groups_member *g, struct cursor line, const char *at,
				struct err *e)
{
	struct cursor value = line, key = cur_trimmed(cur_part(&value, ':'));

	value = cur_trimmed(value);
	if (cur_is(key, "name")) {
		free(g->name);
		g->name = str_printf("%.*s", CUR_ARGS(value));
		return 0;
	}
	for (unsigned k = 0; k < N_RULES; k++)
		if (cur_is(key, rule_names[k]))
			return add_rule(g, (enum rule_kind)k, value, at, e);
	return 0;
}

static int read_groups(struct port_groups *g, const struct input *in, struct err *e)
{
	struct lines l = lines_of(in);
	struct cursor line;
	bool inside = false;
	char at[256], found[40];
	int rc = 0;

	while (!rc && lines_next(&l, &line)) {
		line = cur_trimmed(cur_part(&line, '#'));
		snprintf(at, sizeof(at), "%.200s:%u", in->name, l.no);
		if (cur_empty(&line))
			continue;
		if (cur_is(line, "port-group") && !inside) {
			GROW(g->group, g->n, g->cap);
			g->group[g->n++] = (struct port_groups_member){0};
			inside = true;
		} else if (cur_is(line, "end-port-group") && inside) {
			inside = false;
			if (!g->group[g->n - 1].name)
				rc = err_set(
					e, "%s: found a port group without name, expected `name: NAME` in it",
					at);
		} else if (inside && memchr(line.p, ':', cur_len(line))) {
			rc = port_groups_read_key(&g->group[g->n - 1], line, at, e);
		} else {
			rc = err_set(e, "%s: found '%s', expected %s", at,
				     excerpt(line, found, sizeof(found)),
				     inside ? "KEY: VALUE or end-port-group" : "port-group");
		}
	}
	if (!rc && inside)
		rc = err_set(e, "%.200s:%u: found the end, expected end-port-group", in->name, l.no);
	return rc;
}

struct port_groups *port_groups_parse(const char *name, const char *data, size_t size, struct err *e)
{
	struct input in = {.name = name, .data = data, .size = size};
	struct port_groups *g = NEW(struct port_groups);

	if (!read_groups(g, &in, e))
		return g;
	port_groups_free(g);
	return NULL;
}

void port_groups_free(struct port_groups *g)
{
	for (size_t i = 0; g && i < g->n; i++) {
		for (size_t k = 0; k < g->group[i].n; k++) {
			if (g->group[i].rule[k].kind == BY_REGEXP)
				regfree(&g->group[i].rule[k].regexp);
			free(g->group[i].rule[k].value);
		}
		free(g->group[i].rule);
		free(g->group[i].name);
	}
	if (g)
		free(g->group);
	free(g);
}

/* --- members -------------------------------------------------------------------------------------- */

struct port_groups_search {
	const struct port_groups *g;
	const struct fabric *f;
	unsigned depth;
	struct err *e;
};

/* The next of a list `A, B`; false at its end. */
static bool next_of(struct cursor *list, struct cursor *part)
{
	*part = cur_trimmed(cur_part(list, ','));
	return !cur_empty(part) || !cur_empty(list);
}

/* `hostname=H; port=P; hca_idx=I`: is a port of a host meant, whose name is made of H? */
static bool named(struct cursor words, const struct fabric *f, uint32_t port)
{
	const char *desc = f->node_desc[f->port_node[port]];
	AUTO_FREE char *index = NULL;
	bool is = !node_is_switch(f, f->port_node[port]), host = false;
	uint64_t n;

	while (is && !cur_empty(&words)) {
		struct cursor value = cur_trimmed(cur_part(&words, ';')),
			      key = cur_trimmed(cur_part(&value, '='));

		value = cur_trimmed(value);
		if (cur_is(key, "hostname")) {
			host = true;
			is = cur_len(value) <= strlen(desc) && !memcmp(desc, value.p, cur_len(value)) &&
			     (!desc[cur_len(value)] || isspace((unsigned char)desc[cur_len(value)]));
		} else if (cur_is(key, "port")) {
			is = cur_is_number(value, 10, &n) && n == f->port_num[port];
		} else if (cur_is(key, "hca_idx")) {
			free(index);
			index = str_printf("HCA-%.*s", CUR_ARGS(value));
		}
	}
	if (index && is) {
		const char *at = strstr(desc, index);

		is = at && !isdigit((unsigned char)at[strlen(index)]);
	}
	return is && host;
}

/* Does one part of a rule mean a port? */
static bool part_means(const struct port_groups_rule *r, struct cursor part, const struct fabric *f,
		       uint32_t port)
{
	uint64_t guid = f->port_guid[port], first, last;

	switch (r->kind) {
	case BY_GUID:
		return cur_is_number(part, 0, &first) && guid == first;
	case BY_RANGE:
		return cur_is_number(cur_trimmed(cur_part(&part, '-')), 0, &first) &&
		       cur_is_number(cur_trimmed(part), 0, &last) && guid >= first && guid <= last;
	default:
		return named(part, f, port);
	}
}

static bool rule_means(const struct port_groups_rule *r, const struct fabric *f, uint32_t port)
{
	struct cursor list = cur_text(r->value), part;
	bool means = false;

	if (r->kind == BY_REGEXP)
		return (!r->port || r->port == f->port_num[port]) &&
		       !regexec(&r->regexp, f->node_desc[f->port_node[port]], 0, NULL, 0);
	while (!means && next_of(&list, &part))
		means = part_means(r, part, f, port);
	return means;
}

static int add_members(struct port_groups_search *s, const char *group, uint8_t *in);

/* Groups made of groups: all of them together, or the first without the others. */
static int combine(struct port_groups_search *s, const struct port_groups_rule *r, uint8_t *in)
{
	const struct fabric *f = s->f;
	struct cursor list = cur_text(r->value), part;
	AUTO_FREE uint8_t *sum = NEW_ARRAY(f->n_ports + 1, uint8_t);
	bool first = true;
	int rc = 0;

	while (!rc && next_of(&list, &part)) {
		AUTO_FREE char *name = str_printf("%.*s", CUR_ARGS(part));
		AUTO_FREE uint8_t *one = NEW_ARRAY(f->n_ports + 1, uint8_t);

		rc = add_members(s, name, one);
		if (!rc)
			rc = err_set(s->e, "port group %.60s: %s names no group of the file", name,
				     rule_names[r->kind]);
		rc = rc < 0 ? -1 : 0;
		for (uint32_t p = 0; p < f->n_ports; p++)
			sum[p] = first || r->kind == BY_UNION ? sum[p] | one[p] : sum[p] & !one[p];
		first = false;
	}
	for (uint32_t p = 0; p < f->n_ports; p++)
		in[p] |= sum[p];
	return rc;
}

/* As port_groups_members(). */
static int add_members(struct port_groups_search *s, const char *group, uint8_t *in)
{
	const struct port_groups_member *g = NULL;
	int rc = 0;

	for (size_t i = 0; i < s->g->n; i++)
		if (!strcmp(s->g->group[i].name, group))
			g = &s->g->group[i];
	if (!g)
		return 0;
	if (s->depth == MOST_NESTED)
		return err_set(s->e, "port group %.60s: made of itself, or of too many groups", group);
	s->depth++;
	for (size_t i = 0; !rc && i < g->n; i++) {
		const struct port_groups_rule *r = &g->rule[i];

		if (r->kind == BY_UNION || r->kind == BY_SUBTRACT) {
			rc = combine(s, r, in);
			continue;
		}
		for (uint32_t ep = 0; ep < s->f->n_endports; ep++)
			in[s->f->endport_port[ep]] |= rule_means(r, s->f, s->f->endport_port[ep]);
	}
	s->depth--;
	return rc ? rc : 1;
}

int port_groups_members(const struct port_groups *g, const char *group, const struct fabric *f, uint8_t *in,
			struct err *e)
{
	return add_members(&(struct port_groups_search){.g = g, .f = f, .e = e}, group, in);
}

/* --- files of GUIDs -------------------------------------------------------------------------------- */

struct expansion {
	const struct fabric *f;
	const struct port_groups *groups;
	const char *path;
	enum opt_names what;
	struct guid_file *g;
};

static void port_groups_add_guid(struct guid_file *g, uint64_t guid, unsigned line, char *rest)
{
	GROW(g->l, g->n, g->cap);
	g->l[g->n++] = (struct guid_line){guid, line, rest};
}

static void port_groups_stop(struct guid_file *g, unsigned line, const char *why)
{
	g->stopped = line;
	err_set(&g->why, "%s", why);
}

/* 1: the line is a group's name, and its members are added. */
static int port_groups_add_group(const struct expansion *x, const char *group, unsigned line)
{
	const struct fabric *f = x->f;
	AUTO_FREE uint8_t *in = NEW_ARRAY(f->n_ports + 1, uint8_t);
	struct err why;
	int rc = port_groups_members(x->groups, group, f, in, &why);

	if (rc < 0)
		port_groups_stop(x->g, line, why.msg);
	for (uint32_t port = 0; rc > 0 && port < f->n_ports; port++) {
		uint32_t node = f->port_node[port];
		bool sw = node_is_switch(f, node);

		if (in[port] && (x->what == OPT_ANY_PORTS || sw == (x->what == OPT_SWITCHES)))
			port_groups_add_guid(
				x->g, x->what == OPT_SWITCHES ? f->node_guid[node] : f->port_guid[port], line,
				str_dup(""));
	}
	return rc;
}

static void read_expanded(const struct expansion *x, const struct input *in, bool discard)
{
	struct lines l = lines_of(in);
	struct cursor line, word;
	char found[40];

	while (!x->g->stopped && lines_next(&l, &line)) {
		struct guid_file one;

		word = cur_trimmed(line);
		AUTO_FREE char *group = str_printf("%.*s", CUR_ARGS(word));
		if (*group && *group != '#' && port_groups_add_group(x, group, l.no))
			continue;
		guid_file_parse(&one, x->path, line.p, cur_len(line), false);
		for (size_t i = 0; i < one.n; i++) {
			port_groups_add_guid(x->g, one.l[i].guid, l.no, one.l[i].rest);
			one.l[i].rest = NULL;
		}
		if (one.stopped && discard) {
			if (!x->g->skipped++)
				x->g->first_skipped = l.no;
		} else if (one.stopped) {
			x->g->stopped = l.no;
			err_set(&x->g->why,
				"%s:%u: found '%s', expected a GUID or the name of a port group; the rest of "
				"the "
				"file is not read",
				x->path, l.no, excerpt(word, found, sizeof(found)));
		}
		guid_file_free(&one);
	}
}

/* By NVIDIA's rules a rank may follow a GUID of root_guid_file; only rank 0 is a root. */
static void drop_ranked(const struct options *o, const char *option, struct guid_file *g)
{
	size_t n = 0;

	if (strcmp(option, "root_guid_file") != 0 || !nvidia_rules(o))
		return;
	for (size_t i = 0; i < g->n; i++)
		if (strtoul(g->l[i].rest, NULL, 0))
			free(g->l[i].rest);
		else
			g->l[n++] = g->l[i];
	g->n = n;
}

void option_guids_read(const struct options *o, const char *option, const struct fabric *f,
		       bool discard_invalid, struct progress *p, struct guid_file *g)
{
	const char *path = options_file(o, option), *policy = NULL;
	struct expansion x = {.f = f, .path = path, .what = options_find(o, option)->names, .g = g};
	struct input in = {.name = path};
	struct port_groups *groups = NULL;
	AUTO_FREE char *data = NULL, *text = NULL;
	struct err why;
	size_t size;

	assert(path);
	if (options_find(o, "pgrp_policy_file"))
		policy = options_file(o, "pgrp_policy_file");
	if (!policy || options_has_list(o, option) || x.what == OPT_NO_NAMES || x.what == OPT_SWITCH_IDS) {
		guid_file_read(g, path, discard_invalid, p);
		drop_ranked(o, option, g);
		return;
	}
	*g = (struct guid_file){0};
	if (!read_small_file(policy, p, &data, &size, &why) &&
	    !read_small_file(path, p, &text, &in.size, &why))
		groups = port_groups_parse(policy, data, size, &why);
	if (groups) {
		in.data = text;
		x.groups = groups;
		read_expanded(&x, &in, discard_invalid);
	} else {
		port_groups_stop(g, UINT_MAX, why.msg);
	}
	port_groups_free(groups);
	drop_ranked(o, option, g);
}
