/* `blame`: the links that explain slow or failing pairs. */
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
#define SLOW_PART 0.75 /* of the median of pairs with as many links */
#define RAILS_MOST 64
#define NAMED_MOST 6 /* links of a place that are named */

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

	to->n = 0;
	if (session_host(s, word) == NO_ID) {
		to->ep[0] = session_endport(s, word, &lid, NULL);
		to->n = to->ep[0] != NO_ID;
		return;
	}
	names_find(f, word, NAMES_ANY, NAME_FIRST, &h);
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
	uint32_t slow, said; /* bad pairs by their value; by the file's word */
};

static void take_pairs(const struct session *s, struct blame_judged *j)
{
	const struct pair_results *p = j->file;
	AUTO_FREE struct blame_command_ends *end = NEW_ARRAY(p->n_names + 1, struct blame_command_ends);

	for (uint32_t i = 0; i < p->n_names; i++)
		ends_of_host(s, p->name[i], &end[i]);
	j->row = NEW_ARRAY(p->n + 1, size_t);
	j->tried.bad = NEW_ARRAY(p->n + 1, bool);
	for (size_t i = 0; i < p->n; i++) {
		const struct blame_command_ends *a = &end[p->pair[i].a], *b = &end[p->pair[i].b];
		uint32_t n = MIN(a->n, b->n), had = (uint32_t)j->tried.n_ways;

		if (!n) {
			j->unknown++;
			if (!j->first_unknown)
				j->first_unknown = p->name[a->n ? p->pair[i].b : p->pair[i].a];
			continue;
		}
		for (uint32_t k = 0; k < n; k++)
			if (a->ep[k] != b->ep[k])
				tried_add(&j->tried, j->tried.n_pairs, a->ep[k], b->ep[k]);
		if (j->tried.n_ways == had)
			j->inside++;
		else
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

/* Pairs with as many links do as well as each other: those far off their median are slow. */
static void judge_values(const struct sweep *w, struct blame_judged *j, const struct arg *limit, bool above)
{
	struct tried *t = &j->tried;
	AUTO_FREE struct valued *v = NEW_ARRAY(t->n_pairs + 1, struct valued);
	uint32_t n = 0;
	size_t way = 0;

	for (uint32_t i = 0; i < t->n_pairs; i++) {
		const struct pair_result *x = &j->file->pair[j->row[i]];
		unsigned links = blame_command_links_of(w->routing, &t->way[way]);

		for (; way < t->n_ways && t->way[way].pair == i; way++)
			;
		t->bad[i] = x->said == PAIR_BAD;
		j->said += t->bad[i];
		if (x->said == PAIR_VALUE)
			v[n++] = (struct valued){links, i, x->value};
	}
	if (n)
		qsort(v, n, sizeof(*v), by_links_and_value);
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && v[end].links == v[i].links; end++)
			;
		double median = v[i + (end - i) / 2].value;
		for (uint32_t k = i; k < end; k++) {
			bool slow =
				limit ? above ? v[k].value > (double)limit->n : v[k].value < (double)limit->n
				: j->file->less ? v[k].value > median / SLOW_PART
						: v[k].value < median * SLOW_PART;

			t->bad[v[k].pair] = slow;
			j->slow += slow;
		}
	}
	t->only_bad = !n && j->said == t->n_pairs;
}

/* --- words ---------------------------------------------------------------------------------------------- */

/* Tells a place, if it is one of the first.  Returns its object. */
static json_t *blame_command_tell_place(const struct session *s, const struct blame *b, size_t i,
					const struct measured *m, bool pairs, struct out *o)
{
	assert(i < b->n);

	const struct fabric *f = s->fabric;
	const struct blamed *x = &b->place[i];
	json_t *obj = json_make("{s:f, s:b, s:b, s:i, s:i, s:i}", "score", x->score, "likely", x->likely,
				"both_ways", x->back != NO_ID, "pairs", (int)x->pairs, "bad", (int)x->bad,
				"explained", (int)x->explained),
	       *same = json_array(), *faults = json_array();
	AUTO_TEXT struct text t = {0}, counted = {0};
	bool told = i < SHOWN;

	for (unsigned k = 0; k < N_PORT_FAULTS; k++)
		if (x->faults >> k & 1) {
			text_add(&t, "%s%s", t.len ? ", " : "", port_fault_words[k]);
			json_array_append_new(faults, json_text(port_fault_words[k]));
		}
	if (x->faults)
		measured_link(m, f, x->port[0], &counted);
	if (x->back != NO_ID && !pairs)
		measured_link(m, f, x->back, &counted);
	if (told && pairs)
		out_text(o, "%3zu %8.1f %9u/%-9u  " ROW_CUT("%s") " %s " ROW_CUT("%s") "%s\n", i + 1,
			 x->score, x->bad, x->pairs, PORT_LABEL(f, x->port[0]),
			 x->back == NO_ID ? "->" : "<->", PORT_LABEL(f, f->port_peer[x->port[0]]),
			 x->likely ? "" : "  (may be chance)");
	else if (told)
		out_text(o, "%3zu %8.1f  " ROW_CUT("%s") " %s " ROW_CUT("%s") "%s\n", i + 1, x->score,
			 PORT_LABEL(f, x->port[0]), x->back == NO_ID ? "->" : "<->",
			 PORT_LABEL(f, f->port_peer[x->port[0]]),
			 x->likely ? "" : "  (waits behind a switch that waits)");
	if (told && t.len)
		out_text(o, "      " ROW_PROSE "by counters: %s: %s\n", text_str(&t), text_str(&counted));
	for (uint32_t k = 1; k < x->n; k++) {
		json_t *one = json_object();

		if (told && k < NAMED_MOST)
			out_text(o,
				 "      or " ROW_CUT("%s") " -> " ROW_CUT(
					 "%s") ": crossed by the same pairs\n",
				 PORT_LABEL(f, x->port[k]), PORT_LABEL(f, f->port_peer[x->port[k]]));
		else if (told && k == NAMED_MOST)
			out_text(o, "      or one of %u more\n", x->n - k);
		json_put_port(one, "from", f, session_lids(s), x->port[k]);
		json_put_port(one, "to", f, session_lids(s), f->port_peer[x->port[k]]);
		json_array_append_new(same, one);
	}
	json_put_port(obj, "from", f, session_lids(s), x->port[0]);
	json_put_port(obj, "to", f, session_lids(s), f->port_peer[x->port[0]]);
	json_object_set_new(obj, "same_as", same);
	json_object_set_new(obj, "faults", faults);
	return obj;
}

static void tell_blame(const struct session *s, const struct blame *b, const struct measured *m, bool pairs,
		       struct out *o)
{
	json_t *list = json_array();

	if (b->n && pairs)
		out_text(o, "%3s %8s %9s %-9s  %s\n", "", "score", "bad of", "pairs", "link");
	for (size_t i = 0; i < b->n; i++)
		json_array_append_new(list, blame_command_tell_place(s, b, i, m, pairs, o));
	if (b->n > SHOWN)
		out_text(o, "  ... %s; --json has all\n", PLURAL(b->n - SHOWN, "more place"));
	out_json(o, "links", list);
}

static void blame_command_tell_file(const struct blame_judged *j, const struct blame *b, struct out *o)
{
	const struct pair_results *p = j->file;

	out_text(o, "%s of %s (%s): %u bad", PLURAL(b->pairs, "pair"), PLURAL(p->n_names, "name"), p->format,
		 b->bad);
	out_text(o, "; %s crossed.\n", PLURAL(b->links, "directed link"));
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
		 json_make("{s:s, s:i, s:I, s:I, s:i, s:i, s:i, s:b}", "format", p->format, "names",
			   (int)p->n_names, "unknown", (json_int_t)j->unknown, "inside",
			   (json_int_t)j->inside, "no_path", (int)b->no_path, "pairs", (int)b->pairs, "bad",
			   (int)b->bad, "only_bad", j->tried.only_bad));
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
		tell_blame(s, b, m, true, o);
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
	tell_blame(s, b, m, false, o);
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
	 .syntax = "blame counters | blame FILE [below VALUE | above VALUE]",
	 .numbers = ARG_NUMBERS(ARG_NUMBER("below VALUE", 0, UINT64_MAX, "a whole number", NULL),
				ARG_NUMBER("above VALUE", 0, UINT64_MAX, "a whole number", NULL)),
	 .help = "rank cables by how well they explain slow or broken pairs, or by counters",
	 .finds = "a link is likely bad",
	 .needs = NEEDS_ROUTING,
	 .json = "file object? what was read of FILE\n"
		 "file.format string(matrix/hp2p/nccl-tests/rows) as what it was read\n"
		 "file.names integer different names\n"
		 "file.unknown integer pairs whose hosts the fabric does not have\n"
		 "file.inside integer pairs within one host\n"
		 "file.no_path integer pairs without a path by the tables\n"
		 "file.pairs integer pairs that are left\n"
		 "file.bad integer bad ones of them\n"
		 "file.only_bad boolean it tells of no good pair\n"
		 "links[] object places of the ranking, best first\n"
		 "links[].from port port that sends\n"
		 "links[].to port port at the other end\n"
		 "links[].score number logarithm of the likelihood ratio, of both directions; of counters: "
		 "their weight\n"
		 "links[].likely boolean beyond chance; of counters false: it waits behind a switch that "
		 "waits\n"
		 "links[].both_ways boolean the other direction too\n"
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
