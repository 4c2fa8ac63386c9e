#include "core/sm/engine.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/sm/qos.h"

#include <stdlib.h>
#include <string.h>

#define MAX_VLS_HELP "VLs that VL arbitration is set up for; no table or map depends on it"

const struct optdef common_options[] = {
	{.name = "rules",
	 .own = true,
	 .type = OPT_CHOICE,
	 .def = "opensm",
	 .choices = "opensm|manual",
	 .help = "opensm: as the program 3.3.23 does; manual: as its manual says"},
	{.name = "lmc",
	 .flag = "-l N",
	 .type = OPT_UINT,
	 .def = "0",
	 .max = MAX_LMC,
	 .help = "LIDs a CA port gets: 2 to this power"},
	{.name = "lmc_esp0",
	 .type = OPT_BOOL,
	 .def = "FALSE",
	 .help = "enhanced switch ports 0 get as many LIDs as CA ports"},
	{.name = "reassign_lids",
	 .flag = "-r",
	 .type = OPT_BOOL,
	 .def = "FALSE",
	 .help = "forget the LIDs that ports carry when the subnet manager starts"},
	{.name = "honor_guid2lid_file",
	 .type = OPT_BOOL,
	 .def = "FALSE",
	 .help = "keep the LIDs of guid2lid when a standby takes over (a start reads it in any case)"},
	{.name = "guid2lid_file",
	 .type = OPT_FILE,
	 .def = "",
	 .help = "OpenSM's guid2lid file to start with (not read with reassign_lids)"},
	{.name = "guid",
	 .flag = "-g GUID",
	 .type = OPT_STRING,
	 .def = "",
	 .help = "where the subnet manager runs: a port GUID, or a node's GUID or name; default: as the "
		 "source tells"},
	{.name = "use_ucast_cache",
	 .flag = "-A",
	 .type = OPT_BOOL,
	 .def = "FALSE",
	 .help = "keep tables over sweeps in which only hosts or leaf switches came and went"},
	{.name = "port_guids",
	 .own = true,
	 .type = OPT_CHOICE,
	 .def = "file",
	 .choices = "file|ibsim",
	 .help = "identities as in the file, or as ibsim simulates them: CA port GUID = node GUID + port, "
		 "routers without LIDs"},
	{.name = "aggregation_nodes",
	 .own = true,
	 .type = OPT_CHOICE,
	 .def = "ignore",
	 .choices = "ignore|count",
	 .help = "aggregation nodes in switches are routed; ignore: they are no hosts in what is counted"},
	{.name = "record_limit",
	 .own = true,
	 .type = OPT_UINT,
	 .def = "200",
	 .min = 1,
	 .max = 65536,
	 .help = "MB that a recording of `step` takes at most; above it a part of the run is kept"},
	{.name = "sl2vl_file",
	 .own = true,
	 .type = OPT_FILE,
	 .def = "",
	 .help = "SL-to-VL maps of the switches, as opensm-sl2vl.dump; default: the engine's, else VL = SL"},
	{.name = "path_sl_file",
	 .own = true,
	 .type = OPT_FILE,
	 .def = "",
	 .help = "SLs of paths: lines `SLID DLID SL` or as ibdmchk takes them; default: the engine's, else "
		 "0"},
	{.name = "hop_weights_file",
	 .flag = "-w FILE",
	 .type = OPT_FILE,
	 .def = "",
	 .help = "weights of ports in hop counts: lines `switch-GUID port weight`"},
	{.name = "port_search_ordering_file",
	 .flag = "-O FILE",
	 .type = OPT_FILE,
	 .def = "",
	 .help = "order in which a switch tries its ports: lines `switch-GUID port port ...`"},
	{.name = "port_prof_ignore_file",
	 .flag = "-i FILE",
	 .type = OPT_FILE,
	 .def = "",
	 .help = "ports whose routes are not counted in balancing: lines `switch-GUID port`"},
	{.name = "guid_routing_order_file",
	 .flag = "-X FILE",
	 .type = OPT_FILE,
	 .names = OPT_ANY_PORTS,
	 .def = "",
	 .help = "port GUIDs to be routed first, one a line"},
	{.name = "guid_routing_order_no_scatter",
	 .type = OPT_BOOL,
	 .def = "FALSE",
	 .help = "ports of guid_routing_order_file are not scattered"},
	{.name = "port_shifting",
	 .flag = "--port-shifting",
	 .type = OPT_BOOL,
	 .def = "FALSE",
	 .help = "start the search among equal ports at a place that moves with the routes placed"},
	{.name = "scatter_ports",
	 .flag = "--scatter-ports SEED",
	 .type = OPT_UINT,
	 .def = "0",
	 .max = UINT32_MAX,
	 .help = "choose at random among equal ports, from this seed; 0 = off"},
	{.name = "port_profile_switch_nodes",
	 .type = OPT_BOOL,
	 .def = "FALSE",
	 .help = "routes to switches count in balancing"},
	{.name = "connect_roots",
	 .flag = "-z",
	 .type = OPT_BOOL,
	 .def = "FALSE",
	 .help = "connect root switches with each other even where that breaks the engine's rules"},
	{.name = "avoid_throttled_links",
	 .type = OPT_BOOL,
	 .def = "FALSE",
	 .help = "sssp, dfsssp and nue avoid links that run below what both ends can"},
	{.name = "qos",
	 .flag = "-Q",
	 .type = OPT_BOOL,
	 .def = "FALSE",
	 .help = "the subnet manager programs SL-to-VL maps; FALSE: switches keep theirs"},
	{.name = "max_op_vls",
	 .type = OPT_UINT,
	 .def = "5",
	 .max = 255,
	 .help = "OperVLs code that is programmed at most: 1, 2, 3, 4, 5 for 1, 2, 4, 8, 15 VLs"},
	{.name = "qos_max_vls", .type = OPT_UINT, .def = "0", .max = 15, .help = MAX_VLS_HELP},
	{.name = "qos_sl2vl",
	 .type = OPT_STRING,
	 .def = "",
	 .help = "VLs of SLs 0 to 15, with `,` between; default " QOS_DEFAULT_SL2VL},
	{.name = "qos_ca_max_vls", .type = OPT_UINT, .def = "0", .max = 15, .help = MAX_VLS_HELP},
	{.name = "qos_ca_sl2vl", .type = OPT_STRING, .def = "", .help = "qos_sl2vl of CA ports"},
	{.name = "qos_sw0_max_vls", .type = OPT_UINT, .def = "0", .max = 15, .help = MAX_VLS_HELP},
	{.name = "qos_sw0_sl2vl",
	 .type = OPT_STRING,
	 .def = "",
	 .help = "qos_sl2vl of enhanced switch ports 0"},
	{.name = "qos_swe_max_vls", .type = OPT_UINT, .def = "0", .max = 15, .help = MAX_VLS_HELP},
	{.name = "qos_swe_sl2vl",
	 .type = OPT_STRING,
	 .def = "",
	 .help = "qos_sl2vl of external switch ports"},
	{.name = "qos_rtr_max_vls", .type = OPT_UINT, .def = "0", .max = 15, .help = MAX_VLS_HELP},
	{.name = "qos_rtr_sl2vl", .type = OPT_STRING, .def = "", .help = "qos_sl2vl of router ports"},
	{0},
};

bool manual_rules(const struct options *o)
{
	return !strcmp(options_get(o, "rules"), "manual");
}

const struct engine *engine_find(const struct engine *const *list, const char *name)
{
	for (; *list; list++)
		if (!strcmp((*list)->name, name))
			return *list;
	return NULL;
}

int engine_chain_known(const struct engine *const *list, const char *chain, struct err *e)
{
	char *copy = str_dup(chain), *save = NULL;
	bool known = false;

	for (char *w = strtok_r(copy, ", \t", &save); w; w = strtok_r(NULL, ", \t", &save))
		known |= engine_find(list, w) != NULL;
	free(copy);
	if (known)
		return 0;
	return err_set(e, "no engine of \"%s\" is known; `show engines` lists them", chain);
}

int engine_room(const struct engine *g, const struct engine_input *in, struct err *e)
{
	size_t size = in->topo->n_switches_up * (in->lids->max_lid + sizeof(struct lft_row) + 1);
	const char *what = NULL;

	if (g->room)
		size += g->room(in, &what);
	return what ? mem_room(e, size, "%s and tables of %u switches", what, in->topo->n_switches_up)
		    : mem_room(e, size, "tables of %u switches", in->topo->n_switches_up);
}
