/* Commands that write files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/program.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/formats/drawing.h"
#include "core/formats/formats.h"
#include "core/session/commands/commands.h"
#include "core/sm/sl_tables_file.h"

/* Where a command writes to. */
struct target {
	const char *path;
	FILE *f;
	char *text; /* what was written for "-", the command's own output, in JSON mode */
	size_t len;
};

static bool on_output(const struct target *t)
{
	return !strcmp(t->path, "-");
}

/* Open FILE for writing; "-" is the command's own output. */
static int open_target(struct target *t, const char *path, struct out *o, struct err *e)
{
	*t = (struct target){.path = path};
	if (!on_output(t))
		t->f = fopen(path, "we");
	else
		t->f = o->run->json ? open_memstream(&t->text, &t->len) : o->run->f;
	return t->f ? 0 : err_set(e, "%s: %s", path, strerror(errno));
}

static int close_target(struct target *t, int rc, struct out *o, struct err *e)
{
	bool failed = ferror(t->f) != 0;

	if (t->f == o->run->f)
		fflush(t->f);
	else
		failed |= fclose(t->f) != 0;
	if (t->text)
		out_text(o, "%s", t->text);
	free(t->text);
	if (!rc && failed)
		return err_set(e, "%s: %s", t->path, strerror(errno));
	if (!rc && !on_output(t))
		out_text(o, "%s written\n", t->path);
	return rc;
}

/* The fabric without what failed; NULL when nothing did. */
static struct topo *present(const struct session *s)
{
	const struct state *st = session_state(s);
	struct state *all_up = state_new(s->fabric);
	bool whole = state_equal(st, all_up);

	state_free(all_up);
	return whole ? NULL : topo_new(s->fabric, st);
}

static int cmd_save(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct target to;
	struct topo *t;
	int rc;

	(void)argc;
	if (open_target(&to, argv[1], o, e))
		return -1;
	t = present(s);
	rc = write_ibnetdiscover(to.f, s->fabric, t, w ? w->lids : NULL);
	topo_unref(t);
	return close_target(&to, rc ? err_set(e, "%s: cannot be written", argv[1]) : 0, o, e);
}

static int export_routing(struct session *s, const char *what, FILE *f, struct progress *p, struct err *e)
{
	const struct sweep *w = need_routing(s, e);
	int rc;

	if (!w)
		return -1;
	if (!strcmp(what, "sl2vl") && routing_layers_idle(w->routing))
		return err_set(e, "no SL-to-VL map is known: qos is off (`set qos TRUE` programs them)");
	if (!strcmp(what, "lfts"))
		rc = write_lfts(f, w->routing);
	else if (!strcmp(what, "fdbs"))
		rc = write_fdbs(f, w->routing);
	else if (!strcmp(what, "subnet"))
		rc = write_subnet(f, w->routing);
	else if (!strcmp(what, "sl2vl"))
		rc = write_sl2vl(f, w->routing);
	else if (!strcmp(what, "paths"))
		rc = write_paths(f, w->routing, p);
	else if (strcmp(what, "json"))
		rc = w->routing->ops->write_extra(w->routing, what, f);
	else
		rc = write_json(f, w);
	if (rc && progress_cancelled(p))
		return err_set(e, CANCELLED);
	return rc ? err_set(e, "cannot be written: %s", strerror(errno)) : 0;
}

/* DOT text to SVG by Graphviz' own program. */
static int run_graphviz(const char *dot, size_t len, FILE *to, struct progress *p, struct err *e)
{
	char path[] = "/tmp/ibscope-dot-XXXXXX", name[] = "dot", format[] = "-Tsvg";
	char *argv[] = {name, format, path, NULL};
	int fd = mkstemp(path), rc;
	struct err why;

	if (fd < 0 || write(fd, dot, len) != (ssize_t)len) {
		if (fd >= 0)
			close(fd);
		return err_set(e, "%s: %s", path, strerror(errno));
	}
	close(fd);
	rc = program_run(argv, to, p, &why);
	unlink(path);
	if (rc && progress_cancelled(p))
		return err_set(e, CANCELLED);
	return rc ? err_set(e, "Graphviz' program %s; `export dot FILE` writes what it was given", why.msg)
		  : 0;
}

/* What `export dot|svg` draws: the fabric, or the channel dependencies of a layer or of a group on cycles. */
struct drawing {
	bool svg, cdg, switches;
	int vl;
	uint32_t group; /* from 1, as `cycles` numbers them, or of those on the VL; 0 = all */
};

static int write_dependencies(const struct cdg *c, const struct drawing *d, FILE *f, struct err *e)
{
	uint32_t component = d->group ? cdg_component_on(c, d->vl, d->group - 1) : NO_ID;

	if (d->group && component == NO_ID)
		return err_set(e, "found group %u, expected one of the %u groups with credit loops there are",
			       d->group, cdg_components_below(c, d->vl, c->n_components));
	if (cdg_write_dot(f, c, d->vl, component))
		return err_set(e, "cannot be written: %s", strerror(errno));
	return 0;
}

static int write_drawing(struct session *s, const struct drawing *d, FILE *f, struct progress *p,
			 struct err *e)
{
	struct cdg *c;
	int rc;

	if (!d->cdg) {
		rc = write_dot(f, s->fabric, session_state(s));
		return rc ? err_set(e, "cannot be written: %s", strerror(errno)) : 0;
	}
	c = cdg_for_vl(session_routing(s), d->vl, d->switches, p);
	if (!c)
		return err_set(e, CANCELLED);
	rc = write_dependencies(c, d, f, e);
	cdg_free(c);
	return rc;
}

static int export_drawing(struct session *s, const struct drawing *d, FILE *f, struct out *o, struct err *e)
{
	char *dot = NULL;
	size_t len = 0;
	FILE *mem;
	int rc;
	bool svg = d->svg && program_exists("dot");

	if (d->svg && !svg)
		out_text(o, "Graphviz' program dot is not there (package graphviz): DOT text is written "
			    "instead\n");
	if (!svg)
		return write_drawing(s, d, f, o->run->progress, e);
	mem = open_memstream(&dot, &len);
	if (!mem)
		return err_set(e, "%s", strerror(errno));
	rc = write_drawing(s, d, mem, o->run->progress, e);
	fclose(mem);
	if (!rc)
		rc = run_graphviz(dot, len, f, o->run->progress, e);
	free(dot);
	return rc;
}

/* `export dot|svg FILE [cdg [LAYER] [switches] [group N]]` */
static int parse_drawing(struct session *s, int argc, char **argv, struct drawing *d, struct err *e)
{
	char *end;

	*d = (struct drawing){.svg = *argv[1] == 's', .cdg = argc > 3, .vl = CDG_ALL_VLS};
	if (argc > 5 && !strcmp(argv[argc - 2], "group")) {
		d->group = (uint32_t)strtoul(argv[argc - 1], &end, 10);
		if (*end || !d->group)
			return err_set(e, "found \"%s\", expected the number of a group as `cycles` shows it",
				       argv[argc - 1]);
		argc -= 2;
	}
	d->switches = argc > 4 && words_take_last(&argc, argv, "switches");
	if (d->cdg && (strcmp(argv[3], "cdg") || argc > 5))
		return usage(s, "export", e);
	if (argc == 5 && parse_layer(argv[4], &d->vl, e))
		return -1;
	if (session_need_fabric(s, e))
		return -1;
	return d->cdg && !need_routing(s, e) ? -1 : 0;
}

static bool is_word(const char *w, const char *words)
{
	size_t len = strlen(w);

	for (const char *p = words; p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
		if (strcspn(p, "|") == len && !strncmp(p, w, len))
			return true;
	return false;
}

#define EXPORTS "lfts|fdbs|subnet|paths|sl2vl|json|dot|svg"

/* Texts that only some engines have; the one in force names its own. */
#define ENGINE_EXPORTS "ca-order|torus"

static int check_what(const struct session *s, const char *what, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	const char *own = w && w->routing ? w->routing->ops->extras : NULL;

	if (is_word(what, EXPORTS) || is_word(what, own))
		return 0;
	if (is_word(what, ENGINE_EXPORTS) && w && w->routing)
		return err_set(e, "export: %s has no %s", w->routing->engine, what);
	return err_set(e, "export: found \"%s\", expected one of %s%s%s", what, EXPORTS, own ? "|" : "",
		       own ? own : "");
}

static int cmd_export(struct session *s, int argc, char **argv, struct out *o, struct err *e)
{
	struct drawing d;
	bool drawing;
	struct target to;
	int rc;

	if (check_what(s, argv[1], e))
		return -1;
	drawing = is_word(argv[1], "dot|svg");
	if (!drawing && argc != 3)
		return usage(s, "export", e);
	if (drawing ? parse_drawing(s, argc, argv, &d, e) : !need_routing(s, e))
		return -1;
	if (open_target(&to, argv[2], o, e))
		return -1;
	rc = drawing ? export_drawing(s, &d, to.f, o, e)
		     : export_routing(s, argv[1], to.f, o->run->progress, e);
	return close_target(&to, rc, o, e);
}

const struct command export_commands[] = {
	{.name = "save",
	 .syntax = "save FILE",
	 .help = "write the fabric, without what failed, as ibnetdiscover text",
	 .needs = NEEDS_FABRIC,
	 .run = cmd_save},
	{.name = "export",
	 .syntax = "export lfts|fdbs|subnet|paths|sl2vl|json|dot|svg|ca-order|torus FILE [cdg [LAYER] "
		   "[switches] "
		   "[group N]]",
	 .help = "write tables, paths or a drawing; FILE - is the screen",
	 .details = "  lfts      as OpenSM's opensm-lfts.dump, byte for byte\n"
		    "  fdbs      as opensm.fdbs\n"
		    "  subnet    as opensm-subnet.lst\n"
		    "  paths     lines `SLID DLID SL HOPS` for every ordered pair of CA and router LIDs; SL "
		    "2..5 where\n"
		    "            OpenSM draws one at random, - where there is no path\n"
		    "  sl2vl     SL-to-VL maps of the switches, as OpenSM's opensm-sl2vl.dump\n"
		    "  json      fabric, LIDs and tables\n"
		    "  ca-order  compute nodes in the order an engine routes for, as OpenSM's\n"
		    "            opensm-ftree-ca-order.dump (ftree)\n"
		    "  torus     places of the switches, as OpenSM's opensm-torus.dump (torus-2QoS)\n"
		    "  dot, svg  the fabric as a graph (svg through Graphviz); with `cdg` the channel "
		    "dependencies, of\n"
		    "            one VL or all, or of one group of channels with credit loops, as `cycles` "
		    "numbers them\n"
		    "            (with LAYER: of those on it); `switches`: routes of switches count too\n",
	 .run = cmd_export},
	{.name = NULL},
};
