/* Slurm's topology.conf and `scontrol show topology` (tree and block) as a plan of who hangs where. */
#include "core/base/hostlist.h"
#include "core/formats/cabling.h"
#include "core/formats/ibnl.h"
#include "core/formats/readers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* `KEY=VALUE` of a line; letter case of keys does not matter. */
static bool take(struct cursor word, const char *key, struct cursor *value)
{
	size_t n = strlen(key);

	if ((size_t)(word.end - word.p) <= n || word.p[n] != '=' || strncasecmp(word.p, key, n) != 0)
		return false;
	*value = (struct cursor){word.p + n + 1, word.end};
	return true;
}

/* What a line tells. */
struct branch {
	struct cursor name, nodes, level;
	bool block, leaf; /* leaf: it names no switches below */
};

static bool read_branch(struct cursor line, struct branch *b)
{
	struct cursor word, switches;

	*b = (struct branch){.leaf = true};
	while (word = cur_token(&line), !cur_empty(&word) && *word.p != '#') {
		if (take(word, "BlockName", &b->name))
			b->block = true;
		else if (take(word, "Switches", &switches))
			b->leaf &= cur_empty(&switches);
		else if (!take(word, "SwitchName", &b->name) && !take(word, "Nodes", &b->nodes))
			take(word, "Level", &b->level);
	}
	if (!cur_empty(&b->level) && *b->level.p != '0')
		b->leaf = false;
	return b->name.p != NULL;
}

bool is_slurm_topology(const struct input *in)
{
	struct lines l = {in->data, in->data + in->size, 0, in->progress};
	struct cursor line;
	struct branch b;

	while (lines_next(&l, &line)) {
		cur_blanks(&line);
		if (!cur_empty(&line) && *line.p != '#')
			return cur_word(&line, "BlockSizes=") || read_branch(line, &b);
	}
	return false;
}

static void add_branch(struct cabling *c, const struct branch *b, struct cursor line, unsigned no)
{
	char *list = clean_text(b->nodes.p, (size_t)(b->nodes.end - b->nodes.p), SIZE_MAX);
	struct hostlist l;
	struct err why;

	if (cur_empty(&b->name) || hostlist_read(list, &l, &why)) {
		cabling_odd(c, no, "SwitchName=NAME or BlockName=NAME with Nodes=LIST", line);
		free(list);
		return;
	}
	for (size_t i = 0; i < l.n; i++) {
		struct cursor text[4] = {{l.name[i], l.name[i] + strlen(l.name[i])}, {0}, b->name, {0}};

		cabling_add(c, text, 0, 0, no);
	}
	hostlist_free(&l);
	free(list);
}

int cabling_slurm(const struct input *in, struct cabling *c, struct err *e)
{
	struct lines lines = {in->data, in->data + in->size, 0, in->progress};
	struct text joined = {0};
	struct cursor line;
	unsigned first = 0;
	int rc = 0;

	c->format = "topology";
	c->kind = CABLING_LEAVES;
	while (!rc && lines_next(&lines, &line)) {
		bool more = !cur_empty(&line) && line.end[-1] == '\\';
		struct cursor all, blank;
		struct branch b;

		first = joined.len ? first : lines.no;
		text_add(&joined, "%.*s ", (int)(line.end - line.p) - more, line.p);
		if (joined.len > LINE_BYTES_MOST)
			rc = err_set(e, "%s:%u: found a line of more than %d bytes", in->name, first,
				     LINE_BYTES_MOST);
		if (rc || more)
			continue;
		all = blank = (struct cursor){joined.s, joined.s + joined.len - 1};
		cur_blanks(&blank);
		if (read_branch(all, &b)) {
			c->kind = b.block ? CABLING_BLOCKS : c->kind;
			if (b.leaf && !cur_empty(&b.nodes))
				add_branch(c, &b, all, first);
		} else if (!cur_empty(&blank) && *blank.p != '#' && !cur_find(&blank, "BlockSizes=") &&
			   !cur_find(&blank, "AggregatedBlock")) {
			cabling_odd(c, first, "SwitchName=NAME or BlockName=NAME with Nodes=LIST", all);
		}
		joined.len = 0;
	}
	text_free(&joined);
	return rc;
}
