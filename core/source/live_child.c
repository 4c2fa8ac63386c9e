/* Live discovery, the process that asks the fabric: replies read, results written to LIVE_DATA_FD. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/ibnetdisc.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/fabric/builder.h"
#include "core/formats/counters.h"
#include "core/source/gate.h"
#include "core/source/internal.h"
#include "core/source/live.h"

#define SLOTS 64 /* requests remembered, by number; far fewer are under way */

static struct {
	uint32_t number, modifier;
	uint16_t attribute;
} asked[SLOTS];
static struct fabric_builder *seen; /* nodes by their first NodeInfo */

static uint32_t number_of_mad(void *mad)
{
	return (uint32_t)mad_get_field64(mad, 0, IB_MAD_TRID_F);
}

void reply_expected(void *mad)
{
	uint32_t number = number_of_mad(mad), at = number % SLOTS;

	asked[at].number = number;
	asked[at].attribute = (uint16_t)mad_get_field(mad, 0, IB_MAD_ATTRID_F);
	asked[at].modifier = mad_get_field(mad, 0, IB_MAD_ATTRMOD_F);
}

/* What is wrong with a NodeInfo; NULL: nothing. */
static const char *wrong_node(void *info)
{
	uint64_t guid = mad_get_field64(info, 0, IB_NODE_GUID_F);
	unsigned type = mad_get_field(info, 0, IB_NODE_TYPE_F),
		 nports = mad_get_field(info, 0, IB_NODE_NPORTS_F);

	if (mad_get_field(info, 0, IB_NODE_LOCAL_PORT_F) > nports)
		return "it came in by a port that the node does not have";
	seen = seen ? seen : fb_new();
	uint32_t at = fb_find(seen, guid);
	if (at == NO_ID && seen->n == MAX_LID)
		return "there are more nodes than a subnet has LIDs";
	if (at == NO_ID)
		at = fb_add(seen, type, guid, nports, NULL);
	return seen->node[at].type == type && seen->node[at].nports == nports
		       ? NULL
		       : "another node of this GUID has another type or number of ports";
}

void reply_look_at(void *umad)
{
	uint8_t *mad = umad_get_mad(umad), *data = mad + IB_SMP_DATA_OFFS;
	uint32_t number = number_of_mad(mad), at = number % SLOTS;
	const char *wrong = NULL;

	if (umad_status(umad) || !asked[at].attribute || asked[at].number != number)
		return;
	if (mad_get_field(mad, 0, IB_MAD_ATTRID_F) != asked[at].attribute ||
	    mad_get_field(mad, 0, IB_MAD_ATTRMOD_F) != asked[at].modifier)
		wrong = "it answers what was not asked";
	else if (asked[at].attribute == IB_ATTR_NODE_INFO && !mad_get_field(mad, 0, IB_DRSMP_STATUS_F))
		wrong = wrong_node(data);
	if (!wrong)
		return;
	fprintf(stderr, "a reply is not taken (attribute 0x%04x, node 0x%016" PRIx64 "): %s\n",
		asked[at].attribute,
		asked[at].attribute == IB_ATTR_NODE_INFO ? mad_get_field64(data, 0, IB_NODE_GUID_F) : 0,
		wrong);
	mad_set_field(mad, 0, IB_MAD_ATTRID_F, asked[at].attribute);
	mad_set_field(mad, 0, IB_MAD_ATTRMOD_F, asked[at].modifier);
	((struct ib_user_mad *)umad)->status = EPROTO;
}

/* The discovery process runs libibnetdisc and writes the result to LIVE_DATA_FD. */

#define TIMEOUT_MS 500
#define RETRIES 2
#define CAP_EXT_SPEEDS 0x4000u /* PortInfo.CapabilityMask: IsExtendedSpeedsSupported */
#define EXT_INFO_FDR10 1
#define LFT_BLOCK 64
#define PKEY_BLOCK 32
#define CAP_IS_SM 0x2u /* a subnet manager runs there */
#define OUTSTANDING 2  /* requests under way at a time in a discovery */

/* stdin ends when the parent cancels or dies. Then: exit(), so that libraries clean up, or end by force. */
static void *watch_parent(void *arg)
{
	char c;

	(void)arg;
	while (read(0, &c, 1) > 0)
		continue;
	alarm(1);
	exit(3);
}

/*
 * umad2sim's folder must go with these processes, however they end. A killed process cannot remove it, and
 * the parent may be gone. So another process waits for the end.
 */
static int start_janitor(void)
{
	pid_t watched = getpid(), pid;
	int alive[2];
	char c;

	if (!live_simulated())
		return 0;
	if (pipe2(alive, O_CLOEXEC))
		return -1;
	pid = fork();
	if (pid) {
		close(alive[0]); /* the other end closes when gate and worker end */
		return pid < 0 ? -1 : 0;
	}
	prctl(PR_SET_NAME, "ibscope-tidy");
	dup2(alive[0], STDIN_FILENO);
	close_range(STDIN_FILENO + 1, ~0U, 0);
	while (read(STDIN_FILENO, &c, 1) > 0)
		continue;
	live_remove_folder(watched);
	_exit(0);
}

/* Do extended speeds count?  The capability bit says so; a switch's is in port 0. */
static bool has_ext_speeds(ibnd_port_t *p)
{
	ibnd_port_t *cap = p->node->type == IB_NODE_SWITCH ? p->node->ports[0] : p;

	return cap && mad_get_field(cap->info, 0, IB_PORT_CAPMASK_F) & CAP_EXT_SPEEDS;
}

static enum link_speed speed_of(ibnd_port_t *p)
{
	unsigned ext = 0, code = mad_get_field(p->info, 0, IB_PORT_LINK_SPEED_ACTIVE_F);

	if (has_ext_speeds(p))
		ext = mad_get_field(p->info, 0, IB_PORT_LINK_SPEED_EXT_ACTIVE_F);
	if (!ext && code == 4 &&
	    mad_get_field(p->ext_info, 0, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F) == EXT_INFO_FDR10)
		return SPEED_FDR10;
	return fb_speed_of_codes(ext, code);
}

static void live_child_put(FILE *f, const void *p, size_t size)
{
	if (fwrite(p, size, 1, f) != 1)
		exit(1);
}

static void live_child_put_port(FILE *f, ibnd_port_t *p)
{
	struct live_port r;

	memset(&r, 0, sizeof(r));
	r.guid = p->guid;
	r.num = (uint8_t)p->portnum;
	r.lid = p->base_lid;
	r.lmc = p->lmc;
	r.state = (uint8_t)mad_get_field(p->info, 0, IB_PORT_STATE_F);
	r.opervls = (uint8_t)mad_get_field(p->info, 0, IB_PORT_OPER_VLS_F);
	r.ext = (uint8_t)p->ext_portnum;
	r.sm_lid = (uint16_t)mad_get_field(p->info, 0, IB_PORT_SMLID_F);
	if (p->remoteport) {
		r.peer_guid = p->remoteport->node->guid;
		r.peer_port = (uint8_t)p->remoteport->portnum;
		r.width = link_width_of_code(mad_get_field(p->info, 0, IB_PORT_LINK_WIDTH_ACTIVE_F));
		r.speed = speed_of(p);
		r.widths = (uint8_t)mad_get_field(p->info, 0, IB_PORT_LINK_WIDTH_ENABLED_F);
		/* enabled speeds: extended ones count if they are supported */
		unsigned ext =
			has_ext_speeds(p) ? mad_get_field(p->info, 0, IB_PORT_LINK_SPEED_EXT_ENABLED_F) : 0;
		bool fdr10 = mad_get_field(p->ext_info, 0, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F) ==
			     EXT_INFO_FDR10;
		r.speeds = (uint8_t)SPEED_BITS(mad_get_field(p->info, 0, IB_PORT_LINK_SPEED_ENABLED_F), fdr10,
					       ext);
	}
	live_child_put(f, &r, sizeof(r));
}

static void live_child_put_node(FILE *f, ibnd_node_t *n)
{
	struct live_node r;
	char slot[32];

	static_assert(sizeof(r.desc) > DESC_MAX, "a description has room");
	memset(&r, 0, sizeof(r));
	r.guid = n->guid;
	r.sysguid = mad_get_field64(n->info, 0, IB_NODE_SYSTEM_GUID_F);
	r.vendor = mad_get_field(n->info, 0, IB_NODE_VENDORID_F);
	r.device = mad_get_field(n->info, 0, IB_NODE_DEVID_F);
	r.type = (uint8_t)n->type;
	r.nports = (uint8_t)n->numports;
	if (n->type == IB_NODE_SWITCH) {
		r.fdb_cap = mad_get_field(n->switchinfo, 0, IB_SW_LINEAR_FDB_CAP_F);
		r.esp0 = n->smaenhsp0 != 0;
	}
	memcpy(r.desc, n->nodedesc, sizeof(r.desc) - 1);
	for (char *c = r.desc; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = ' ';
	if (n->chassis && n->chassis->chassisnum) {
		/* "ISR9288 Spine 1 Chip 0", as ibnetdiscover -g shows it */
		r.chassis = n->chassis->chassisnum;
		const char *type = ibnd_get_chassis_type(n);
		const char *where = ibnd_get_chassis_slot_str(n, slot, sizeof(slot));
		type = type ? type : "";
		where = where ? where : "";
		snprintf(r.chassis_place, sizeof(r.chassis_place), "%s%s%s", type, *type && *where ? " " : "",
			 where);
	}
	for (int p = 0; p <= n->numports; p++)
		r.n_ports += n->ports[p] != NULL;
	live_child_put(f, &r, sizeof(r));
	for (int p = 0; p <= n->numports; p++)
		if (n->ports[p])
			live_child_put_port(f, n->ports[p]);
}

/* Tell the parent that answers come, although nothing is complete yet. */
static void tell_alive(double *told)
{
	if (now_seconds() - *told < 1)
		return;
	*told = now_seconds();
	printf("alive\n");
}

/* Read blocks 0 .. top / 64 of a switch's table into lft. Returns the number of entries, 0: no answer. */
static uint32_t live_child_read_table(struct ibmad_port *via, ibnd_node_t *n, uint8_t *lft)
{
	uint8_t info[IB_SMP_DATA_SIZE] = {0};
	double told = now_seconds();

	if (!smp_query_via(info, &n->path_portid, IB_ATTR_SWITCH_INFO, 0, 0, via))
		return 0;
	uint32_t top = mad_get_field(info, 0, IB_SW_LINEAR_FDB_TOP_F);
	if (top > MAX_LID)
		top = MAX_LID;
	for (uint32_t b = 0; b <= top / LFT_BLOCK; b++) {
		if (!smp_query_via(lft + b * LFT_BLOCK, &n->path_portid, IB_ATTR_LINEARFORWTBL, b, 0, via))
			return 0;
		tell_alive(&told);
	}
	return top + 1;
}

/* Read the maps of all port pairs, at in * (ports + 1) + out. Returns their number, 0: no answer. */
static uint32_t read_maps(struct ibmad_port *via, ibnd_node_t *n, uint8_t *maps)
{
	unsigned ports = n->numports, i = 0;
	uint8_t data[IB_SMP_DATA_SIZE];
	double told = now_seconds();

	for (unsigned in = 0; in <= ports; in++) {
		for (unsigned out = 0; out <= ports; out++, i++) {
			memset(data, 0, sizeof(data));
			for (unsigned b = 0; b < 8; b++) /* a base port 0 has no map */
				data[b] = (uint8_t)(2 * b << 4 | (2 * b + 1));
			if ((out || n->smaenhsp0) &&
			    !smp_query_via(data, &n->path_portid, IB_ATTR_SLVL_TABLE, in << 8 | out, 0, via))
				return 0;
			tell_alive(&told);
			memcpy(maps + 8 * (size_t)i, data, 8);
		}
	}
	return i;
}

static void put_tables(FILE *f, struct ibmad_port *via, ibnd_fabric_t *fb, uint32_t n_tables,
		       enum live_tables what)
{
	AUTO_FREE uint8_t *lft = mem_alloc(MAX_LID + 1), *maps = mem_array(256 * 256, 8);

	static_assert((MAX_LID + 1) % LFT_BLOCK == 0, "the last block has room");
	printf("tables %u\n", n_tables);
	for (ibnd_node_t *n = fb->nodes; n; n = n->next) {
		struct live_table r;

		if (n->type != IB_NODE_SWITCH)
			continue;
		memset(&r, 0, sizeof(r));
		r.guid = n->guid;
		r.n_entries = live_child_read_table(via, n, lft);
		r.n_maps = what == LIVE_LFTS_SL2VL && r.n_entries ? read_maps(via, n, maps) : 0;
		live_child_put(f, &r, sizeof(r));
		if (r.n_entries)
			live_child_put(f, lft, r.n_entries);
		if (r.n_maps)
			live_child_put(f, maps, (size_t)r.n_maps * 8);
		printf("table\n");
	}
}

/* Does a port say that a subnet manager runs there? */
static bool has_manager(ibnd_port_t *p)
{
	return p && (p->node->type != IB_NODE_SWITCH || !p->portnum) && p->guid &&
	       mad_get_field(p->info, 0, IB_PORT_CAPMASK_F) & CAP_IS_SM;
}

#define MOST_MANAGERS 255 /* that are asked */

/* The way to a port itself: to a switch or the local port the node's, else by the cable that leads to it. */
static bool way_to(ibnd_fabric_t *fb, ibnd_port_t *p, ib_portid_t *to)
{
	ibnd_node_t *n = p->node;
	bool local = n == fb->from_node && p->portnum == fb->from_portnum;

	if (n->type != IB_NODE_SWITCH && !local && !p->remoteport)
		return false;
	*to = n->type == IB_NODE_SWITCH || local ? n->path_portid : p->remoteport->node->path_portid;
	if (n->type == IB_NODE_SWITCH || local)
		return true;
	if (to->drpath.cnt + 1 >= IB_SUBNET_PATH_HOPS_MAX)
		return false;
	to->drpath.p[++to->drpath.cnt] = (uint8_t)p->remoteport->portnum;
	return true;
}

/* Asks each manager for its state and priority: a Get of SMInfo. */
static void put_managers(FILE *f, struct ibmad_port *via, ibnd_fabric_t *fb, unsigned left)
{
	for (ibnd_node_t *n = fb->nodes; n; n = n->next)
		for (int p = 0; p <= n->numports; p++) {
			uint8_t info[IB_SMP_DATA_SIZE] = {0};
			struct live_manager r;
			ib_portid_t to;

			if (!left || !has_manager(n->ports[p]))
				continue;
			left--;
			memset(&r, 0, sizeof(r));
			r.guid = n->ports[p]->guid;
			r.lid = n->ports[p]->base_lid;
			r.answered = way_to(fb, n->ports[p], &to) &&
				     smp_query_via(info, &to, IB_ATTR_SMINFO, 0, 0, via);
			r.state = (uint8_t)mad_get_field(info, 0, IB_SMINFO_STATE_F);
			r.priority = (uint8_t)mad_get_field(info, 0, IB_SMINFO_PRIO_F);
			live_child_put(f, &r, sizeof(r));
			printf("manager\n");
		}
}

/* P_Keys of an endport: n of cap, host order.  False: it does not answer. */
static bool read_pkeys(struct ibmad_port *via, ib_portid_t *to, unsigned cap, uint16_t *pkey)
{
	for (unsigned block = 0; block * PKEY_BLOCK < cap; block++) {
		uint8_t data[IB_SMP_DATA_SIZE] = {0};

		if (!smp_query_via(data, to, IB_ATTR_PKEY_TBL, block, 0, via))
			return false;
		for (unsigned i = 0; i < PKEY_BLOCK && block * PKEY_BLOCK + i < cap; i++)
			pkey[block * PKEY_BLOCK + i] = (uint16_t)(data[2 * i] << 8 | data[2 * i + 1]);
	}
	return true;
}

/* Is it a port that packets come from or go to, and has it a cable? */
static bool holds_pkeys(ibnd_port_t *p)
{
	return p && p->guid && (p->node->type == IB_NODE_SWITCH ? !p->portnum : p->portnum && p->remoteport);
}

/* The P_Key tables of all endports; a port that does not answer has a record without a GUID. */
static void put_pkeys(FILE *f, struct ibmad_port *via, ibnd_fabric_t *fb)
{
	AUTO_FREE uint16_t *pkey = mem_array(UINT16_MAX + 1u, sizeof(*pkey));
	double told = now_seconds();

	for (ibnd_node_t *n = fb->nodes; n; n = n->next)
		for (int p = 0; p <= n->numports; p++) {
			struct live_pkeys r;
			ib_portid_t to;

			if (!holds_pkeys(n->ports[p]))
				continue;
			memset(&r, 0, sizeof(r));
			r.n = mad_get_field(n->info, 0, IB_NODE_PARTITION_CAP_F);
			if (way_to(fb, n->ports[p], &to) && read_pkeys(via, &to, r.n, pkey))
				r.guid = n->ports[p]->guid;
			else
				r.n = 0;
			live_child_put(f, &r, sizeof(r));
			if (r.n)
				live_child_put(f, pkey, r.n * sizeof(*pkey));
			tell_alive(&told);
		}
}

static uint32_t count_ports(ibnd_fabric_t *fb, bool is(ibnd_port_t *p))
{
	uint32_t n = 0;

	for (ibnd_node_t *node = fb->nodes; node; node = node->next)
		for (int p = 0; p <= node->numports; p++)
			n += is(node->ports[p]);
	return n;
}

static void live_child_put_head(FILE *f, ibnd_fabric_t *fb, enum live_tables what, struct live_head *h)
{
	ibnd_node_t *from = fb->from_node;
	ibnd_port_t *p = NULL;

	memset(h, 0, sizeof(*h));
	h->magic = LIVE_HEAD;
	for (ibnd_node_t *n = fb->nodes; n; n = n->next) {
		h->n_nodes++;
		h->n_tables += what && n->type == IB_NODE_SWITCH;
	}
	uint32_t managers = count_ports(fb, has_manager);
	h->n_managers = (uint8_t)(MIN(managers, MOST_MANAGERS));
	h->n_pkey_ports = what ? count_ports(fb, holds_pkeys) : 0;
	if (from) {
		h->from_guid = from->guid;
		h->from_port = (uint8_t)fb->from_portnum;
		if (from->type == IB_NODE_SWITCH)
			p = from->ports[0];
		else if (fb->from_portnum >= 1 && fb->from_portnum <= from->numports)
			p = from->ports[fb->from_portnum];
	}
	if (p)
		h->sm_lid = (uint16_t)mad_get_field(p->info, 0, IB_PORT_SMLID_F);
	live_child_put(f, h, sizeof(*h));
}

static int put_fabric(ibnd_fabric_t *fb, char *ca, int port, enum live_tables what)
{
	int classes[] = {IB_SMI_CLASS, IB_SMI_DIRECT_CLASS};
	uint32_t tail = LIVE_TAIL;
	FILE *f = fdopen(LIVE_DATA_FD, "w");
	struct live_head h;

	if (!f)
		return 1;
	struct ibmad_port *via = mad_rpc_open_port(ca, port, classes, 2);
	if (!via) {
		fclose(f);
		return 1;
	}
	mad_rpc_set_timeout(via, TIMEOUT_MS);
	mad_rpc_set_retries(via, RETRIES);
	live_child_put_head(f, fb, what, &h);
	for (ibnd_node_t *n = fb->nodes; n; n = n->next)
		live_child_put_node(f, n);
	if (what)
		put_tables(f, via, fb, h.n_tables, what);
	if (h.n_managers)
		put_managers(f, via, fb, h.n_managers);
	if (h.n_pkey_ports)
		put_pkeys(f, via, fb);
	mad_rpc_close_port(via);
	live_child_put(f, &tail, sizeof(tail));
	return fclose(f) ? 1 : 0;
}

/* Set when main() has called live_child(). Only then may the program start itself as a discovery process. */
static atomic_bool let_in;

bool live_child_possible(void)
{
	return let_in && !getenv(LIVE_CHILD_MARK);
}

static const int smi[] = {IB_SMI_CLASS, IB_SMI_DIRECT_CLASS}, gmi[] = {IB_SMI_CLASS, IB_PERFORMANCE_CLASS};

/* Fields by enum counter: of PortCounters, and of 64 bits. */
static const enum MAD_FIELDS counter_field[N_COUNTERS][2] = {
	{IB_PC_ERR_SYM_F, IB_PC_EXT_ERR_SYM_F},
	{IB_PC_LINK_RECOVERS_F, IB_PC_EXT_LINK_RECOVERS_F},
	{IB_PC_LINK_DOWNED_F, IB_PC_EXT_LINK_DOWNED_F},
	{IB_PC_ERR_RCV_F, IB_PC_EXT_ERR_RCV_F},
	{IB_PC_ERR_PHYSRCV_F, IB_PC_EXT_ERR_PHYSRCV_F},
	{IB_PC_ERR_SWITCH_REL_F, IB_PC_EXT_ERR_SWITCH_REL_F},
	{IB_PC_XMT_DISCARDS_F, IB_PC_EXT_XMT_DISCARDS_F},
	{IB_PC_ERR_XMTCONSTR_F, IB_PC_EXT_ERR_XMTCONSTR_F},
	{IB_PC_ERR_RCVCONSTR_F, IB_PC_EXT_ERR_RCVCONSTR_F},
	{IB_PC_ERR_LOCALINTEG_F, IB_PC_EXT_ERR_LOCALINTEG_F},
	{IB_PC_ERR_EXCESS_OVR_F, IB_PC_EXT_ERR_EXCESS_OVR_F},
	{IB_PC_VL15_DROPPED_F, IB_PC_EXT_VL15_DROPPED_F},
	{IB_PC_XMT_WAIT_F, IB_PC_EXT_XMT_WAIT_F},
	{IB_PC_XMT_BYTES_F, IB_PC_EXT_XMT_BYTES_F},
	{IB_PC_RCV_BYTES_F, IB_PC_EXT_RCV_BYTES_F},
	{IB_PC_XMT_PKTS_F, IB_PC_EXT_XMT_PKTS_F},
	{IB_PC_RCV_PKTS_F, IB_PC_EXT_RCV_PKTS_F},
};

/* Bits of PerfMgt ClassPortInfo. */
#define EXTENDED_WIDTH 0x200u
#define EXTENDED_NO_IETF 0x400u /* without packets by kind */
#define EXTENDED_ERRORS 2u	/* of CapabilityMask2 */

/* What 64-bit counters a node has: bits of the traffic's counters and of the others. */
static uint32_t wide_counters(struct ibmad_port *via, ib_portid_t *to, int port)
{
	uint8_t data[IB_PC_DATA_SZ + 1024] = {0};
	uint32_t traffic = 0;

	if (!pma_query_via(data, to, port, TIMEOUT_MS, CLASS_PORT_INFO, via))
		return 0;
	unsigned mask = mad_get_field(data, 0, IB_CPI_CAPMASK_F);
	if (!(mask & (EXTENDED_WIDTH | EXTENDED_NO_IETF)))
		return 0;
	for (unsigned k = COUNT_TRANSMIT_DATA; k < N_COUNTERS; k++)
		traffic |= 1u << k;
	return mad_get_field(data, 0, IB_CPI_CAPMASK2_F) & EXTENDED_ERRORS ? (1u << N_COUNTERS) - 1 : traffic;
}

/* False: it does not answer.  Gets alone: counters are never reset. */
static bool live_child_read_port(struct ibmad_port *via, ib_portid_t *to, int port, uint32_t *wide)
{
	uint8_t data[IB_PC_DATA_SZ + 1024] = {0}, more[IB_PC_DATA_SZ + 1024] = {0};

	if (!pma_query_via(data, to, port, TIMEOUT_MS, IB_GSI_PORT_COUNTERS, via))
		return false;
	if (*wide && !pma_query_via(more, to, port, TIMEOUT_MS, IB_GSI_PORT_COUNTERS_EXT, via))
		*wide = 0;
	printf("@ %d %d\n", to->lid, port);
	for (unsigned k = 0; k < N_COUNTERS; k++) {
		uint64_t v = mad_get_field(data, 0, counter_field[k][0]);

		if (*wide >> k & 1)
			v = mad_get_field64(more, 0, counter_field[k][1]);
		printf("%s %" PRIu64 " %u\n", counter_words[k], v, *wide >> k & 1);
	}
	return true;
}

/* argv: CA, port, "LID:PORT,PORT" of each node. */
static int read_counters(char **argv)
{
	int classes[] = {IB_SMI_CLASS, IB_PERFORMANCE_CLASS};
	struct ibmad_port *via = mad_rpc_open_port(*argv[0] ? argv[0] : NULL, atoi(argv[1]), classes, 2);
	unsigned n = 0;

	if (!via)
		return 1;
	for (argv += 2; *argv; argv++) {
		ib_portid_t to = {0};
		char *at = *argv;
		uint32_t wide = 0;
		bool first = true;

		ib_portid_set(&to, (int)strtol(at, &at, 10), 0, 0);
		while (*at) { /* a node that does not answer is not asked for its other ports */
			int port = (int)strtol(at + 1, &at, 10);

			if (first)
				wide = wide_counters(via, &to, port);
			if (!live_child_read_port(via, &to, port, &wide) && first)
				break;
			first = false;
			n++;
		}
		fflush(stdout);
	}
	mad_rpc_close_port(via);
	return !n;
}

/* argv: CA, port, enum live_tables. */
static int discover(char **argv)
{
	struct ibnd_config cfg = {.timeout_ms = TIMEOUT_MS,
				  .retries = RETRIES,
				  .show_progress = 1,
				  .max_smps = OUTSTANDING,
				  .flags = IBND_CONFIG_MLX_EPI};
	char *ca = *argv[0] ? argv[0] : NULL;
	int port = atoi(argv[1]), status;

	setvbuf(stdout, NULL, _IOLBF, 0);
	ibnd_fabric_t *fb = ibnd_discover_fabric(ca, port, NULL, &cfg);
	if (!fb)
		return 1;
	status = put_fabric(fb, ca, port, (enum live_tables)atoi(argv[2]));
	ibnd_destroy_fabric(fb);
	return status;
}

int live_child_main(int argc, char **argv)
{
	bool counters = argc >= 5 && !strcmp(argv[1], LIVE_COUNTERS_FLAG);
	pthread_t watch;

	let_in = true;
	if (!counters && (argc != 5 || strcmp(argv[1], LIVE_CHILD_FLAG)))
		return -1;
	if (start_janitor())
		return 1;
	pid_t worker = gate_start();
	if (!worker)
		return counters ? read_counters(argv + 2) : discover(argv + 2);
	if (worker < 0)
		return 1;
	if (!counters) {
		close(LIVE_DATA_FD);
		signal(SIGALRM, SIG_DFL);
		if (pthread_create(&watch, NULL, watch_parent, NULL) || pthread_detach(watch))
			return 1;
	}
	return gate_serve(worker, counters ? gmi : smi, 2);
}
