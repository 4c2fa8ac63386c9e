/*
 * Service levels as the subnet administrator tells them, one path record a pair.
 *
 *   sa_paths < PAIRS     lines "SLID DLID" in, lines "SLID DLID SL" out; SL is
 *                        "-" where there is no path
 *
 * Pairs are asked one by one: an answer of several packets does not survive
 * the simulator.  Build: cc sa_paths.c -libmad -libumad.  Status 1: no port, or
 * a line that is no pair.
 */

#include <stdio.h>
#include <string.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>

/* Component mask bits of a PathRecord (InfiniBand architecture, 15.2.5.16). */
#define PR_DLID (1u << 4)
#define PR_SLID (1u << 5)
#define PR_NUMB_PATH (1u << 12)

#define TIMEOUT_MS 2000
#define RECORD_SIZE 2048 /* room that libibmad may fill */

/* SL of a path, -1 when there is none. */
static int path_sl(const struct ibmad_port *port, ib_portid_t *sa, unsigned slid, unsigned dlid)
{
	uint8_t record[RECORD_SIZE];
	ib_sa_call_t call;

	memset(record, 0, sizeof(record));
	memset(&call, 0, sizeof(call));
	mad_set_field(record, 0, IB_SA_PR_DLID_F, dlid);
	mad_set_field(record, 0, IB_SA_PR_SLID_F, slid);
	mad_set_field(record, 0, IB_SA_PR_NPATH_F, 1);
	call.attrid = IB_SA_ATTR_PATHRECORD;
	call.method = IB_MAD_METHOD_GET;
	call.mask = PR_DLID | PR_SLID | PR_NUMB_PATH;
	call.trid = mad_trid();
	if (!sa_rpc_call(port, record, sa, &call, TIMEOUT_MS))
		return -1;
	return (int)mad_get_field(record, 0, IB_SA_PR_SL_F);
}

/* Where the subnet administrator is: at the LID that the local port knows as its subnet manager's. */
static int find_sa(struct ibmad_port *port, ib_portid_t *sa)
{
	uint8_t info[IB_SMP_DATA_SIZE] = {0};
	ib_portid_t local = {0};

	if (!smp_query_via(info, &local, IB_ATTR_PORT_INFO, 0, 0, port))
		return -1;
	ib_portid_set(sa, (int)mad_get_field(info, 0, IB_PORT_SMLID_F), 1, IB_DEFAULT_QP1_QKEY);
	return 0;
}

int main(void)
{
	int classes[] = {IB_SMI_CLASS, IB_SMI_DIRECT_CLASS, IB_SA_CLASS};
	struct ibmad_port *port = mad_rpc_open_port(NULL, 0, classes, 3);
	ib_portid_t sa = {0};
	unsigned slid, dlid;
	int n;

	if (!port || find_sa(port, &sa)) {
		fprintf(stderr, "no local port, or it does not answer\n");
		return 1;
	}
	while ((n = scanf("%u %u", &slid, &dlid)) == 2) {
		int sl = path_sl(port, &sa, slid, dlid);

		if (sl < 0)
			printf("%u %u -\n", slid, dlid);
		else
			printf("%u %u %d\n", slid, dlid, sl);
	}
	mad_rpc_close_port(port);
	if (n != EOF) {
		fprintf(stderr, "found no pair of LIDs\n");
		return 1;
	}
	return 0;
}
