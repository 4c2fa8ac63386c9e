/* Which format a file has, and files that hold no fabric. */
#include "tests/unit/formats.h"

/* Ids like ibnetdiscover's alone do not make it one; lines that tell GUIDs do. */
static void test_which_text_format(void **state)
{
	static const struct {
		const char *text, *format;
		uint64_t guid;
	} cases[] = {
		{"Switch 4 \"S-00000000000000a1\"\n[1] \"S-00000000000000a1\"[2]\n[2] "
		 "\"S-00000000000000a1\"[1]\n",
		 "ibsim", 0x200000},
		{"switchguid=0xa1\nSwitch 4 \"node\"\n", "ibsim", 0xa1},
		{"switchguid=0xa1\nSwitch 4 \"S-00000000000000a1\"\n", "ibnetdiscover", 0xa1},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_FABRIC struct fabric *f = parse(cases[i].text);

		if (strcmp(f->format, cases[i].format) != 0 || f->node_guid[0] != cases[i].guid)
			fail_msg("%s: %s, 0x%" PRIx64, cases[i].text, f->format, f->node_guid[0]);
	}
}

/* A file that both understand gives the same fabric, GUIDs of CA ports aside. */
static void test_both_readers_agree(void **state)
{
	struct err e = {0};
	AUTO_FABRIC struct fabric *a = load(FILES "stage-qdr-fdr10.ibnetdiscover");
	AUTO_FABRIC struct fabric *b = NULL;
	struct input in = {.name = "x"};
	AUTO_FREE char *data = read_all(FILES "stage-qdr-fdr10.ibnetdiscover", &in.size);

	in.data = data;
	assert_int_equal(parse_ibsim(&in, &b, &e), 0);
	same_fabric(a, b); /* port GUIDs of this file happen to be node GUID + port */
}

static void test_no_fabric(void **state)
{
	struct fabric *f = NULL;
	struct err e = {0};

	refused("", "x: found an empty file, expected ibnetdiscover text, an ibsim net file or dump, a "
		    "libibnetdisc cache, an opensm-subnet.lst, iblinkinfo's lines, ibdiagnet's db_csv or "
		    "net_dump, ibdm's .topo, netloc's -nodes.ndat, OMNeT++'s .ned, or lines `NAME[PORT] "
		    "NAME[PORT]`");
	refused("# only\n\n# comments\n", "x: found only empty lines and comments");
	refused("hello world\n", "x: found no node (the text begins 'hello world'), expected");
	refused("vendid=0x2c9\n", "x: found no node");
	refused("Unicast lids [0-3] of switch Lid 1\n",
		"x: found forwarding tables (opensm-lfts.dump, dump_fts)");
	refused("dump_ucast_routes: Switch 0x1\n", "x: found forwarding tables (opensm.fdbs)");
	refused("START_PM_INFO\n", "x: found sections of ibdiagnet (db_csv) without nodes");
	refused("Ca\t : 0x0002c9 ports 1\n",
		"x: found a list of nodes (ibnetdiscover -l, ibhosts, ibswitches)");
	refused_n("a\0b", 3, "x: found binary data");
	assert_int_equal(fabric_load("no/such/file", &f, NULL, &e), -1);
	assert_string_equal(e.msg, "no/such/file: cannot be opened: No such file or directory");
	assert_int_equal(fabric_load("tests/unit", &f, NULL, &e), -1);
	assert_non_null(strstr(e.msg, "tests/unit: found a folder without a file of cables, expected "));
}

/* Every kind of file that people try has a hint of its own. */
static void test_foreign(void **state)
{
	static const char text[] = "Switch 4 \"a\"\r[1] \"b\"[1]\r";
	char tar[512] = "subnet.ibnetdiscover";

	refused_n("\xfd"
		  "7zXZ\0\0",
		  7, "x: found data compressed by xz (unpack it first: xz -d), expected ibnetdiscover text");
	refused_n("\x1f\x8b\x08\0", 4, "x: found data compressed by gzip (unpack it first: gzip -d)");
	refused_n("BZh91AY", 7, "x: found data compressed by bzip2 (unpack it first: bzip2 -d)");
	refused_n("\x28\xb5\x2f\xfd\x04", 5, "x: found data compressed by zstd (unpack it first: zstd -d)");
	refused_n("\x04\x22\x4d\x18\x04", 5, "x: found data compressed by lz4 (unpack it first: lz4 -d)");
	refused_n("PK\3\4\x14\0", 6, "x: found a zip archive (unpack it first: unzip)");
	refused_n("7z\xbc\xaf\x27\x1c\0", 7, "x: found a 7z archive (unpack it first: 7z x)");
	memcpy(tar + 257, "ustar", 5);
	refused_n(tar, sizeof(tar), "x: found a tar archive (unpack it first: tar xf)");
	refused_n("\xff\xfe#\0\n\0", 6, "x: found UTF-16 text (convert it first: iconv -f UTF-16 -t UTF-8)");
	refused_n("\xfe\xff\0#\0\n", 6, "x: found UTF-16 text (convert it first: iconv -f UTF-16 -t UTF-8)");
	refused_n("v\0e\0n\0", 6, "x: found UTF-16 text (convert it first: iconv -f UTF-16LE -t UTF-8)");
	refused_n("\0v\0e\0n", 6, "x: found UTF-16 text (convert it first: iconv -f UTF-16BE -t UTF-8)");
	refused(text, "x: found lines that end in CR alone (convert them first: tr '\\r' '\\n')");
}

/* Lines that end in CR LF are those of a text; a byte order mark before it says nothing. */
static void test_nearly_foreign(void **state)
{
	AUTO_FABRIC struct fabric *f =
		parse("\xef\xbb\xbfSwitch 4 \"a\"\r\n[1] \"b\"[1]\r\n\r\nHca 1 \"b\"\r\n[1] "
		      "\"a\"[1]\r\n");

	assert_int_equal(f->n_nodes, 2);
	assert_int_equal(f->n_links, 1);
}

/* Is each cable of a in b too? */
static bool within(const struct fabric *a, const struct fabric *b)
{
	for (uint32_t l = 0; l < 2 * a->n_links; l++) {
		uint32_t p = a->link_port[l], q = a->port_peer[p];

		uint32_t n = fabric_node_by_guid(b, a->node_guid[a->port_node[p]]);
		uint32_t m = fabric_node_by_guid(b, a->node_guid[a->port_node[q]]);
		if (n == NO_ID || m == NO_ID || a->port_num[p] > b->node_nports[n] ||
		    b->port_peer[b->node_port[n] + a->port_num[p]] != b->node_port[m] + a->port_num[q])
			return false;
	}
	return true;
}

/*
 * A file cut behind any byte is refused, incomplete, or has but cables of the whole.  Fewer in silence are
 * only those of lists of which nothing tells the end.
 */
static void test_cut(void **state)
{
	static const struct {
		const char *file;
		bool ends; /* something tells where it ends */
	} table[] = {
		{"tests/fuzz/corpus/fabric/ibdiagnet.ibnetdiscover", true},
		{"tests/fuzz/corpus/fabric/small.net_dump", true},
		{"tests/fuzz/corpus/fabric/small.net_dump_ext", true},
		{"tests/fuzz/corpus/fabric/labels.db_csv", true},
		{"tests/fuzz/corpus/fabric/old.net_dump", false},
		{"tests/fuzz/corpus/fabric/iblinkinfo.txt", false},
		{"tests/fuzz/corpus/fabric/iblinkinfo-l.txt", false},
		{"tests/fuzz/corpus/fabric/iblinkinfo-S.txt", false},
		{"tests/fuzz/corpus/fabric/ibnetdiscover-p.txt", false},
		{FILES "two-leaf.ibnetdiscover", true},
		{FILES "two-leaf.lst", false},
		{FILES "voltaire-2007-lmc1.ibnetdiscover", true},
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		AUTO_FABRIC struct fabric *whole = load(table[i].file);
		size_t size, step = getenv("LONG") ? 5 : 15;
		AUTO_FREE char *data = read_all(table[i].file, &size);

		assert_int_equal(whole->warnings.missing, 0);
		/* one place in so many, others in each process */
		for (size_t n = 1 + (size_t)getpid() % step; n < size; n += step) {
			AUTO_FABRIC struct fabric *f = NULL;
			struct err e = {0};

			if (fabric_parse("x", data, n, &f, &e))
				continue;
			if (!f->warnings.missing &&
			    (!within(f, whole) || (table[i].ends && f->n_links < whole->n_links)))
				fail_msg("%s cut behind %zu bytes: %u links", table[i].file, n, f->n_links);
		}
	}
}

/* Files of other kinds that people try: what they are, and what takes them.  Values are made up. */
static void test_kinds(void **state)
{
	static const struct {
		const char *text, *is;
	} table[] = {
		{"Errors for \"h 1, HCA\"\n   GUID 0xb1 port 1: [VL15Dropped == 1]\n",
		 "counters (ibqueryerrors)"},
		{"Data Counters for 0xb1 \"h\"\n   GUID 0xb1 port 1: [PortXmitData == 1]\n"
		 "       Link info:    7   1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>  0xa1   2   3[  ] "
		 "\"s\" ( )\n",
		 "counters (ibqueryerrors)"},
		{"Switch\t: 0x00a1 ports 36 \"s\" base port 0 lid 5 lmc 0\n",
		 "a list of nodes (ibnetdiscover -l"},
		{"Multicast mlids [0xc000-0xc3ff]\n", "multicast tables"},
		{"osm_ucast_mgr_dump_ucast_routes: Switch 0x1\n", "forwarding tables (osm.fdbs)"},
		{"Switch: guid 0x1\n", "a hop matrix"},
		{"\n# Port extended counters: Lid 7 port 1\nPortSelect:......1\n",
		 "counters of a port (perfquery)"},
		{"#warn: counter LinkDowned = 3 \t(threshold 1) lid 7 port 1\n", "counters (ibcheckerrors)"},
		{"sminfo: sm lid 2 sm guid 0xa1, activity count 1 priority 0 state 3 SMINFO_MASTER\n",
		 "where the subnet manager is (sminfo), expected a fabric, as `ibnetdiscover > FILE` writes "
		 "it; `set "
		 "guid GUID` takes its GUID"},
		{"=====\nQuantum\n=====\npart number        | X\n",
		 "what one switch tells of itself (ibswinfo)"},
		{"uptime (sec)       : 12\n", "what one switch tells of itself (ibswinfo)"},
		{"# This database file was automatically generated by IBDIAG\nGROUP PKey:0x7fff Hosts:2\n",
		 "lists of partitions (ibdiagnet's .pkey)"},
		{"-----\nPort=1 Lid=0x0018 GUID=0xa1 Port Name=s/U1/P1\n-----\nlink_down_counter=0x0\n",
		 "counters or cables of ports (ibdiagnet's .pm, .cables)"},
		{"-----\nNode Name=s/U1\n-----\n", "firmware of nodes (ibdiagnet's .nodes_info)"},
		{"ibdiagnet fabric SM report\n\n  SM - master\n",
		 "a list of subnet managers (ibdiagnet's .sm)"},
		{"[Mar 31 23:43:18 740011][1] -> /x/ibdiagnet2.debug log file opened\n",
		 "messages of ibdiagnet"},
		{"Running version:   \"IBDIAGNET 2.10.0\"\n", "messages of ibdiagnet"},
		{"-----\n-I- Stage   Warnings\n", "messages of ibdiagnet"},
		{"# Match-Reason, Topo-Name, LST-NodeGUID\n", "names of a topology diff (ibdiagnet)"},
		{"# This database file was automatically generated by IBDIAG\n",
		 "a file of ibdiagnet without a node"},
		{"***\nJun 21 13:03:06 711749 [CE4D4740] 0x03 -> OpenSM 5.21\n", "OpenSM's log"},
		{"# nThread 1 nGpus 8 minBytes 1\n", "times of a benchmark (nccl-tests)"},
		{"#   size  count  type   redop    root     time   algbw   busbw #wrong\n",
		 "times of a benchmark"},
		{"------\n            RDMA_Write BW Test\n", "bandwidths of a benchmark (perftest)"},
		{"<h2>HP2P results</h2>\n", "bandwidths of a benchmark (hp2p)"},
		{"SwitchName=a Nodes=n[1-2]\n", "Slurm's topology"},
		{"# two\n#BlockName=a Nodes=n[1-2]\nBlockSizes=2\n", "Slurm's topology"},
		{"NodeName=n1 Arch=x86_64\n", "Slurm's nodes"},
		{"PartitionName=all\n", "Slurm's partitions"},
		{"JobId=1 JobName=x\n", "a job of Slurm (scontrol show job)"},
		{"   JOBID PARTITION  NAME ST NODES NODELIST(REASON)\n", "jobs of Slurm (squeue)"},
		{"PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\nx up 1 1 idle n[1-2]\n",
		 "states of Slurm's nodes"},
		{"SYSTEM LEAF,LEAF:4x\nNODE SW 8 C U1\n", "types of systems for ibdm (.ibnl)"},
		{"port-group\nname: roots\nend-port-group\n",
		 "a policy (port groups, QoS) of the subnet manager"},
		{"torus 4 4 4\n", "a torus-2QoS.conf"},
		{"# A session of ibscope: `source` runs it.\nsynth ring:4\n", "a session of ibscope"},
		{",x,#Fields:StartDevice,StartPort,EndDevice,EndPort\n,,a,1,b,2\n", "a plan of cables"},
		{"<?xml version=\"1.0\"?>\n<fabric name=\"x\">\n", "a plan of cables"},
		{"T a P1 T b P1\nT a P2 T c P1\n", "a plan of cables"},
		{"MPI_Rank,allocation\n0,n1\n", "a list of hosts"},
		{"n0001\nn0002\n# more\nn0003\n", "a list of hosts"},
		{"Default=0x7fff, ipoib:\n  ALL=full;\n", "OpenSM's partitions (partitions.conf)"},
		{"0xa1 \"a name\"\n0xb1 plain\n", "a node-name-map"},
		{"0xa1 1\n0xb1 2\n", "GUIDs with numbers behind them (a port-profile"},
		{"0xa1\n# c\n0xb1\n", "a list of GUIDs (root_guid_file and its like)"},
		{"n1: 0xa1\nn2: 0xb1\n", "hosts and the GUIDs of their ports"},
		{"# all\nrouting_engine updn\n", "options of OpenSM (opensm.conf)"},
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		AUTO_FREE char *found = str_printf("x: found %s", table[i].is);

		refused(table[i].text, found);
		if (!strstr(table[i].is, "expected"))
			refused(table[i].text, ", expected a fabric, as `ibnetdiscover > FILE` writes it");
	}
	refused("root_switches\n",
		"x: found no node (the text begins 'root_switches'), expected ibnetdiscover text");
	refused("hello world 9\n", "x: found no node");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which_text_format),
		cmocka_unit_test(test_both_readers_agree),
		cmocka_unit_test(test_no_fabric),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_nearly_foreign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
