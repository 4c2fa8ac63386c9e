#include "core/formats/kinds.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/formats/cabling.h"
#include "core/formats/conf.h"
#include "core/formats/readers.h"

#include <fnmatch.h>
#include <string.h>

#define LINES_LOOKED_AT 300
#define LINE_BYTES 200 /* of a line, which are compared */
#define PATTERNS 5

#define PLAN "`plan FILE` compares a fabric with it"
#define SCOPE "`scope @FILE` takes its hosts"
#define FOLDER \
	"the folder that ibdiagnet wrote can be loaded, or its .db_csv, .lst, .ibnetdiscover or .net_dump"
#define TABLES "`tables FILE` takes it for a fabric that is loaded"
#define COUNTERS "`counters PORT` reads those of a live fabric"

/* Lines of a kind as file name patterns; one of them is enough.  The first kind in this order counts. */
static const struct {
	const char *line[PATTERNS];
	struct file_kind kind;
} kinds[] = {
	{{"Switch*\"*\"*nodeguid *sysimgguid *", "sim> dump*", false},
	 {"what ibsim's console prints (dump), whose cables are those of ibsim's net file", NULL, false}},
	{{"Data Counters for *", "Errors for \"*", "Errors for 0x*"},
	 {"counters (ibqueryerrors)", COUNTERS, false}},
	{{"Ca*: 0x*ports *", "Switch*: 0x*ports *", "Rt*: 0x*ports *"},
	 {"a list of nodes (ibnetdiscover -l, ibhosts, ibswitches)",
	  "`ibnetdiscover` without -l tells cables", false}},
	{{"vendid=*", "{ [SC][WA]*Ports:*", "START_NODES", "Switch*[0-9] \"*\"*",
	  "[SC][WA] *[0-9] 0x*[0-9]x *"},
	 {"a fabric", "`load FILE` reads it", true}},
	{{"[0-9]*]*==(*)==>*", "*Sta *:*LWA *:*LSA *:*", false}, {"a fabric", "`load FILE` reads it", true}},
	{{"Unicast lids*"},
	 {"forwarding tables (opensm-lfts.dump, dump_fts), which name no cables", TABLES, false}},
	{{"Multicast mlids*"}, {"multicast tables, which name no cables", NULL, false}},
	{{"dump_ucast_routes:*"}, {"forwarding tables (opensm.fdbs), which name no cables", TABLES, false}},
	{{"osm_ucast_mgr_dump_ucast_routes:*"},
	 {"forwarding tables (osm.fdbs), which name no cables", TABLES, false}},
	{{"Switch: guid *"}, {"a hop matrix (opensm-lid-matrix.dump), which names no cables", NULL, false}},
	{{"START_*"}, {"sections of ibdiagnet (db_csv) without nodes", FOLDER, false}},
	{{"#*ort*counters: Lid *", "PortSelect:.*", false},
	 {"counters of a port (perfquery)", COUNTERS, false}},
	{{"#warn: counter *", "Error check on lid *", false}, {"counters (ibcheckerrors)", COUNTERS, false}},
	{{"sminfo: sm lid *"},
	 {"where the subnet manager is (sminfo)", "`set guid GUID` takes its GUID", false}},
	{{"part number *|*", "uptime (sec) *:*", "cur.temp *:*"},
	 {"what one switch tells of itself (ibswinfo)", NULL, false}},
	{{"GROUP PKey:*", "GROUP VPKey:*", false},
	 {"lists of partitions (ibdiagnet's .pkey)", FOLDER, false}},
	{{"Port=* Lid=0x* GUID=0x*"},
	 {"counters or cables of ports (ibdiagnet's .pm, .cables)", FOLDER, false}},
	{{"HWInfo_*", "FWInfo_*", "Node Name=*"},
	 {"firmware of nodes (ibdiagnet's .nodes_info)", FOLDER, false}},
	{{"ibdiagnet fabric SM report*"}, {"a list of subnet managers (ibdiagnet's .sm)", FOLDER, false}},
	{{"\\[??? ?? ??:??:??*]*ibdiag*", "Running version:*IBDIAG*", "-[IWE]- *", "Fabric Summary*"},
	 {"messages of ibdiagnet (.log, .debug, its screen)", FOLDER, false}},
	{{"# Match-Reason, Topo-Name,*"}, {"names of a topology diff (ibdiagnet)", FOLDER, false}},
	{{"??? ?? ??:??:?? ?????? \\[*] 0x?? -> *"},
	 {"OpenSM's log", "`-F FILE` takes the options (opensm.conf) that it ran with", false}},
	{{"*nThread *nGpus *", "*algbw *busbw*", "*NCCL INFO *", "#*Rank *Pid *on *device*"},
	 {"times of a benchmark (nccl-tests)", NULL, false}},
	{{"*_Write BW Test*", "*_Read BW Test*", "*Send BW Test*", "* BW peak*"},
	 {"bandwidths of a benchmark (perftest)", NULL, false}},
	{{"*HP2P results*", "*Minimum Bandwidth:*", false},
	 {"bandwidths of a benchmark (hp2p)", NULL, false}},
	{{"SwitchName=*", "BlockName=*", "#BlockName=*", "BlockSizes=*"},
	 {"Slurm's topology (topology.conf, scontrol show topology, sharp_cmd)", PLAN, false}},
	{{"NodeName=*"}, {"Slurm's nodes (scontrol show node)", "`scope HOST...` takes their names", false}},
	{{"PartitionName=*"},
	 {"Slurm's partitions (scontrol show partition)", "`scope HOST...` takes hosts", false}},
	{{"JobId=*"}, {"a job of Slurm (scontrol show job)", SCOPE, false}},
	{{"*JOBID*PARTITION*", "*JOBID*NODELIST*", false},
	 {"jobs of Slurm (squeue)", "`scope @FILE:JOB` takes a job's hosts", false}},
	{{"PARTITION *NODELIST*"}, {"states of Slurm's nodes (sinfo)", SCOPE, false}},
	{{"TOPSYSTEM *", "SYSTEM *", "NODE SW *", "NODE CA *"},
	 {"types of systems for ibdm (.ibnl)", "a .topo in the same folder that names them can be loaded",
	  false}},
	{{"port-groups*", "port-group*", "end-port-group*", "qos-*"},
	 {"a policy (port groups, QoS) of the subnet manager", "`roots export FILE` writes a root_guid_file",
	  false}},
	{{"torus [0-9]*", "mesh [0-9]*", "xp_link 0x*", "yp_link 0x*", "zp_link 0x*"},
	 {"a torus-2QoS.conf", "`set torus_config FILE` takes it", false}},
	{{"# A session of ibscope*"}, {"a session of ibscope", "`source FILE` runs it", false}},
	{{"*StartDevice*EndDevice*", "<[?]xml*", "<fabric *"}, {"a plan of cables", PLAN, false}},
	{{"MPI_Rank,*", "NODE [0-9]* RACK *", false},
	 {"a list of hosts", "`scope HOST...` takes their names", false}},
	{{"[A-Za-z0-9]*=0x[0-9a-fA-F]*[,:]*", "*[ ,:]ALL=full*", "mgid=*"},
	 {"OpenSM's partitions (partitions.conf), which have no bearing on routes", NULL, false}},
	{{"# This database file was automatically generated by IBDIAG*"},
	 {"a file of ibdiagnet without a node", FOLDER, false}},
};

/* Kinds of which all lines but comments are of one form. */
static const struct {
	const char *line[PATTERNS];
	struct file_kind kind;
} pure[] = {
	{{"0x*[ \t]\"*\"*", "<guid>*\"*\"*", "0x*[ \t][!0-9 \t]*"},
	 {"a node-name-map", "`names FILE` or --node-name-map takes it", false}},
	{{"0x*[ \t][0-9]*"},
	 {"GUIDs with numbers behind them (a port-profile, guid2lid, weights or orders of ports)",
	  "the option of OpenSM that names such a file takes it (`help options`)", false}},
	{{"0x*"},
	 {"a list of GUIDs (root_guid_file and its like)", "`set root_guid_file FILE` takes it", false}},
	{{"*: 0x*"}, {"hosts and the GUIDs of their ports", NULL, false}},
};

/* The first LINES_LOOKED_AT lines that are not empty, without the blanks at both ends. */
static unsigned first_lines(const struct input *in, char text[LINES_LOOKED_AT][LINE_BYTES])
{
	struct lines l = {in->data, in->data + in->size, 0, NULL};
	struct cursor line;
	unsigned n = 0;

	while (n < LINES_LOOKED_AT && lines_next(&l, &line)) {
		size_t len;

		cur_blanks(&line);
		if (cur_empty(&line))
			continue;
		len = (size_t)(line.end - line.p) < LINE_BYTES ? (size_t)(line.end - line.p) : LINE_BYTES - 1;
		memcpy(text[n], line.p, len);
		while (text[n][len - 1] == ' ' || text[n][len - 1] == '\t')
			len--;
		text[n++][len] = 0;
	}
	return n;
}

static bool fits(const char *const *pattern, const char *line)
{
	for (unsigned i = 0; i < PATTERNS && pattern[i]; i++)
		if (!fnmatch(pattern[i], line, 0))
			return true;
	return false;
}

/* Names of hosts, one a line: one word each, with a number at its end. */
static bool all_hosts(char text[][LINE_BYTES], unsigned n)
{
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		if (*text[i] == '#')
			continue;
		if (fnmatch("[A-Za-z]*[0-9]", text[i], 0) || strpbrk(text[i], " \t,;:=\"'()"))
			return false;
		any = true;
	}
	return any;
}

/* Do all lines but comments fit?  At least one does. */
static bool all_fit(const char *const *pattern, char text[][LINE_BYTES], unsigned n)
{
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		if (*text[i] == '#')
			continue;
		if (!fits(pattern, text[i]))
			return false;
		any = true;
	}
	return any;
}

bool file_kind(const struct input *in, struct file_kind *k)
{
	char text[LINES_LOOKED_AT][LINE_BYTES];
	unsigned n = first_lines(in, text);
	struct cabling c;
	struct err e;
	bool plan;

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		for (unsigned j = 0; j < n; j++)
			if (fits(kinds[i].line, text[j])) {
				*k = kinds[i].kind;
				return true;
			}
	for (size_t i = 0; i < ARRAY_LEN(pure); i++)
		if (all_fit(pure[i].line, text, n)) {
			*k = pure[i].kind;
			return true;
		}
	for (unsigned j = 0; j < n; j++)
		if (conf_knows(text[j])) {
			*k = (struct file_kind){"options of OpenSM (opensm.conf)",
						"`-F FILE` or `config FILE` takes them", false};
			return true;
		}
	if (all_hosts(text, n)) {
		*k = (struct file_kind){"a list of hosts", SCOPE, false};
		return true;
	}
	plan = !cabling_parse(in, &c, &e);
	cabling_free(&c);
	*k = (struct file_kind){"a plan of cables", PLAN, false};
	return plan;
}
