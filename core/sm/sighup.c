#include "core/sm/sighup.h"
#include "core/base/defs.h"

#include <string.h>

#define NOW "with the sweep that follows"
#define ANEW "in entries that are made anew: others stay until a sweep from scratch"
#define STANDBY "when a standby takes over"
#define START "at a start alone: later sweeps do not look at it"

const char *const sighup_effects[] = {NOW, ANEW, STANDBY, START, NULL};

const char *sighup_effect(const char *option)
{
	static const struct {
		const char *name, *effect;
	} taken[] = {
		{"port_shifting", ANEW},  {"scatter_ports", ANEW},	 {"port_profile_switch_nodes", ANEW},
		{"connect_roots", NOW},	  {"max_op_vls", NOW},		 {"qos", NOW},
		{"torus_config", NOW},	  {"do_mesh_analysis", NOW},	 {"lash_start_vl", NOW},
		{"nue_max_num_vls", NOW}, {"quasi_ftree_indexing", NOW}, {"honor_guid2lid_file", STANDBY},
		{"reassign_lids", START},
	};

	if (!strncmp(option, "qos_", 4))
		return NOW;
	for (size_t i = 0; i < ARRAY_LEN(taken); i++)
		if (!strcmp(taken[i].name, option))
			return taken[i].effect;
	return NULL;
}

void sighup_tell(const struct optdef *d, struct text *t)
{
	const char *effect = sighup_effect(d->name);

	if (d->own)
		return;
	text_add(t, " `set` restarts OpenSM with it; at SIGHUP it is %s%s.",
		 effect ? "taken, and acts " : "not taken", effect ? effect : "");
}
