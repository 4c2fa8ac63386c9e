#include "core/session/patterns.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/session/hosts_file.h"
#include "core/session/interpreter.h"
#include "core/session/pairs_file.h"

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
	struct shift_order o;

	if (shift_order_find(x->r, x->s->setup, x->s->engines, NULL, x->o->run->progress, &o, e))
		return -1;
	out_text(x->o, "Order of %s (%s).\n", PLURAL(o.n, "place"), shift_by_text(o.by));
	out_json(x->o, "order", json_text(shift_by_name(o.by)));
	pattern_shift(x->r, &o, (uint32_t)args_number(x->args, "K", 1), x->p);
	shift_order_free(&o);
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
	uint32_t node = args_get(x->args, "hotspot NODE")->id, n, *host, dst = NO_ID;

	host = pattern_hosts(x->r, &n);
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
	int rc = session_nodes(x->s, word, NAMES_HOSTS, false, x->o->run->progress, &l, e);

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
	free(to.ep);
	free(to.taken);
	return rc;
}

struct gpus *session_gpus(const struct session *s, const struct routing *r, const struct args *args,
			  struct out *o, struct err *e)
{
	uint32_t all = r->topo->fabric->n_endports;
	struct targets to = {.ep = NEW_ARRAY(all + 1, uint32_t), .taken = NEW_ARRAY(all + 1, uint8_t)};
	struct patterns_reader x = {.s = s, .r = r, .what = "hosts", .o = o};
	const struct arg *h = args_get(args, "H");
	struct gpus *g = NULL;
	bool some = h != NULL;
	int rc = 0;

	for (; !rc && h; h = args_next(args, "H", h))
		rc = add_targets(&x, h->word, &to, e);
	if (!rc)
		g = gpus_new(r, some ? to.ep : NULL, to.n);
	free(to.ep);
	free(to.taken);
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
	int rc = g ? pattern_gpus(x->r, g, kind, args_has(x->args, "direct"), x->p, x->o->run->progress, e)
		   : -1;

	if (!rc)
		tell_gpus(g, x->o);
	gpus_free(g);
	return rc;
}

static int read_pairs(const struct patterns_reader *x, struct err *e)
{
	const char *path = args_word(x->args, "FILE", "");
	struct pairs_file file;
	struct err why;
	int rc;

	x->p->kind = PATTERN_LIST;
	rc = pairs_read(&file, x->s->fabric, path, x->o->run->progress, e);
	for (size_t i = 0; !rc && i < file.n; i++) {
		const struct pair_line *l = &file.pair[i];
		unsigned lid;
		uint32_t src = session_endport(x->s, l->src, &lid, &why), dst = NO_ID;

		if (src != NO_ID)
			dst = session_endport(x->s, l->dst, &lid, &why);
		if (src == NO_ID || dst == NO_ID)
			rc = err_set(e, "%s:%u: %s", path, l->line, why.msg);
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
