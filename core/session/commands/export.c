/* Commands that write files, a configuration for torus-2QoS among them. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/analysis/shape/torus_conf.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/outfile.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/formats/drawing.h"
#include "core/formats/readers.h"
#include "core/session/commands/commands.h"
#include "core/sm/lft_file.h"

/* Command torus-conf: a configuration for torus-2QoS, tried on the engine before it is written. */

#define ENGINE "torus-2QoS"

/* --- telling ---------------------------------------------------------------------------------------- */

static void tell_plan(struct torus_fit *m, const struct torus_plan *p, bool good, struct out *o)
{
	const struct grid *g = p->g;
	char shape[100];

	out_text(o, "# %s of %s", grid_text(g, shape, sizeof(shape)), PLURAL(g->n_places, "place"));
	if (g->missing_switches)
		out_text(o, ", %u of the switches missing", g->missing_switches);
	if (g->missing_links)
		out_text(o, ", %s between neighbours missing (%s%s)", PLURAL(g->missing_links, "link"),
			 g->missing_link, g->missing_links > 1 ? ", ..." : "");
	out_text(o, ".\n");
	if (good)
		out_text(o, "# " ENGINE " routes the whole fabric with it; %s.\n",
			 PLURAL(p->n_seeds, "seed"));
	else
		out_text(o, "# " ENGINE " refuses the fabric as it is now: %s\n",
			 m->refused ? m->refused : "not tried");
	o->run->found_fault |= !good;
	out_json(o, "torus",
		 json_make("{s:s, s:[i,i,i], s:[b,b,b], s:i, s:i, s:i, s:b}", "shape", shape, "radix",
			   (int)g->radix[p->axis[0]], (int)g->radix[p->axis[1]], (int)g->radix[p->axis[2]],
			   "open", (int)g->open[p->axis[0]], (int)g->open[p->axis[1]],
			   (int)g->open[p->axis[2]], "missing_switches", (int)g->missing_switches,
			   "missing_links", (int)g->missing_links, "seeds", (int)p->n_seeds, "routes",
			   (int)good));
}

static int give_plan(const struct session *s, struct torus_fit *m, bool good, const char *path, struct out *o,
		     struct err *e)
{
	const struct torus_plan *p = &m->plan;
	AUTO_TEXT struct text x = {0};
	struct target to;

	if (!good && p->g->radix[1] == 1 && p->g->radix[0] > 3)
		return err_set(e,
			       "%u switches in one %s: " ENGINE
			       " takes at most three in one dimension; expected at least two dimensions",
			       p->g->n_places, p->g->open[0] ? "line" : "ring");
	if (!p->n_seeds)
		return err_set(e, "%s", m->refused);
	tell_plan(m, p, good, o);
	int rc = open_target(&to, path, o, e);
	if (!rc) {
		torus_conf_text(p, &x);
		mark_target(&to, s, NULL);
		fputs(text_str(&x), to.f);
		rc = close_target(&to, 0, o, e);
	}
	if (!rc && !on_output(&to))
		out_text(o, "`route " ENGINE " qos=TRUE torus_config=%s` takes it\n", path);
	return rc;
}

static int cmd_torus_conf(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct torus_fit m;
	int rc = torus_fit_begin(&m, s->setup, s->engines, o->run->progress, e);

	if (!rc)
		rc = torus_fit_make(&m, e);
	if (rc >= 0)
		rc = give_plan(s, &m, rc > 0, args_word(args, "FILE", "-"), o, e);
	torus_fit_end(&m);
	return rc;
}

const struct command torus_commands[] = {
	{.name = "torus-conf",
	 .group = FILES,
	 .syntax = "torus-conf [FILE]",
	 .help = "write a torus-2QoS.conf for a fabric that is a torus or mesh",
	 .finds = "torus-2QoS refuses the fabric as it is",
	 .needs = NEEDS_FABRIC,
	 .json = "torus object the grid that was found\n"
		 "torus.shape string in words\n"
		 "torus.radix[] integer places by dimension\n"
		 "torus.open[] boolean by dimension: a mesh, not a torus\n"
		 "torus.missing_switches integer switches that are missing in it\n"
		 "torus.missing_links integer links between neighbours that are missing\n"
		 "torus.seeds integer seeds written\n"
		 "torus.routes boolean torus-2QoS routes the whole fabric with it\n" JSON_CONTENT,
	 .run = cmd_torus_conf},
	{.name = NULL},
};

/* Commands that write files. */

bool on_output(const struct target *t)
{
	return !strcmp(t->path, "-");
}

int open_target(struct target *t, const char *path, struct out *o, struct err *e)
{
	*t = (struct target){.path = path};
	if (!on_output(t)) {
		if (outfile_open(&t->file, path, o->run->progress, e))
			return -1;
		t->f = t->file.f;
		return 0;
	}
	t->f = o->run->json ? text_stream(&t->text) : o->run->f;
	return 0;
}

/* In JSON mode the field holds the document, and no line of text does. */
static int close_output(struct target *t, int rc, struct out *o, struct err *e)
{
	bool bad = ferror(t->f) || (t->f == o->run->f ? fflush(t->f) : fclose(t->f));

	if (o->run->json && !rc && !bad)
		out_json(o, "content", json_text(text_str(&t->text)));
	text_free(&t->text);
	return !rc && bad ? err_system(e, "standard output", errno) : rc;
}

int close_targets(struct target *t, size_t n, int rc, struct out *o, struct err *e)
{
	assert(n <= TARGETS);

	struct outfile *file[TARGETS] = {NULL};
	size_t files = 0;

	assert(n <= TARGETS);
	for (size_t i = 0; i < n; i++) {
		if (on_output(&t[i]))
			rc = close_output(&t[i], rc, o, e);
		else
			file[files++] = &t[i].file;
	}
	rc = outfile_close_all(file, files, rc, e);
	for (size_t i = 0; i < n; i++) {
		if (!rc) {
			AUTO_TEXT struct text lacks = {0};

			warnings_tell_missing(&t[i].missing, &lacks);
			if (!on_output(&t[i])) {
				out_text(o, "%s written\n", t[i].path);
				out_json(o, "file", json_text(t[i].path));
				if (lacks.len)
					out_text(o, "INCOMPLETE: a part of the fabric is not in %s (%s).\n",
						 t[i].path, text_str(&lacks));
			}
			out_json(o, "missing", json_text(text_str(&lacks)));
		}
		warnings_free(&t[i].missing);
	}
	return rc;
}

int close_target(struct target *t, int rc, struct out *o, struct err *e)
{
	return close_targets(t, 1, rc, o, e);
}

/*
 * Parts that the source lacks, and ports that are up but without cable in the file.  up: as for
 * mark_target().
 */
static void missing_in_file(const struct session *s, const struct topo *up, struct warnings *w)
{
	const struct fabric *f = s->fabric;
	uint32_t idle = 0, first = NO_ID;

	*w = (struct warnings){0};
	warnings_copy(w, &f->warnings);
	if (session_event(s)->as_read) {
		for (uint32_t p = 0; p < f->n_ports; p++)
			if (fabric_idle_end(f, p) == p && !idle++)
				first = p;
		if (idle)
			warnings_missing(
				w, "port state", 0,
				"%s in Initialize or Armed, the first is %s; this file tells no states",
				PLURAL(idle, "port"), PORT_LABEL(f, first));
	}
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		uint32_t port = f->endport_port[ep], peer = f->port_peer[port];
		bool down = peer != NO_ID &&
			    (f->port_state[port] == PORT_DOWN || f->port_state[peer] == PORT_DOWN);

		if (session_state(s)->node_down[f->port_node[port]] || !(up ? !up->endport_up[ep] : down))
			continue;
		warnings_missing(w, "cut-off port", 0, "%s is up, but nothing reaches it",
				 ENDPORT_LABEL(f, ep));
		warnings_place(w, f->node_guid[f->port_node[port]], f->port_num[port]);
	}
}

void mark_target(struct target *t, const struct session *s, const struct topo *up)
{
	assert(t->f);
	missing_in_file(s, up, &t->missing);
	warnings_write_missing(&t->missing, t->f, "# ", "");
}

int cannot_write(const struct target *t, struct err *e)
{
	return err_set_kind(e, ERR_IO, "%s: cannot be written: %s", t->path, strerror(errno));
}

static int cmd_save(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct target to;
	int rc;

	if (args_has(args, "canonical") && s->fabric->warnings.missing)
		return err_set(
			e, "the fabric is incomplete: what is missing depends on who read it, so there is no "
			   "canonical file; `save FILE` writes it");
	if (open_target(&to, args->arg[0].word, o, e))
		return -1;
	AUTO_STATE struct state *all_up = state_new(s->fabric);
	AUTO_TOPO struct topo *t =
		state_equal(session_state(s), all_up) ? NULL : topo_new(s->fabric, session_state(s));
	mark_target(&to, s, t);
	if (!args_has(args, "edges") && !args_has(args, "canonical")) {
		rc = write_ibnetdiscover(to.f, s->fabric, t, w ? w->lids : NULL, o->run->progress);
		if (rc)
			rc = progress_cancelled(o->run->progress) ? err_set(e, CANCELLED)
								  : cannot_write(&to, e);
	} else {
		AUTO_TEXT struct text text = {0};

		rc = args_has(args, "edges")
			     ? edges_text(s->fabric, t, w ? w->lids : NULL, o->run->progress, &text, e)
			     : canonical_text(s->fabric, t, o->run->progress, &text, e);
		fputs(text_str(&text), to.f);
		if (!rc && write_status(to.f))
			rc = cannot_write(&to, e);
	}
	return close_target(&to, rc, o, e);
}

/* Is there a routing that has what is to be written? */
static int check_routed(struct session *s, const char *what, struct err *e)
{
	const struct sweep *w = need_routing(s, e);

	if (!w)
		return -1;
	if (!strcmp(what, "guid2lid") && !sweep_remembers(w))
		return err_set(e, "no LID was assigned: %s shows what switches hold", w->routing->engine);
	if (!strcmp(what, "sl2vl") && routing_layers_idle(w->routing))
		return err_set(e, "no SL-to-VL map is known: qos is off (`set qos TRUE` programs them)");
	if (!strcmp(what, "fdbs"))
		return mem_room(e, write_fdbs_room(w->routing), "hops between %u switches",
				w->fabric->n_switches);
	if (!strcmp(what, "paths"))
		return mem_room(e, write_paths_room(w->routing), "hops to %u LIDs", w->lids->max_lid);
	return 0;
}

static int export_routing(struct session *s, const char *what, const struct target *t, struct progress *p,
			  struct err *e)
{
	const struct sweep *w = session_sweep(s);
	FILE *f = t->f;
	int rc;

	if (!strcmp(what, "lfts"))
		rc = write_lfts(f, w->routing, p);
	else if (!strcmp(what, "fdbs"))
		rc = write_fdbs(f, w->routing, p);
	else if (!strcmp(what, "subnet"))
		rc = write_subnet(f, w->routing, p);
	else if (!strcmp(what, "guid2lid"))
		rc = sweep_write_guid2lid(f, w, p);
	else if (!strcmp(what, "sl2vl"))
		rc = write_sl2vl(f, w->routing, p);
	else if (!strcmp(what, "paths"))
		rc = write_paths(f, w->routing, p);
	else if (strcmp(what, "json"))
		rc = w->routing->ops->write_extra(w->routing, what, f);
	else
		rc = write_json(f,
				&(struct json_of){.topo = w->topo,
						  .lids = w->lids,
						  .state = w->setup->state,
						  .routing = w->routing},
				&t->missing, p);
	if (rc && progress_cancelled(p))
		return err_set(e, CANCELLED);
	return rc ? cannot_write(t, e) : 0;
}

static bool export_command_is_word(const char *w, const char *words)
{
	size_t len = strlen(w);

	for (const char *p = words; p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
		if (strcspn(p, "|") == len && !strncmp(p, w, len))
			return true;
	return false;
}

#define GRAPHS "csv|graphml|node-link"
#define EXPORTS "lfts|fdbs|subnet|guid2lid|paths|sl2vl|json|slurm|prometheus|" GRAPHS "|dot|svg|png"

/* What write_graph() writes: these, and `dot FILE cables`. */
static bool is_graph(const struct args *args)
{
	return export_command_is_word(args->arg[0].word, GRAPHS) || args_has(args, "cables");
}

/* Texts that only some engines have.  The engine in force names its own. */
#define ENGINE_EXPORTS "ca-order|torus"

#define LINKS_MOST 10 /* of prometheus: links with their loads */

static int check_what(const struct session *s, const char *what, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	const char *own = w && w->routing ? w->routing->ops->extras : NULL;

	if (export_command_is_word(what, EXPORTS) || export_command_is_word(what, own))
		return 0;
	if (export_command_is_word(what, ENGINE_EXPORTS) && w && w->routing)
		return err_set(e, "export: %s has no %s", w->routing->engine, what);
	return err_word(e, "export: found \"%s\", expected one of %s%s%s", what, EXPORTS, own ? "|" : "",
			own ? own : "");
}

/* Formats without comments.  json and graphs have keys instead. */
#define UNMARKED "guid2lid|ca-order|torus|csv|png"

/*
 * What the file will lack. Without `anyway` its format must have comments to say so. Tables and drawings show
 * the whole loaded fabric; only opensm-subnet.lst leaves out what failures cut off.
 */
static int find_missing(const struct session *s, const struct args *args, struct warnings *w, struct err *e)
{
	const char *what = args->arg[0].word;

	if (!strcmp(what, "subnet"))
		missing_in_file(s, session_sweep(s)->topo, w);
	else
		warnings_copy(w, &s->fabric->warnings);
	if (w->missing && export_command_is_word(what, UNMARKED) && !args_has(args, "anyway")) {
		AUTO_TEXT struct text lacks = {0};

		warnings_tell_missing(w, &lacks);
		return err_set(
			e,
			"the fabric is incomplete (%s), and a file of %s cannot say so; `export %s FILE ... "
			"anyway` writes it",
			text_str(&lacks), what, what);
	}
	return 0;
}

static bool is_drawing(const struct args *args)
{
	return args->form && !is_graph(args) && strcmp(args->arg[0].word, "prometheus") != 0;
}

/* Checks all words, and everything that they ask for, before a file is opened. */
static int export_command_prepare(struct session *s, const struct args *args, struct drawing *d,
				  struct out *o, struct err *e)
{
	const char *what = args->arg[0].word;

	if (check_what(s, what, e))
		return -1;
	if (!strcmp(what, "slurm") || is_graph(args))
		return session_need_fabric(s, e);
	return is_drawing(args) ? drawing_prepare(s, args, d, o, e) : check_routed(s, what, e);
}

/* Slurm's topology of what is up.  Hosts that do not fit its lines are reported. */
static int export_slurm(struct session *s, const struct target *t, struct out *o, struct err *e)
{
	AUTO_TOPO struct topo *up = topo_new(s->fabric, session_state(s));
	size_t len = strlen(t->path);
	bool yaml = len > 5 && !strcmp(t->path + len - 5, ".yaml");
	AUTO_TEXT struct text notes = {0};
	int rc = write_slurm(t->f, up, yaml, &notes, o->run->progress);

	if (rc)
		rc = progress_cancelled(o->run->progress) ? err_set(e, CANCELLED) : cannot_write(t, e);
	else if (!on_output(t))
		out_text(o, "%s", text_str(&notes));
	if (!rc)
		out_json(o, "notes", json_text(text_str(&notes)));
	return rc;
}

/* Nodes and cables, with the loads of all pairs where there is a routing. */
static int export_graph(struct session *s, const struct args *args, const struct target *t,
			struct progress *p, struct err *e)
{
	const char *what = args->arg[0].word;
	const struct sweep *w = session_sweep(s);
	const struct routing *r = w ? w->routing : NULL;
	AUTO_ARENA struct loads *l = r ? loads_new(r, &pattern_all, p) : NULL;
	enum graph_form form = *what == 'c'   ? GRAPH_CSV
			       : *what == 'g' ? GRAPH_GRAPHML
			       : *what == 'n' ? GRAPH_NODE_LINK
					      : GRAPH_DOT;
	struct graph_of of = {.fabric = s->fabric,
			      .state = session_state(s),
			      .lids = w ? w->lids : NULL,
			      .load = l ? l->port : NULL,
			      .engine = r ? r->engine : NULL,
			      .safe = args_has(args, "safe")};
	int rc = r && !l ? -1 : write_graph(t->f, form, &of, &t->missing, p);

	if (rc && progress_cancelled(p))
		return err_set(e, CANCELLED);
	return rc ? cannot_write(t, e) : 0;
}

static int write_export(struct session *s, const struct args *args, struct drawing *d, struct target *to,
			struct out *o, struct err *e)
{
	const char *what = args->arg[0].word;
	bool svg = !strcmp(what, "svg");
	int rc;

	if (!svg && !export_command_is_word(what, UNMARKED "|json|graphml|node-link"))
		warnings_write_missing(&to->missing, to->f, strcmp(what, "dot") != 0 ? "# " : "// ", "");
	if (!strcmp(what, "slurm"))
		rc = export_slurm(s, to, o, e);
	else if (is_graph(args))
		rc = export_graph(s, args, to, o->run->progress, e);
	else if (!strcmp(what, "prometheus"))
		rc = write_prometheus(s, to->f, args_number(args, "most=N", LINKS_MOST), o, e);
	else
		rc = is_drawing(args) ? drawing_write(s, d, to, o, e)
				      : export_routing(s, what, to, o->run->progress, e);
	if (svg) /* after the output of another program */
		warnings_write_missing(&to->missing, to->f, "<!-- ", " -->");
	return rc;
}

static int cmd_export(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct warnings missing = {0};
	struct drawing d = {0};
	struct target to;
	int rc = export_command_prepare(s, args, &d, o, e) || find_missing(s, args, &missing, e) ? -1 : 0;

	if (!rc && d.frames == FRAMES_FILES) {
		rc = drawing_write_steps(s, &d, args->arg[1].word, &missing, o, e);
		warnings_free(&missing);
		drawing_free(&d);
		return rc;
	}
	if (!rc)
		rc = open_target(&to, args->arg[1].word, o, e);
	if (!rc) {
		to.missing = missing;
		missing = (struct warnings){0};
		rc = close_target(&to, write_export(s, args, &d, &to, o, e), o, e);
		if (!rc && is_drawing(args) && strcmp(args->arg[1].word, "-")) { /* for reports */
			AUTO_TEXT struct text what = {0};

			text_add(&what, "%s", args->arg[0].word);
			for (int i = 2; i < args->n; i++)
				text_add(&what, " %s", args->arg[i].word);
			session_note_drawing(s, args->arg[1].word, text_str(&what));
		}
	}
	warnings_free(&missing);
	drawing_free(&d);
	return rc;
}

/* --- roots ---------------------------------------------------------------------------------- */

/* Mark the switches that the words name. */
static int mark_switches(const struct session *s, const struct args *args, uint8_t *root, struct out *o,
			 struct err *e)
{
	const struct fabric *f = s->fabric;
	int rc = 0;

	for (int i = 2; !rc && i < args->n; i++) {
		struct id_list l;

		rc = session_nodes(s, args->arg[i].word, NAMES_SWITCHES, o->run->progress, &l, e);
		report_absent(&l, args->arg[i].word, o);
		for (uint32_t k = 0; !rc && k < l.n; k++) {
			if (node_is_switch(f, l.id[k]))
				root[f->node_switch[l.id[k]]] = 1;
			else
				rc = err_set(e, "%s is no switch", f->node_name[l.id[k]]);
		}
		id_list_free(&l);
	}
	return rc;
}

/* Mark the roots of the engine in force. */
static int mark_roots(const struct session *s, uint8_t *root, struct err *e)
{
	const struct sweep *w = need_routing(s, e);

	if (!w)
		return -1;
	if (!w->routing->ops->is_root)
		return err_set(e, "%s has no roots; name switches: roots export FILE SWITCH...",
			       w->routing->engine);
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		root[sw] = switch_up(w->topo, sw) && w->routing->ops->is_root(w->routing, sw);
	return 0;
}

int export_roots(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	AUTO_FREE uint8_t *root = NEW_ARRAY(s->fabric->n_switches + 1, uint8_t);
	const struct lids *l = session_sweep(s) ? session_sweep(s)->lids : NULL;
	json_t *list = json_array();
	uint32_t n = 0;
	struct target to;
	int rc = args->n > 2 ? mark_switches(s, args, root, o, e) : mark_roots(s, root, e);

	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		n += root[sw];
	if (!rc && !n)
		rc = err_set(e, "no switch is a root");
	if (!rc)
		rc = open_target(&to, args->arg[1].word, o, e);
	if (!rc) {
		mark_target(&to, s, NULL);
		for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++) {
			if (!root[sw])
				continue;
			/* The name behind a GUID is a comment.  Characters that could end its line are left
			 * out. */
			fprintf(to.f, "0x%016" PRIx64 " # ",
				s->fabric->node_guid[s->fabric->switch_node[sw]]);
			for (const char *c = switch_name(s->fabric, sw); *c; c++)
				putc(iscntrl((unsigned char)*c) ? '?' : *c, to.f);
			putc('\n', to.f);
			json_array_append_new(list, json_node(s->fabric, l, s->fabric->switch_node[sw]));
		}
		rc = close_target(&to, 0, o, e);
		if (!rc && !on_output(&to))
			out_text(o, "%s; `set root_guid_file %s` takes the file, as OpenSM does (-a).\n",
				 PLURAL(n, "root"), to.path);
		out_json(o, "roots", json_incref(list));
	}
	json_decref(list);
	return rc;
}

const struct command export_commands[] = {
	{.name = "save",
	 .group = FILES,
	 .syntax = "save FILE [edges|canonical]",
	 .help = "write the fabric, without what failed, as ibnetdiscover text or as an edge list",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_CONTENT,
	 .run = cmd_save},
	{.name = "export",
	 .group = FILES,
	 .syntax = "export lfts|fdbs|subnet|guid2lid|paths|sl2vl|json|slurm|ca-order|torus|graphml|node-link "
		   "FILE [anyway] | export csv FILE [safe] [anyway] | export dot FILE cables [anyway] | "
		   "export svg|png|dot FILE [" DRAWING_SYNTAX "] " PAGE_SYNTAX " [anyway] | "
		   "export svg|png FILE [" PLOT_SYNTAX "] " PAGE_SYNTAX " [anyway] | "
		   "export svg|png FILE steps " FRAMES_SYNTAX " [anyway] | "
		   "export svg FILE animated " FRAMES_SYNTAX " [anyway] | export prometheus FILE [most=N]",
	 .numbers = ARG_NUMBERS(
		 ARG_NUMBER("SAMPLE", 1, UINT32_MAX, "how many shifts to look at, from 1", "plot"),
		 ARG_NUMBER("via N", 1, 254, "a port, 1 to 254", "via"),
		 ARG_NUMBER("font=N", 4, 72, "how high letters are, 4 to 72", "font"),
		 ARG_NUMBER("most=N", 0, 100000, "how many links, 0 to 100000", "most"),
		 ARG_NUMBER("FROM", 1, SIZE_MAX, "a step, from 1", NULL),
		 ARG_NUMBER("TO", 1, SIZE_MAX, "a step, from 1", NULL)),
	 .help = "write tables, paths or a drawing; FILE - is the screen, with --json the field content",
	 .json = JSON_CONTENT "files integer? steps: how many were written\n"
			      "notes string? slurm: lines about hosts that were left out or renamed\n",
	 .run = cmd_export},
	{.name = NULL},
};
