#include "engines/torus/torus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cursor.h"
#include "core/base/memory.h"
#include "core/sm/ucast_cache.h"
#include "engines/torus/internal.h"

void torus_unref(struct torus *t)
{
	if (!t || atomic_fetch_sub(&t->refs, 1) != 1)
		return;
	for (uint32_t m = 0; m < t->n; m++)
		free(t->member[m].port[0]);
	free(t->member);
	free(t->at);
	free(t->of);
	free(t->group);
	if (!t->whole) {
		torus_conf_free(&t->conf);
		free(t->end);
		free(t->first);
	}
	torus_unref((struct torus *)t->whole);
	free(t);
}

struct torus *torus_ref(const struct torus *t)
{
	struct torus *mine = (struct torus *)t;

	atomic_fetch_add(&mine->refs, 1);
	return mine;
}

static void torus_free(void *priv)
{
	torus_unref(priv);
}

/* --- service levels and virtual lanes (engines/doc/torus-2qos.md 8, 9) ------------------------- */

static uint32_t member_of_lid(const struct routing *r, const struct torus *t, unsigned lid)
{
	uint32_t ep = lid_owner(r->lids, lid), sw = ep == NO_ID ? NO_ID : r->topo->endport_switch[ep];

	return sw == NO_ID ? NO_ID : t->of[sw];
}

static struct sl_range sl_of_pair(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct torus *t = r->priv;
	uint32_t a = member_of_lid(r, t, slid), b = member_of_lid(r, t, dlid);
	uint8_t sl = a == NO_ID || b == NO_ID ? 0 : (uint8_t)torus_sl(t, a, b);

	return (struct sl_range){sl, sl};
}

/* Dimension of a port, TORUS_NO_DIM: a local one, or none of the torus'. */
static unsigned dim_of(const struct torus *t, const struct fabric *f, uint32_t sw, unsigned port)
{
	unsigned g = t->group[switch_port_id(f, sw, port)];

	return g < TORUS_LOCAL ? g / 2 : TORUS_NO_DIM;
}

static unsigned vl_of_hop(const struct routing *r, uint32_t sw, unsigned in, unsigned out, unsigned sl)
{
	const struct torus *t = r->priv;
	const struct fabric *f = r->topo->fabric;
	unsigned from, to = dim_of(t, f, sw, out), vl = 0;

	if (t->of[sw] == NO_ID || to == TORUS_NO_DIM)
		return (t->of[sw] == NO_ID ? t->end_vls : t->sw_vls) >= 2 ? sl >> 3 & 1 : 0;
	from = dim_of(t, f, sw, in);
	if (t->sw_vls >= 2)
		vl |= sl >> to & 1;
	if (t->sw_vls >= 4 && from != TORUS_NO_DIM && from > to)
		vl |= 2;
	if (t->sw_vls >= 8)
		vl |= (sl >> 3 & 1) << 2;
	return vl;
}

static unsigned vl_of_end(const struct routing *r, uint32_t endport, unsigned sl)
{
	const struct torus *t = r->priv;

	(void)endport;
	return t->end_vls >= 2 ? sl >> 3 & 1 : 0;
}

/* Lanes that packets of one QoS level use: two for the datelines, two more for turns behind missing switches.
 */
static unsigned n_layers(const struct routing *r)
{
	const struct torus *t = r->priv;

	return t->sw_vls >= 4 && (t->whole ? t->whole : t)->n < t->n_places ? 4 : 2;
}

static const struct routing_ops torus_ops = {
	.sl = sl_of_pair,
	.sl_by_switch = true,
	.vl = vl_of_hop,
	.endport_vl = vl_of_end,
	.n_layers = n_layers,
	.explain_pair = torus_explain_pair,
	.decide_pair = torus_decide_pair,
	.explain_layers = torus_explain_layers,
	.extras = "torus",
	.write_extra = torus_write_extra,
	.free_priv = torus_free,
};

/* At a step of a recording: none for those that the run places later. */
static struct sl_range sl_so_far(const struct routing *r, unsigned slid, unsigned dlid)
{
	const struct torus *t = r->priv;
	bool later = member_of_lid(r, t, slid) == NO_ID && member_of_lid(r, t->whole, slid) != NO_ID;

	later |= member_of_lid(r, t, dlid) == NO_ID && member_of_lid(r, t->whole, dlid) != NO_ID;
	return later ? (struct sl_range){1, 0} : sl_of_pair(r, slid, dlid);
}

const struct routing_ops torus_step_ops = {
	.sl = sl_so_far,
	.sl_by_switch = true,
	.vl = vl_of_hop,
	.endport_vl = vl_of_end,
	.n_layers = n_layers,
	.explain_pair = torus_explain_pair,
	.decide_pair = torus_decide_pair,
	.explain_layers = torus_explain_layers,
	.extras = "torus",
	.write_extra = torus_write_extra,
	.free_priv = torus_free,
};

const struct torus *torus_of(const struct routing *r)
{
	r = r ? routing_origin(r) : NULL;
	return r && (r->ops == &torus_ops || r->ops == &torus_step_ops) ? r->priv : NULL;
}

/* --- the run -------------------------------------------------------------------------------------- */

/* The first line of several, and how many more there are. */
static int refuse_lines(const struct text *errors, unsigned n, struct err *e)
{
	const char *s = text_str(errors);
	int len = (int)strcspn(s, "\n");

	len = len > 400 ? 400 : len;
	if (n > 1)
		return err_set(e, "%.*s, and %u more lines in error (ERR 4E13)", len, s, n - 1);
	return err_set(e, "%.*s (ERR 4E13)", len, s);
}

static int read_conf(struct torus_run *r)
{
	const char *path = options_file(r->in->options, "torus_config");
	struct text errors = {0};
	struct err e;
	char *data;
	size_t size;
	unsigned bad;

	if (!path)
		return err_set(&r->out->refused,
			       "no torus_config is given, expected the name of a file (ERR 4E11)");
	if (read_file(path, r->in->progress, &data, &size, &e))
		return err_set(&r->out->refused, "torus_config: %.400s (ERR 4E11)", e.msg);
	bad = torus_conf_parse(&r->t->conf, path, data, size, &errors);
	free(data);
	if (bad)
		refuse_lines(&errors, bad, &r->out->refused);
	if (bad > 1)
		note_add(&r->out->notes, 0, "%s", text_str(&errors));
	text_free(&errors);
	return bad ? -1 : 0;
}

static int check_first(struct torus_run *r)
{
	const struct torus_conf *c = &r->t->conf;

	if (!c->line || c->line == c->first)
		return 0;
	if (manual_rules(r->in->options))
		return err_set(&r->out->refused,
			       "line %u comes before the torus or mesh line, which the manual wants first",
			       c->first);
	note_add(&r->out->notes, NOTE_RULES,
		 "torus-2QoS: the manual wants the torus or mesh line (%u) first; OpenSM 3.3.23 takes it "
		 "anywhere before the "
		 "datelines\n",
		 c->line);
	return 0;
}

static int begin(struct torus_run *r)
{
	if (!options_bool(r->in->options, "qos"))
		return err_set(&r->out->refused, "qos is FALSE; torus-2QoS needs SL-to-VL maps: `set qos "
						 "TRUE` (opensm -Q) (ERR 4E44)");
	observe_text(r->in, STEP_PHASE, NO_ID, "configuration and fabric");
	if (read_conf(r) || check_first(r))
		return -1;
	torus_survey(r);
	return torus_verify(r);
}

static void tell_seed(const struct torus_run *r)
{
	const struct torus_seed *s = &r->t->conf.seed[r->t->seed];

	for (unsigned i = 0; i < TORUS_DIRECTIONS; i++)
		if (s->link[i].centre)
			observe_text(r->in, STEP_NOTE, NO_ID, "seed %u (line %u) gives %s", r->t->seed + 1,
				     s->line, torus_direction_keyword(i));
}

static int build(struct torus_run *r, struct routing *routing)
{
	if (begin(r))
		return -1;
	if (r->t->seed)
		note_add(&r->out->notes, 0,
			 "torus-2QoS: seed %u is used, for those before it have switches that are missing\n",
			 r->t->seed + 1);
	if (OBSERVED(r->in))
		tell_seed(r);
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
	rc = build(&r, routing);
	free(r.base);
	free(r.end);
	free(r.port);
	free(r.peer);
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
	.scheme = &torus_scheme,
};
