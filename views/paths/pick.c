/*
 * The pane `pick`: the nodes that an ambiguous word of a command may mean. Enter runs the command with the
 * chosen one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/number.h"
#include "core/session/args.h"
#include "core/base/memory.h"
#include "core/base/words.h"
#include "views/base/view.h"

enum { C_NAME, C_GUID, C_LID, C_ON };

static const struct column columns[] = {
	COL("name", "name of the node", 12, .flex = 2),
	COL("guid", "its 64-bit GUID, which never changes", 18),
	NUM("lid", "its LID", 5),
	COL("on", "switch and port that its cable leads to", 8, .flex = 1, .drop = 2),
};

struct pick_pane {
	char **word; /* [n] the command and its words */
	int n, at;   /* index of the ambiguous word */
	struct name_hits hits;
	size_t before; /* length of the name part of that word: NODE of NODE[PORT] */
};

/* Finds the nodes that the word presently fits. */
static void pick_pane_look(struct pick_pane *p, const struct session *s)
{
	const char *word = p->word[p->at];
	char *name;
	size_t before;

	name_hits_free(&p->hits);
	p->before = strlen(word);
	if (session_candidates(s, word, &p->hits) || !s->fabric)
		return;
	before = name_before_port(s->fabric, word, p->before);
	if (!before)
		return;
	p->before = before;
	name = str_dup(word);
	name[p->before] = 0;
	session_candidates(s, name, &p->hits);
	free(name);
}

static int pick_pane_open_view(struct view *v, const struct args *a, struct err *e)
{
	struct pick_pane *p = v->priv;
	uint64_t n;

	if (!number_of(a->arg[0].word, 1, (uint64_t)a->n - 2, &n))
		return err_set(
			e,
			"pick: found \"%s\", expected which word of the command fits several nodes, 1 to %d",
			a->arg[0].word, a->n - 2);
	p->n = a->n - 1;
	p->at = (int)n;
	p->word = NEW_ARRAY((size_t)p->n, char *);
	for (int i = 0; i < p->n; i++)
		p->word[i] = str_dup(a->arg[i + 1].word);
	pick_pane_look(p, v->scene->session);
	return p->hits.n > 1 ? 0 : err_set(e, "pick: \"%s\" does not fit several nodes", p->word[p->at]);
}

static void pick_pane_load(struct view *v)
{
	struct pick_pane *p = v->priv;

	pick_pane_look(p, v->scene->session);
	v->n_rows = p->hits.n;
}

static void pick_pane_close_view(struct view *v)
{
	struct pick_pane *p = v->priv;

	for (int i = 0; i < p->n; i++)
		free(p->word[i]);
	free(p->word);
	name_hits_free(&p->hits);
}

static uint32_t pick_pane_node_of(const struct view *v, uint32_t row)
{
	return ((const struct pick_pane *)v->priv)->hits.node[row];
}

static void pick_pane_title(const struct view *v, struct text *t)
{
	const struct pick_pane *p = v->priv;

	text_add(t, "Which \"%.*s\" for `%s`?", (int)p->before, p->word[p->at], p->word[0]);
}

static unsigned pick_pane_lid_of(const struct view *v, uint32_t node)
{
	return node_lid(v->scene->fabric, v->scene->sweep ? v->scene->sweep->lids : NULL, node);
}

static int64_t pick_pane_number(const struct view *v, uint32_t row, unsigned col)
{
	(void)col;
	return pick_pane_lid_of(v, pick_pane_node_of(v, row));
}

static void pick_pane_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	const struct fabric *f = v->scene->fabric;
	uint32_t node = pick_pane_node_of(v, row);
	unsigned lid = pick_pane_lid_of(v, node);
	char buf[300];

	if (col == C_NAME) {
		text_add(t, "%s", f->node_name[node]);
	} else if (col == C_GUID) {
		text_add(t, "0x%016" PRIx64, f->node_guid[node]);
	} else if (col == C_LID) {
		if (lid)
			text_add(t, "%u", lid);
	} else if (!node_is_switch(f, node)) {
		uint32_t on = node_hangs_on(f, node);

		text_add(t, "%s", port_label(f, on, buf, sizeof(buf)));
	}
}

/* Enter repeats the command with the GUID of the chosen node. */
static void pick_pane_follow(const struct view *v, uint32_t row, struct text *t)
{
	const struct pick_pane *p = v->priv;

	text_add(t, "back;");
	for (int i = 0; i < p->n; i++) {
		char *word = word_quoted(p->word[i]);

		text_putc(t, ' ');
		if (i == p->at) {
			word_node(v->scene->fabric, pick_pane_node_of(v, row), t);
			text_add(t, "%s", p->word[i] + p->before);
		} else {
			text_add(t, "%s", word);
		}
		free(word);
	}
}

static bool pick_pane_about(const struct view *v, uint32_t row, struct subject *s)
{
	subject_node(v, pick_pane_node_of(v, row), s);
	s->key = v->scene->fabric->node_guid[s->node];
	return true;
}

const struct view_ops view_pick = {
	.name = "pick",
	.brief = "lists the nodes that a word of a command fits; opens when there are several, and Enter "
		 "takes one",
	.syntax = "N COMMAND [WORD...]",
	.hints = "follow=take",
	COLUMNS(columns),
	.flags = VIEW_WIDE | VIEW_TIMELESS,
	.priv_size = sizeof(struct pick_pane),
	.priv_kept = sizeof(struct pick_pane),
	.open = pick_pane_open_view,
	.load = pick_pane_load,
	.title = pick_pane_title,
	.cell = pick_pane_cell,
	.number = pick_pane_number,
	.about = pick_pane_about,
	.follow = pick_pane_follow,
	.close = pick_pane_close_view,
};
