/* The bars at the top and the bottom, and the exit statuses. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/fabric.h"
#include "core/trace/walk.h"
#include "tui/ui.h"

int exit_status(const struct command_run *r, const struct err *e)
{
	if (e)
		return err_kind(e) == ERR_SYNTAX  ? STATUS_USAGE
		       : err_kind(e) == ERR_FAULT ? STATUS_FAULT
						  : STATUS_UNANSWERED;
	if (!r)
		return STATUS_DONE;
	if (r->plugin)
		return r->plugin - 1;
	if (r->found_fault)
		return STATUS_FAULT;
	return r->unanswered ? STATUS_UNANSWERED : STATUS_DONE;
}

int output_flush(FILE *f, struct err *e)
{
	if (!fflush(f) && !ferror(f))
		return 0;
	return err_set_kind(e, ERR_IO, "cannot write standard output: %s", strerror(errno));
}

/* The bar at the top (fabric, engine, failures, times), and the function bar with the keys. */

static const char *bars_base_name(const char *s)
{
	const char *slash = strrchr(s, '/');

	return slash && slash[1] ? slash + 1 : s;
}

static uint32_t failures(const struct state *st)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < st->n_links; i++)
		n += st->link_down[i];
	for (uint32_t i = 0; i < st->n_nodes; i++)
		n += st->node_down[i];
	return n;
}

/* The parts of the bar.  The last ranks give way first. */
enum rank { RANK_ENGINE, RANK_FAILED, RANK_AGE, RANK_SCOPE, RANK_SIZE, RANK_NONE_FAILED, RANK_TIME };

struct bars_part {
	struct text t;
	enum rank rank;
	int slack; /* columns kept free after it, so that the bar does not move with every time */
};

#define PARTS 9 /* INCOMPLETE, managers, size, scope, engine, failed, lost, time, age */
static struct bars_part parts[PARTS];
static unsigned n_parts;

static struct text *new_part(enum rank rank)
{
	assert(n_parts < PARTS);
	struct bars_part *p = &parts[n_parts++];
	text_clear(&p->t);
	p->rank = rank;
	p->slack = 0;
	return &p->t;
}

/* The step that panes show in place of the engine's result. */
static void step_part(const struct moment *m, struct text *t)
{
	const struct rec_event *ev = moment_event(m);

	text_add(t, " | %s, step %zu of %zu", recording_engine(m->rec), m->step, recording_steps(m->rec));
	if (*m->phase)
		text_add(t, ": %s", m->phase);
	if (ev && rec_kinds[ev->kind].b == FIELD_ROUND && !strstr(m->phase, "round"))
		text_add(t, ", round %u", ev->b);
}

static void routing_parts(const struct scene *sc)
{
	const struct sweep *s = sc->sweep;
	struct text *t = new_part(RANK_ENGINE);
	uint32_t failed = failures(sc->state);

	if (sc->moment) {
		step_part(sc->moment, t);
		return;
	}
	if (!s) {
		text_add(t, " | not routed");
		return;
	}
	text_add(t, " | %s%s", s->routing ? s->routing->engine : "no routing",
		 s->fallback ? " (fallback)" : "");
	if (s->lids->lmc)
		text_add(t, " lmc %u", s->lids->lmc);
	t = new_part(failed ? RANK_FAILED : RANK_NONE_FAILED);
	text_add(t, " | %u failed", failed);
	if (sc->change && sc->change->lost) {
		t = new_part(RANK_FAILED);
		text_add(t, failed ? ", %s lost" : " | %s lost", PLURAL(sc->change->lost, "pair"));
	}
	t = new_part(RANK_TIME);
	text_add(t, " | %.1f ms", s->seconds * 1e3);
	parts[n_parts - 1].slack =
		(int)(strlen(" | 9999.9 ms") > t->len ? strlen(" | 9999.9 ms") - t->len : 0);
}

#define SCOPE_SHOWN 16 /* bytes of a scope's words */

static void scope_part(const struct scope *scope, const struct sweep *sweep, struct text *t)
{
	size_t n = strnlen(scope->words, SCOPE_SHOWN);

	while (n && ((unsigned char)scope->words[n] & 0xc0) == 0x80) /* no partial characters */
		n--;
	text_add(t, " | scope %.*s%s (%u)", (int)n, scope->words, scope->words[n] ? ".." : "",
		 sweep ? sweep->hosts->n : scope->n);
}

/* --- path of panes --------------------------------------------------------------- */

#define CRUMBS_FROM 100 /* least columns of the terminal */
#define STEP " ▸ "

/* The path to the current pane: the list, and the panes opened from it in order. */
static void crumbs(bool arguments, unsigned skip, struct text *t)
{
	enum place_id at = ui.focus == SLOT_REPL ? ui.last_pane : ui.focus;
	const struct stack *s = &ui.stack[at == SLOT_LIST ? SLOT_LIST : SLOT_DETAIL];
	unsigned n = s->n - (at == SLOT_THIRD && s->n > 1), list = at != SLOT_LIST && pane_top(SLOT_LIST);

	if (skip)
		text_add(t, "…");
	if (list && !skip)
		text_add(t, "%s", pane_top(SLOT_LIST)->ops->name);
	for (unsigned i = skip > list ? skip - list : 0; i < n; i++) {
		text_add(t, "%s%s", t->len ? STEP : "", s->view[i]->ops->name);
		if (arguments) {
			const struct fabric *f = s->view[i]->scene->fabric;

			/* the arguments of the pane */
			for (int k = 0; f && k < s->view[i]->args.n; k++) {
				const struct view_arg *a = &s->view[i]->args.arg[k];
				uint32_t ep = a->kind == VIEW_ARG_ENDPORT ? fabric_endport_by_guid(f, a->guid)
									  : NO_ID;
				uint32_t node =
					ep == NO_ID && a->guid ? fabric_node_by_guid(f, a->guid) : NO_ID;

				if (ep != NO_ID || node != NO_ID)
					text_putc(t, ' ');
				if (ep != NO_ID)
					label_endport(f, ep, t);
				else if (node != NO_ID)
					text_add(t, "%s", f->node_name[node]);
			}
		}
	}
}

/* Draws as much of the path as there is room for: at least two panes, or nothing. */
static void draw_crumbs(int cols, int room)
{
	AUTO_TEXT struct text t = {0};

	for (unsigned skip = 0; cols >= CRUMBS_FROM && skip < STACK_DEPTH; skip++) {
		for (int arguments = 1; arguments >= 0; arguments--) {
			text_clear(&t);
			crumbs(arguments, skip, &t);
			if (strstr(text_str(&t), STEP) && text_columns(text_str(&t)) <= room) {
				draw_text(0, cols - 1 - text_columns(t.s), text_columns(t.s), t.s, ST_BAR,
					  false);
				return;
			}
		}
	}
}

static bool ages;

bool top_bar_ages(void)
{
	return ages;
}

/* The age of a live fabric's picture: " | read 12 s ago". Nothing for other fabrics. */
static void age_part(const struct scene *sc)
{
	double age = sc->fabric ? session_reading_age(sc->session) : -1;

	ages = age >= 0;
	if (age >= 7200)
		text_add(new_part(RANK_AGE), " | read %.0f h ago", age / 3600);
	else if (age >= 120)
		text_add(new_part(RANK_AGE), " | read %.0f min ago", age / 60);
	else if (age >= 0)
		text_add(new_part(RANK_AGE), " | read %.0f s ago", age);
}

/* What stands after the fabric's name. */
static void compose(const struct scene *sc)
{
	const struct fabric *f = sc->fabric;
	const struct scope *scope;
	static const char *const no_master[] = {
		[MANAGERS_NONE] = "  NO MANAGER",
		[MANAGERS_NO_MASTER] = "  NO MASTER",
		[MANAGERS_SEVERAL] = "  TWO MASTERS",
	};
	uint32_t hosts = 0;

	static_assert(ARRAY_LEN(no_master) == MANAGERS_SEVERAL + 1, "each fault has its words");
	n_parts = 0;
	if (!f) {
		text_add(new_part(RANK_ENGINE), "  no fabric");
		return;
	}
	scope = sc->event->setup->scope;
	bool counts = setup_counts_aggregation(sc->event->setup);
	for (uint32_t n = 0; n < f->n_nodes; n++)
		hosts += !node_is_switch(f, n) && (counts || !node_is_aggregation(f, n));
	if (f->warnings.missing)
		text_add(new_part(RANK_FAILED), "  INCOMPLETE");
	if (managers_fault(f) != MANAGERS_GOOD)
		text_add(new_part(RANK_FAILED), "%s", no_master[managers_fault(f)]);
	text_add(new_part(RANK_SIZE), "  %u sw %u hosts %u links", f->n_switches, hosts, f->n_links);
	if (scope && *scope->words)
		scope_part(scope, sc->sweep, new_part(RANK_SCOPE));
	routing_parts(sc);
}

#define NAME_LEAST 8 /* columns of the fabric's name */

static int columns_of_parts(void)
{
	int n = 0;

	for (unsigned i = 0; i < n_parts; i++)
		n += parts[i].t.len ? text_columns(text_str(&parts[i].t)) + parts[i].slack : 0;
	return n;
}

/* Empties the parts that matter least until all fit beside the fabric's name. What failed, the engine and the
 * age stay. */
static void bars_give_way(int room)
{
	for (enum rank last = RANK_TIME; last > RANK_AGE && columns_of_parts() > room; last--)
		for (unsigned i = 0; i < n_parts; i++)
			if (parts[i].rank == last)
				text_clear(&parts[i].t);
}

void draw_top_bar(int cols)
{
	static uint64_t serial;
	static unsigned composed;
	static int width;
	char title[64];
	const struct scene *sc = &ui.scene;
	const char *name = title;
	int x = 1;

	if (serial != sc->serial || width != cols) {
		compose(sc);
		serial = sc->serial;
		width = cols;
		composed = n_parts;
	}
	n_parts = composed;
	age_part(sc);
	snprintf(title, sizeof(title), "ibscope %s", ui.about->version);
	if (sc->fabric)
		name = bars_base_name(sc->fabric->source);
	bars_give_way(cols - 1 - text_columns(name));
	draw_text(0, 0, cols, "", ST_BAR, true);
	int room = cols - 1 - columns_of_parts();
	x += draw_text(0, x, MAX(room, NAME_LEAST), name, ST_BAR, false);
	/* what else there is no room for is cut off before the age, which is the last */
	assert(!ages || (n_parts && parts[n_parts - 1].rank == RANK_AGE));
	int age = ages ? text_columns(text_str(&parts[n_parts - 1].t)) : 0;
	for (unsigned i = 0; i < n_parts; i++) {
		int most = cols - x - (i + 1 < n_parts ? age : 0);

		x += most > 0 ? draw_text(0, x, most, text_str(&parts[i].t), ST_BAR, false) : 0;
	}
	draw_crumbs(cols, cols - x - 3);
}

/* --- function bar -------------------------------------------------------------- */

#define LABELS 24
static struct {
	int from, to;
	const struct binding *b;
} labels[LABELS];
static unsigned n_labels;

static const char general[] =
	"follow=open next-pane=pane :undo=undo search=search :pane_help=help :diff=diff filter=filter "
	"sort=sort :why=why prompt_why=why :trace=trace prompt_trace=trace command=repl maximise=max "
	"back=back "
	"fold=fold copy=copy quit=quit";
static const char in_repl[] =
	"leave=panes prev-pane=back scroll-up=scroll maximise=max :pane_help=help quit=quit";

/* Draws one "WHAT=label" of a list of hints, and advances x. False when there is no room. */
static bool draw_hint(int y, int *x, int cols, const char *hint, size_t len)
{
	char what[64], label[32], key[48];
	const char *eq = memchr(hint, '=', len);

	if (!eq || n_labels == LABELS)
		return true;
	snprintf(what, sizeof(what), "%.*s", (int)(eq - hint), hint);
	snprintf(label, sizeof(label), "%.*s", (int)(hint + len - eq - 1), eq + 1);
	if (!ui.scene.fabric && (!strcmp(label, "why") || !strcmp(label, "trace") || !strcmp(label, "diff")))
		return true; /* there are no routes to ask about */
	for (char *p = what; *p; p++)
		if (*p == '_')
			*p = ' ';
	const struct binding *b = keymap_which(&ui.keys, pane_map(), what);
	for (unsigned i = 0; b && i < n_labels; i++)
		if (labels[i].b == b)
			b = NULL;
	if (!b)
		return true;
	keys_text(b->key, b->n, key, sizeof(key));
	int w = text_columns(key) + 1 + text_columns(label);
	if (*x + w + 1 > cols)
		return false;
	labels[n_labels].from = *x;
	labels[n_labels].to = *x + w;
	labels[n_labels++].b = b;
	*x += draw_text(y, *x, cols - *x, key, ST_KEY, false);
	draw_text(y, *x, 1, " ", ST_NORMAL, false);
	draw_text(y, *x + 1, cols - *x - 1, label, ST_LABEL, false);
	*x += 1 + text_columns(label) + 2;
	return true;
}

static bool draw_hints(int y, int *x, int cols, const char *hints)
{
	while (*hints) {
		size_t len = strcspn(hints, " ");

		if (!draw_hint(y, x, cols, hints, len))
			return false;
		hints += len;
		hints += strspn(hints, " ");
	}
	return true;
}

static void draw_progress(int y, int cols, double since)
{
	struct progress *p = worker_progress();
	unsigned done = atomic_load(&p->done), total = atomic_load(&p->total);
	const char *what = atomic_load(&p->what);
	bool cancel = atomic_load(&p->cancel);
	int bar = cols >= 60 ? 20 : 0;
	char s[160];

	what = what ? what : "working";
	snprintf(s, sizeof(s), " %s%s ", cancel ? "cancelling: " : "", what);
	int x = draw_text(y, 0, cols, s, ST_KEY, true);
	x = text_columns(s) < cols ? text_columns(s) : x;
	if (total && bar && x + bar + 2 < cols) {
		int full = (int)((double)bar * MIN(done, total) / total);

		draw_fill(y, x, full, "█", ST_NORMAL);
		draw_fill(y, x + full, bar - full, "░", ST_NORMAL);
		x += bar + 1;
	}
	double left = progress_left(p, now_seconds());
	if (total && left >= 0)
		snprintf(s, sizeof(s), "%u%%  %.1f s, %.0f s left  C-c cancels, Esc asks",
			 (unsigned)(100.0 * done / total), now_seconds() - since, left);
	else if (total)
		snprintf(s, sizeof(s), "%u%%  %.1f s  C-c cancels, Esc asks",
			 (unsigned)(100.0 * done / total), now_seconds() - since);
	else
		snprintf(s, sizeof(s), "%.1f s  C-c cancels, Esc asks", now_seconds() - since);
	draw_text(y, x, cols - x, s, ST_NORMAL, false);
}

/* What is typed into a pane, with the cursor, and what Enter and Esc do. */
static void draw_typed(int y, int cols, const struct view *v)
{
	static const char keys[] = "  Enter does it  Esc leaves";
	int room = cols - (int)strlen(keys), n = 2 + text_columns(v->typed);

	room = room < cols / 2 ? cols : room;
	int skip = n >= room ? n - room + 1 : 0;
	draw_text(y, 0, cols, "", ST_NORMAL, true);
	draw_text(y, 0, 2, "> ", ST_KEY, false);
	draw_text_from(y, 2, room - 2, (unsigned)skip, v->typed, ST_NORMAL);
	draw_cursor(y, n - skip);
	if (ui.message[0])
		draw_text(y, n - skip + 2, cols - n + skip - 2, ui.message,
			  ui.message_bad ? ST_ERROR : ST_DIM, false);
	else if (room < cols)
		draw_text(y, room, cols - room, keys, ST_DIM, false);
}

/* The first words of what a key does, without those of the row. */
static void key_does(const char *does, struct text *t)
{
	if (*does == ':')
		does++;
	else if (!strncmp(does, "prompt ", 7))
		does += 7;
	size_t n = strcspn(does, "%");
	while (n && does[n - 1] == ' ')
		n--;
	text_add(t, "%.*s", (int)n, does);
}

/* The keys pressed so far, and those that go on from there with the beginning of what they do. */
static void draw_pending(int y, int cols)
{
	const char *map = pane_map();
	AUTO_TEXT struct text t = {0};
	char keys[64];

	assert(ui.n_pending >= 1 && ui.n_pending <= KEY_SEQ);
	text_add(&t, " %s ...", keys_text(ui.pending, ui.n_pending, keys, sizeof(keys)));
	for (size_t i = 0; i < ui.keys.n; i++) {
		const struct binding *b = &ui.keys.b[i];
		bool more;

		if (b->n <= ui.n_pending || memcmp(b->key, ui.pending, ui.n_pending * sizeof(*b->key)) != 0 ||
		    keymap_find(&ui.keys, map, b->key, b->n, &more) != b)
			continue;
		text_add(&t, "  %s ",
			 keys_text(b->key + ui.n_pending, b->n - ui.n_pending, keys, sizeof(keys)));
		key_does(b->does, &t);
	}
	draw_text(y, 0, cols, text_str(&t), ST_KEY, true);
}

void draw_function_bar(int y, int cols)
{
	struct view *v = pane_top(ui.focus);
	double since;
	int x = 1;

	n_labels = 0;
	if (ui.line_mode == LINE_COPY) {
		AUTO_TEXT struct text t = {0};

		if (pane_focused())
			copy_menu(pane_focused(), &t);
		draw_text(y, 0, cols, text_str(&t), ST_KEY, true);
		draw_cursor(y, 0);
	} else if (ui.line_mode) {
		char s[sizeof(ui.line) + 16];

		snprintf(s, sizeof(s), "%s%s", ui.line_mode == LINE_SEARCH ? "/" : "filter: ", ui.line);
		draw_text(y, 0, cols, s, ST_NORMAL, true);
		int n = text_columns(s);
		if (ui.message[0] && n + 3 < cols)
			draw_text(y, n + 3, cols - n - 3, ui.message, ui.message_bad ? ST_ERROR : ST_DIM,
				  false);
		draw_cursor(y, n < cols ? n : cols - 1);
	}
	if (ui.line_mode)
		return;
	if (!ui.quiet && worker_busy(&since) && now_seconds() - since > 0.1 && !ui.message[0]) {
		draw_progress(y, cols, since);
		return;
	}
	if (ui.n_pending) {
		draw_pending(y, cols);
		return;
	}
	if (v && v->ops->flags & VIEW_TYPED) {
		draw_typed(y, cols, v);
		return;
	}
	draw_text(y, 0, cols, "", ST_NORMAL, true);
	if (ui.message[0]) {
		draw_text(y, 1, cols - 1, ui.message, ui.message_bad ? ST_ERROR : ST_NORMAL, false);
		return;
	}
	if (ui.scene.fabric && !scene_real_routing(&ui.scene))
		draw_hints(y, &x, cols, "propose=route");
	if (v && !draw_hints(y, &x, cols, view_hints(v->ops)))
		return;
	draw_hints(y, &x, cols, v ? general : in_repl);
}

bool function_bar_keys(int x, keycode *key, unsigned *n)
{
	for (unsigned i = 0; i < n_labels; i++) {
		if (x < labels[i].from || x >= labels[i].to)
			continue;
		memcpy(key, labels[i].b->key, sizeof(labels[i].b->key));
		*n = labels[i].b->n;
		return true;
	}
	return false;
}
