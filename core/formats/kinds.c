#include "core/formats/kinds.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/formats/cabling.h"
#include "core/formats/conf.h"
#include "core/formats/readers.h"

#include <fnmatch.h>
#include <string.h>

#define LINES_LOOKED_AT 300
#define LINE_BYTES 200 /* of a line that are compared */
#define PATTERNS 5
#define FABRIC "a fabric"
#define LOAD "`load FILE` reads it"
#define FORM(is, use, ...)          \
	{                           \
		is, use,            \
		{                   \
			__VA_ARGS__ \
		}                   \
	}

#define PLAN "`plan FILE` compares a fabric with it"
#define SCOPE "`scope @FILE` takes its hosts"
#define FOLDER \
	"the folder that ibdiagnet wrote can be loaded, or its .db_csv, .lst, .ibnetdiscover or .net_dump"
#define TABLES "`tables FILE` takes it for a fabric that is loaded"
#define BLAME "`blame FILE` finds links that explain them"
#define COUNTERS "`counters all FILE` reads them for a fabric that is loaded"

/* Patterns for lines of each kind; one such line is enough. The first kind that fits counts. */
static const struct form {
	const char *is, *use, *line[PATTERNS];
} kinds[] = {
	FORM("what ibsim's console prints (dump), whose cables are those of ibsim's net file", NULL,
	     "Switch*\"*\"*nodeguid *sysimgguid *", "sim> dump*"),
	FORM("counters (ibqueryerrors)", COUNTERS, "Data Counters for *", "Errors for \"*", "Errors for 0x*"),
	FORM("a list of nodes (ibnetdiscover -l, ibhosts, ibswitches)",
	     "`ibnetdiscover` without -l tells cables", "Ca*: 0x*ports *", "Switch*: 0x*ports *",
	     "Rt*: 0x*ports *"),
	FORM(FABRIC, LOAD, "vendid=*", "{ [SC][WA]*Ports:*", "START_NODES", "Switch*[0-9] \"*\"*",
	     "[SC][WA] *[0-9] 0x*[0-9]x *"),
	FORM(FABRIC, LOAD, "[0-9]*]*==(*)==>*", "*Sta *:*LWA *:*LSA *:*"),
	FORM("forwarding tables (opensm-lfts.dump, dump_fts), which name no cables", TABLES, "Unicast lids*"),
	FORM("multicast tables, which name no cables", NULL, "Multicast mlids*"),
	FORM("forwarding tables (opensm.fdbs), which name no cables", TABLES, "dump_ucast_routes:*"),
	FORM("forwarding tables (osm.fdbs), which name no cables", TABLES,
	     "osm_ucast_mgr_dump_ucast_routes:*"),
	FORM("a hop matrix (opensm-lid-matrix.dump), which names no cables", NULL, "Switch: guid *"),
	FORM("sections of ibdiagnet (db_csv) without nodes", FOLDER, "START_*"),
	FORM("counters of a port (perfquery)", COUNTERS, "#*ort*counters: Lid *", "PortSelect:.*"),
	FORM("counters (ibcheckerrors)", COUNTERS, "#warn: counter *", "Error check on lid *"),
	FORM("where the subnet manager is (sminfo)", "`set guid GUID` takes its GUID", "sminfo: sm lid *"),
	FORM("what one switch tells of itself (ibswinfo)", NULL, "part number *|*", "uptime (sec) *:*",
	     "cur.temp *:*"),
	FORM("lists of partitions (ibdiagnet's .pkey)", FOLDER, "GROUP PKey:*", "GROUP VPKey:*"),
	FORM("counters or cables of ports (ibdiagnet's .pm, .cables)", COUNTERS, "Port=* Lid=0x* GUID=0x*"),
	FORM("firmware of nodes (ibdiagnet's .nodes_info)", FOLDER, "HWInfo_*", "FWInfo_*", "Node Name=*"),
	FORM("a list of subnet managers (ibdiagnet's .sm)", FOLDER, "ibdiagnet fabric SM report*"),
	FORM("messages of ibdiagnet (.log, .debug, its screen)", FOLDER, "\\[??? ?? ??:??:??*]*ibdiag*",
	     "Running version:*IBDIAG*", "-[IWE]- *", "Fabric Summary*"),
	FORM("names of a topology diff (ibdiagnet)", FOLDER, "# Match-Reason, Topo-Name,*"),
	FORM("OpenSM's log", "`-F FILE` takes the options (opensm.conf) that it ran with",
	     "??? ?? ??:??:?? ?????? \\[*] 0x?? -> *"),
	FORM("times of a benchmark (nccl-tests)", BLAME, "*nThread *nGpus *", "*algbw *busbw*",
	     "*NCCL INFO *", "#*Rank *Pid *on *device*"),
	FORM("bandwidths of a benchmark (perftest)", NULL, "*_Write BW Test*", "*_Read BW Test*",
	     "*Send BW Test*", "* BW peak*"),
	FORM("bandwidths of a benchmark (hp2p)", BLAME, "*HP2P results*", "*Minimum Bandwidth:*"),
	FORM("Slurm's topology (topology.conf, scontrol show topology, sharp_cmd)", PLAN, "SwitchName=*",
	     "BlockName=*", "#BlockName=*", "BlockSizes=*"),
	FORM("Slurm's nodes (scontrol show node)", "`scope HOST...` takes their names", "NodeName=*"),
	FORM("Slurm's partitions (scontrol show partition)", "`scope HOST...` takes hosts",
	     "PartitionName=*"),
	FORM("a job of Slurm (scontrol show job)", SCOPE, "JobId=*"),
	FORM("jobs of Slurm (squeue)", "`scope @FILE:JOB` takes a job's hosts", "*JOBID*PARTITION*",
	     "*JOBID*NODELIST*"),
	FORM("states of Slurm's nodes (sinfo)", SCOPE, "PARTITION *NODELIST*"),
	FORM("types of systems for ibdm (.ibnl)", "a .topo in the same folder that names them can be loaded",
	     "TOPSYSTEM *", "SYSTEM *", "NODE SW *", "NODE CA *"),
	FORM("a policy (port groups, QoS) of the subnet manager",
	     "`roots export FILE` writes a root_guid_file", "port-groups*", "port-group*", "end-port-group*",
	     "qos-*"),
	FORM("a torus-2QoS.conf", "`set torus_config FILE` takes it", "torus [0-9]*", "mesh [0-9]*",
	     "xp_link 0x*", "yp_link 0x*", "zp_link 0x*"),
	FORM("a session of ibscope", "`source FILE` runs it", "# A session of ibscope*"),
	FORM("a plan of cables", PLAN, "*StartDevice*EndDevice*", "<[?]xml*", "<fabric *"),
	FORM("a list of hosts", "`scope HOST...` takes their names", "MPI_Rank,*", "NODE [0-9]* RACK *"),
	FORM("OpenSM's partitions (partitions.conf), which have no bearing on routes",
	     "`set partition_config_file FILE` takes it: SLs and P_Keys of pairs",
	     "[A-Za-z0-9]*=0x[0-9a-fA-F]*[,:]*", "*[ ,:]ALL=full*", "mgid=*"),
	FORM("a file of ibdiagnet without a node", FOLDER,
	     "# This database file was automatically generated by IBDIAG*"),
};

/* Kinds of files where all lines but comments have one form. */
static const struct form pure[] = {
	FORM("a node-name-map", "`names FILE` or --node-name-map takes it", "0x*[ \t]\"*\"*", "<guid>*\"*\"*",
	     "0x*[ \t][!0-9 \t]*"),
	FORM("GUIDs with numbers behind them (a port-profile, guid2lid, weights or orders of ports)",
	     "the option of OpenSM that names such a file takes it (`help options`)", "0x*[ \t][0-9]*"),
	FORM("a list of GUIDs (root_guid_file and its like)", "`set root_guid_file FILE` takes it", "0x*"),
	FORM("hosts and the GUIDs of their ports", NULL, "*: 0x*"),
};

static bool kinds_fits(const char *const *pattern, const char *line)
{
	for (unsigned i = 0; i < PATTERNS && pattern[i]; i++)
		if (!fnmatch(pattern[i], line, 0))
			return true;
	return false;
}

/* Do all lines but comments fit? x NULL: are they names of hosts (words that end with a number)? */
static bool all_fit(const struct form *x, char text[][LINE_BYTES], unsigned n)
{
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		if (*text[i] == '#')
			continue;
		if (x ? !kinds_fits(x->line, text[i])
		      : fnmatch("[A-Za-z]*[0-9]", text[i], 0) || strpbrk(text[i], " \t,;:=\"'()"))
			return false;
		any = true;
	}
	return any;
}

bool file_kind(const struct input *in, struct file_kind *k)
{
	char text[LINES_LOOKED_AT][LINE_BYTES]; /* lines that are not empty, trimmed */
	struct lines l = lines_of(in);
	struct cursor line;
	struct cabling c;
	struct err e;
	unsigned n = 0;
	bool plan;

	while (n < LINES_LOOKED_AT && lines_next(&l, &line)) {
		line = cur_trimmed(line);
		if (!cur_empty(&line))
			snprintf(text[n++], LINE_BYTES, "%.*s", CUR_ARGS(line));
	}
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		for (unsigned j = 0; j < n; j++)
			if (kinds_fits(kinds[i].line, text[j])) {
				*k = (struct file_kind){kinds[i].is, kinds[i].use,
							!strcmp(kinds[i].is, FABRIC)};
				return true;
			}
	for (size_t i = 0; i < ARRAY_LEN(pure); i++)
		if (all_fit(&pure[i], text, n)) {
			*k = (struct file_kind){pure[i].is, pure[i].use, false};
			return true;
		}
	for (unsigned j = 0; j < n; j++)
		if (conf_knows(text[j])) {
			*k = (struct file_kind){"options of OpenSM (opensm.conf)",
						"`-F FILE` or `config FILE` takes them", false};
			return true;
		}
	if (all_fit(NULL, text, n)) {
		*k = (struct file_kind){"a list of hosts", SCOPE, false};
		return true;
	}
	plan = !cabling_parse(in, &c, &e);
	cabling_free(&c);
	*k = (struct file_kind){"a plan of cables", PLAN, false};
	return plan;
}
