/* The last objects looked at: the selected row, or the object of a typed command. */
#include <stdlib.h>
#include <string.h>
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/syntax.h"
#include "tui/ui.h"

/* The value of a row's placeholder as a word, or NULL. */
static char *row_word(const struct view *v, uint32_t row, const char *what)
{
	AUTO_TEXT struct text t = {0};
	const char *p;
	char *word = NULL;

	if (view_place(v, row, what, &t) && t.len) {
		p = words_skip(text_str(&t));
		if (words_take(&p, &word, NULL))
			word = NULL;
	}
	return word;
}

static void note_node(const char *word)
{
	const struct fabric *f = ui.scene.fabric;
	struct looked *l = &ui.scene.looked;
	uint32_t node = session_node(ui.session, word, NULL);

	if (node == NO_ID)
		return;
	if (l->node != f->node_guid[node])
		l->port = 0;
	l->node = f->node_guid[node];
	if (node_is_switch(f, node))
		l->sw = l->node;
}

static void note_port(const char *word)
{
	const struct fabric *f = ui.scene.fabric;
	uint32_t port = session_port(ui.session, word, NULL);
	AUTO_TEXT struct text t = {0};

	if (port == NO_ID)
		return;
	text_add(&t, "0x%016llx", (unsigned long long)f->node_guid[f->port_node[port]]);
	note_node(text_str(&t));
	ui.scene.looked.port = f->port_num[port];
}

static uint64_t endport_guid(const char *word)
{
	const struct fabric *f = ui.scene.fabric;
	unsigned lid;
	uint32_t ep = session_endport(ui.session, word, &lid, NULL);

	return ep == NO_ID ? 0 : f->port_guid[f->endport_port[ep]];
}

static void note_switch(const char *word)
{
	const struct fabric *f = ui.scene.fabric;
	uint32_t node = session_node(ui.session, word, NULL);

	if (node != NO_ID && node_is_switch(f, node))
		ui.scene.looked.sw = f->node_guid[node];
}

static void note_endport(const char *word)
{
	const struct fabric *f = ui.scene.fabric;
	uint64_t guid = endport_guid(word);

	if (guid && !endport_is_switch(f, fabric_endport_by_guid(f, guid)))
		ui.scene.looked.endport = guid;
}

static void note_pair(const char *src, const char *dst)
{
	uint64_t from = endport_guid(src), to = endport_guid(dst);

	if (!from || !to || from == to)
		return;
	ui.scene.looked.src = from;
	ui.scene.looked.dst = to;
}

/* Notes the selected row of the current pane, if it has changed. */
void looked_note(void)
{
	static const struct view *last;
	static uint64_t key, of;
	const struct view *v = pane_focused();
	uint32_t row;

	if (!ui.scene.fabric || !v || !v->loaded || v->serial != ui.scene.serial || v->ordering ||
	    !view_selected(v, &row))
		return;
	if (v == last && view_key(v, row) == key && v->args.arg[0].guid == of)
		return;
	last = v;
	key = view_key(v, row);
	of = v->args.arg[0].guid;
	/* the placeholders that name objects of the fabric */
	static const struct {
		const char *what;
		void (*note)(const char *word);
	} places[] = {{"node", note_node},    {"port", note_port},   {"switch", note_switch},
		      {"host", note_endport}, {"dst", note_endport}, {"endport", note_endport}};
	AUTO_FREE char *src = row_word(v, row, "src"), *dst = row_word(v, row, "dst");

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		AUTO_FREE char *word = row_word(v, row, places[i].what);

		if (word)
			places[i].note(word);
	}
	if (src && dst)
		note_pair(src, dst);
}

void looked_at_view(const struct view *v)
{
	const struct fabric *f = ui.scene.fabric;
	struct looked *l = &ui.scene.looked;
	const struct view_arg *a = v->args.arg;

	for (int i = 0; f && i < v->args.n; i++) {
		uint32_t node = a[i].kind >= VIEW_ARG_NODE && a[i].kind <= VIEW_ARG_PORT
					? fabric_node_by_guid(f, a[i].guid)
					: NO_ID;

		if (a[i].kind == VIEW_ARG_ENDPORT)
			l->endport = a[i].guid;
		if (node == NO_ID)
			continue;
		l->node = a[i].guid;
		l->port = a[i].kind == VIEW_ARG_PORT ? (unsigned)a[i].n : 0;
		if (node_is_switch(f, node))
			l->sw = l->node;
	}
	if (v->args.n == 2 && a[0].kind == VIEW_ARG_ENDPORT && a[1].kind == VIEW_ARG_ENDPORT) {
		l->src = a[0].guid;
		l->dst = a[1].guid;
	}
}

/* --- commands ------------------------------------------------------------------------------ */

struct meant {
	const char *word; /* of the syntax: the first word for an object */
	size_t len;
};

static void take_capital(void *ctx, const char *word, size_t len)
{
	struct meant *m = ctx;

	if (!m->len && !syntax_fixed(word, len)) {
		m->word = word;
		m->len = len;
	}
}

static bool means(const struct meant *m, const char *word)
{
	return strlen(word) == m->len && !strncmp(word, m->word, m->len);
}

/* Notes the objects of `why SWITCH DST via PORT`. */
static void note_via(int argc, char *const *argv)
{
	const struct fabric *f = ui.scene.fabric;
	struct looked *l = &ui.scene.looked;
	uint32_t node =
		argc == 5 && !strcmp(argv[3], "via") ? session_node(ui.session, argv[1], NULL) : NO_ID;
	uint64_t dst = node == NO_ID ? 0 : endport_guid(argv[2]);
	uint64_t port;

	if (!dst || !node_is_switch(f, node) || !number_of(argv[4], 1, f->node_nports[node], &port))
		return;
	l->via_sw = f->node_guid[node];
	l->via_dst = dst;
	l->via_port = (unsigned)port;
}

/* Notes the words of a command. Panes have looked_at_view(). */
static void note_words(const struct command *c, int argc, char *const *argv)
{
	AUTO_FREE struct syntax_walk *walk = syntax_walk(c->syntax);
	const char *src = NULL;

	if (!strcmp(c->name, "why"))
		note_via(argc, argv);
	for (int i = 1; i < argc; i++) {
		struct meant m = {0};

		syntax_offer(walk, take_capital, &m);
		syntax_step(walk, argv[i]);
		if (means(&m, "SWITCH") || means(&m, "NODE"))
			note_node(argv[i]);
		else if (means(&m, "NODE[PORT]"))
			note_port(argv[i]);
		else if (means(&m, "SRC") || means(&m, "DST") || means(&m, "HOST"))
			note_endport(argv[i]);
		if (means(&m, "SRC"))
			src = argv[i];
		else if (means(&m, "DST") && src)
			note_pair(src, argv[i]);
	}
}

void looked_at_words(const struct command_list *in)
{
	for (size_t i = 0; ui.scene.fabric && in->fabric == ui.scene.fabric && i < in->n; i++)
		if (in->command[i].command)
			note_words(in->command[i].command, in->command[i].argc, in->command[i].argv);
}
