/* Commands that change how the fabric is cabled, and that fail or restore a part by its name alone. */
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/builder.h"
#include "core/fabric/elements.h"
#include "core/routing/routing.h"
#include "core/session/commands/commands.h"
#include "core/session/core_commands.h"
#include "core/session/reading.h"

/* Commands that change how the fabric is cabled, each one event: add, remove, move, swap, replace, rename,
 * speed. */

/* A change in the making.  The fabric before any option or name shaped it is built again; ids are those of
 * both. */
struct edit_command_state {
	struct session *s;
	const struct fabric *f; /* that of the session */
	struct fabric_builder *b;
	struct text text; /* of the event */
	struct out *o;
};

static void edit_begin(struct edit_command_state *d, struct session *s, const struct args *args,
		       struct out *o)
{
	*d = (struct edit_command_state){.s = s, .f = s->fabric, .b = fb_from(s->loaded), .o = o};
	text_add(&d->text, "%s", args->argv[0]);
}

/* The rest of an edit: one event.  rc: of the edit itself. */
static int edit_end(struct edit_command_state *d, int rc, struct err *e)
{
	struct session *s = d->s;
	AUTO_FABRIC const struct fabric *before = fabric_ref(s->fabric);

	if (rc) {
		fb_free(d->b);
	} else if (!d->b->n) {
		fb_free(d->b);
		rc = err_set(e, "nothing would be left of the fabric");
	} else {
		struct fabric *loaded = fb_again(d->b, s->loaded);
		if (s->loaded->switch_tables)
			loaded->switch_tables =
				&switch_tables_on(fabric_switch_tables(s->loaded), s->loaded, loaded)
					 ->counted;
		struct state *down = state_on(session_state(s), s->fabric, loaded, false);
		rc = session_edit(s, loaded, down, text_str(&d->text), d->o->run->progress, e);
		state_free(down);
	}
	if (!rc) {
		report_changes(s, before, s->fabric, d->o);
		report_event(s, d->o);
	}
	text_free(&d->text);
	return rc;
}

/* --- words --------------------------------------------------------------------------------------------- */

static uint32_t built(const struct edit_command_state *d, uint32_t node)
{
	assert(node < d->f->n_nodes);
	return d->f->node_order[node];
}

static struct fb_port *built_port(const struct edit_command_state *d, uint32_t port)
{
	assert(port < d->f->n_ports);
	return &d->b->node[built(d, d->f->port_node[port])].port[d->f->port_num[port]];
}

static void edit_command_put_port(struct edit_command_state *d, uint32_t port)
{
	char buf[300];

	word_append(&d->text, port_plain(d->f, port, buf, sizeof(buf)));
}

/* The only cabled port of a node. */
static uint32_t only_cable(const struct fabric *f, uint32_t node, struct err *e)
{
	assert(node < f->n_nodes);

	uint32_t port = NO_ID;

	for (unsigned p = 1; p <= f->node_nports[node]; p++) {
		uint32_t id = f->node_port[node] + p;

		if (f->port_peer[id] == NO_ID)
			continue;
		if (port != NO_ID) {
			err_set(e, "%s has several cables, expected one of its ports as NODE[PORT]",
				f->node_name[node]);
			return NO_ID;
		}
		port = id;
	}
	if (port == NO_ID)
		err_set(e, "%s has no cable", f->node_name[node]);
	return port;
}

/* A port with a cable: NODE[PORT], or a node with one cable alone.  NO_ID and *e. */
static uint32_t cabled_port(const struct edit_command_state *d, const char *word, struct err *e)
{
	bool whole = node_named(d->f, word, strlen(word)) != NO_ID;
	uint32_t port =
		whole || !name_before_port(d->f, word, strlen(word)) ? NO_ID : session_port(d->s, word, e);

	if (port == NO_ID && (whole || !name_before_port(d->f, word, strlen(word)))) {
		uint32_t node = session_node(d->s, word, e);
		return node == NO_ID ? NO_ID : only_cable(d->f, node, e);
	}
	if (port != NO_ID && built_port(d, port)->peer_node == NO_ID) {
		err_set(e, "%s has no cable", word);
		return NO_ID;
	}
	return port;
}

/* A port without a cable: NODE[PORT], or the first such of a node.  but: not this one (NO_ID: any). */
static uint32_t free_port(const struct edit_command_state *d, const char *word, uint32_t but, struct err *e)
{
	bool whole = node_named(d->f, word, strlen(word)) != NO_ID;
	uint32_t port, node;
	char buf[300];

	if (!whole && name_before_port(d->f, word, strlen(word))) {
		port = session_port(d->s, word, e);
		if (port == NO_ID || (built_port(d, port)->peer_node == NO_ID && port != but))
			return port;
		if (port == but || d->f->port_peer[port] == NO_ID)
			err_set(e, "%s is named twice", word);
		else
			err_set(e,
				"%s has a cable already, to %s; `remove link` takes it away, `swap` "
				"exchanges two",
				word, port_label(d->f, d->f->port_peer[port], buf, sizeof(buf)));
		return NO_ID;
	}
	node = session_node(d->s, word, e);
	for (unsigned p = 1; node != NO_ID && p <= d->f->node_nports[node]; p++) {
		port = d->f->node_port[node] + p;
		if (built_port(d, port)->peer_node == NO_ID && port != but)
			return port;
	}
	if (node != NO_ID)
		err_set(e, "%s has no port without a cable", d->f->node_name[node]);
	return NO_ID;
}

/* --- names, GUIDs, rates that are not given
 * ----------------------------------------------------------------- */

/* Is one of the GUIDs guid .. guid + ports in use now, or was it in any fabric of this session? */
static bool guid_taken(const struct session *s, uint64_t guid, unsigned ports)
{
	for (size_t i = 0; i < s->n_events; i++)
		for (unsigned p = 0; p <= ports; p++)
			if (fabric_node_by_guid(s->event[i].setup->fabric, guid + p) != NO_ID ||
			    fabric_endport_by_guid(s->event[i].setup->fabric, guid + p) != NO_ID)
				return true;
	return false;
}

/* The GUID asked for as "guid=G", or one that nobody has.  Puts it into the text.  -1 and *e. */
static int choose_guid(struct edit_command_state *d, const struct args *args, unsigned ports, uint64_t *guid,
		       struct err *e)
{
	const char *word = args_word(args, "guid=G", NULL);

	*guid = 0x0002c9030e000000;
	if (word && (!number_of_any(word, 1, UINT64_MAX, guid) || *guid > UINT64_MAX - ports))
		return err_word(e, "guid: found \"%s\", expected a GUID as 0x0002c90300f00010", word);
	if (word &&
	    (fabric_node_by_guid(d->f, *guid) != NO_ID || fabric_endport_by_guid(d->f, *guid) != NO_ID))
		return err_set(e, "guid: a node or port has the GUID %s already", word);
	while (!word && guid_taken(d->s, *guid, ports))
		*guid += 256;
	text_add(&d->text, " guid=0x%016" PRIx64, *guid);
	return 0;
}

/* The width and speed of a new cable: those of most cables of the same kind. */
static void usual_rate(const struct edit_command_state *d, bool between_switches, uint8_t *width,
		       uint8_t *speed)
{
	uint32_t count[WIDTH_COUNT][SPEED_COUNT] = {{0}}, most = 0;
	const struct fabric *f = d->f;

	*width = WIDTH_4X;
	*speed = SPEED_UNKNOWN;
	for (uint32_t l = 0; l < f->n_links; l++) {
		uint32_t p = f->link_port[2 * l], q = f->link_port[2 * l + 1];
		bool both = node_is_switch(f, f->port_node[p]) && node_is_switch(f, f->port_node[q]);

		if (both == between_switches && ++count[f->port_width[p]][f->port_speed[p]] > most) {
			most = count[f->port_width[p]][f->port_speed[p]];
			*width = f->port_width[p];
			*speed = f->port_speed[p];
		}
	}
}

static int read_rate(const char *word, uint8_t *width, uint8_t *speed, struct err *e)
{
	size_t x = strcspn(word, "x") + (strchr(word, 'x') != NULL);

	*width = (uint8_t)link_width_parse(word, x);
	*speed = (uint8_t)link_speed_parse(word + x, strlen(word + x));
	return *width && *speed ? 0 : err_word(e, "found \"%s\", expected width and speed, as 4xHDR", word);
}

static void edit_command_set_rate(struct fb_port *p, uint8_t width, uint8_t speed)
{
	p->width = width;
	p->speed = speed;
}

/* A port of the builder. */
struct built_end {
	uint32_t node;
	unsigned port;
};

/* The one of a port of the fabric. */
static struct built_end end_built(const struct edit_command_state *d, uint32_t port)
{
	return (struct built_end){built(d, d->f->port_node[port]), d->f->port_num[port]};
}

/* A new cable between two free ports. */
static void edit_command_cable(struct edit_command_state *d, struct built_end a, struct built_end z,
			       uint8_t width, uint8_t speed)
{
	struct fb_port *p = &d->b->node[a.node].port[a.port], *q = &d->b->node[z.node].port[z.port];

	fb_link(d->b, a.node, a.port, z.node, z.port);
	edit_command_set_rate(p, width, speed);
	edit_command_set_rate(q, width, speed);
	p->state = q->state = PORT_UNKNOWN; /* of a cable: in use */
}

/* --- the edits ----------------------------------------------------------------------------------------- */

static int add_link(struct edit_command_state *d, const struct args *args, struct err *e)
{
	const struct fabric *f = d->f;
	uint32_t p = free_port(d, args->arg[1].word, NO_ID, e),
		 q = p == NO_ID ? NO_ID : free_port(d, args->arg[2].word, p, e);
	const char *rate = args_word(args, "RATE", NULL);
	uint8_t width, speed;

	if (p == NO_ID || q == NO_ID)
		return -1;
	usual_rate(d, node_is_switch(f, f->port_node[p]) && node_is_switch(f, f->port_node[q]), &width,
		   &speed);
	if (rate && read_rate(rate, &width, &speed, e))
		return -1;
	edit_command_cable(d, end_built(d, p), end_built(d, q), width, speed);
	text_add(&d->text, " link");
	edit_command_put_port(d, p);
	edit_command_put_port(d, q);
	if (rate)
		word_append(&d->text, rate);
	return 0;
}

/* `add host NAME PORT...`, `add switch NAME PORTS [PORT...]`: port i of it leads to the i-th port named. */
static int edit_command_add_node(struct edit_command_state *d, const struct args *args, bool sw,
				 struct err *e)
{
	int first = sw ? 3 : 2, n = args->n - first - (args_word(args, "guid=G", NULL) != NULL);
	const char *name = args->arg[1].word;
	uint64_t ports = (uint64_t)n, guid;
	uint8_t width, speed;

	if (sw && !number_of(args->arg[2].word, 1, MAX_PORTS, &ports))
		return err_set_kind(e, number_beyond(args->arg[2].word, MAX_PORTS) ? ERR_LIMIT : ERR_SYNTAX,
				    "found \"%s\", expected a number of ports from 1 to %d",
				    args->arg[2].word, MAX_PORTS);
	if (n > (int)ports || n > MAX_PORTS)
		return err_set(e, "found %d cables for %" PRIu64 " ports", n, ports);
	text_add(&d->text, " %s", args->arg[0].word);
	word_append(&d->text, name);
	if (sw)
		text_add(&d->text, " %" PRIu64, ports);
	uint32_t node =
		fb_add(d->b, sw ? NODE_SWITCH : NODE_CA, 0, (unsigned)ports, name); /* the GUID follows */
	if (node == NO_ID)
		return err_set(e, "a node of the fabric has GUID 0");
	usual_rate(d, sw, &width, &speed);
	for (int i = 0; i < n; i++) {
		uint32_t p = free_port(d, args->arg[first + i].word, NO_ID, e);

		if (p == NO_ID)
			return -1;
		edit_command_cable(d, (struct built_end){node, (unsigned)i + 1}, end_built(d, p), width,
				   speed);
		edit_command_put_port(d, p);
	}
	if (choose_guid(d, args, (unsigned)ports, &guid, e))
		return -1;
	fb_replace(d->b, node, guid);
	d->b->node[node].sysguid = guid;
	return 0;
}

static int cmd_add(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *kind = args->arg[0].word;
	struct edit_command_state d;

	edit_begin(&d, s, args, o);
	return edit_end(
		&d, *kind == 'l' ? add_link(&d, args, e) : edit_command_add_node(&d, args, *kind == 's', e),
		e);
}

static int remove_links(struct edit_command_state *d, const struct id_list *l, struct err *e)
{
	unsigned n = 0;
	char buf[300];

	for (uint32_t i = 0; i < l->n; i++) {
		if (built_port(d, l->id[i])->peer_node == NO_ID && !l->many)
			return err_set(e, "%s has no cable", port_label(d->f, l->id[i], buf, sizeof(buf)));
		n += built_port(d, l->id[i])->peer_node != NO_ID;
		fb_unlink(d->b, built(d, d->f->port_node[l->id[i]]), d->f->port_num[l->id[i]]);
	}
	return n ? 0 : err_set(e, "none of these ports has a cable");
}

/* Nodes are marked first: their indexes in the builder move when one is taken away. */
static int mark_nodes(struct edit_command_state *d, const struct id_list *l, bool sw, uint8_t *gone,
		      struct err *e)
{
	for (uint32_t i = 0; i < l->n; i++) {
		if (node_is_switch(d->f, l->id[i]) != sw)
			return err_set(e, "%s is %s", d->f->node_name[l->id[i]],
				       sw ? "no switch; `host` names hosts"
					  : "a switch; `switch` names switches");
		gone[built(d, l->id[i])] = 1;
	}
	return 0;
}

static int cmd_remove(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *kind = args->arg[0].word;
	AUTO_FREE uint8_t *gone = NEW_ARRAY(s->fabric->n_nodes + 1, uint8_t);
	struct edit_command_state d;
	int rc = 0;

	edit_begin(&d, s, args, o);
	text_add(&d.text, " %s", kind);
	for (int i = 1; !rc && i < args->n; i++) {
		const char *word = args->arg[i].word;
		struct id_list l;

		rc = *kind == 'l' ? session_ports(s, word, o->run->progress, &l, e)
				  : session_nodes(s, word, *kind == 's' ? NAMES_SWITCHES : NAMES_HOSTS,
						  o->run->progress, &l, e);
		if (!rc)
			rc = *kind == 'l' ? remove_links(&d, &l, e)
					  : mark_nodes(&d, &l, *kind == 's', gone, e);
		if (!rc)
			report_absent(&l, word, o);
		word_append(&d.text, word);
		id_list_free(&l);
	}
	for (uint32_t i = s->fabric->n_nodes; !rc && i--;)
		if (gone[i])
			fb_remove(d.b, i);
	return edit_end(&d, rc, e);
}

/* The end at port q of the cable p - q moves to r; its rate goes with it. */
static void move_end(struct edit_command_state *d, uint32_t p, uint32_t q, uint32_t r)
{
	const struct fb_port was = *built_port(d, q);

	fb_unlink(d->b, built(d, d->f->port_node[p]), d->f->port_num[p]);
	edit_command_cable(d, end_built(d, p), end_built(d, r), was.width, was.speed);
}

static int cmd_move(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	bool host = *args->arg[0].word == 'h';
	struct edit_command_state d;

	edit_begin(&d, s, args, o);
	uint32_t at = cabled_port(&d, args->arg[1].word, e);
	if (at != NO_ID && host && node_is_switch(d.f, d.f->port_node[at])) {
		err_set(e, "%s is a switch, expected a host; `move link` moves an end of any cable",
			args->arg[1].word);
		at = NO_ID;
	}
	uint32_t to = at == NO_ID ? NO_ID : free_port(&d, args->arg[2].word, NO_ID, e);
	if (to != NO_ID) {
		text_add(&d.text, " %s", args->arg[0].word);
		edit_command_put_port(&d, at);
		edit_command_put_port(&d, to);
		if (host) /* what is at its switch moves; of a cable, what is here */
			move_end(&d, at, d.f->port_peer[at], to);
		else
			move_end(&d, d.f->port_peer[at], at, to);
	}
	return edit_end(&d, to == NO_ID ? -1 : 0, e);
}

static int cmd_swap(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct edit_command_state d;

	edit_begin(&d, s, args, o);
	uint32_t p = cabled_port(&d, args->arg[0].word, e);
	uint32_t q = p == NO_ID ? NO_ID : cabled_port(&d, args->arg[1].word, e);
	if (q != NO_ID && (q == p || q == d.f->port_peer[p])) {
		err_set(e, "%s and %s are on the same cable", args->arg[0].word, args->arg[1].word);
		q = NO_ID;
	}
	if (q != NO_ID) {
		uint32_t x = d.f->port_peer[p], y = d.f->port_peer[q];
		struct fb_port far[2] = {*built_port(&d, x), *built_port(&d, y)};

		edit_command_put_port(&d, p);
		edit_command_put_port(&d, q);
		fb_unlink(d.b, built(&d, d.f->port_node[p]), d.f->port_num[p]);
		fb_unlink(d.b, built(&d, d.f->port_node[q]), d.f->port_num[q]);
		edit_command_cable(&d, end_built(&d, p), end_built(&d, y), far[1].width, far[1].speed);
		edit_command_cable(&d, end_built(&d, q), end_built(&d, x), far[0].width, far[0].speed);
	}
	return edit_end(&d, q == NO_ID ? -1 : 0, e);
}

static int cmd_replace(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	bool sw = *args->arg[0].word == 's';
	uint32_t n = args->arg[1].id;
	uint64_t guid;
	struct edit_command_state d;
	int rc = 0;

	edit_begin(&d, s, args, o);
	if (!sw && node_is_switch(s->fabric, n))
		rc = err_set(e, "%s is a switch; `replace switch` replaces switches",
			     s->fabric->node_name[n]);
	if (!rc) {
		text_add(&d.text, " %s", args->arg[0].word);
		word_append(&d.text, s->fabric->node_name[n]);
		rc = choose_guid(&d, args, s->fabric->node_nports[n], &guid, e);
	}
	if (!rc)
		fb_replace(d.b, built(&d, n), guid);
	return edit_end(&d, rc, e);
}

static int cmd_rename(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	uint32_t n = args->arg[0].id;
	const char *name = args->arg[1].word;
	struct edit_command_state d;
	int rc = 0;

	edit_begin(&d, s, args, o);
	if (!*name || strlen(name) > DESC_MAX)
		rc = err_set(e, "found a name of %zu bytes, expected 1 to %d", strlen(name), DESC_MAX);
	if (!rc) {
		struct fb_node *to = &d.b->node[built(&d, n)];

		word_append(&d.text, s->fabric->node_name[n]);
		word_append(&d.text, name);
		free(to->desc);
		to->desc = str_dup(name);
	}
	return edit_end(&d, rc, e);
}

static int cmd_speed(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	uint8_t width, speed;
	struct edit_command_state d;

	edit_begin(&d, s, args, o);
	uint32_t p = cabled_port(&d, args->arg[0].word, e);
	int rc = p == NO_ID ? -1 : read_rate(args->arg[1].word, &width, &speed, e);
	if (!rc) {
		edit_command_put_port(&d, p);
		word_append(&d.text, args->arg[1].word);
		edit_command_set_rate(built_port(&d, p), width, speed);
		edit_command_set_rate(built_port(&d, d.f->port_peer[p]), width, speed);
	}
	return edit_end(&d, rc, e);
}

/* --- several at once ------------------------------------------------------------------------------------ */

static bool is_edit_command(const struct command *c)
{
	for (const struct command *k = edit_commands; k->name; k++)
		if (k == c)
			return strcmp(c->name, "event") != 0;
	return !strcmp(c->name, "fail") || !strcmp(c->name, "restore");
}

int run_edit(struct session *s, const char *line, struct out *o, struct err *e)
{
	struct words_read w;

	if (!*line)
		return err_word(e, "found an empty change, expected one as \"remove host node0001\"");
	AUTO_FREE char *name = str_printf("%.*s", (int)strcspn(line, " \t"), line);
	const struct command *c = command_find(s, name, e);
	if (!c)
		return -1;
	if (!is_edit_command(c))
		return err_word(e,
				"%s: found `%s`, expected a change of the fabric: add, remove, move, swap, "
				"replace, rename, speed, fail, restore",
				line, c->name);
	if (command_read(s->fabric, c->syntax, line, &w, o->run->progress, e))
		return -1;
	struct args args = {.argc = w.argc, .argv = w.argv};
	int rc = w.rest && *w.rest ? err_word(e, "%s: found more than one command", line)
				   : args_read(s, c->syntax, c->numbers, &args, e);
	if (rc > 0)
		rc = err_word(e, "%s: expected: %s", line, c->syntax);
	else if (!rc) {
		rc = c->run(s, &args, o, e);
		args_free(&args);
	}
	words_free(w.argc, w.argv);
	return rc;
}

static int cmd_event(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	AUTO_TEXT struct text said = {0}, text = {0};
	struct command_run run = {.in = o->run->in, .progress = o->run->progress, .f = text_stream(&said)};
	struct out quiet = {.run = &run};
	struct session *draft = session_like(s);
	AUTO_FABRIC const struct fabric *before = fabric_ref(s->fabric);

	draft->names = s->names; /* lent */
	session_set_options(draft, s->setup->options);
	int rc = session_set_fabric(draft, fabric_ref(s->loaded), "event", NULL, e);
	if (!rc)
		rc = session_change(draft,
				    &(struct change_request){.kind = EVENT_FAIL,
							     .setup.state = session_state(s),
							     .text = "event"},
				    e);
	text_add(&text, "event");
	for (int i = 0; !rc && i < args->n; i++) {
		rc = run_edit(draft, args->arg[i].word, &quiet, e);
		word_append(&text, rc ? "" : session_event(draft)->text);
	}
	fclose(run.f);
	if (!rc)
		rc = session_edit(s, fabric_ref(draft->loaded), session_state(draft), text_str(&text),
				  o->run->progress, e);
	if (!rc) {
		report_changes(s, before, s->fabric, o);
		report_event(s, o);
	}
	session_draft_free(draft);
	return rc;
}

const struct command edit_commands[] = {
	{.name = "add",
	 .group = WHAT_IF,
	 .syntax = "add link PORT PORT [RATE] | host NAME PORT... [guid=G] | switch NAME COUNT [PORT...] "
		   "[guid=G]",
	 .help = "add a cable, a host or a switch, as one event",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_PARTS JSON_CHANGES JSON_EVENT,
	 .run = cmd_add},
	{.name = "remove",
	 .group = WHAT_IF,
	 .syntax = "remove link NODE[PORT]... | switch S... | host H...",
	 .help = "take cables, hosts or switches out of the fabric, as one event",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_ABSENT JSON_PARTS JSON_CHANGES JSON_EVENT,
	 .run = cmd_remove},
	{.name = "move",
	 .group = WHAT_IF,
	 .syntax = "move host HOST PORT | link PORT PORT",
	 .help = "move a host, or one end of a cable, to another port, as one event",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_CHANGES JSON_EVENT,
	 .run = cmd_move},
	{.name = "swap",
	 .group = WHAT_IF,
	 .syntax = "swap PORT PORT",
	 .help = "exchange the places of two hosts, or the ends of two cables, as one event",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_CHANGES JSON_EVENT,
	 .run = cmd_swap},
	{.name = "replace",
	 .group = WHAT_IF,
	 .syntax = "replace host NODE [guid=G] | switch SWITCH [guid=G]",
	 .help = "put new hardware in the same place: another GUID, the same cables, as one event",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_CHANGES JSON_EVENT,
	 .run = cmd_replace},
	{.name = "rename",
	 .group = WHAT_IF,
	 .syntax = "rename NODE NAME",
	 .help = "give a node another name (NodeDescription), as one event",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_CHANGES JSON_EVENT,
	 .run = cmd_rename},
	{.name = "speed",
	 .group = WHAT_IF,
	 .syntax = "speed PORT RATE",
	 .help = "give a cable another width and speed, as one event",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_CHANGES JSON_EVENT,
	 .run = cmd_speed},
	{.name = "event",
	 .group = WHAT_IF,
	 .syntax = "event TEXT...",
	 .help = "make several changes as one event, before one sweep",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_PARTS JSON_CHANGES JSON_EVENT,
	 .run = cmd_event},
	{.name = NULL},
};

/* `fail NAME`, `restore NAME`: which kind of thing a name alone stands for. */

enum { LINK = 1, SWITCH = 2, HOST = 4, CHASSIS = 8, CARD = 16 };

/* The words of `fail` and `restore`, in the order of the bits. */
static const char *const words[] = {"link", "switch", "host", "chassis", "card"};

struct target_command_finder {
	struct session *s;
	struct progress *progress;
	struct parts *chassis, *cards; /* made when they are needed first; NULL: there are none */
	bool made;
};

/* Kinds of the nodes that a word names; 0 and *e: it names none, or too many. */
static unsigned target_command_nodes_of(const struct target_command_finder *x, const char *word,
					struct err *e)
{
	struct id_list l;
	unsigned kinds = 0;

	if (session_nodes(x->s, word, NAMES_ANY, x->progress, &l, e))
		return 0;
	for (uint32_t i = 0; i < l.n; i++)
		kinds |= node_is_switch(x->s->fabric, l.id[i]) ? SWITCH : HOST;
	id_list_free(&l);
	return kinds;
}

/* Is the word NODE[1-2] with a node's shown name? Then it may be ports, also where it fits nodes as a list.
 */
static bool names_port_set(const struct fabric *f, const char *word)
{
	const char *open = strrchr(word, '[');

	return open && f && node_named(f, word, strlen(word)) == NO_ID &&
	       node_named(f, word, (size_t)(open - word)) != NO_ID;
}

static bool target_command_is_port(const struct target_command_finder *x, const char *word, struct err *e)
{
	struct id_list l;

	if (!*word || word[strlen(word) - 1] != ']' || session_ports(x->s, word, x->progress, &l, e))
		return false;
	id_list_free(&l);
	return true;
}

static void target_command_make_parts(struct target_command_finder *x)
{
	AUTO_TEXT struct text notes = {0};
	struct elements *el = setup_elements(x->s->setup, x->progress, &notes, NULL);

	x->made = true;
	if (!el)
		return;
	x->chassis = parts_new(x->s->fabric, PART_CHASSIS, el);
	x->cards = parts_new(x->s->fabric, PART_CARD, el);
	elements_unref(el);
}

/* whole: only by the whole name; otherwise by its beginning, or a glob, too. */
static bool target_command_is_part(const struct parts *p, const char *word, bool whole)
{
	uint32_t part = p ? parts_find(p, word, NULL) : NO_ID;

	return part != NO_ID && (!whole || !strcasecmp(p->name[part], word));
}

static unsigned target_command_parts_of(struct target_command_finder *x, const char *word, bool whole)
{
	if (!x->made)
		target_command_make_parts(x);
	return (target_command_is_part(x->chassis, word, whole) ? CHASSIS : 0) |
	       (target_command_is_part(x->cards, word, whole) ? CARD : 0);
}

/* All kinds that fit a word; 0 and *e: none does. */
static unsigned kinds_of(struct target_command_finder *x, const char *word, struct err *e)
{
	unsigned kinds = *word ? target_command_nodes_of(x, word, e) : 0;

	if (*word && (!kinds || names_port_set(x->s->fabric, word)) &&
	    target_command_is_port(x, word, kinds ? NULL : e))
		kinds |= LINK;
	kinds |= target_command_parts_of(x, word, true);
	return kinds ? kinds : target_command_parts_of(x, word, false);
}

/* Says in *e what to type for each kind: "`fail switch X` or `fail chassis X`". */
static void tell_kinds(const char *verb, const char *word, unsigned kinds, struct err *e)
{
	AUTO_FREE char *quoted = word_quoted(word);
	AUTO_TEXT struct text t = {0};

	for (unsigned i = 0; i < ARRAY_LEN(words); i++)
		if (kinds >> i & 1)
			text_add(&t, "%s`%s %s %s`", t.len ? " or " : "", verb, words[i], quoted);
	err_set_kind(e, ERR_AMBIGUOUS, "%s stands for more than one kind: type %s", quoted, text_str(&t));
}

const char *target_kind(struct session *s, const struct args *args, struct progress *p, struct err *e)
{
	struct target_command_finder x = {.s = s, .progress = p};
	struct err why = {0};
	unsigned kinds = 0;
	int rc = 0;

	for (int i = 0; !rc && i < args->n; i++) {
		const char *word = args->arg[i].word;
		unsigned fit = kinds_of(&x, word, &why);

		if (progress_cancelled(p))
			rc = err_set(e, CANCELLED);
		else if (!fit && (!*word || (why.kind == ERR_NO_NODE && !isdigit((unsigned char)*word) &&
					     !is_name_pattern(word))))
			rc = err_set_kind(
				e, ERR_NO_NODE,
				"found \"%s\", expected link, switch, host, chassis, card, or a name; "
				"nothing has this name",
				word);
		else if (!fit)
			rc = err_copy(e, &why);
		else if (i && !(kinds & fit))
			rc = err_set(e, "%s and %s are of different kinds; use one `%s` for each",
				     args->arg[0].word, word, args->argv[0]);
		kinds = i ? kinds & fit : fit;
	}
	parts_free(x.chassis);
	parts_free(x.cards);
	if (!rc && kinds & (kinds - 1)) {
		tell_kinds(args->argv[0], args->arg[0].word, kinds, e);
		rc = -1;
	}
	for (unsigned i = 0; !rc && i < ARRAY_LEN(words); i++)
		if (kinds >> i & 1)
			return words[i];
	return NULL;
}
