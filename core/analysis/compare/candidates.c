#include "core/analysis/compare/candidates.h"

#include "core/base/defs.h"
#include "core/base/guidfile.h"
#include "core/sm/guid_names.h"

const struct candidate candidates[] = {
	{.engine = "minhop", .words = ""},
	{.engine = "updn", .words = ""},
	{.engine = "updn", .files = CANDIDATE_ROOTS, .words = "roots by levels"},
	{.engine = "dnup", .words = ""},
	{.engine = "ftree", .words = ""},
	{.engine = "ftree",
	 .files = CANDIDATE_ROOTS | CANDIDATE_COMPUTE,
	 .words = "roots by levels, compute nodes on edge switches"},
	{.engine = "dor", .late = true, .words = ""},
	{.engine = "lash", .layers = true, .words = ""},
	{.engine = "lash",
	 .option = "do_mesh_analysis=TRUE",
	 .layers = true,
	 .direct = true,
	 .words = "do_mesh_analysis TRUE"},
	{.engine = "dfsssp", .layers = true, .words = ""},
	{.engine = "nue", .words = ""},
	{.engine = "nue",
	 .option = "nue_max_num_vls=0",
	 .layers = true,
	 .advice = true,
	 .words = "nue_max_num_vls 0"},
	{.engine = "torus-2QoS", .files = CANDIDATE_TORUS, .layers = true, .direct = true, .words = ""},
};
const unsigned n_candidates = ARRAY_LEN(candidates);

static void set_guids(struct options *o, const char *name, const struct text *guids)
{
	struct text list = {0};

	text_add(&list, "%cby levels\n%s", GUID_LIST_MARK, text_str(guids));
	options_set_list(o, name, "by levels", text_str(&list));
	text_free(&list);
}

struct options *candidate_options(const struct candidate *c, const struct options *base, const struct topo *t,
				  const struct levels *l, const uint8_t *hosts, struct err *e)
{
	struct options *o = options_copy(base);
	struct text roots = {0}, compute = {0}, io = {0};

	if (c->option && options_assign(o, NULL, c->option, e)) {
		options_free(o);
		return NULL;
	}
	if (c->files & CANDIDATE_ROOTS) {
		levels_root_guids(l, t->fabric, &roots);
		set_guids(o, "root_guid_file", &roots);
		text_free(&roots);
	}
	if (c->files & CANDIDATE_COMPUTE) { /* hosts on no edge switch are I/O nodes */
		levels_host_guids(l, t, hosts, true, &compute);
		levels_host_guids(l, t, hosts, false, &io);
		set_guids(o, "cn_guid_file", &compute);
		if (io.len)
			set_guids(o, "io_guid_file", &io);
		text_free(&compute);
		text_free(&io);
	}
	return o;
}
