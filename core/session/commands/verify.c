/* `verify`: the real OpenSM over a simulation of this fabric. */
#include <inttypes.h>
#include <string.h>

#include "core/analysis/compare/verify.h"
#include "core/base/permit.h"
#include "core/session/commands/commands.h"
#include "core/sm/guid_names.h"

/* 3334662 as "3,334,662". */
static const char *with_commas(uint64_t n, char *buf, size_t size)
{
	char digits[24];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n), k = 0;

	for (size_t i = 0; i < len && k + 2 < size; i++) {
		if (i && (len - i) % 3 == 0)
			buf[k++] = ',';
		buf[k++] = digits[i];
	}
	buf[k] = '\0';
	return buf;
}

static void verify_command_tell_entries(const struct verification *v, struct out *o)
{
	const struct fabric *f = v->sweep->fabric;
	json_t *list = json_array();
	char a[8], b[8];

	for (uint64_t i = 0; i < v->differ && i < VERIFY_MOST; i++) {
		const struct verify_entry *x = &v->entry[i];
		uint32_t owner = lid_owner(v->sweep->lids, x->lid);
		json_t *obj = json_make("{s:i, s:i, s:i}", "lid", (int)x->lid, "port", (int)x->port, "opensm",
					(int)x->opensm);

		out_text(o, "! " ROW_COLUMN("%-24s") " LID %5u " ROW_CUT("%s") ": here %s, OpenSM %s\n",
			 switch_name(f, x->sw), x->lid, owner == NO_ID ? "(nobody)" : ENDPORT_LABEL(f, owner),
			 lft_port_label(x->port, a, sizeof(a)), lft_port_label(x->opensm, b, sizeof(b)));
		json_put_out(obj, "port", f, x->sw, x->port);
		json_put_out(obj, "opensm", f, x->sw, x->opensm);
		json_put_switch(obj, "switch", f, v->sweep->lids, x->sw);
		json_put_endport(obj, "owner", f, v->sweep->lids, owner);
		json_array_append_new(list, obj);
	}
	if (v->differ > VERIFY_MOST)
		out_text(o, "  ... %s\n", PLURAL(v->differ - VERIFY_MOST, "more entry"));
	out_json(o, "differences", list);
}

static const char *verify_command_sl_text(int lo, int hi, char *buf, size_t size)
{
	if (lo < 0)
		snprintf(buf, size, "no path");
	else if (lo == hi)
		snprintf(buf, size, "SL %d", lo);
	else
		snprintf(buf, size, "SL %d to %d", lo, hi);
	return buf;
}

static void tell_sls(const struct verification *v, struct out *o)
{
	char n[40], a[24], b[24];

	if (!v->asked)
		return;
	out_text(o, "service levels %s: %s pairs asked", v->sls_differ ? "differ" : "identical",
		 with_commas(v->asked, n, sizeof(n)));
	if (v->asked < v->pairs)
		out_text(o, " of %s, drawn evenly", with_commas(v->pairs, n, sizeof(n)));
	if (v->drawn)
		out_text(o, "; of %s OpenSM draws one of several at random, and it was one of these",
			 PLURAL(v->drawn, "pair"));
	out_text(o, ".\n");
	for (uint64_t i = 0; i < v->sls_differ && i < VERIFY_MOST; i++) {
		const struct verify_sl *x = &v->sl[i];

		out_text(o, "! LID %u to LID %u: here %s, OpenSM %s\n", x->slid, x->dlid,
			 verify_command_sl_text(x->lo, x->hi, a, sizeof(a)),
			 verify_command_sl_text(x->opensm, x->opensm, b, sizeof(b)));
	}
}

static void verify_command_report(const struct verification *v, struct out *o)
{
	const char *engine = v->sweep->routing->engine;
	char n[40], m[40];

	for (size_t i = 0; i < v->sweep->n_refusals; i++)
		out_text(o, "%s refuses this fabric: %s\n", v->sweep->refusal[i].engine,
			 v->sweep->refusal[i].why);
	out_text(o, "%s", text_str(&v->limits));
	if (*v->engine && strcmp(v->engine, engine))
		out_text(o, "! OpenSM routed with %s, ibscope with %s.\n", v->engine, engine);
	if (v->no_table)
		out_text(o, "! OpenSM has no table of %s.\n", PLURAL(v->no_table, "switch"));
	if (v->lids_differ) {
		const struct fabric *f = v->sweep->fabric;

		out_text(o, "%s of %u belong to another port.\n", PLURAL(v->lids_differ, "LID"), v->lids);
		for (uint32_t i = 0; i < v->lids_differ && i < VERIFY_MOST; i++) {
			uint32_t owner = lid_owner(v->sweep->lids, v->lid[i]);

			out_text(o, "! LID %u: here %s\n", v->lid[i],
				 owner == NO_ID ? "nobody's" : ENDPORT_LABEL(f, owner));
		}
	}
	if (v->differ)
		out_text(o, "%s: %s of %s entries differ from the real OpenSM's.\n", engine,
			 with_commas(v->differ, n, sizeof(n)), with_commas(v->entries, m, sizeof(m)));
	else
		out_text(o, "%s, from a start on this fabric: identical: %s entries.\n", engine,
			 with_commas(v->entries, n, sizeof(n)));
	verify_command_tell_entries(v, o);
	if (v->maps)
		out_text(o, "SL-to-VL maps: %s compared, %s differ.\n%s", with_commas(v->maps, n, sizeof(n)),
			 with_commas(v->maps_differ, m, sizeof(m)), text_str(&v->maps_told));
	tell_sls(v, o);
	out_fields(o, json_make("{s:o, s:s, s:s, s:b, s:I, s:I, s:I, s:o, s:o, s:s}", "refusals",
				refusals_json(v->sweep), "engine", engine, "opensm_engine", v->engine,
				"identical", verify_same(v), "entries", (json_int_t)v->entries, "differ",
				(json_int_t)v->differ, "lids_differ", (json_int_t)v->lids_differ, "maps",
				json_make("{s:I, s:I}", "compared", (json_int_t)v->maps, "differ",
					  (json_int_t)v->maps_differ),
				"sls",
				json_make("{s:I, s:I, s:I, s:I}", "pairs", (json_int_t)v->pairs, "asked",
					  (json_int_t)v->asked, "differ", (json_int_t)v->sls_differ, "drawn",
					  (json_int_t)v->drawn),
				"limits", text_str(&v->limits)));
	o->run->found_fault |= !verify_same(v);
}

static int cmd_verify(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	AUTO_OPTIONS struct options *opts = options_copy(s->setup->options);
	const char *chain = NULL;
	struct verification *v = NULL;
	int rc = 0;

	for (int i = 0; !rc && i < args->n; i++) {
		const char *word = args->arg[i].word;

		if (strchr(word, '='))
			rc = options_assign(opts, s->fabric, word, e);
		else if (chain)
			rc = err_word(e, "found \"%s\", expected OPTION=VALUE", word);
		else
			rc = engine_chain_known(s->engines, chain = word, e);
	}
	if (!chain)
		chain = s->setup->chain ? s->setup->chain : "minhop";
	AUTO_SETUP const struct setup *setup = setup_with(s->setup, &(struct setup){.options = opts});
	if (!rc)
		v = verify_run(setup, chain, s->engines, o->run->progress, e);
	if (v) {
		report_missing(s->fabric, o);
		verify_command_report(v, o);
	}
	rc = v ? 0 : -1;
	verify_free(v);
	return rc;
}

const struct command verify_commands[] = {
	{.name = "verify",
	 .group = JUDGE,
	 .deeds = DEED_RUN,
	 .syntax = "verify [ENGINE[,ENGINE...]] [OPTION=VALUE]...",
	 .help = "compare these tables with those of the real OpenSM, which it runs over a simulation of "
		 "this fabric",
	 .finds = "the tables of OpenSM differ",
	 .needs = NEEDS_FABRIC,
	 .json = "engine engine engine that routed here\n"
		 "opensm_engine engine engine that routed in OpenSM, by its log\n"
		 "identical boolean engine, LIDs, entries, SL-to-VL maps and service levels are the same\n"
		 "entries integer entries compared\n"
		 "differ integer of these: those that differ from OpenSM's\n"
		 "differences[] object the first entries that differ\n"
		 "differences[].switch node the switch\n"
		 "differences[].lid lid the LID\n"
		 "differences[].owner endport whose LID it is\n"
		 "differences[].port portnum port in ibscope's table, 255: none\n"
		 "differences[].opensm portnum port in OpenSM's table, 255: none\n"
		 "lids_differ integer LIDs that OpenSM gave to another port\n"
		 "maps object SL-to-VL maps of switch ports, by port in and port out, and of other ports\n"
		 "maps.compared integer maps compared, 0: qos is off, so OpenSM programs none\n"
		 "maps.differ integer of these: those that differ from OpenSM's\n"
		 "sls object service levels of paths\n"
		 "sls.pairs integer all pairs, 0: not compared, because the engine sets none\n"
		 "sls.asked integer pairs asked\n"
		 "sls.differ integer of these: those that differ from OpenSM's\n"
		 "sls.drawn integer of these: OpenSM draws one of several at random\n"
		 "limits string lines: what the simulator cannot represent\n" JSON_REFUSALS,
	 .run = cmd_verify},
	{.name = NULL},
};
