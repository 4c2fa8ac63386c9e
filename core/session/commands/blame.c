/* `blame`: the hosts, cables, switches and rails that explain slow or failing pairs. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/blame/blame.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/formats/pair_results.h"
#include "core/routing/paths.h"
#include "core/session/commands/commands.h"
#include "core/session/out.h"

#define SHOWN 10
#define SLOW_PART 0.75 /* of what is usual for pairs with as many links */
#define FEW_ROWS 12    /* so many are judged by themselves */
#define LINKS_MOST 63  /* pairs with more links are judged as if they had as many */
#define RAILS_MOST 64
#define NAMED_MOST 6 /* suspects of a place that are named */

/* --- names of the file ------------------------------------------------------------------------------- */

/* Ports that a name of a benchmark means: all of a host that is called so, by name, or one port. */
struct blame_command_ends {
	uint32_t ep[RAILS_MOST];
	uint32_t n;
};

struct named_end {
	const char *name;
	uint32_t port, ep;
};

COMPARATOR(by_name, struct named_end, TEXT(name) UP(port))

static void ends_of(const struct session *s, const char *word, struct blame_command_ends *to)
{
	const struct fabric *f = s->fabric;
	struct named_end found[RAILS_MOST];
	struct name_hits h;
	unsigned lid;
	uint32_t first = session_endport(s, word, &lid, NULL);

	to->n = 0;
	names_find(f, word, NAMES_ANY, NAME_FIRST, &h);
	bool one_node = first != NO_ID && h.n == 1 && h.node[0] == endport_node(f, first);
	if (!one_node && session_host(s, word) == NO_ID) {
		name_hits_free(&h);
		to->ep[0] = first;
		to->n = first != NO_ID;
		return;
	}
	for (uint32_t i = 0; i < h.n; i++)
		for (unsigned k = 1; k <= f->node_nports[h.node[i]] && to->n < RAILS_MOST; k++) {
			uint32_t port = f->node_port[h.node[i]] + k, ep = f->port_endport[port];

			if (ep != NO_ID && session_endport_up(s, ep))
				found[to->n++] = (struct named_end){f->node_name[h.node[i]], port, ep};
		}
	name_hits_free(&h);
	if (to->n)
		qsort(found, to->n, sizeof(*found), by_name);
	for (uint32_t i = 0; i < to->n; i++)
		to->ep[i] = found[i].ep;
}

/* Without its domain, too: "node0001.cluster.example". */
static void ends_of_host(const struct session *s, const char *word, struct blame_command_ends *to)
{
	const char *dot = strchr(word, '.');

	ends_of(s, word, to);
	if (to->n || !dot || dot == word)
		return;
	AUTO_FREE char *host = str_printf("%.*s", (int)(dot - word), word);
	ends_of(s, host, to);
}

/* --- who is bad ---------------------------------------------------------------------------------------- */

struct blame_judged {
	const struct pair_results *file;
	struct tried tried;
	size_t *row;	  /* [n_pairs] of the file */
	uint64_t unknown; /* rows of names that are not in the fabric */
	uint64_t inside;  /* of one port or host */
	const char *first_unknown;
	uint32_t said; /* bad pairs by the file's word */
};

static void take_pairs(const struct session *s, struct blame_judged *j)
{
	const struct pair_results *p = j->file;
	AUTO_FREE struct blame_command_ends *end = NEW_ARRAY(p->n_names + 1, struct blame_command_ends);

	for (uint32_t i = 0; i < p->n_names; i++)
		ends_of_host(s, p->name[i], &end[i]);
	j->row = NEW_ARRAY(p->n + 1, size_t);
	j->tried.bad = NEW_ARRAY(p->n + 1, bool);
	for (size_t i = 0, first = 0; i < p->n; i++) { /* first: row of the measurement */
		const struct blame_command_ends *a = &end[p->pair[i].a], *b = &end[p->pair[i].b];
		uint32_t n = MIN(a->n, b->n), had = (uint32_t)j->tried.n_ways;

		if (!n) {
			j->unknown++;
			if (!j->first_unknown)
				j->first_unknown = p->name[a->n ? p->pair[i].b : p->pair[i].a];
			continue;
		}
		first = p->pair[i].joined ? first : i;
		bool joined = j->tried.n_pairs && j->row[j->tried.n_pairs - 1] >= first;
		uint32_t pair = j->tried.n_pairs - joined;

		for (uint32_t k = 0; k < n; k++) {
			if (a->ep[k] == b->ep[k])
				continue;
			tried_add(&j->tried, pair, a->ep[k], b->ep[k]);
			if (j->tried.undirected)
				tried_add(&j->tried, pair, b->ep[k], a->ep[k]);
		}
		if (j->tried.n_ways == had)
			j->inside++;
		else if (!joined)
			j->row[j->tried.n_pairs++] = i;
	}
}

struct valued {
	unsigned links;
	uint32_t pair;
	double value;
};

COMPARATOR(by_links_and_value, struct valued, UP(links) UP(value) UP(pair))

static unsigned blame_command_links_of(const struct routing *r, const struct tried_way *y)
{
	struct path p;

	path_trace(r, y->src, r->lids->base[y->src], r->lids->base[y->dst], &p);
	unsigned n = p.end == PATH_OK ? p.hops : 0;
	path_free(&p);
	return n;
}

/*
 * The value that a row of v[n], by ascending value, should reach: the median.  Of few rows most may be slow:
 * where a third of them at least are better than all others by a quarter and more, their median counts.
 */
static double blame_usual_value(const struct valued *v, uint32_t n, bool less)
{
	double usual = v[n / 2].value, widest = 1 / SLOW_PART;

	for (uint32_t k = (n + 2) / 3; n < 2 * FEW_ROWS && k && k <= n / 2; k++) {
		double worst = v[less ? k - 1 : n - k].value;
		double next = v[less ? k : n - k - 1].value;
		double gap = less ? next / worst : worst / next;

		if (!(gap > widest))
			continue;
		widest = gap;
		usual = v[less ? k / 2 : n - 1 - k / 2].value;
	}
	return usual;
}

/*
 * Pairs with as many links do as well as each other: those far off what is usual are slow.  Few of them are
 * judged with all other few, but for times.
 */
static void judge_values(const struct sweep *w, struct blame_judged *j, const struct arg *limit, bool above)
{
	struct tried *t = &j->tried;
	AUTO_FREE struct valued *v = NEW_ARRAY(t->n_pairs + 1, struct valued);
	const bool less = j->file->less;
	uint32_t n = 0, rows[LINKS_MOST + 1] = {0};
	size_t way = 0;

	for (uint32_t i = 0; i < t->n_pairs; i++) {
		const struct pair_result *x = &j->file->pair[j->row[i]];
		unsigned links = blame_command_links_of(w->routing, &t->way[way]);

		for (; way < t->n_ways && t->way[way].pair == i; way++)
			;
		t->bad[i] = x->said == PAIR_BAD;
		j->said += t->bad[i];
		if (x->said != PAIR_VALUE)
			continue;
		v[n++] = (struct valued){MIN(links, LINKS_MOST), i, x->value};
		rows[MIN(links, LINKS_MOST)]++;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!less && rows[v[i].links] < FEW_ROWS)
			v[i].links = 0;
	if (n)
		qsort(v, n, sizeof(*v), by_links_and_value);
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && v[end].links == v[i].links; end++)
			;
		double usual = blame_usual_value(&v[i], end - i, less);
		for (uint32_t k = i; k < end; k++) {
			const double value = v[k].value;
			bool slow = less ? value > usual / SLOW_PART : value < usual * SLOW_PART;

			if (limit)
				slow = above ? value > (double)limit->n : value < (double)limit->n;
			t->bad[v[k].pair] = slow;
		}
	}
	t->only_bad = !n && j->said == t->n_pairs;
}

/* --- words ---------------------------------------------------------------------------------------------- */

static const char *const suspect_word[] = {
	[BLAME_HOST] = "host", [BLAME_LINK] = "cable",	  [BLAME_CABLE] = "cable",
	[BLAME_HCA] = "hca",   [BLAME_SWITCH] = "switch", [BLAME_RAIL] = "rail"};

static bool suspect_is_link(const struct suspect *x)
{
	return x->kind == BLAME_LINK || x->kind == BLAME_CABLE;
}

static json_t *suspect_json(const struct fabric *f, const struct suspect *x)
{
	AUTO_TEXT struct text name = {0};

	suspect_name(f, x, &name);
	return json_make("{s:s, s:s}", "kind", suspect_word[x->kind], "name", text_str(&name));
}

/* Adds the links of a place as one object of `links`, if it has any. */
static void blame_command_put_links(const struct session *s, const struct blamed *x, json_t *links)
{
	const struct fabric *f = s->fabric;
	json_t *same = json_array(), *faults = json_array(), *first = NULL;

	for (uint32_t k = 0; k < x->n; k++) {
		const struct suspect *link = &x->same[k];
		json_t *one = suspect_is_link(link) ? json_object() : NULL;

		if (!one)
			continue;
		json_put_port(one, "from", f, session_lids(s), link->id);
		json_put_port(one, "to", f, session_lids(s), f->port_peer[link->id]);
		json_array_append_new(first ? same : links, one);
		if (first)
			continue;
		first = one;
		json_object_set_new(one, "both_ways", json_boolean(link->kind == BLAME_CABLE));
		for (unsigned i = 0; i < N_PORT_FAULTS; i++)
			if (link->faults >> i & 1)
				json_array_append_new(faults, json_text(port_fault_words[i]));
	}
	json_t *told = json_make("{s:f, s:b, s:i, s:i, s:i, s:o, s:o}", "score", x->score, "likely",
				 x->likely, "pairs", (int)x->pairs, "bad", (int)x->bad, "explained",
				 (int)x->explained, "same_as", same, "faults", faults);
	if (first)
		json_object_update(first, told);
	json_decref(told);
}

/* j: the rows that were judged; NULL: the place is by counters alone. */
static void blame_command_tell_place(const struct session *s, const struct blame *b, size_t i,
				     const struct measured *m, const struct blame_judged *j, struct out *o)
{
	assert(i < b->n);
	const struct blamed *x = &b->place[i];
	const char *doubt = j ? "  (may be chance)" : "  (waits behind a switch that waits)";

	for (uint32_t k = 0; k < x->n && k < NAMED_MOST; k++) {
		AUTO_TEXT struct text name = {0}, faults = {0}, counted = {0};
		const struct suspect *is = &x->same[k];

		if (j)
			text_add(&name, "%s ", suspect_word[is->kind]);
		suspect_name(s->fabric, is, &name);
		if (k)
			out_text(o, "      or " ROW_CUT("%s") ": crossed by the same pairs\n",
				 text_str(&name));
		else
			out_text(o, "%3zu %8.1f  " ROW_CUT("%s"), i + 1, x->score, text_str(&name));
		if (!k && j)
			out_text(o, ": %u of %u bad", x->bad, j->tried.only_bad ? b->bad : x->pairs);
		if (!k && j && !j->tried.only_bad && x->pairs < b->pairs)
			out_text(o, ", all others %u of %u", b->bad - x->bad, b->pairs - x->pairs);
		if (!k)
			out_text(o, "%s\n", x->likely ? "" : doubt);
		for (unsigned n = 0; n < N_PORT_FAULTS; n++)
			if (is->faults >> n & 1)
				text_add(&faults, "%s%s", faults.len ? ", " : "", port_fault_words[n]);
		if (!faults.len)
			continue;
		measured_link(m, s->fabric, is->id, &counted);
		if (is->kind == BLAME_CABLE)
			measured_link(m, s->fabric, s->fabric->port_peer[is->id], &counted);
		out_text(o, "      " ROW_PROSE "by counters: %s: %s\n", text_str(&faults),
			 text_str(&counted));
	}
	if (x->n > NAMED_MOST)
		out_text(o, "      or one of %u more\n", x->n - NAMED_MOST);
}

static void tell_blame(const struct session *s, const struct blame *b, const struct measured *m,
		       const struct blame_judged *j, struct out *o)
{
	json_t *links = json_array(), *suspects = json_array();

	if (b->n && j)
		out_text(o, "%3s %8s  %s\n", "", "score", "suspect");
	for (size_t i = 0; i < b->n; i++) {
		const struct blamed *x = &b->place[i];
		json_t *one = suspect_json(s->fabric, &x->same[0]), *same = json_array();

		if (i < SHOWN)
			blame_command_tell_place(s, b, i, m, j, o);
		for (uint32_t k = 1; k < x->n; k++)
			json_array_append_new(same, suspect_json(s->fabric, &x->same[k]));
		json_object_update_new(
			one, json_make("{s:i, s:i, s:s, s:o}", "bad", (int)x->bad, "of", (int)x->pairs,
				       "sure", x->likely ? "likely" : "may be chance", "same_as", same));
		json_array_append_new(suspects, one);
		blame_command_put_links(s, x, links);
	}
	if (b->n > SHOWN)
		out_text(o, "  ... %s; --json has all\n", PLURAL(b->n - SHOWN, "more place"));
	if (j)
		out_json(o, "suspects", json_incref(suspects));
	json_decref(suspects);
	out_json(o, "links", links);
}

static void blame_command_tell_file(const struct blame_judged *j, const struct blame *b, struct out *o)
{
	const struct pair_results *p = j->file;

	out_text(o, "%s of %s (%s): %u bad", PLURAL(b->pairs, "pair"), PLURAL(p->n_names, "name"), p->format,
		 b->bad);
	out_text(o, "; %s crossed.\n", PLURAL(b->links, j->tried.undirected ? "cable" : "directed link"));
	if (j->tried.only_bad)
		out_text(o,
			 "The file tells of bad pairs alone: all pairs of hosts are taken for good ones.\n");
	if (j->unknown)
		out_text(o, "%s left out: their hosts are not in the fabric, as \"%.60s\".\n",
			 PLURAL(j->unknown, "pair"), j->first_unknown);
	if (j->inside)
		out_text(o, "%s within a host left out.\n", PLURAL(j->inside, "pair"));
	if (b->no_path)
		out_text(o, "%s without a path by the tables left out: see `trace`.\n",
			 PLURAL(b->no_path, "pair"));
	out_json(o, "file",
		 json_make("{s:s, s:i, s:I, s:I, s:i, s:i, s:i, s:b, s:b}", "format", p->format, "names",
			   (int)p->n_names, "unknown", (json_int_t)j->unknown, "inside",
			   (json_int_t)j->inside, "no_path", (int)b->no_path, "pairs", (int)b->pairs, "bad",
			   (int)b->bad, "only_bad", j->tried.only_bad, "undirected", j->tried.undirected));
}

static int by_pairs(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct pair_results file;
	struct blame_judged j = {.file = &file};
	struct measured *m = NULL;
	struct blame *b = NULL;
	bool above = args_has(args, "above");
	int rc = pair_results_load(args_word(args, "FILE", ""), &file, o->run->progress, e);

	assert(w && w->routing);
	if (!rc) {
		j.tried.undirected = file.undirected || args_has(args, "undirected");
		take_pairs(s, &j);
		if (!j.tried.n_pairs)
			rc = err_set_kind(
				e, ERR_NO_NODE,
				"%s: found no pair of hosts of this fabric; the first name is \"%.60s\"",
				args_word(args, "FILE", ""), file.name[0]);
	}
	if (!rc) {
		judge_values(w, &j, args_get(args, above ? "above VALUE" : "below VALUE"), above);
		m = session_measured(s);
		b = blame_new(w->routing, &j.tried, m, o->run->progress, e);
		rc = b ? 0 : -1;
	}
	if (!rc) {
		uint32_t likely = 0;

		blame_command_tell_file(&j, b, o);
		tell_blame(s, b, m, &j, o);
		for (size_t i = 0; i < b->n; i++)
			likely += b->place[i].likely;
		if (!b->bad)
			out_text(o, "No pair is bad: nothing to explain.\n");
		else
			out_text(o, "%s; %u of %u bad pairs stay unexplained.\n",
				 PLURAL(likely, "likely place"), b->unexplained, b->bad);
		if (w->routing->adaptive)
			out_text(o, "Adaptive routing: packets may have taken other ways than the tables' "
				    "own.\n");
		out_json(o, "unexplained", json_integer(b->unexplained));
		o->run->found_fault |= likely > 0;
	}
	blame_free(b);
	measured_free(m);
	tried_free(&j.tried);
	free(j.row);
	pair_results_free(&file);
	return rc;
}

static int by_counters(struct session *s, struct out *o, struct err *e)
{
	struct measured *m = session_measured(s);

	assert(session_routing(s));
	if (!m)
		return err_set(e, "no reading of counters yet: `counters all FILE` or `counters all live`");
	struct blame *b = blame_counters(session_sweep(s)->topo, m);
	out_text(o, "%s with faults by counters%s.\n", PLURAL(b->n, "link"),
		 m->two ? ", between two readings" : ", since they were reset");
	tell_blame(s, b, m, NULL, o);
	o->run->found_fault |= b->n > 0;
	blame_free(b);
	measured_free(m);
	return 0;
}

static int cmd_blame(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	return args_has(args, "counters") ? by_counters(s, o, e) : by_pairs(s, args, o, e);
}

const struct command blame_commands[] = {
	{.name = "blame",
	 .group = JUDGE,
	 .syntax = "blame counters | blame FILE [below VALUE | above VALUE] [undirected]",
	 .numbers = ARG_NUMBERS(ARG_NUMBER("below VALUE", 0, UINT64_MAX, "a whole number", NULL),
				ARG_NUMBER("above VALUE", 0, UINT64_MAX, "a whole number", NULL)),
	 .help = "rank hosts, cables, switches and rails by how well they explain slow or broken pairs",
	 .finds = "a suspect is likely bad",
	 .needs = NEEDS_ROUTING,
	 .json = "file object? what was read of FILE\n"
		 "file.format string(matrix/hp2p/nccl-tests/perftest/osu/rows) as what it was read\n"
		 "file.names integer different names\n"
		 "file.unknown integer pairs whose hosts the fabric does not have\n"
		 "file.inside integer pairs within one host\n"
		 "file.no_path integer pairs without a path by the tables\n"
		 "file.pairs integer pairs that are left\n"
		 "file.bad integer bad ones of them\n"
		 "file.only_bad boolean it tells of no good pair\n"
		 "file.undirected boolean its rows have no direction\n"
		 "suspects[] object? places of the ranking, best first; not of counters\n"
		 "suspects[].kind string(host/hca/cable/switch/rail) what it is\n"
		 "suspects[].name string its name, of a cable both ends; -> is one direction\n"
		 "suspects[].bad integer bad pairs that cross it\n"
		 "suspects[].of integer pairs that cross it\n"
		 "suspects[].sure string(likely/may be chance/waits behind a switch that waits) how sure it "
		 "is\n"
		 "suspects[].same_as[] object what the same pairs cross\n"
		 "suspects[].same_as[].kind string(host/hca/cable/switch/rail) what it is\n"
		 "suspects[].same_as[].name string its name\n"
		 "links[] object cables among the suspects, best first\n"
		 "links[].from port port that sends\n"
		 "links[].to port port at the other end\n"
		 "links[].score number logarithm of the likelihood ratio, of both directions; of counters: "
		 "their weight\n"
		 "links[].likely boolean beyond chance; of counters false: it waits behind a switch that "
		 "waits\n"
		 "links[].both_ways boolean both directions; true for rows without direction\n"
		 "links[].pairs integer pairs that cross it\n"
		 "links[].bad integer bad ones of these\n"
		 "links[].explained integer bad ones that no better place explains\n"
		 "links[].faults[] string(errors/flapped/congested/degraded) by counters\n"
		 "links[].same_as[] object links that the same pairs cross\n"
		 "links[].same_as[].from port port that sends\n"
		 "links[].same_as[].to port port at the other end\n"
		 "unexplained integer? bad pairs that no likely place explains\n",
	 .run = cmd_blame},
	{.name = NULL},
};
