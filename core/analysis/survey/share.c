#include "core/analysis/survey/share.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/routing/json_names.h"

/* --- a row -------------------------------------------------------------------------------------------- */

/* Puts the names of a link's ends, of a switch, or of the switches in a chassis or card. */
static void put_parts(const struct survey *s, const struct survey_row *r, json_t *o)
{
	static const char *const link_key[2][2] = {{"a", "b"}, {"second_a", "second_b"}};
	static const char *const switch_key[2] = {"switch", "second_switch"};
	const struct parts *p = s->parts;
	const struct fabric *f = p->fabric;

	if (p->kind == PART_CHASSIS || p->kind == PART_CARD) {
		json_t *list = json_array();

		for (int k = 0; k < 2 && r->part[k] != NO_ID; k++)
			for (uint32_t i = p->first[r->part[k]]; i < p->first[r->part[k] + 1]; i++)
				json_array_append_new(list, json_node(f, s->before->lids, p->id[i]));
		json_object_set_new(o, "switches", list);
	}
	for (int k = 0; k < 2 && r->part[k] != NO_ID; k++) {
		if (s->plan && p->first[r->part[k] + 1] - p->first[r->part[k]] > 1)
			return; /* several links or nodes */
		uint32_t id = p->id[p->first[r->part[k]]];
		bool node = p->kind == PART_MIXED && id >= f->n_links;
		bool link = !node && (p->kind == PART_LINK || p->kind == PART_MIXED);

		for (int end = 0; link && end < 2; end++)
			json_put_port(o, link_key[k][end], f, s->before->lids, f->link_port[2 * id + end]);
		if (node)
			json_put_node(o, node_is_switch(f, id - f->n_links) ? switch_key[0] : "host", f,
				      s->before->lids, id - f->n_links);
		if (p->kind == PART_SWITCH)
			json_put_node(o, switch_key[k], f, s->before->lids, id);
	}
}

#define ROW(key, member, column, help) FIELD(key, struct survey_row, member, NULL, column, help)

const struct field survey_fields[] = {
	FIELD_BY_CODE("what", "string", "what fails"),
	FIELD_BY_CODE("try", "string", "command that makes this failure"),
	ROW("index", index, NULL, "its place in the list of failures, from 0"),
	FIELD_BY_CODE("switch", "node?", "the switch"),
	FIELD_BY_CODE("host", "node?", "of a plan: the host"),
	FIELD_BY_CODE("second_switch", "node?", "the other switch that fails"),
	FIELD_BY_CODE("a", "port?", "one end of the link"),
	FIELD_BY_CODE("b", "port?", "the other"),
	FIELD_BY_CODE("second_a", "port?", "one end of the other link that fails"),
	FIELD_BY_CODE("second_b", "port?", "its other end"),
	FIELD_BY_CODE("switches[]", "object?", "switches of the chassis or cards"),
	FIELD_BY_CODE("switches[].name", "node", "a switch"),
	ROW("lost", lost, "lost", "=lost pairs"),
	ROW("cut_off", cut_off, "cut off", "=pairs cut off"),
	ROW("outside", outside, "outside", "=pairs outside"),
	ROW("between_survivors", between_survivors, "between", "=pairs between survivors"),
	ROW("outage", outage, "outage", "=pairs cut until the sweep"),
	FIELD("beyond", struct survey_row, beyond, "integer?", "beyond", "=pairs beyond"),
	ROW("rerouted", rerouted, "rerouted", "=rerouted pairs"),
	ROW("longer", longer, "longer", "=longer pairs"),
	ROW("entries", entries, "entries", "=changed entries"),
	ROW("hosts_gone", hosts_gone, "gone", "=hosts gone"),
	ROW("load_after", load_after, "load", "=load"),
	FIELD_BY_CODE("load_at", "port", "the port that sends them"),
	FIELD("longest", struct survey_row, longest, "integer?", NULL,
	      "of a plan: links of the longest path then"),
	ROW("new_loops", new_loops, "loops", "groups of credit loops on VLs that had none"),
	FIELD("engine", struct survey_row, engine, "engine|null", NULL, "engine in force then"),
	ROW("fallback", fallback, NULL, "another engine than before, or none"),
	FIELD_BY_CODE("bad", "boolean",
		      "not routed, new credit loops, pairs lost between survivors or beyond; not: cut off"),
	FIELD_BY_CODE("when", "string(alone/in order/together)?", "of a plan: how its rows fail"),
	FIELD_BY_CODE("ticket", "string?", "of a plan: the tickets of the link or node"),
	FIELD_BY_CODE("breaks[]", "string?", "of a plan: limits that it breaks, and how"),
	{.key = NULL},
};

json_t *survey_row_json(const struct survey *s, const struct survey_row *r)
{
	AUTO_FREE char *what = survey_what(s->parts, r->part), *try = survey_command(s->parts, r->part);
	json_t *o = json_make("{s:s, s:s}", "what", what, "try", try);

	fields_json(o, survey_fields, r);
	if (!s->pairs)
		json_object_del(o, "beyond");
	if (!s->plan)
		json_object_del(o, "longest");
	json_object_set_new(o, "bad", json_boolean(survey_bad(r)));
	json_put_port(o, "load_at", s->parts->fabric, s->before->lids, r->load_port);
	put_parts(s, r, o);
	return o;
}

/* --- what is surveyed -------------------------------------------------------------------- */

static void mix_bytes(uint64_t *h, const uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*h = mix(*h, b[i]);
}

/* A hash of nodes, cables, LIDs and the subnet manager's place. */
static uint64_t fabric_print(const struct fabric *f)
{
	uint64_t h = f->n_nodes;

	for (uint32_t n = 0; n < f->n_nodes; n++) {
		h = mix(h, f->node_guid[n]);
		h = mix(h, (uint64_t)f->node_type[n] << 8 | f->node_nports[n]);
	}
	for (uint32_t i = 0; i < 2 * f->n_links; i++)
		h = mix(h, f->link_port[i]);
	for (uint32_t ep = 0; ep < f->n_endports; ep++)
		h = mix(h, f->port_lid[f->endport_port[ep]]);
	h = mix(h, f->sm_endport);
	return h;
}

/* A hash of what is down, of the hosts that count, and of the tables. */
static uint64_t tables_print(const struct sweep *w)
{
	const struct state *st = w->setup->state;
	uint64_t h = w->lids->max_lid;

	mix_bytes(&h, st->link_down, st->n_links);
	mix_bytes(&h, st->node_down, st->n_nodes);
	mix_bytes(&h, w->hosts->in, w->fabric->n_endports);
	for (uint32_t s = 0; s < w->fabric->n_switches; s++) {
		const struct lft_row *row = w->routing->row[s];

		h = mix(h, row ? row->top : UINT64_MAX);
		if (row)
			mix_bytes(&h, row->port, row->top + 1u);
	}
	return h;
}

json_t *survey_head_json(const struct survey *s, const struct survey_request *rq)
{
	const struct sweep *w = s->before;
	const struct options *options = w->setup->options;
	AUTO_TEXT struct text t = {0};

	for (size_t i = 0; i < options_count(options); i++) {
		const char *name = options_at(options, i)->name;

		if (options_is_set(options, name))
			text_add(&t, "%s%s=%s", t.len ? " " : "", name, options_get(options, name));
	}
	json_t *o =
		json_make("{s:s, s:I, s:b, s:I, s:I, s:I, s:s, s:s, s:o, s:o, s:o}", "what",
			  part_words[s->parts->kind], "pairs", (json_int_t)(s->pairs ? rq->pairs : 0),
			  "sampled", (int)s->sampled, "seed", (json_int_t)rq->seed, "failures",
			  (json_int_t)s->n_all, "load_before", (json_int_t)s->load_before, "engine",
			  w->routing->engine, "asked", w->setup->chain, "options", json_text(text_str(&t)),
			  "fabric", json_guid(fabric_print(w->fabric)), "tables", json_guid(tables_print(w)));
	if (rq->shards) {
		json_object_set_new(o, "shard", json_integer(rq->shard));
		json_object_set_new(o, "shards", json_integer(rq->shards));
	}
	return o;
}

/* --- shares ------------------------------------------------------------------------------------ */

#define PRINTS_SHARES "ibscope --json -e 'survey ... shard I/N'"

struct taking {
	json_t *shares;
	const char *name;
};

static void survey_share_take(void *ctx, json_t *v)
{
	struct taking *t = ctx;
	const char *command = json_string_value(json_object_get(v, "command"));

	if (!command || strcmp(command, "survey") != 0 || !json_is_object(json_object_get(v, "survey_of")) ||
	    !json_is_array(json_object_get(v, "survey")))
		return;
	json_object_set_new(v, "from", json_text(t->name));
	json_array_append(t->shares, v);
}

int survey_shares_read(json_t *shares, const struct input *in, struct err *e)
{
	struct taking t = {shares, in->name};
	size_t before = json_array_size(shares);

	if (json_values_read(in, PRINTS_SHARES, survey_share_take, &t, e))
		return -1;
	if (json_array_size(shares) > before)
		return 0;
	return err_set(e, "%s: found no survey in it, expected what `" PRINTS_SHARES "` prints", in->name);
}

/* --- merging ----------------------------------------------------------------------------------- */

static const char *from(const json_t *share)
{
	return json_string_value(json_object_get(share, "from"));
}

static const json_t *survey_share_head(const json_t *share)
{
	return json_object_get(share, "survey_of");
}

/* A number in the share's `of` object; 0: none. */
static uint64_t survey_share_number(const json_t *share, const char *key)
{
	json_int_t v = json_integer_value(json_object_get(survey_share_head(share), key));

	return v > 0 ? (uint64_t)v : 0;
}

/* The text of a value: a string, a number, or nothing. */
static const char *survey_share_told(const json_t *v, char *buf, size_t size)
{
	if (json_is_string(v))
		return json_string_value(v);
	if (!json_is_integer(v))
		return "";
	snprintf(buf, size, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	return buf;
}

static bool equal(const json_t *a, const json_t *b)
{
	return a && b ? json_equal(a, b) : a == b;
}

/* Do two shares belong to one survey? */
static int same_survey(const json_t *a, const json_t *b, struct err *e)
{
	static const struct {
		const char *key, *what;
	} keys[] = {
		{"fabric", "fabric (by its fingerprint)"},
		{"what", "kind of failures"},
		{"engine", "engine"},
		{"asked", "list of engines"},
		{"options", "set of options"},
		{"tables", "state before: what is down, who counts, tables (by its fingerprint)"},
		{"pairs", "number of pairs"},
		{"seed", "seed"},
		{"failures", "number of failures"},
		{"load_before", "most routes on a link before"},
		{"shards", "number of shares"},
		{"sound", "judgement of the state before"},
	};
	char x[32], y[32];

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const json_t *v = json_object_get(survey_share_head(a), keys[i].key),
			     *u = json_object_get(survey_share_head(b), keys[i].key);

		if (!equal(v, u))
			return err_set(e, "%s is of another %s: found \"%s\", expected \"%s\" as in %s",
				       from(b), keys[i].what, survey_share_told(u, y, sizeof(y)),
				       survey_share_told(v, x, sizeof(x)), from(a));
	}
	if (!equal(json_object_get(a, "scope"), json_object_get(b, "scope")))
		return err_set(e, "%s is of another scope than %s", from(b), from(a));
	return 0;
}

/* Figures of a row, each a whole number. */
static const char *const figures[] = {"index",	    "lost",	"cut_off", "outside", "between_survivors",
				      "outage",	    "rerouted", "longer",  "entries", "hosts_gone",
				      "load_after", "new_loops"};

static uint64_t figure(const json_t *row, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(row, key));
}

static bool survey_share_ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* What a value of a row should be; NULL: it may be that. */
static const char *wrong_value(const char *key, const json_t *v)
{
	json_int_t n = json_integer_value(v), most = survey_share_ends_with(key, "_port")  ? MAX_PORTS
						     : survey_share_ends_with(key, "_lid") ? UINT16_MAX
											   : UINT32_MAX;

	if (!json_is_integer(v)) /* null: no engine routes, or no link is left that could carry load */
		return NULL;
	if (n >= 0 && n <= most)
		return NULL;
	return most == MAX_PORTS    ? "a port up to " STR(MAX_PORTS)
	       : most == UINT16_MAX ? "a LID up to 65535"
				    : "a whole number below 2^32";
}

/* Does a row hold what `survey` prints?  *key is what is wrong if not, and what was expected is returned. */
static const char *wrong_row(const json_t *row, uint64_t failures, bool pairs, const char **key)
{
	static const char *const word[] = {"what", "try"};
	const json_t *engine = json_object_get(row, "engine");
	json_t *v;

	for (size_t i = 0; i < ARRAY_LEN(figures); i++)
		if (!json_is_integer(json_object_get(row, *key = figures[i])))
			return "a whole number";
	if (pairs && !json_is_integer(json_object_get(row, *key = "beyond")))
		return "a whole number";
	for (size_t i = 0; i < ARRAY_LEN(word); i++)
		if (!json_is_string(json_object_get(row, *key = word[i])))
			return "a text";
	json_object_foreach((json_t *)(uintptr_t)row, *key, v)
	{
		if (wrong_value(*key, v))
			return wrong_value(*key, v);
	}
	if (!json_is_boolean(json_object_get(row, *key = "fallback")))
		return "true or false";
	*key = "engine";
	if (!json_is_string(engine) && !json_is_null(engine))
		return "a name or null";
	*key = "index";
	if (figure(row, "index") >= failures)
		return "a number below that of the failures";
	*key = "lost";
	if (figure(row, "lost") != figure(row, "cut_off") + figure(row, "between_survivors"))
		return "the sum of cut_off and between_survivors";
	*key = "outside";
	if (figure(row, "outside") > figure(row, "cut_off"))
		return "at most cut_off";
	*key = "longer";
	return figure(row, "longer") > figure(row, "rerouted") ? "at most rerouted" : NULL;
}

/*
 * Are the rows of a share possible, and each failure of the share there once?  A share has the failures whose
 * index, divided by the number of shares, leaves its own number less 1.
 */
static int check_rows(const json_t *share, struct err *e)
{
	const json_t *rows = json_object_get(share, "survey");
	uint64_t failures = survey_share_number(share, "failures"),
		 shards = survey_share_number(share, "shards");
	AUTO_FREE uint8_t *seen = NEW_ARRAY(json_array_size(rows) + 1, uint8_t);
	char found[32];
	int rc = 0;

	for (size_t i = 0; !rc && i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		const char *key = "what",
			   *expected =
				   wrong_row(row, failures, survey_share_number(share, "pairs") != 0, &key);
		uint64_t index = figure(row, "index");

		if (expected)
			rc = err_set(e, "%s: row %zu: found %s \"%s\", expected %s", from(share), i + 1, key,
				     survey_share_told(json_object_get(row, key), found, sizeof(found)),
				     expected);
		else if (index % shards != survey_share_number(share, "shard") - 1)
			rc = err_set(e, "%s: row %zu: the failure with index %" PRIu64 " is of another share",
				     from(share), i + 1, index);
		else if (seen[index / shards]++)
			rc = err_set(e, "%s: row %zu: the failure with index %" PRIu64 " is there twice",
				     from(share), i + 1, index);
	}
	return rc;
}

/* Is each share there once, complete and possible? where[n] gets the shares in order. */
static int find_shares(const json_t *shares, uint64_t n, const json_t **where, struct err *e)
{
	for (size_t i = 0; i < json_array_size(shares); i++) {
		const json_t *s = json_array_get(shares, i);
		uint64_t shard = survey_share_number(s, "shard"),
			 rows = json_array_size(json_object_get(s, "survey"));
		uint64_t all = survey_share_number(s, "failures"), expected = all / n + (shard - 1 < all % n);

		if (!json_is_true(json_object_get(s, "ok")))
			return err_set(e, "%s: this share did not end well (ok is not true)", from(s));
		if (all > UINT32_MAX)
			return err_set(e, "%s: found %" PRIu64 " failures, expected fewer than 2^32", from(s),
				       all);
		if (!shard || shard > n)
			return err_set(e, "%s: found share %" PRIu64 ", expected 1 to %" PRIu64, from(s),
				       shard, n);
		if (where[shard - 1])
			return err_set(e, "share %" PRIu64 " is there twice: in %s and in %s", shard,
				       from(where[shard - 1]), from(s));
		if (rows != expected)
			return err_set(e,
				       "%s: found %" PRIu64 " rows of share %" PRIu64 ", expected %" PRIu64
				       ": it is cut off",
				       from(s), rows, shard, expected);
		where[shard - 1] = s;
		if (check_rows(s, e))
			return -1;
	}
	return 0;
}

/* The i-th number of a row in the order of survey_order(). Larger ones come first; the index is last. */
static uint64_t survey_share_weight(const json_t *row, int i)
{
	static const char *const key[] = {
		"new_loops", "between_survivors", "fallback", "cut_off", "load_after",
		"longer",    "rerouted",	  "entries"};

	if (!i)
		return json_is_null(json_object_get(row, "engine"));
	if (i > (int)ARRAY_LEN(key))
		return UINT64_MAX - (uint64_t)json_integer_value(json_object_get(row, "index"));
	const json_t *v = json_object_get(row, key[i - 1]);
	return json_is_boolean(v) ? json_is_true(v) : (uint64_t)json_integer_value(v);
}

static int survey_share_by_harm(const void *x, const void *y)
{
	const json_t *a = *(json_t *const *)x, *b = *(json_t *const *)y;

	for (int i = 0; i <= 9; i++)
		if (survey_share_weight(a, i) != survey_share_weight(b, i))
			return survey_share_weight(a, i) > survey_share_weight(b, i) ? -1 : 1;
	return 0;
}

static json_t *join_rows(const json_t *shares)
{
	json_t *list = json_array();
	size_t n = 0;

	for (size_t i = 0; i < json_array_size(shares); i++)
		n += json_array_size(json_object_get(json_array_get(shares, i), "survey"));
	AUTO_FREE json_t **row = NEW_ARRAY(n + 1, json_t *);
	n = 0;
	for (size_t i = 0; i < json_array_size(shares); i++) {
		json_t *rows = json_object_get(json_array_get(shares, i), "survey");

		for (size_t k = 0; k < json_array_size(rows); k++)
			row[n++] = json_array_get(rows, k);
	}
	qsort(row, n, sizeof(json_t *), survey_share_by_harm);
	for (size_t i = 0; i < n; i++) {
		bool bad = json_is_null(json_object_get(row[i], "engine")) || figure(row[i], "new_loops") ||
			   figure(row[i], "between_survivors") || figure(row[i], "beyond");

		json_object_set_new(row[i], "bad", json_boolean(bad)); /* as survey_bad() */
		json_array_append(list, row[i]);
	}
	return list;
}

/* A copy whose strings are clean: the values came from a file. */
static json_t *cleaned(const json_t *v)
{
	const char *key;
	json_t *x, *o;

	if (json_is_string(v))
		return json_text(json_string_value(v));
	if (json_is_array(v)) {
		o = json_array();
		for (size_t i = 0; i < json_array_size(v); i++)
			json_array_append_new(o, cleaned(json_array_get(v, i)));
		return o;
	}
	if (!json_is_object(v))
		return json_deep_copy(v);
	o = json_object();
	json_object_foreach((json_t *)(uintptr_t)v, key, x)
	{
		const json_t *word = json_text(key);

		json_object_set_new(o, json_string_value(word), cleaned(x));
		json_decref((json_t *)(uintptr_t)word);
	}
	return o;
}

json_t *survey_merge(const json_t *shares, struct err *e)
{
	const json_t *first = json_array_get(shares, 0);
	uint64_t n = survey_share_number(first, "shards"), missing = 0;
	AUTO_TEXT struct text t = {0};
	int rc = 0;

	if (!n || n > SURVEY_MOST_SHARES) {
		err_set(e, "%s: found a survey that is no share of one, expected `survey ... shard I/N`",
			from(first));
		return NULL;
	}
	AUTO_FREE const json_t **where = NEW_ARRAY(n, const json_t *);
	for (size_t i = 1; !rc && i < json_array_size(shares); i++)
		rc = same_survey(first, json_array_get(shares, i), e);
	if (!rc)
		rc = find_shares(shares, n, where, e);
	for (uint64_t i = 0; !rc && i < n; i++)
		if (!where[i] && ++missing <= 10)
			text_add(&t, "%s%" PRIu64, t.len ? ", " : "", i + 1);
	if (missing)
		rc = err_set(e, "missing: %s of %" PRIu64 " (%s%s)", PLURAL(missing, "share"), n,
			     text_str(&t), missing > 10 ? ", ..." : "");
	if (rc)
		return NULL;
	json_t *of = json_deep_copy(survey_share_head(first));
	json_object_del(of, "shard");
	json_object_del(of, "shards");
	json_t *o = json_make("{s:o, s:o}", "survey_of", of, "survey", join_rows(shares));
	if (json_object_get(first, "scope"))
		json_object_set(o, "scope", json_object_get(first, "scope"));
	json_t *clean = cleaned(o);
	json_decref(o);
	return clean;
}
