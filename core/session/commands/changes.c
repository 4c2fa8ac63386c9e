/* `changes`: what differs between two fabrics, and what the difference would do as one event; `partitions`.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/doctor/doctor.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/elements.h"
#include "core/formats/readers.h"
#include "core/session/commands/commands.h"
#include "core/sm/lft_file.h"

static json_t *changes_command_links_of(const struct fabric_changes *x, const struct fabric_change *c)
{
	const struct fabric *f = change_side(x, c);
	json_t *list = json_array();

	for (uint32_t i = 0; i < c->n_cables; i++) {
		uint32_t id = x->cable[c->first_cable + i];
		json_t *o = json_object();

		json_put_port(o, "a", f, NULL, id);
		json_put_port(o, "b", f, NULL, f->port_peer[id]);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *changes_command_nodes_of(const struct fabric_changes *x, const struct fabric_change *c,
					uint32_t first, uint32_t n)
{
	json_t *list = json_array();

	for (uint32_t i = first; i < first + n; i++) {
		json_t *o = json_object();

		json_put_node(o, "name", change_side(x, c), NULL, x->node[i]);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *part_json(const struct fabric_changes *x, const struct fabric_change *c)
{
	json_t *o =
		json_make("{s:s, s:s, s:o, s:o, s:o, s:o, s:I}", "change", change_word[c->kind], "kind",
			  part_word[c->chassis ? PART_CHASSIS : PART_CARD], "name", json_text(c->part),
			  "switches", changes_command_nodes_of(x, c, c->first_node, c->n_switches), "hosts",
			  changes_command_nodes_of(x, c, c->first_node + c->n_switches, c->n_hosts), "links",
			  changes_command_links_of(x, c), "inside", (json_int_t)c->inside);

	if (c->unseen)
		json_object_set_new(o, "unseen", json_true());
	return o;
}

static json_t *node_json(const struct fabric_changes *x, const struct fabric_change *c)
{
	const struct fabric *f = c->node_was == NO_ID && c->was[0] == NO_ID ? x->b : x->a;
	uint32_t n = c->node_was != NO_ID ? c->node_was
		     : c->was[0] != NO_ID ? x->a->port_node[c->was[0]]
					  : c->node_now;
	json_t *o = json_make("{s:s}", "change", change_word[c->kind]);

	json_put_node(o, "name", f, NULL, n);
	if (c->unseen)
		json_object_set_new(o, "unseen", json_true());
	if (c->kind == NODE_ADDED || c->kind == NODE_REMOVED)
		json_object_set_new(o, "links", changes_command_links_of(x, c));
	if (c->kind == NODE_REPLACED || c->kind == NODE_RENAMED)
		json_put_node(o, "new", x->b, NULL, c->node_now);
	if (c->kind == LID_CHANGED)
		json_object_set_new(o, "lid_now", json_integer(x->b->port_lid[c->now[0]]));
	if (c->kind == NODE_MOVED) {
		json_put_port(o, "at", x->a, NULL, c->was[0]);
		json_put_port(o, "from", x->a, NULL, c->was[1]);
		json_put_port(o, "to", x->b, NULL, c->now[1]);
	}
	return o;
}

static json_t *changes_command_link_json(const struct fabric_changes *x, const struct fabric_change *c)
{
	const struct fabric *f = c->was[0] == NO_ID ? x->b : x->a;
	const uint32_t *end = c->was[0] == NO_ID ? c->now : c->was;
	json_t *o = json_make("{s:s}", "change", change_word[c->kind]);

	json_put_port(o, "a", f, NULL, end[0]);
	json_put_port(o, "b", f, NULL, end[1]);
	if (c->unseen)
		json_object_set_new(o, "unseen", json_true());
	if (c->kind == LINK_MOVED)
		json_put_port(o, "to", x->b, NULL, c->now[1]);
	if (c->kind == LINK_SWAPPED) {
		json_put_port(o, "other_a", f, NULL, c->other[0]);
		json_put_port(o, "other_b", f, NULL, c->other[1]);
	}
	if (c->kind == LINK_RATE)
		json_object_update_new(o, json_make("{s:s, s:s, s:s, s:s}", "old_width",
						    link_width_name(f->port_width[c->was[0]]), "old_speed",
						    link_speed_name(f->port_speed[c->was[0]]), "width",
						    link_width_name(x->b->port_width[c->now[0]]), "speed",
						    link_speed_name(x->b->port_speed[c->now[0]])));
	return o;
}

json_t *change_json(const struct fabric_changes *x, const struct fabric_change *c)
{
	assert(c->kind < CHANGE_KINDS);
	return c->part						 ? part_json(x, c)
	       : c->kind >= LINK_REMOVED && c->kind <= LINK_RATE ? changes_command_link_json(x, c)
								 : node_json(x, c);
}

size_t report_changes(const struct session *s, const struct fabric *a, const struct fabric *b, struct out *o)
{
	json_t *parts = json_array(), *nodes = json_array(), *links = json_array();
	struct fabric_changes x;
	AUTO_TEXT struct text t = {0};
	size_t n;

	changes_find(&x, a, b, setup_chassis_file(s->setup->options), o->run->progress);
	for (size_t i = 0; i < x.n; i++) {
		const struct fabric_change *c = &x.c[i];

		change_text(&x, c, &t);
		if (c->part)
			json_array_append_new(parts, part_json(&x, c));
		else if (c->kind >= LINK_REMOVED && c->kind <= LINK_RATE)
			json_array_append_new(links, changes_command_link_json(&x, c));
		else
			json_array_append_new(nodes, node_json(&x, c));
	}
	out_lines(o, text_str(&t));
	if (json_array_size(parts))
		out_json(o, "parts", json_incref(parts));
	json_decref(parts);
	out_json(o, "nodes", nodes);
	out_json(o, "links", links);
	n = x.n;
	changes_free(&x);
	return n;
}

/* A side: a snapshot, or a file. */
struct changes_command_side {
	const struct sweep *sweep;   /* borrowed; NULL: none */
	const struct fabric *loaded; /* reference held */
};

static int take_side(struct session *s, const char *word, struct changes_command_side *x, struct out *o,
		     struct err *e)
{
	struct fabric *f;

	x->sweep = session_find_snapshot(s, word);
	if (x->sweep) {
		x->loaded = fabric_ref(x->sweep->setup->loaded ? x->sweep->setup->loaded : x->sweep->fabric);
		return 0;
	}
	if (fabric_load(word, &f, o->run->progress, e))
		return -1;
	x->loaded = f;
	return 0;
}

static void tell_nothing(struct out *o)
{
	out_json(o, "entries", json_null());
	out_json(o, "pairs", json_null());
}

/* The sweep with which the fabric of a file begins. */
static int first_sweep(struct session *draft, const struct ahead_asked *q, struct progress *p, struct err *e)
{
	session_set_options(draft, q->how->options);
	if (session_set_fabric(draft, fabric_ref(q->first), "changes", p, e))
		return -1;
	return session_change(
		draft,
		&(struct change_request){
			.kind = EVENT_ROUTE, .setup.chain = q->how->chain, .text = "changes", .progress = p},
		e);
}

static void take_ahead(const struct comparison *c, const char *chain, struct ahead *out)
{
	uint64_t alone = c->across ? c->across->only[0].entries + c->across->only[1].entries : 0;

	out->known = true;
	out->entries = c->entries_changed;
	out->pairs = c->rerouted;
	text_add(&out->line, "(%s): %s", chain, PLURAL(out->entries, "entry"));
	if (alone)
		text_add(&out->line, ", and %" PRIu64 " of LIDs that one of the two has", alone);
	text_add(&out->line, "; %" PRIu64 " of %s take another path, %" PRIu64 " lost", out->pairs,
		 PLURAL(c->pairs, "pair"), c->lost);
}

/* Routes the second fabric after the first. s lends engines and names, and is not changed. -1 and *e. */
static int ahead_find(struct session *s, const struct ahead_asked *q, struct ahead *out, struct progress *p,
		      struct err *e)
{
	struct session *draft = NULL;
	const struct sweep *at = q->at;
	AUTO_ARENA struct comparison *c = NULL;
	int rc = 0;

	if (!at && q->how->chain) {
		draft = session_like(s);
		draft->names = s->names; /* lent */
		rc = first_sweep(draft, q, p, e);
		at = rc ? NULL : session_sweep(draft);
	}
	if (!rc && at && at->routing)
		rc = session_ahead(s, at, q->next, &c, p, e);
	if (c)
		take_ahead(c, at->setup->chain, out);
	session_draft_free(draft);
	return rc;
}

/* What the next sweep makes of the second fabric. */
static int tell_ahead(struct session *s, const struct ahead_asked *q, struct out *o, struct err *e)
{
	struct ahead x = {0};
	int rc = ahead_find(s, q, &x, o->run->progress, e);

	if (!rc && x.known) {
		out_text(o, "As one event from the first's tables %s.\n", text_str(&x.line));
		out_json(o, "entries", json_integer((json_int_t)x.entries));
		out_json(o, "pairs", json_integer((json_int_t)x.pairs));
	} else if (!rc) {
		tell_nothing(o);
	}
	text_free(&x.line);
	return rc;
}

static int compare_sides(struct session *s, const struct changes_command_side *a,
			 const struct changes_command_side *b, struct out *o, struct err *e)
{
	AUTO_FABRIC const struct fabric *x = NULL;
	AUTO_FABRIC const struct fabric *y = NULL;
	int rc = session_shape(s, a->loaded, s->setup->options, &x, e);

	if (!rc)
		rc = session_shape(s, b->loaded, s->setup->options, &y, e);
	if (!rc) {
		size_t n = report_changes(s, x, y, o);
		if (!n)
			out_text(o, "Nothing differs%s.\n",
				 x->warnings.missing || y->warnings.missing ? " in the part that is known"
									    : "");
		o->run->found_fault |= n > 0;
		out_json(o, "changes", json_integer((json_int_t)n));
		if (n && !fabric_akin(x, y))
			out_text(o, "They have less than a quarter of their nodes in common: not the same "
				    "fabric.\n");
		if (n && fabric_akin(x, y))
			rc = tell_ahead(s, &(struct ahead_asked){a->sweep, a->loaded, b->loaded, s->setup}, o,
					e);
		else
			tell_nothing(o);
	}
	return rc;
}

static int cmd_changes(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	bool both = args->n > 1;
	struct changes_command_side a = {0}, b = {0};
	int rc = 0;

	if (both)
		rc = take_side(s, args->arg[0].word, &a, o, e);
	else if (!session_need_fabric(s, e))
		a = (struct changes_command_side){session_sweep(s), fabric_ref(s->loaded)};
	else
		rc = -1;
	if (!rc)
		rc = take_side(s, args->arg[both].word, &b, o, e);
	if (!rc)
		rc = compare_sides(s, &a, &b, o, e);
	fabric_unref(a.loaded);
	fabric_unref(b.loaded);
	return rc;
}

/* `partitions`: what is wrong with a file of partitions, and who gains or loses one by it. */

#define PARTITION_LINES 20

static void partitions_drop(struct pair_sls **p)
{
	if (*p)
		counted_unref(&(*p)->counted);
}

#define AUTO_PARTITIONS __attribute__((cleanup(partitions_drop)))

/* Reads a partitions.conf, or a file with P_Keys of ports, into p. */
static int partitions_read(struct pair_sls *p, const char *path, const struct topo *t,
			   struct progress *cancel, struct err *e)
{
	AUTO_TEXT struct text notes = {0};
	struct input in = {.name = path, .progress = cancel};
	AUTO_FREE char *data = NULL;

	if (read_small_file(path, cancel, &data, &in.size, e))
		return -1;
	in.data = data;
	if (!is_pkey_file(&in)) {
		partitions_parse(p, t, false, &in, &notes);
		return 0;
	}
	struct managers *told = managers_new(0);
	int rc = pkey_file_parse(&in, t->fabric, told, e);
	partitions_take_pkeys(p, t, told);
	counted_unref(&told->counted);
	return rc;
}

/* What the fabric has: P_Keys of those ports that told them, else what partition_config_file gives. */
static struct pair_sls *partitions_had(const struct session *s, const struct topo *t, struct progress *p,
				       const char **name)
{
	const struct managers *m = fabric_managers(t->fabric);
	struct pair_sls *had = partitions_known(s->setup->options, t, p);

	*name = options_get(s->setup->options, "partition_config_file");
	if (m && m->n_pkeys) {
		partitions_take_pkeys(had, t, m);
		*name = "the P_Keys that ports hold";
	}
	return had;
}

static void partitions_tell_findings(const struct pair_sls *p, const struct topo *t, struct out *o)
{
	struct diagnosis *d = doctor_partitions(p, t);
	json_t *list = json_array();

	for (size_t i = 0; i < d->n; i++) {
		const struct finding *x = &d->finding[i];
		const char *detail = x->detail ? x->detail : "", *severity = severity_word[x->severity];

		out_text(o, "%-7s " ROW_PROSE "%s\n", severity, x->text);
		for (size_t len; *detail; detail += len + (detail[len] != '\0'))
			out_text(o, "        " ROW_PROSE "%.*s\n", (int)(len = strcspn(detail, "\n")),
				 detail);
		json_array_append_new(list, json_make("{s:s, s:s, s:s, s:s*}", "severity", severity, "kind",
						      x->kind, "text", x->text, "detail", x->detail));
		o->run->found_fault |= x->severity < SEVERITY_NOTE;
	}
	diagnosis_free(d);
	out_json(o, "findings", list);
}

static const char *partition_membership(const struct pair_sls *p, uint32_t ep, uint16_t pkey)
{
	const char *is = "none";

	for (uint32_t i = p->first[ep]; i < p->first[ep + 1]; i++)
		if (p->member[i].pkey == pkey && (p->member[i].full || *is == 'n'))
			is = p->member[i].full ? "full" : "limited";
	return is;
}

/* Tells how a port's membership differs, if it does. */
static void partition_difference(const struct session *s, struct pair_sls *const side[2], uint32_t ep,
				 uint16_t pkey, json_t *list, struct out *o)
{
	const char *was = partition_membership(side[0], ep, pkey),
		   *now = partition_membership(side[1], ep, pkey), *change = "changes";
	const struct partition_line *l = partition_defined(side[1], pkey);
	AUTO_FREE char *hex = str_printf("0x%04x", pkey);

	if (*was == *now)
		return;
	if (*was == 'n' || *now == 'n')
		change = *was == 'n' ? "gains" : "loses";
	l = l ? l : partition_defined(side[0], pkey);
	const char *name = l ? l->name : "";
	if (json_array_size(list) < PARTITION_LINES)
		out_text(o, ROW_PROSE "%s %s %s%s%s: %s, before: %s\n", ENDPORT_LABEL(s->fabric, ep), change,
			 hex, *name ? " " : "", name, now, was);
	json_t *x = json_make("{s:s, s:s, s:s*, s:s, s:s}", "change", change, "pkey", hex, "name",
			      l ? l->name : NULL, "was", was, "now", now);
	json_put_port(x, "at", s->fabric, session_lids(s), s->fabric->endport_port[ep]);
	json_array_append_new(list, x);
}

/* Compares ports that both sides tell of: partitions.conf gives each port a partition. */
static void partitions_compare(const struct session *s, struct pair_sls *const side[2], struct out *o)
{
	json_t *list = json_array();

	for (uint32_t ep = 0; ep < side[0]->n_endports; ep++) {
		const uint32_t *was = side[0]->first + ep, *now = side[1]->first + ep;
		uint16_t last = 0;

		if (was[0] == was[1] || now[0] == now[1])
			continue;
		for (uint32_t i = was[0]; i < was[1]; last = side[0]->member[i++].pkey)
			if (side[0]->member[i].pkey != last)
				partition_difference(s, side, ep, side[0]->member[i].pkey, list, o);
		last = 0;
		for (uint32_t i = now[0]; i < now[1]; last = side[1]->member[i++].pkey)
			if (side[1]->member[i].pkey != last &&
			    *partition_membership(side[0], ep, side[1]->member[i].pkey) == 'n')
				partition_difference(s, side, ep, side[1]->member[i].pkey, list, o);
	}
	size_t n = json_array_size(list);
	if (n > PARTITION_LINES)
		out_text(o, "... %zu more\n", n - PARTITION_LINES);
	out_text(o, "Changes: %zu.\n", n);
	o->run->found_fault |= n > 0;
	out_json(o, "differences", list);
}

static int cmd_partitions(struct session *s, const struct args *a, struct out *o, struct err *e)
{
	const struct arg *first = args_get(a, "FILE"), *second = args_next(a, "FILE", first);
	AUTO_TOPO struct topo *t = topo_new(s->fabric, session_state(s));
	AUTO_PARTITIONS struct pair_sls *now = pair_sls_new(s->fabric->n_endports), *was = NULL;
	const char *name = first->word, *last = second ? second->word : first->word;
	struct progress *p = o->run->progress;

	was = second ? pair_sls_new(s->fabric->n_endports) : partitions_had(s, t, p, &name);
	if (partitions_read(now, last, t, p, e) || (second && partitions_read(was, name, t, p, e)))
		return -1;
	partitions_tell_findings(now, t, o);
	if (was->first) {
		out_text(o, "From %s to %s:\n", name, last);
		partitions_compare(s, (struct pair_sls *[]){was, now}, o);
	} else {
		out_text(o, "Not compared: no P_Keys were read, and no partition_config_file is set.\n");
		o->run->unanswered = true;
	}
	out_json(o, "compared_with", was->first ? json_text(name) : json_null());
	return 0;
}

const struct command difference_commands[] = {
	{.name = "changes",
	 .group = WHAT_IF,
	 .syntax = "changes FILE [FILE]",
	 .help = "list how two fabrics differ: nodes, cables, rates, names, LIDs",
	 .finds = "anything differs",
	 .json = JSON_PARTS JSON_CHANGES "changes integer? how many\n"
					 "entries integer|null? =changed entries\n"
					 "pairs integer|null? =rerouted pairs\n",
	 .run = cmd_changes},
	{.name = "partitions",
	 .group = JUDGE,
	 .syntax = "partitions FILE [FILE]",
	 .help = "tell what is wrong with a file of partitions, and who gains or loses one by it",
	 .finds = "a membership differs, or a line of the file is wrong",
	 .json = "findings[] object what is wrong with the last FILE\n"
		 "findings[].severity string(warning/note) warning or note\n"
		 "findings[].kind string kind of doctor's finding, as partition-guid\n"
		 "findings[].text string what is wrong, with the line of the file\n"
		 "findings[].detail string? more such lines\n"
		 "compared_with string|null file, or the P_Keys that ports hold; null: not compared\n"
		 "differences[] object? memberships that differ\n"
		 "differences[].change string(gains/loses/changes) what the port does\n"
		 "differences[].pkey string(^0x[0-9a-f]{4}$) the P_Key, without the bit of membership\n"
		 "differences[].name string? name of the partition\n"
		 "differences[].at port the port\n"
		 "differences[].was string(none/limited/full) membership before\n"
		 "differences[].now string(none/limited/full) membership by the last FILE\n",
	 .needs = NEEDS_FABRIC,
	 .run = cmd_partitions},
	{.name = NULL},
};
