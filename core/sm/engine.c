/* What engines have in common: the list of them, notes, states of links, operational VLs. */
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/sm/engine.h"
#include "core/sm/port_groups.h"

#define MAX_VLS_HELP "VLs that VL arbitration is set up for; no table or map depends on it"

#define OPTION(type_, name_, def_, help_, ...)                                                \
	{                                                                                     \
		.name = (name_), .type = (type_), .def = (def_), .help = (help_), __VA_ARGS__ \
	}
/* After the help come members that few options have. */
#define BOOL(name, ...) OPTION(OPT_BOOL, name, "FALSE", __VA_ARGS__)
#define PATH(name, ...) OPTION(OPT_FILE, name, "", __VA_ARGS__)
#define WORDS(name, ...) OPTION(OPT_STRING, name, "", __VA_ARGS__)
#define NUMBER(name, def, most, ...) OPTION(OPT_UINT, name, def, __VA_ARGS__, .max = most)
#define CHOICE(name, def, words, ...) OPTION(OPT_CHOICE, name, def, __VA_ARGS__, .choices = words)

const struct optdef common_options[] = {
	CHOICE("rules", "opensm", "opensm|manual|nvidia",
	       "opensm: as the program 3.3.23 does; manual: as its manual says; nvidia: as NVIDIA's OpenSM "
	       "5.21 "
	       "does, as far as that is known",
	       .own = true, .nvidia = "opensm"),
	NUMBER("lmc", "0", MAX_LMC, "LIDs a CA port gets: 2 to this power", .flag = "-l N"),
	BOOL("lmc_esp0", "enhanced switch ports 0 get as many LIDs as CA ports"),
	BOOL("reassign_lids", "forget the LIDs that ports carry when the subnet manager starts",
	     .flag = "-r"),
	BOOL("honor_guid2lid_file",
	     "keep the LIDs of guid2lid when a standby takes over (a start reads it in any case)"),
	PATH("guid2lid_file", "OpenSM's guid2lid file to start with (not read with reassign_lids)"),
	WORDS("guid",
	      "where the subnet manager runs: a port GUID, or a node's GUID or name; default: as the "
	      "source tells",
	      .flag = "-g GUID"),
	BOOL("use_ucast_cache",
	     "keep the tables in a sweep that finds only hosts or leaf switches gone "
	     "or back",
	     .flag = "-A"),
	CHOICE("port_guids", "file", "file|ibsim",
	       "identities as in the file, or as ibsim simulates them: CA port GUID = node GUID + port, "
	       "routers without LIDs",
	       .own = true),
	CHOICE("aggregation_nodes", "ignore", "ignore|count",
	       "aggregation nodes in switches are routed; ignore: they are not counted as hosts",
	       .own = true),
	CHOICE("local_repair", "off", "off|flfr",
	       "flfr: until the next sweep (`outage`) a switch whose port failed sends by another one of the "
	       "LID's adaptive-routing group",
	       .own = true),
	NUMBER("record_limit", "200", 65536,
	       "MB that a recording of `step` takes at most; above it a part of the run is kept", .own = true,
	       .min = 1),
	PATH("sl2vl_file",
	     "SL-to-VL maps of the switches, as opensm-sl2vl.dump; default: the engine's, else VL = SL",
	     .own = true),
	PATH("path_sl_file",
	     "SLs of paths: lines `SLID DLID SL` or as ibdmchk takes them; default: the engine's, else "
	     "0",
	     .own = true),
	PATH("hop_weights_file", "weights of ports in hop counts: lines `switch-GUID port weight`",
	     .flag = "-w FILE"),
	PATH("port_search_ordering_file",
	     "order in which a switch tries its ports: lines `switch-GUID port port ...`", .flag = "-O FILE"),
	PATH("port_prof_ignore_file",
	     "ports whose routes do not count in balancing: lines `switch-GUID port`", .flag = "-i FILE"),
	PATH("guid_routing_order_file", "port GUIDs that are routed first, one a line", .flag = "-X FILE",
	     .names = OPT_ANY_PORTS),
	PATH("pgrp_policy_file",
	     "port groups: a line of a file of GUIDs may name one (NVIDIA's subnet manager)", .own = true),
	BOOL("guid_routing_order_no_scatter", "do not scatter the ports of guid_routing_order_file"),
	BOOL("port_shifting",
	     "start the search among equal ports at a place that moves with the routes placed",
	     .flag = "--port-shifting"),
	NUMBER("scatter_ports", "0", UINT32_MAX,
	       "choose at random among equal ports, from this seed; 0 = off", .flag = "--scatter-ports SEED",
	       .nvidia = "8"),
	NUMBER("routing_threads_num", "0", 65535,
	       "NVIDIA's rules: threads, which decide what is drawn; 0: the processors of the manager's "
	       "machine, "
	       "taken as one a switch",
	       .own = true),
	BOOL("use_scatter_for_switch_lid", "NVIDIA's rules: ports for LIDs of switches are drawn, too",
	     .own = true),
	OPTION(OPT_BOOL, "calculate_missing_routes", "TRUE",
	       "NVIDIA's rules: ways that updn's or ftree's rule lacks go through one switch, the hub",
	       .own = true),
	PATH("missing_routes_hub",
	     "the hub of calculate_missing_routes; default: the first switch with hosts, which is assumed",
	     .own = true, .names = OPT_SWITCHES),
	OPTION(OPT_BOOL, "find_roots_color_algorithm", "TRUE",
	       "NVIDIA's rules: roots are the switches farthest from the leaves (assumed); FALSE: as 3.3.23",
	       .own = true),
	NUMBER("max_cas_on_spine", "2", 255,
	       "NVIDIA's rules: a switch with more CAs is a leaf when roots are looked for", .own = true),
	BOOL("port_profile_switch_nodes", "routes to switches count in balancing"),
	BOOL("connect_roots",
	     "connect root switches with each other even where that breaks the engine's rules", .flag = "-z"),
	BOOL("avoid_throttled_links", "sssp, dfsssp and nue avoid links that run slower than both ends "
				      "can"),
	BOOL("qos", "the subnet manager programs SL-to-VL maps; FALSE: switches keep theirs", .flag = "-Q",
	     .nvidia = "TRUE"),
	NUMBER("max_op_vls", "5", 255,
	       "highest OperVLs code that the subnet manager sets: 1, 2, 3, 4, 5 for 1, 2, 4, 8, 15 VLs",
	       .nvidia = "2"),
	NUMBER("qos_max_vls", "0", 15, MAX_VLS_HELP),
	WORDS("qos_sl2vl", "VLs of SLs 0 to 15, with `,` between; default " QOS_DEFAULT_SL2VL),
	NUMBER("qos_ca_max_vls", "0", 15, MAX_VLS_HELP),
	WORDS("qos_ca_sl2vl", "qos_sl2vl of CA ports"),
	NUMBER("qos_sw0_max_vls", "0", 15, MAX_VLS_HELP),
	WORDS("qos_sw0_sl2vl", "qos_sl2vl of enhanced switch ports 0"),
	NUMBER("qos_swe_max_vls", "0", 15, MAX_VLS_HELP),
	WORDS("qos_swe_sl2vl", "qos_sl2vl of external switch ports"),
	NUMBER("qos_rtr_max_vls", "0", 15, MAX_VLS_HELP),
	WORDS("qos_rtr_sl2vl", "qos_sl2vl of router ports"),
	WORDS("partition_config_file",
	      "partitions: pairs without a common P_Key get no path; with qos their `sl=` is the SL of a "
	      "pair where the engine gives none"),
	WORDS("qos_policy_file", "the QoS policy: with qos it gives pairs SLs where the engine gives "
				 "none; of it simple lines of qos-ulps count, other things are told"),
	{0},
};

bool manual_rules(const struct options *o)
{
	return !strcmp(options_get(o, "rules"), "manual");
}

bool nvidia_rules(const struct options *o)
{
	return !strcmp(options_get(o, "rules"), "nvidia");
}

const char *default_chain(const struct options *o)
{
	return nvidia_rules(o) ? "ar_updn" : "minhop";
}

const struct engine *engine_find(const struct engine *const *list, const char *name)
{
	for (; *list; list++)
		if (!strcmp((*list)->name, name))
			return *list;
	return NULL;
}

/* NVIDIA's engines whose rules are not published. */
static const char not_computed[] = " ar_ftree ar_torus dfp dfp2 kdor-hc pqft auto ";

bool engine_not_computed(const char *name)
{
	AUTO_FREE char *word = str_printf(" %s ", name);

	return strstr(not_computed, word) != NULL;
}

bool chain_computed(const char *chain, struct text *computed, struct text *others)
{
	AUTO_FREE char *copy = str_dup(chain);
	char *save = NULL;
	bool any = false;

	for (char *w = strtok_r(copy, ", \t", &save); w; w = strtok_r(NULL, ", \t", &save)) {
		struct text *t = engine_not_computed(w) ? others : computed;

		any |= t == computed && strcmp(w, "no_fallback") != 0;
		text_add(t, "%s%s", t->len ? "," : "", w);
	}
	return any;
}

int engine_chain_known(const struct engine *const *list, const char *chain, struct err *e)
{
	char *save = NULL;
	AUTO_FREE char *copy = str_dup(chain);
	bool known = false;
	AUTO_TEXT struct text computed = {0}, others = {0};

	for (char *w = strtok_r(copy, ", \t", &save); w; w = strtok_r(NULL, ", \t", &save))
		known |= engine_find(list, w) != NULL;
	if (!known && !chain_computed(chain, &computed, &others) && others.len)
		err_set(e, "%s: " NOT_COMPUTED "; `tables FILE` shows what its tables are",
			text_str(&others));
	else if (!known)
		err_set_kind(e, ERR_SYNTAX, "no engine of \"%s\" is known; `show engines` lists them", chain);
	return known ? 0 : -1;
}

int engine_room(const struct engine *g, const struct engine_input *in, struct err *e)
{
	size_t size = in->topo->n_switches_up * (in->lids->max_lid + sizeof(struct lft_row) + 1);
	const char *what = NULL;

	assert(in->lids->n_endports == in->topo->fabric->n_endports);
	if (g->room)
		size += g->room(in, &what);
	return what ? mem_room(e, size, "%s and tables of %u switches", what, in->topo->n_switches_up)
		    : mem_room(e, size, "tables of %u switches", in->topo->n_switches_up);
}

/* Notes and their kinds. */

static void notes_mark(struct notes *n, size_t at, unsigned kinds)
{
	n->mark = mem_resize(n->mark, n->n_marks + 1, sizeof(*n->mark));
	n->mark[n->n_marks++] = (struct note_mark){at, kinds};
}

void note_add(struct notes *n, unsigned kinds, const char *fmt, ...)
{
	va_list ap;

	if (kinds)
		notes_mark(n, n->text.len, kinds);
	va_start(ap, fmt);
	text_addv(&n->text, fmt, ap);
	va_end(ap);
}

void notes_take(struct notes *n, struct notes *from)
{
	for (size_t i = 0; i < from->n_marks; i++)
		notes_mark(n, n->text.len + from->mark[i].at, from->mark[i].kinds);
	text_add(&n->text, "%s", text_str(&from->text));
	notes_free(from);
}

unsigned notes_kinds(const struct note_mark *mark, size_t n_marks, size_t from, size_t to)
{
	unsigned kinds = 0;

	assert(from <= to);
	for (size_t i = 0; i < n_marks; i++)
		if (mark[i].at >= from && mark[i].at < to)
			kinds |= mark[i].kinds;
	return kinds;
}

void notes_free(struct notes *n)
{
	text_free(&n->text);
	free(n->mark);
	*n = (struct notes){0};
}

void activated_reset(uint8_t *active, const struct fabric *f, const struct state *before,
		     const uint8_t *flapped)
{
	for (uint32_t l = 0; l < f->n_links; l++)
		if (!state_link_up(f, before, l) || (flapped && flapped[l]))
			active[f->link_port[2 * l]] = active[f->link_port[2 * l + 1]] = 0;
}

uint32_t activated_lacking(const uint8_t *active, const struct topo *t, const struct state *s)
{
	const struct fabric *f = t->fabric;

	for (uint32_t p = 0; t->n_cut && p < f->n_ports; p++)
		if (t->peer[p] == NO_ID && !active[p] && f->port_peer[p] != NO_ID &&
		    node_is_switch(f, f->port_node[p]) && t->node_up[f->port_node[p]] &&
		    state_live_peer(f, s, p) != NO_ID)
			return p;
	return NO_ID;
}

void activated_program(uint8_t *active, const struct topo *t)
{
	for (uint32_t p = 0; p < t->fabric->n_ports; p++)
		if (t->peer[p] != NO_ID)
			active[p] = 1;
}

uint8_t *opervls_of_source(const struct fabric *f)
{
	return mem_dup(f->port_opervls, f->n_ports);
}

unsigned opervls_given(const struct topo *t, uint32_t port, unsigned max_op_vls)
{
	assert(port < t->fabric->n_ports && t->peer[port] != NO_ID);

	unsigned code = t->fabric->port_opervls[port], peer = t->fabric->port_opervls[t->peer[port]];

	if (!code)
		return 0;
	code = peer && peer < code ? peer : code;
	return MIN(max_op_vls, code);
}

void opervls_program(uint8_t *code, const struct topo *t, unsigned max_op_vls)
{
	for (uint32_t p = 0; p < t->fabric->n_ports; p++)
		if (t->peer[p] != NO_ID)
			code[p] = (uint8_t)opervls_given(t, p, max_op_vls);
}

void opervls_reset(uint8_t *code, const struct fabric *f, const struct state *before, const uint8_t *flapped)
{
	for (uint32_t l = 0; l < f->n_links; l++) {
		if (state_link_up(f, before, l) && !(flapped && flapped[l]))
			continue;
		for (unsigned end = 0; end < 2; end++) {
			uint32_t p = f->link_port[2 * l + end];

			if (!code[p])
				code[p] = f->port_opervls[p];
		}
	}
}

sl2vl_map opervls_cut(sl2vl_map m, unsigned code)
{
	unsigned mask = code && code < 5 ? (1u << (code - 1)) - 1 : 15;
	sl2vl_map cut = 0;

	for (unsigned sl = 0; sl < 16; sl++) {
		unsigned vl = sl2vl_of(m, sl);

		cut |= (sl2vl_map)(vl == 15 ? 15 : vl & mask) << (4 * sl);
	}
	return cut;
}
