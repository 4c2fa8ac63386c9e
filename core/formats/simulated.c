/* Writes a fabric for ibsim to simulate. */
#include <inttypes.h>
#include <stdlib.h>
#include "core/base/memory.h"
#include "core/formats/formats.h"

const char *simulated_id(const struct fabric *f, uint32_t node, char id[SIMULATED_ID])
{
	snprintf(id, SIMULATED_ID, "%c-%016" PRIx64, "?HSR"[f->node_type[node]], f -> node_guid[node]);
	return id;
}

/* ibsim takes LID and LMC of a CA port from the comment. Names are left out: it could not read some. */
static void simulated_write_port(FILE *f, const struct topo *t, uint32_t port)
{
	const struct fabric *fb = t->fabric;
	uint32_t peer = t->peer[port], node = fb->port_node[port], other;
	unsigned width = fb->port_width[port], speed = fb->port_speed[port];
	char id[SIMULATED_ID];

	/* for speeds that ibsim 0.10 does not know it takes SDR: give the fastest that it knows */
	speed = speed == SPEED_NDR || speed == SPEED_XDR ? SPEED_HDR : speed;
	if (peer == NO_ID)
		return;
	other = fb->port_node[peer];
	fprintf(f, "[%u]\t\"%s\"[%u]\t# ", fb->port_num[port], simulated_id(fb, other, id),
		fb->port_num[peer]);
	if (!node_is_switch(fb, node))
		fprintf(f, "lid %u lmc %u ", fb->port_lid[port], fb->port_lmc[port]);
	fprintf(f, "\"n%u\" lid 0", other);
	if (width || speed)
		fprintf(f, " %s%s", link_width_name(width), link_speed_name(speed));
	putc('\n', f);
}

static void simulated_write_node(FILE *f, const struct topo *t, uint32_t node)
{
	static const char *const key[] = {"", "caguid", "switchguid", "rtguid"};
	static const char *const word[] = {"", "Ca", "Switch", "Rt"};
	const struct fabric *fb = t->fabric;
	unsigned type = fb->node_type[node];
	uint32_t p0 = fb->node_port[node];
	char id[SIMULATED_ID];

	fprintf(f, "\nvendid=0x%x\ndevid=0x%x\n", fb->node_vendor[node], fb->node_device[node]);
	if (fb->node_sysguid[node])
		fprintf(f, "sysimgguid=0x%" PRIx64 "\n", fb->node_sysguid[node]);
	fprintf(f, "%s=0x%" PRIx64, key[type], fb->node_guid[node]);
	if (type == NODE_SWITCH)
		fprintf(f, "(%" PRIx64 ")", fb->port_guid[p0]);
	fprintf(f, "\n%s\t%u \"%s\"\t# \"n%u\"", word[type], fb->node_nports[node],
		simulated_id(fb, node, id), node);
	if (type == NODE_SWITCH)
		fprintf(f, " %s port 0 lid %u lmc %u",
			fb->switch_esp0[fb->node_switch[node]] ? "enhanced" : "base", fb->port_lid[p0],
			fb->port_lmc[p0]);
	putc('\n', f);
	for (unsigned p = 1; p <= fb->node_nports[node]; p++)
		simulated_write_port(f, t, p0 + p);
}

int write_status(FILE *f)
{
	return fflush(f) || ferror(f) ? -1 : 0;
}

int write_simulated(FILE *f, const struct topo *t, struct progress *p)
{
	const struct fabric *fb = t->fabric;
	uint32_t *at = NEW_ARRAY(fb->n_nodes, uint32_t);
	bool go_on = true;

	progress_start(p, "writing the fabric", fb->n_nodes);
	for (uint32_t n = 0; n < fb->n_nodes; n++)
		at[fb->node_order[n]] = n;
	for (uint32_t i = 0; i < fb->n_nodes && (go_on = progress_step(p, i)); i++)
		if (t->node_up[at[i]])
			simulated_write_node(f, t, at[i]);
	free(at);
	return go_on ? write_status(f) : -1;
}
