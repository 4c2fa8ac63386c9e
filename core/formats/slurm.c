/*
 * Slurm's topology of a fabric. Its switches are a tree: at the bottom the switches with hosts; above them,
 * level by level, one for each part of the fabric that is connected by switches up to that level.
 */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/fabric/fabric.h"
#include "core/formats/readers.h"
#include "core/routing/paths.h"

#define NAME_MOST 64 /* bytes of a name */

struct slurm_host {
	char name[NAME_MOST];
	uint32_t node, port; /* the host's node and port */
	uint32_t sw;
};

/* A switch of Slurm's. */
struct slurm_branch {
	char name[NAME_MOST];
	uint32_t parent; /* number, NO_ID = root */
	uint32_t level;	 /* 0: has hosts itself */
	uint32_t first;	 /* one of its switches: branches are in the order of switches */
};

struct slurm {
	const struct topo *t;
	struct slurm_host *host;
	uint32_t n_hosts;
	struct slurm_branch *branch;
	size_t n, cap;
	uint32_t *leaf; /* [n_switches] branch of a switch with hosts, NO_ID */
	uint16_t *rank; /* [n_switches] links to the nearest one with hosts, NO_HOPS = none */
	uint32_t *top;	/* [n_switches] union-find over switches joined so far */
	struct text *notes;
};

/* Makes a name that Slurm accepts; other bytes become "_". */
static void slurm_name(const char *from, size_t len, char name[NAME_MOST])
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < NAME_MOST; i++)
		name[n++] = isalnum((unsigned char)from[i]) || strchr("-_.", from[i]) ? from[i] : '_';
	name[n] = '\0';
}

COMPARATOR(by_name, struct slurm_host, TEXT(name) UP(node) UP(port))

/* Lists each host once, in the order of names. */
static void slurm_find_hosts(struct slurm *s)
{
	const struct fabric *f = s->t->fabric;
	uint32_t n = 0, bare = 0;

	s->host = NEW_ARRAY(f->n_endports + 1, struct slurm_host);
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t node = endport_node(f, ep);
		struct slurm_host *h = &s->host[n];

		if (f->node_type[node] != NODE_CA || node_is_aggregation(f, node) || !s->t->endport_up[ep] ||
		    s->t->endport_switch[ep] == NO_ID)
			continue;
		slurm_name(f->node_desc[node], strcspn(f->node_desc[node], " "), h->name);
		h->node = node;
		h->port = f->endport_port[ep];
		h->sw = s->t->endport_switch[ep];
		bare += !*h->name;
		n += *h->name != '\0';
	}
	qsort(s->host, n, sizeof(*s->host), by_name);
	for (uint32_t i = 0; i < n; i++) {
		struct slurm_host *h = &s->host[i], *last = s->n_hosts ? &s->host[s->n_hosts - 1] : NULL;
		int rc = last ? strcmp(f->node_desc[h->node], f->node_desc[last->node]) : 0;

		if (!last || strcmp(last->name, h->name))
			s->host[s->n_hosts++] = *h;
		else if (rc < 0 ||
			 (!rc && h->port < last->port)) /* the first name counts, then the lowest port */
			*last = *h;
	}
	if (n > s->n_hosts)
		text_add(s->notes, "One port of each host counts: %s left out.\n",
			 PLURAL(n - s->n_hosts, "other port"));
	if (bare)
		text_add(s->notes, "Left out, as they have no name: %s.\n", PLURAL(bare, "host port"));
}

static bool name_taken(const struct slurm *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->branch[i].name, name))
			return true;
	return false;
}

/* Adds a branch with this name, made unique. Returns its number. */
static uint32_t slurm_add_branch(struct slurm *s, const char *name, uint32_t level, uint32_t first)
{
	struct slurm_branch b = {.parent = NO_ID, .level = level, .first = first};
	char base[NAME_MOST - 12];

	slurm_name(name, strlen(name), b.name);
	snprintf(base, sizeof(base), "%.*s", (int)sizeof(base) - 1, *b.name ? b.name : "switch");
	snprintf(b.name, sizeof(b.name), "%s", base);
	for (unsigned i = 2; name_taken(s, b.name); i++)
		snprintf(b.name, sizeof(b.name), "%s_%u", base, i);
	GROW(s->branch, s->n, s->cap);
	s->branch[s->n] = b;
	return (uint32_t)s->n++;
}

/* Adds a branch above each group of several branches that the level has joined. */
static void add_level(struct slurm *s, uint32_t level)
{
	const struct fabric *f = s->t->fabric;
	uint32_t n_switches = f->n_switches;
	AUTO_FREE uint32_t *one = NEW_ARRAY(n_switches + 1, uint32_t),
			   *above = NEW_ARRAY(n_switches + 1, uint32_t);
	size_t n = s->n, count = 0;

	memset(one, 0xff, n_switches * sizeof(*one));
	memset(above, 0xff, n_switches * sizeof(*above));
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		for (unsigned p = 1; s->rank[sw] <= level && p <= f->switch_nports[sw]; p++) {
			uint32_t to = s->t->peer_switch[switch_port_id(f, sw, p)];

			if (to != NO_ID && s->rank[to] <= level)
				s->top[disjoint_root(s->top, sw)] = disjoint_root(s->top, to);
		}
	}
	for (size_t b = 0; b < n; b++) {
		char name[40];

		if (s->branch[b].parent != NO_ID)
			continue;
		uint32_t top = disjoint_root(s->top, s->branch[b].first);
		uint32_t first = one[top];
		if (first == NO_ID) {
			one[top] = (uint32_t)b;
			continue;
		}
		if (above[top] == NO_ID) {
			snprintf(name, sizeof(name), "level%u-%zu", level + 1, ++count);
			above[top] = slurm_add_branch(s, name, level + 1, s->branch[first].first);
			s->branch[first].parent = above[top];
		}
		s->branch[b].parent = above[top];
	}
}

/* --- writing ----------------------------------------------------------------------------------- */

/* Digits at the end of a name. */
static size_t digits_at(const char *name)
{
	size_t len = strlen(name), at = len;

	while (at && isdigit((unsigned char)name[at - 1]) && len - at < 9)
		at--;
	return at;
}

/* Does b come right after a, with as many digits? */
static bool follows(const char *a, const char *b)
{
	size_t at = digits_at(a);

	return at == digits_at(b) && strlen(a) == strlen(b) && !strncmp(a, b, at) && a[at] &&
	       strtoul(a + at, NULL, 10) + 1 == strtoul(b + at, NULL, 10);
}

/* "a[1-3],b" */
static void slurm_write_list(FILE *f, const char **name, size_t n)
{
	qsort(name, n, sizeof(*name), order_texts);
	for (size_t i = 0, end; i < n; i = end) {
		size_t at = digits_at(name[i]);

		for (end = i + 1; end < n && follows(name[end - 1], name[end]);)
			end++;
		if (i)
			putc(',', f);
		if (end == i + 1)
			fputs(name[i], f);
		else
			fprintf(f, "%.*s[%s-%s]", (int)at, name[i], name[i] + at, name[end - 1] + at);
	}
}

static size_t slurm_list_of(const struct slurm *s, uint32_t branch, const char **name)
{
	size_t n = 0;

	assert(branch < s->n);
	for (uint32_t i = 0; !s->branch[branch].level && i < s->n_hosts; i++)
		if (s->leaf[s->host[i].sw] == branch)
			name[n++] = s->host[i].name;
	for (size_t b = 0; s->branch[branch].level && b < s->n; b++)
		if (s->branch[b].parent == branch)
			name[n++] = s->branch[b].name;
	return n;
}

static int write_branches(FILE *f, const struct slurm *s, bool yaml, struct progress *p)
{
	AUTO_FREE const char **name = (const char **)NEW_ARRAY(s->n_hosts + s->n + 1, char *);
	bool go_on = true;

	progress_start(p, "writing Slurm's topology", (unsigned)s->n);
	fputs(yaml ? "---\n- topology: default\n  cluster_default: true\n  tree:\n    switches:\n"
		   : "# Slurm's topology.conf, for TopologyPlugin=topology/tree; made by ibscope\n",
	      f);
	for (uint32_t b = 0; b < s->n && (go_on = progress_step(p, b)); b++) {
		size_t n = slurm_list_of(s, b, name);
		bool nodes = !s->branch[b].level;

		if (yaml)
			fprintf(f, "      - switch: \"%s\"\n        %s: \"", s->branch[b].name,
				nodes ? "nodes" : "children");
		else
			fprintf(f, "SwitchName=%s %s=", s->branch[b].name, nodes ? "Nodes" : "Switches");
		slurm_write_list(f, name, n);
		fputs(yaml ? "\"\n" : "\n", f);
	}
	return go_on ? write_status(f) : -1;
}

int write_slurm(FILE *f, const struct topo *up, bool yaml, struct text *notes, struct progress *p)
{
	uint32_t n = up->fabric->n_switches, queued = 0;
	AUTO_ARENA void *arena = ARENA_EMPTY;
	struct slurm s = {.t = up, .notes = notes};
	size_t roots = 0;
	AUTO_FREE uint32_t *queue = NEW_ARRAY(n + 1, uint32_t);

	assert(notes);
	s.leaf = ARENA_ARRAY(arena, n + 1, uint32_t);
	s.rank = ARENA_ARRAY(arena, n + 1, uint16_t);
	s.top = ARENA_ARRAY(arena, n + 1, uint32_t);
	memset(s.leaf, 0xff, n * sizeof(*s.leaf));
	for (uint32_t sw = 0; sw < n; sw++)
		s.top[sw] = sw;
	slurm_find_hosts(&s);
	for (uint32_t i = 0; i < s.n_hosts; i++)
		s.leaf[s.host[i].sw] = 0;
	for (uint32_t sw = 0; sw < n; sw++)
		if (s.leaf[sw] != NO_ID)
			s.leaf[sw] = slurm_add_branch(&s, up->fabric->node_desc[up->fabric->switch_node[sw]],
						      0, sw);
	for (uint32_t sw = 0; sw < n; sw++) {
		s.rank[sw] = s.leaf[sw] == NO_ID ? NO_HOPS : 0;
		if (!s.rank[sw])
			queue[queued++] = sw;
	}
	queued = spread_hops(up, s.rank, queue, queued);
	uint32_t highest = queued ? s.rank[queue[queued - 1]] : 0;
	for (uint32_t level = 0; level <= highest; level++)
		add_level(&s, level);
	for (size_t b = 0; b < s.n; b++)
		roots += s.branch[b].parent == NO_ID;
	if (roots > 1)
		text_add(notes, "%zu trees: jobs cannot have hosts of several of them.\n", roots);
	if (!s.n_hosts)
		text_add(notes, "No host is up: the file names no switch.\n");
	int rc = write_branches(f, &s, yaml, p);
	free(s.host);
	free(s.branch);
	return rc;
}
