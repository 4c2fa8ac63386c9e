/* torus-2QoS: the steps of a run. */
#include <stdlib.h>
#include <string.h>

#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/release.h"
#include "engines/torus/internal.h"

static int read_conf(struct torus_run *r)
{
	const char *path = options_file(r->in->options, "torus_config");
	struct text errors = {0};
	struct err e;
	char *data;
	size_t size;
	unsigned bad;
	int len;

	if (!path)
		return err_set(&r->out->refused,
			       "no torus_config is given, expected the name of a file (ERR 4E11)");
	if (read_file(path, r->in->progress, &data, &size, &e))
		return err_set(&r->out->refused, "torus_config: %.400s (ERR 4E11)", e.msg);
	bad = torus_conf_parse(&r->t->conf, path, data, size, &errors);
	free(data);
	len = (int)strcspn(text_str(&errors), "\n"); /* only the first line */
	len = MIN(len, 400);
	if (bad == 1)
		err_set(&r->out->refused, "%.*s (ERR 4E13)", len, text_str(&errors));
	else if (bad)
		err_set(&r->out->refused, "%.*s, and %u more lines in error (ERR 4E13)", len,
			text_str(&errors), bad - 1);
	if (bad > 1)
		note_add(&r->out->notes, 0, "%s", text_str(&errors));
	text_free(&errors);
	return bad ? -1 : 0;
}

static int torus_build(struct torus_run *r, struct routing *routing)
{
	const struct torus_conf *c = &r->t->conf;

	if (!options_bool(r->in->options, "qos"))
		return err_set(&r->out->refused, "qos is FALSE; torus-2QoS needs SL-to-VL maps: `set qos "
						 "TRUE` (opensm -Q) (ERR 4E44)");
	rec_phase(r->in, "configuration and fabric");
	if (read_conf(r))
		return -1;
	if (c->line && c->line != c->first && manual_rules(r->in->options))
		return err_set(&r->out->refused,
			       "line %u comes before the torus or mesh line, which the manual wants first",
			       c->first);
	if (c->line && c->line != c->first)
		note_add(&r->out->notes, NOTE_RULES,
			 "torus-2QoS: the manual wants the torus or mesh line (%u) first; OpenSM 3.3.23 "
			 "takes it anywhere before the datelines\n",
			 c->line);
	torus_survey(r);
	if (torus_verify(r))
		return -1;
	if (r->t->seed)
		note_add(&r->out->notes, 0,
			 "torus-2QoS uses seed %u: switches of the seeds before it are missing\n",
			 r->t->seed + 1);
	if (torus_discover(r) || torus_check(r) || torus_span(r))
		return -1;
	torus_list_ends(r);
	return torus_fill(r, routing);
}

static struct routing *torus_route(const struct engine_input *in, struct engine_output *out)
{
	struct torus *t = NEW(struct torus);
	struct torus_run r = {.t = t, .in = in, .out = out};
	struct routing *routing = routing_new("torus-2QoS", in->topo, in->lids);
	int rc;

	t->topo = in->topo;
	t->refs = 1;
	t->root = NO_ID;
	if (RECORDED(in))
		torus_record_start(&r);
	routing->ops = &torus_ops;
	routing->priv = t;
	rc = torus_build(&r, routing);
	FREE_EACH(r.base, r.end, r.port, r.peer);
	if (!rc)
		return routing;
	routing_unref(routing);
	return NULL;
}

static const struct optdef torus_options[] = {
	{.name = "torus_config",
	 .flag = "--torus_config FILE",
	 .type = OPT_FILE,
	 .def = "/etc/opensm/torus-2QoS.conf",
	 .help = "torus-2QoS: radices and seeds, as torus-2QoS.conf(5); `torus-conf FILE` makes one"},
	{0},
};

const struct engine engine_torus = {
	.name = "torus-2QoS",
	.brief = "2D and 3D tori and meshes by dimension, around failures without credit loops",
	.reference =
		"Dally, Seitz, Deadlock-Free Message Routing, IEEE ToC 1987; torus-2QoS(8), as OpenSM 3.3.23",
	.options = torus_options,
	.route = torus_route,
	.update = torus_route, /* tables.c looks at `previous` */
	.scheme = &torus_scheme,
};
