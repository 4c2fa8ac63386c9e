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
	char *end;
	unsigned long k = strtoul(word, &end, 10);

	if (*word < '0' || *word > '9' || *end || !k)
		return err_set(e, "pattern shift: found \"%s\", expected a number from 1", word);
	if (x->argc > 1)
		return too_many("shift", x->argv[1], e);
	pattern_shift(x->r, k, x->p);
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

/* Hosts' ports that a word means; those that are no ends are left out, unless all are. */
static int add_targets(const struct reader *x, const char *word, uint32_t **target, uint32_t *n,
		       uint8_t *taken, struct err *e)
{
	const struct fabric *f = x->r->topo->fabric;
	struct id_list l;
	bool any = false;

	if (session_ports(x->s, word, &l, e))
		return -1;
	for (uint32_t i = 0; i < l.n; i++) {
		uint32_t ep = f->port_endport[l.id[i]];

		if (ep == NO_ID || !pattern_is_host(x->r, ep))
			continue;
		any = true;
		if (!taken[ep])
			(*target)[(*n)++] = ep;
		taken[ep] = 1;
	}
	id_list_free(&l);
	return any ? 0 : err_set(e, "pattern to: %s is no host that is up and counts", word);
}

static int read_to(const struct reader *x, struct err *e)
{
	uint32_t all = x->r->topo->fabric->n_endports, n_hosts, n = 0;
	uint32_t *target = NEW_ARRAY(all + 1, uint32_t);
	uint8_t *taken = NEW_ARRAY(all + 1, uint8_t);
	int rc = x->argc ? 0 : err_set(e, "pattern to: expected hosts");

	for (int i = 0; !rc && i < x->argc; i++)
		rc = add_targets(x, x->argv[i], &target, &n, taken, e);
	free(pattern_hosts(x->r, &n_hosts));
	if (!rc && (uint64_t)n * n_hosts > UINT32_MAX)
		rc = err_set(e, "pattern to: %u hosts to %u of them is more than can be counted", n_hosts, n);
	if (!rc)
		rc = mem_room(e, (size_t)n * n_hosts * sizeof(struct flow), "flows to %u hosts", n);
	if (!rc)
		pattern_to(x->r, target, n, x->p);
	free(target);
	free(taken);
	return rc;
}

static int read_pairs(const struct reader *x, struct err *e)
{
	const char *path = x->argc ? x->argv[0] : "";
	struct pairs_file file;
	struct err why;
	int rc;

	if (x->argc != 1)
		return x->argc ? too_many("pairs", x->argv[1], e) : err_set(e, "pattern pairs: expected a FILE");
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
	{"all", read_all},	 {"lids", read_lids},	    {"shift", read_shift}, {"bisection", read_bisection},
	{"random", read_random}, {"hotspot", read_hotspot}, {"to", read_to},	   {"pairs", read_pairs},
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
	return err_set(e, "found \"%s\", expected a pattern: all, lids, shift, bisection, random, hotspot, to or pairs",
		       argv[0]);
}
