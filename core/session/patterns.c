#include "core/session/patterns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/session/pairs_file.h"

/* What a pattern is read with. */
struct reader {
	const struct session *s;
	const struct routing *r;
	int argc; /* words behind the first */
	char *const *argv;
	struct pattern *p;
	struct progress *progress;
};

int seed_word(const char *word, uint64_t *seed, struct err *e)
{
	char *end;

	if (strncmp(word, "seed=", 5) != 0)
		return err_set(e, "found \"%s\", expected seed=K", word);
	errno = 0;
	*seed = strtoull(word + 5, &end, 0);
	if (end == word + 5 || *end || errno)
		return err_set(e, "seed: found \"%s\", expected a number", word + 5);
	return 0;
}

static int too_many(const char *name, const char *word, struct err *e)
{
	return err_set(e, "pattern %s: found \"%s\", expected nothing more", name, word);
}

static int read_all(const struct reader *x, struct err *e)
{
	*x->p = pattern_all;
	return x->argc ? too_many("all", x->argv[0], e) : 0;
}

static int read_lids(const struct reader *x, struct err *e)
{
	*x->p = pattern_lids;
	return x->argc ? too_many("lids", x->argv[0], e) : 0;
}

static int read_shift(const struct reader *x, struct err *e)
{
	const char *word = x->argc ? x->argv[0] : "";
	struct shift_order o;
	char *end;
	unsigned long k = strtoul(word, &end, 10);

	if (*word < '0' || *word > '9' || *end || !k)
		return err_set(e, "pattern shift: found \"%s\", expected a number from 1", word);
	if (x->argc > 1)
		return too_many("shift", x->argv[1], e);
	if (shift_order_find(x->r, x->s->setup, x->s->engines, NULL, x->progress, &o, e))
		return -1;
	pattern_shift(x->r, &o, k, x->p);
	shift_order_free(&o);
	return 0;
}

static int read_seed(const struct reader *x, const char *name, uint64_t *seed, struct err *e)
{
	*seed = 1;
	if (x->argc > 1)
		return too_many(name, x->argv[1], e);
	return x->argc ? seed_word(x->argv[0], seed, e) : 0;
}

static int read_bisection(const struct reader *x, struct err *e)
{
	uint64_t seed;

	if (read_seed(x, "bisection", &seed, e))
		return -1;
	pattern_bisection(x->r, seed, x->p);
	return 0;
}

static int read_random(const struct reader *x, struct err *e)
{
	uint64_t seed;

	if (read_seed(x, "random", &seed, e))
		return -1;
	pattern_random(x->r, seed, x->p);
	return 0;
}

/* All to the host port of the highest LID of a node. */
static int read_hotspot(const struct reader *x, struct err *e)
{
	const struct fabric *f = x->r->topo->fabric;
	uint32_t node, n, *host, dst = NO_ID;

	if (x->argc != 1)
		return x->argc ? too_many("hotspot", x->argv[1], e)
			       : err_set(e, "pattern hotspot: expected a NODE");
	node = session_node(x->s, x->argv[0], e);
	if (node == NO_ID)
		return -1;
	host = pattern_hosts(x->r, &n);
	for (uint32_t i = 0; i < n; i++)
		if (endport_node(f, host[i]) == node)
			dst = host[i];
	free(host);
	if (dst == NO_ID)
		return err_set(e, "pattern hotspot: %s is no host that is up and counts", f->node_name[node]);
	pattern_to(x->r, &dst, 1, x->p);
	return 0;
}

/* The targets of `to`. */
struct targets {
	uint32_t *ep, n;
	uint8_t *taken; /* [n_endports] */
	bool any;	/* of the word that is looked at some can be targets */
};

static void add_target(const struct reader *x, uint32_t port, struct targets *to)
{
	uint32_t ep = x->r->topo->fabric->port_endport[port];

	if (ep == NO_ID || !pattern_is_host(x->r, ep))
		return;
	to->any = true;
	if (!to->taken[ep])
		to->ep[to->n++] = ep;
	to->taken[ep] = 1;
}

/* Hosts' ports that a word means, as for `scope`; those that are no ends are left out, unless all are. */
static int add_targets(const struct reader *x, const char *word, struct targets *to, struct err *e)
{
	const struct fabric *f = x->r->topo->fabric;
	struct id_list l = {0};
	bool ports = false;
	int rc = session_nodes(x->s, word, NAMES_HOSTS, &l, e);

	if (rc && *word && word[strlen(word) - 1] == ']') {
		rc = session_ports(x->s, word, &l, NULL);
		ports = !rc;
	}
	to->any = false;
	for (uint32_t i = 0; !rc && i < l.n; i++) {
		if (ports)
			add_target(x, l.id[i], to);
		for (unsigned p = 1; !ports && p <= f->node_nports[l.id[i]]; p++)
			add_target(x, f->node_port[l.id[i]] + p, to);
	}
	id_list_free(&l);
	return rc || to->any ? rc : err_set(e, "pattern to: %s is no host that is up and counts", word);
}

static int read_to(const struct reader *x, struct err *e)
{
	uint32_t all = x->r->topo->fabric->n_endports, n_hosts;
	struct targets to = {.ep = NEW_ARRAY(all + 1, uint32_t), .taken = NEW_ARRAY(all + 1, uint8_t)};
	int rc = x->argc ? 0 : err_set(e, "pattern to: expected hosts");

	for (int i = 0; !rc && i < x->argc; i++)
		rc = add_targets(x, x->argv[i], &to, e);
	free(pattern_hosts(x->r, &n_hosts));
	if (!rc && (uint64_t)to.n * n_hosts > UINT32_MAX)
		rc = err_set(e, "pattern to: %u hosts to %u of them is more than can be counted", n_hosts,
			     to.n);
	if (!rc) /* the list doubles as it grows */
		rc = mem_room(e, 2 * (size_t)to.n * n_hosts * sizeof(struct flow), "flows to %u hosts", to.n);
	if (!rc)
		pattern_to(x->r, to.ep, to.n, x->p);
	free(to.ep);
	free(to.taken);
	return rc;
}

static int read_pairs(const struct reader *x, struct err *e)
{
	const char *path = x->argc ? x->argv[0] : "";
	struct pairs_file file;
	struct err why;
	int rc;

	if (x->argc != 1)
		return x->argc ? too_many("pairs", x->argv[1], e)
			       : err_set(e, "pattern pairs: expected a FILE");
	x->p->kind = PATTERN_LIST;
	rc = pairs_read(&file, x->s->fabric, path, x->progress, e);
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
		if (!rc && i % 256 == 0 && progress_cancelled(x->progress))
			rc = err_set(e, CANCELLED);
	}
	pairs_file_free(&file);
	return rc;
}

static const struct {
	const char *name;
	int (*read)(const struct reader *x, struct err *e);
} readers[] = {
	{"all", read_all},	 {"lids", read_lids},
	{"shift", read_shift},	 {"bisection", read_bisection},
	{"random", read_random}, {"hotspot", read_hotspot},
	{"to", read_to},	 {"pairs", read_pairs},
};

bool is_pattern_word(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(readers); i++)
		if (!strcmp(word, readers[i].name))
			return true;
	return false;
}

int session_pattern(const struct session *s, const struct routing *r, int argc, char *const *argv,
		    struct pattern *p, struct progress *pr, struct err *e)
{
	struct reader x = {s, r, argc - 1, argv + 1, p, pr};
	int rc;

	*p = pattern_all;
	if (!argc)
		return 0;
	*p = (struct pattern){0};
	for (size_t i = 0; i < ARRAY_LEN(readers); i++)
		if (!strcmp(argv[0], readers[i].name)) {
			rc = readers[i].read(&x, e);
			if (rc)
				pattern_free(p);
			return rc;
		}
	return err_set(
		e,
		"found \"%s\", expected a pattern: all, lids, shift, bisection, random, hotspot, to or pairs",
		argv[0]);
}
