/* Files of hosts and of pairs of hosts, and patterns of traffic. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/text.h"
#include "core/session/interpreter.h"
#include "core/session/patterns.h"
#include "core/session/reading.h"

#define ABSENT_TOLD 3
#define HOSTS_A_LOOK 64

bool is_hosts_file(const struct fabric *f, const char *word)
{
	return *word == '@' && node_named(f, word, strlen(word)) == NO_ID;
}

/* Returns the file's name, to be freed. *job: the text after it, or NULL. */
static char *split_job(const char *text, const char **job)
{
	size_t len = strlen(text);

	*job = NULL;
	for (const char *colon = text + len; colon; colon = memrchr(text, ':', (size_t)(colon - text))) {
		char *path = str_printf("%.*s", (int)(colon - text), text);

		if (!access(path, F_OK)) {
			*job = *colon ? colon + 1 : NULL;
			return path;
		}
		free(path);
	}
	return str_dup(text);
}

/* Nodes that are found, in that order. */
struct hosts_file_finder {
	const struct fabric *f;
	enum name_kind kind;
	uint8_t *mark; /* [n_nodes] */
	struct id_list *l;
	size_t cap;
};

/* Finds the nodes whose names are `host`, or `host` followed by one of `ends`. */
static bool find_named(struct hosts_file_finder *x, const char *host, const char *ends)
{
	const struct fabric *f = x->f;
	struct name_hits h;
	bool any = false;

	names_find(f, host, x->kind, NAME_FIRST, &h);
	for (uint32_t i = 0; i < h.n; i++) {
		const char *given = f->node_given[h.node[i]];

		if (!strncasecmp(given, host, strlen(host)) &&
		    !memchr(ends, given[strlen(host)], strlen(ends) + 1))
			continue;
		any = true;
		if (x->mark[h.node[i]])
			continue;
		x->mark[h.node[i]] = 1;
		GROW(x->l->id, x->l->n, x->cap);
		x->l->id[x->l->n++] = h.node[i];
	}
	name_hits_free(&h);
	return any;
}

/* Tries the whole name, then the name with a domain in the fabric, then without its own domain. */
static bool hosts_file_find_host(struct hosts_file_finder *x, char *host)
{
	char *dot = strchr(host, '.');
	bool any = find_named(x, host, " \t/:") || find_named(x, host, ".");

	if (any || !dot)
		return any;
	*dot = '\0';
	any = find_named(x, host, " \t/:");
	*dot = '.';
	return any;
}

/* A file of hosts names no ports: "h1[2]" is port 2 of h1, not h12 as in a list of Slurm. */
static int refuse_ports(const struct fabric *f, const struct input *in, struct err *e)
{
	static const char between[] = " \t\r\n,=";
	const char *end = in->data + in->size, *p = in->data;
	unsigned line = 1;

	while (p < end && memchr(p, ']', (size_t)(end - p))) {
		size_t len = 0;

		while (p + len < end && p[len] && !strchr(between, p[len]))
			len++;
		if (len && names_port(f, p, len))
			return err_set_kind(e, ERR_INPUT,
					    "%s:%u: found %.*s, which is a port; expected a host", in->name,
					    line, (int)(MIN(len, 60)), p);
		p += len;
		line += p < end && *p == '\n';
		p++;
	}
	return 0;
}

static int hosts_file_find(const struct fabric *f, const struct hostlist *hosts, enum name_kind kind,
			   struct progress *p, struct id_list *l, struct err *e)
{
	struct hosts_file_finder x = {f, kind, NEW_ARRAY(f->n_nodes + 1, uint8_t), l, 0};
	struct hostlist *absent = &l->absent;

	for (size_t i = 0; i < hosts->n; i++) {
		if (i % HOSTS_A_LOOK == 0 && progress_cancelled(p)) {
			free(x.mark);
			return err_set(e, CANCELLED);
		}
		if (hosts_file_find_host(&x, hosts->name[i]))
			continue;
		GROW(absent->name, absent->n, absent->cap);
		absent->name[absent->n++] = str_dup(hosts->name[i]);
	}
	free(x.mark);
	return 0;
}

int hosts_file_nodes(const struct session *s, const char *word, enum name_kind kind, struct progress *p,
		     struct id_list *l, struct err *e)
{
	assert(kind <= NAMES_HOSTS);
	assert(*word == '@');
	const char *job;
	AUTO_FREE char *path = split_job(word + 1, &job), *data = NULL;
	struct input in = {.name = path, .progress = p};
	struct hostlist hosts = {0};
	int rc = read_packed_list(path, p, &data, &in.size, e);

	*l = (struct id_list){.many = true};
	in.data = data;
	if (!rc)
		rc = refuse_ports(s->fabric, &in, e) || hostfile_read(&in, job, &hosts, e) ? -1 : 0;
	if (!rc)
		rc = hosts_file_find(s->fabric, &hosts, kind, p, l, e);
	if (!rc && l->n)
		qsort(l->id, l->n, sizeof(*l->id), order_u32);
	if (!rc && !l->n)
		rc = err_set_kind(e, ERR_NO_NODE, "%s: none of %s is in the fabric (first: %s)", path,
				  PLURAL(hosts.n, "host"), hosts.name[0]);
	if (rc)
		id_list_free(l);
	hostlist_free(&hosts);
	return rc;
}

int hosts_file_each(const char *path, struct progress *p, struct job_list *jobs, struct err *e)
{
	AUTO_FREE char *data = NULL;
	struct input in = {.name = path, .progress = p};
	int rc = read_packed_list(path, p, &data, &in.size, e);

	in.data = data;
	if (!rc)
		rc = hostfile_each(&in, jobs, e);
	return rc;
}

int job_nodes(const struct fabric *f, const struct job_hosts *job, struct progress *p, struct id_list *l,
	      struct err *e)
{
	*l = (struct id_list){.many = true};
	return hosts_file_find(f, &job->hosts, NAMES_HOSTS, p, l, e);
}

void report_absent(const struct id_list *l, const char *word, struct out *o)
{
	const struct hostlist *a = &l->absent;

	if (!a->n)
		return;
	out_text(o, "%s: %s not in the fabric: ", word, PLURAL(a->n, "host"));
	for (size_t i = 0; i < a->n && i < ABSENT_TOLD; i++)
		out_text(o, "%s%s", i ? ", " : "", a->name[i]);
	out_text(o, "%s\n", a->n > ABSENT_TOLD ? ", ..." : "");
	for (size_t i = 0; o->object && i < a->n; i++) {
		json_t *list = json_object_get(o->object, "absent");

		if (!list) {
			list = json_array();
			out_json(o, "absent", list);
		}
		json_array_append_new(list, json_text(a->name[i]));
	}
}

#define SYNTAX "pair SRC DST [WEIGHT]" /* lines are read as commands, so a word comes first */

/* Does the line hold nothing but a comment? */
static bool is_empty(const char *text)
{
	text += strspn(text, " \t\r");
	return !*text || *text == '#';
}

/* Takes the words of a line, which are freed or kept. */
static int pairs_file_take_words(struct pairs_file *p, int argc, char **argv, const char *rest, unsigned line,
				 struct err *e)
{
	uint64_t weight = 1;

	if (argc < 3 || argc > 4 || (rest && *rest))
		return err_set(e, "found %d words%s, expected A B [WEIGHT]", argc - 1,
			       rest && *rest ? " and ';'" : "");
	if (argc == 4 && !number_of(argv[3], 1, PAIRS_WEIGHT_MOST, &weight))
		return err_set(e, "found \"%.40s\", expected a weight, a whole number from 1 to %u", argv[3],
			       PAIRS_WEIGHT_MOST);
	GROW(p->pair, p->n, p->cap);
	p->pair[p->n++] = (struct pair_line){str_dup(argv[1]), str_dup(argv[2]), (uint32_t)weight, line};
	return 0;
}

static int pairs_file_take_line(struct pairs_file *p, const struct fabric *f, struct cursor at, unsigned line,
				struct err *e)
{
	size_t len = (size_t)(at.end - at.p);
	struct words_read w;

	if (memchr(at.p, 0, len))
		return err_set(e, "found a NUL byte, expected text");
	if (len > LINE_BYTES_MOST)
		return err_set_kind(e, ERR_LIMIT, "found a line of %zu bytes, expected at most %d", len,
				    LINE_BYTES_MOST);
	AUTO_FREE char *text = str_printf("pair %.*s", (int)len, at.p);
	int rc = 0;
	if (!is_empty(text + 5)) {
		rc = command_read(f, SYNTAX, text, &w, NULL, e);
		if (!rc) {
			rc = pairs_file_take_words(p, w.argc, w.argv, w.rest, line, e);
			words_free(w.argc, w.argv);
		}
	}
	return rc;
}

int pairs_parse(struct pairs_file *p, const struct fabric *f, const struct input *in, struct err *e)
{
	struct lines lines = {.p = in->data, .end = in->data + in->size, .progress = in->progress};
	struct cursor at;
	struct err why;
	uint64_t sum = 0;

	*p = (struct pairs_file){0};
	while (lines_next(&lines, &at)) {
		size_t had = p->n;

		if (pairs_file_take_line(p, f, at, lines.no, &why))
			return err_set(e, "%s:%u: %s", in->name, lines.no, why.msg);
		sum += p->n > had ? p->pair[had].weight : 0;
		if (sum > PAIRS_WEIGHT_MOST)
			return err_set(e,
				       "%s:%u: found weights that add up to %" PRIu64 ", expected at most %u",
				       in->name, lines.no, sum, PAIRS_WEIGHT_MOST);
	}
	return progress_cancelled(in->progress) ? err_set(e, CANCELLED) : 0;
}

void pairs_file_free(struct pairs_file *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->pair[i].src);
		free(p->pair[i].dst);
	}
	free(p->pair);
	*p = (struct pairs_file){0};
}

/* What a pattern is read with. */
struct patterns_reader {
	const struct session *s;
	const struct routing *r;
	const struct args *args;
	struct pattern *p;
	const char *what; /* the words are for, in messages */
	struct out *o;
};

static int read_lids(const struct patterns_reader *x, struct err *e)
{
	(void)e;
	*x->p = pattern_lids;
	return 0;
}

static int read_shift(const struct patterns_reader *x, struct err *e)
{
	AUTO_ARENA struct shift_order *o =
		shift_order_new(x->r, x->s->setup, x->s->engines, NULL, x->o->run->progress, e);

	if (!o)
		return -1;
	out_text(x->o, "Order of %s (%s).\n", PLURAL(o->n, "place"), shift_by_text(o->by));
	out_json(x->o, "order", json_text(shift_by_name(o->by)));
	pattern_shift(x->r, o, (uint32_t)args_number(x->args, "K", 1), x->p);
	return 0;
}

static int read_bisection(const struct patterns_reader *x, struct err *e)
{
	(void)e;
	pattern_bisection(x->r, args_number(x->args, "seed=K", 1), x->p);
	return 0;
}

static int read_random(const struct patterns_reader *x, struct err *e)
{
	(void)e;
	pattern_random(x->r, args_number(x->args, "seed=K", 1), x->p);
	return 0;
}

/* All send to the host port with the highest LID of a node. */
static int read_hotspot(const struct patterns_reader *x, struct err *e)
{
	const struct fabric *f = x->r->topo->fabric;
	uint32_t node = args_get(x->args, "hotspot NODE")->id, n, dst = NO_ID;
	uint32_t *host = pattern_hosts(x->r, &n);

	for (uint32_t i = 0; i < n; i++)
		if (endport_node(f, host[i]) == node)
			dst = host[i];
	free(host);
	if (dst == NO_ID)
		return err_set(e, "pattern hotspot: %s is not a host that is up and counted",
			       f->node_name[node]);
	pattern_to(x->r, &dst, 1, x->p);
	return 0;
}

/* The targets of `to`. */
struct targets {
	uint32_t *ep, n;
	uint8_t *taken; /* [n_endports] */
	bool any;	/* the present word means at least one target */
};

static void add_target(const struct patterns_reader *x, uint32_t port, struct targets *to)
{
	uint32_t ep = x->r->topo->fabric->port_endport[port];

	if (ep == NO_ID || !pattern_is_host(x->r, ep))
		return;
	to->any = true;
	if (!to->taken[ep])
		to->ep[to->n++] = ep;
	to->taken[ep] = 1;
}

/* Adds the hosts' ports that a word means, as in `scope`. At least one must be a possible target. */
static int add_targets(const struct patterns_reader *x, const char *word, struct targets *to, struct err *e)
{
	const struct fabric *f = x->r->topo->fabric;
	struct id_list l = {0};
	bool ports = false;
	int rc = session_nodes(x->s, word, NAMES_HOSTS, x->o->run->progress, &l, e);

	if (rc && *word && word[strlen(word) - 1] == ']') {
		rc = session_ports(x->s, word, x->o->run->progress, &l, NULL);
		ports = !rc;
	}
	if (!rc)
		report_absent(&l, word, x->o);
	to->any = false;
	for (uint32_t i = 0; !rc && i < l.n; i++) {
		if (ports)
			add_target(x, l.id[i], to);
		for (unsigned p = 1; !ports && p <= f->node_nports[l.id[i]]; p++)
			add_target(x, f->node_port[l.id[i]] + p, to);
	}
	id_list_free(&l);
	return rc || to->any ? rc : err_set(e, "%s: %s is not a host that is up and counted", x->what, word);
}

static int patterns_read_to(const struct patterns_reader *x, struct err *e)
{
	uint32_t all = x->r->topo->fabric->n_endports, n_hosts;
	struct targets to = {.ep = NEW_ARRAY(all + 1, uint32_t), .taken = NEW_ARRAY(all + 1, uint8_t)};
	int rc = 0;

	for (const struct arg *h = args_get(x->args, "H"); !rc && h; h = args_next(x->args, "H", h))
		rc = add_targets(x, h->word, &to, e);
	free(pattern_hosts(x->r, &n_hosts));
	if (!rc && (uint64_t)to.n * n_hosts > UINT32_MAX)
		rc = err_set(e, "pattern to: too many flows to count: %u hosts to %u of them", n_hosts, to.n);
	if (!rc) /* the list doubles as it grows */
		rc = mem_room(e, 2 * (size_t)to.n * n_hosts * sizeof(struct flow), "flows to %u hosts", to.n);
	if (!rc)
		pattern_to(x->r, to.ep, to.n, x->p);
	FREE_EACH(to.ep, to.taken);
	return rc;
}

struct gpus *session_gpus(const struct session *s, const struct routing *r, const struct args *args,
			  struct out *o, struct err *e)
{
	assert(fabric_alike(r->topo->fabric, s->fabric));
	uint32_t all = r->topo->fabric->n_endports;
	struct targets to = {.ep = NEW_ARRAY(all + 1, uint32_t), .taken = NEW_ARRAY(all + 1, uint8_t)};
	struct patterns_reader x = {.s = s, .r = r, .what = "hosts", .o = o};
	const struct arg *h = args_get(args, "H");
	struct gpus *g = NULL;
	bool some = h != NULL;
	int rc = 0;

	for (; !rc && h; h = args_next(args, "H", h))
		rc = add_targets(&x, h->word, &to, e);
	if (!rc) {
		g = gpus_new(r, some ? to.ep : NULL, to.n);
		g->direct = args_has(args, "direct");
	}
	FREE_EACH(to.ep, to.taken);
	return g;
}

void tell_gpus(const struct gpus *g, struct out *o)
{
	out_text(o, "%s of %s on %s.\n", PLURAL(g->n, "GPU"), PLURAL(g->n_hosts, "host"),
		 PLURAL(g->n_rails, "rail"));
	out_json(o, "gpus",
		 json_make("{s:i, s:i, s:i}", "count", (int)g->n, "hosts", (int)g->n_hosts, "rails",
			   (int)g->n_rails));
}

static int read_gpus(const struct patterns_reader *x, struct err *e)
{
	enum gpu_pattern kind = (enum gpu_pattern)args_which(x->args, gpu_pattern_word, GPU_PATTERNS);
	struct gpus *g = session_gpus(x->s, x->r, x->args, x->o, e);
	int rc = g ? pattern_gpus(x->r, g, kind, x->p, x->o->run->progress, e) : -1;

	if (!rc)
		tell_gpus(g, x->o);
	arena_free(g);
	return rc;
}

static int read_pairs(const struct patterns_reader *x, struct err *e)
{
	struct input in = {.name = args_word(x->args, "FILE", ""), .progress = x->o->run->progress};
	AUTO_FREE char *data = NULL;
	struct pairs_file file = {0};
	struct err why;

	x->p->kind = PATTERN_LIST;
	int rc = read_path(in.name, LIST_FILE_MIB, in.progress, &data, &in.size, e);
	in.data = data;
	if (!rc)
		rc = pairs_parse(&file, x->s->fabric, &in, e);
	for (size_t i = 0; !rc && i < file.n; i++) {
		const struct pair_line *l = &file.pair[i];
		unsigned lid;
		uint32_t src = session_endport(x->s, l->src, &lid, &why), dst = NO_ID;

		if (src != NO_ID)
			dst = session_endport(x->s, l->dst, &lid, &why);
		if (src == NO_ID || dst == NO_ID)
			rc = err_set(e, "%s:%u: %s", in.name, l->line, why.msg);
		else
			pattern_add(x->r, src, dst, l->weight, x->p);
		if (!rc && i % 256 == 0 && progress_cancelled(x->o->run->progress))
			rc = err_set(e, CANCELLED);
	}
	pairs_file_free(&file);
	return rc;
}

static const struct {
	const char *name;
	int (*read)(const struct patterns_reader *x, struct err *e);
} readers[] = {
	{"lids", read_lids},	 {"shift", read_shift},	    {"bisection", read_bisection},
	{"random", read_random}, {"hotspot", read_hotspot}, {"to", patterns_read_to},
	{"pairs", read_pairs},	 {"ring", read_gpus},	    {"tree", read_gpus},
	{"alltoall", read_gpus},
};

int session_pattern(const struct session *s, const struct routing *r, const struct args *args,
		    struct pattern *p, struct out *o, struct err *e)
{
	struct patterns_reader x = {s, r, args, p, "pattern to", o};
	int rc = 0;

	assert(fabric_alike(r->topo->fabric, s->fabric));
	*p = pattern_all;
	for (size_t i = 0; i < ARRAY_LEN(readers); i++)
		if (args_has(args, readers[i].name)) {
			*p = (struct pattern){0};
			rc = readers[i].read(&x, e);
			if (rc)
				pattern_free(p);
			break;
		}
	return rc;
}

/* --- surveys ----------------------------------------------------------------------------------- */

/* "3/8" */
static int patterns_take_share(struct survey_request *rq, const char *word, struct err *e)
{
	size_t len = strcspn(word, "/");
	uint64_t shard, shards;

	if (!word[len] || !number_of(word + len + 1, 1, SURVEY_MOST_SHARES, &shards) ||
	    !number_of_part(word, len, 1, shards, &shard))
		return err_set_kind(e,
				    word[len] && number_beyond(word + len + 1, SURVEY_MOST_SHARES)
					    ? ERR_LIMIT
					    : ERR_SYNTAX,
				    "shard: found \"%s\", expected I/N, the I-th of N shares (N up to %d)",
				    word, SURVEY_MOST_SHARES);
	rq->shard = (unsigned)shard;
	rq->shards = (unsigned)shards;
	return 0;
}

int survey_asked(struct survey_request *rq, const struct args *args, struct err *e)
{
	const char *share = args_word(args, "I/N", NULL);

	rq->kind = PART_LINK;
	for (int i = 0; i < args->n; i++)
		if (args->arg[i].small && part_kind_of(args->arg[i].word) >= 0)
			rq->kind = (enum part_kind)part_kind_of(args->arg[i].word);
	rq->by_outage = args_has(args, "outage");
	rq->pairs = (uint32_t)args_number(args, "N", 0);
	rq->seed = args_number(args, "seed=K", 1);
	rq->threads = (unsigned)args_number(args, "threads=K", 0);
	return share ? patterns_take_share(rq, share, e) : 0;
}
