/* Plans from Slurm's topology.conf and `scontrol show topology` (tree and block): the switch of each host. */
#include "core/base/hostlist.h"
#include "core/formats/cabling.h"
#include "core/formats/readers.h"

#include <stdlib.h>

/* `KEY=VALUE` of a line; letter case of keys does not matter. */
static bool cabling_slurm_take(struct cursor word, const char *key, struct cursor *value)
{
	struct cursor name = cur_part(&word, '=');

	if (name.end == word.end || !cur_is(name, key))
		return false;
	*value = word;
	return true;
}

/* The content of a line. */
struct cabling_slurm_branch {
	struct cursor name, nodes, level;
	bool block, leaf; /* leaf: it names no switches below */
};

static bool read_branch(struct cursor line, struct cabling_slurm_branch *b)
{
	struct cursor word, switches;

	*b = (struct cabling_slurm_branch){.leaf = true};
	while (word = cur_token(&line), !cur_empty(&word) && *word.p != '#') {
		if (cabling_slurm_take(word, "BlockName", &b->name))
			b->block = true;
		else if (cabling_slurm_take(word, "Switches", &switches))
			b->leaf &= cur_empty(&switches);
		else if (!cabling_slurm_take(word, "SwitchName", &b->name) &&
			 !cabling_slurm_take(word, "Nodes", &b->nodes))
			cabling_slurm_take(word, "Level", &b->level);
	}
	if (!cur_empty(&b->level) && *b->level.p != '0')
		b->leaf = false;
	return b->name.p != NULL;
}

bool is_slurm_topology(const struct input *in)
{
	struct lines l = lines_of(in);
	struct cursor line;
	struct cabling_slurm_branch b;

	while (lines_next(&l, &line))
		if (cur_says(line))
			return cur_word(&line, "BlockSizes=") || read_branch(line, &b);
	return false;
}

static void cabling_slurm_add_branch(struct cabling *c, const struct cabling_slurm_branch *b,
				     struct cursor line, unsigned no)
{
	char *list = cur_clean(b->nodes, SIZE_MAX);
	struct hostlist l;
	struct err why;

	if (cur_empty(&b->name) || hostlist_read(list, &l, &why)) {
		cabling_odd(c, no, "SwitchName=NAME or BlockName=NAME with Nodes=LIST", line);
		free(list);
		return;
	}
	for (size_t i = 0; i < l.n; i++) {
		struct cursor text[4] = {cur_text(l.name[i]), {0}, b->name, {0}};

		cabling_add(c, text, 0, 0, no);
	}
	hostlist_free(&l);
	free(list);
}

int cabling_slurm(const struct input *in, struct cabling *c, struct err *e)
{
	struct lines lines = lines_of(in);
	struct text joined = {0};
	struct cursor line;
	unsigned first = 0;
	int rc = 0;

	c->format = "topology";
	c->kind = CABLING_LEAVES;
	while (!rc && lines_next(&lines, &line)) {
		bool more = !cur_empty(&line) && line.end[-1] == '\\';
		struct cursor all;
		struct cabling_slurm_branch b;

		first = joined.len ? first : lines.no;
		text_add(&joined, "%.*s ", (int)(line.end - line.p) - more, line.p);
		if (joined.len > LINE_BYTES_MOST)
			rc = err_set(e, "%s:%u: found a line of more than %d bytes", in->name, first,
				     LINE_BYTES_MOST);
		if (rc || more)
			continue;
		all = (struct cursor){joined.s, joined.s + joined.len - 1};
		if (read_branch(all, &b)) {
			c->kind = b.block ? CABLING_BLOCKS : c->kind;
			if (b.leaf && !cur_empty(&b.nodes))
				cabling_slurm_add_branch(c, &b, all, first);
		} else if (cur_says(all) && !cur_find(&all, "BlockSizes=") &&
			   !cur_find(&all, "AggregatedBlock")) {
			cabling_odd(c, first, "SwitchName=NAME or BlockName=NAME with Nodes=LIST", all);
		}
		joined.len = 0;
	}
	text_free(&joined);
	return rc;
}
