/* Files of hosts (`scope @FILE:JOB`): the forms that Slurm's programs print, lists that are cut, names of
 * nodes. */
#include "core/formats/cabling.h"
#include "core/session/patterns.h"
#include "tests/unit/fixture.h"

#define AUTO_HOSTLIST AUTO_BY(hostlist_free)

/* What is read: "a b c", or the message. */
static char *read_job(const char *text, size_t size, const char *job)
{
	struct input in = {"x", text, size, NULL};
	struct text names = {0};
	AUTO_HOSTLIST struct hostlist l;
	struct err e = {0};

	if (hostfile_read(&in, job, &l, &e)) {
		assert_int_equal(l.n, 0);
		return str_dup(e.msg);
	}
	for (size_t i = 0; i < l.n; i++)
		text_add(&names, "%s%s", i ? " " : "", l.name[i]);
	return names.s ? names.s : str_dup("");
}

static void hosts_are(const char *text, const char *job, const char *names)
{
	AUTO_FREE char *found = read_job(text, strlen(text), job);

	assert_string_equal(found, names);
}

static void refused(const char *text, const char *job, const char *part)
{
	AUTO_FREE char *found = read_job(text, strlen(text), job);

	if (strncmp(found, "x:", 2) != 0 || !strstr(found, part))
		fail_msg("expected \"%s\" in \"%s\"", part, found);
}

/* --- lists ------------------------------------------------------------------------------------------ */

static void list_is(const char *text, size_t n, const char *first, const char *last)
{
	AUTO_HOSTLIST struct hostlist l;
	struct err e = {0};

	if (hostlist_read(text, &l, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(l.n, n);
	assert_string_equal(l.name[0], first);
	assert_string_equal(l.name[n - 1], last);
}

static void no_list(const char *text, const char *part)
{
	AUTO_HOSTLIST struct hostlist l;
	struct err e = {0};

	assert_int_equal(hostlist_read(text, &l, &e), -1);
	if (!strstr(e.msg, part))
		fail_msg("expected \"%s\" in \"%s\"", part, e.msg);
}

/* The grammar of Slurm's lists; long ones are read whole, endless ones refused. */
static void test_grammar(void **state)
{
	struct text t = {0};

	list_is("jpbi-[001-005]-l1-[01-03]", 15, "jpbi-001-l1-01", "jpbi-005-l1-03");
	list_is("isw1[0100,0102]", 2, "isw10100", "isw10102");
	list_is("jpbo-006-[01-03,06],jpbo-011-03,login[08,13]", 7, "jpbo-006-01", "login13");
	list_is("a[9-11]", 3, "a9", "a11");
	text_add(&t, "lrdn[");
	for (int i = 1; i < 2000; i += 2)
		text_add(&t, "%s%04d", i > 1 ? "," : "", i);
	text_add(&t, "]");
	assert_true(t.len > 4096);
	list_is(text_str(&t), 1000, "lrdn0001", "lrdn1999");
	text_add(&t, "[1-70]");
	no_list(text_str(&t), "stands for more than 65536 names");
	text_free(&t);
	for (int i = 0; i < 17; i++)
		text_add(&t, "a[1]");
	no_list(text_str(&t), "16 parts");
	text_free(&t);
	for (int i = 0; i < 1025; i++)
		text_putc(&t, 'a');
	no_list(text_str(&t), "1024 bytes");
	text_free(&t);
	no_list("a[1-", "found no ] behind [");
	no_list("a[2-1]", "expected numbers and ranges");
}

static void test_names(void **state)
{
	hosts_are("b2\nb1\r\n\n# done\nb2\n", NULL, "b1 b2");
	hosts_are("n[1-2],m-[01-02].x.org slots=8 max_slots=9 # two\nn2", NULL,
		  "m-01.x.org m-02.x.org n1 n2");
	refused("this is no list\n", NULL,
		"x:1: found \"this is no list\", expected hosts: a name or a list as");
	refused("a1\nNodeName=a2\n", NULL, "x:2: found \"NodeName=a2\"");
	refused("a1\n{\n", NULL, "x:2: ");
	refused("a[1-3],b[0\n", NULL, "x:1: found hosts \"a[1-3],b[0\"; the list may be cut off");
	refused("a1,\n", NULL, "; the list may be cut off");
	refused("a[3-1]\n", NULL, "x:1: \"a[3-1]\": found \"[3-1]\", expected numbers");
	refused("a1\n", "12", "without jobs; expected no job after the file's name");
	refused("", NULL, "found no host");
	refused("# nothing\n\n", "12", "found no");
}

/* --- squeue ----------------------------------------------------------------------------------------- */

static const char squeue[] =
	"Tue Nov 24 10:00:00 2026\n"
	"             JOBID PARTITION     NAME     USER    STATE       TIME TIME_LIMI  NODES "
	"NODELIST(REASON)\n"
	"     591970_[4-9%2]      dev    array     anna  PENDING       0:00   1:00:00      2 "
	"(JobArrayTaskLimit)\n"
	"          591970_3       dev    array     anna  RUNNING       0:10   1:00:00      2 n[07-08]\n"
	"          591970_2       dev    array     anna  RUNNING       0:11   1:00:00      1 n05\n"
	"            591969      prod my solve     bob  COMPLETI       9:00   1:00:00      3 n[01-03]\n"
	"            591971      prod   my mpi      bob  PENDING       0:00   1:00:00     40 (Nodes required "
	"for "
	"job are DOWN, DRAINED or reserved)\n";

/* "job: hosts; job: hosts", or the message. */
static void each_is(const char *text, const char *want)
{
	AUTO_FREE char *copy = mem_dup(text, strlen(text) + 1);
	struct input in = {.name = "x", .data = copy, .size = strlen(copy)};
	AUTO_TEXT struct text found = {0};
	struct job_list l;
	struct err e = {0};

	if (hostfile_each(&in, &l, &e)) {
		text_add(&found, "%s", e.msg);
	} else {
		for (size_t i = 0; i < l.n; i++) {
			text_add(&found, "%s%s:", i ? "; " : "", l.job[i].name);
			for (size_t k = 0; k < l.job[i].hosts.n; k++)
				text_add(&found, " %s", l.job[i].hosts.name[k]);
		}
		job_list_free(&l);
	}
	assert_string_equal(text_str(&found), want);
}

/* All jobs with their hosts in order; steps with their job; lines NAME HOSTS. */
static void test_each(void **state)
{
	each_is("JOBID NAME ST NODES NODELIST(REASON)\n7 a R 3 n[10,2-3]\n9 b PD 2 (Priority)\n8_1 a R 1 "
		"n2\n",
		"7: n10 n2 n3; 8_1: n2");
	each_is("JobID|NNodes|NodeList\n7|2|n[1-2]\n7.batch|1|n1\n8|1|n3\n7.0|2|n[1-2]\n",
		"7: n1 n2 n1 n1 n2; 8: n3");
	each_is("JobId=5 JobName=x\n NumNodes=1 NodeList=n1\nJobId=6 JobName=y\n NodeList=(null)\n", "5: n1");
	each_is("NAME NODELIST\nsolve n[1-4]\nmpi n7\n", "solve: n1 n2 n3 n4; mpi: n7");
	each_is("JOBID NODELIST\n9 (Priority)\n", "x: found no job with hosts, expected lines NAME HOSTS..., "
						  "or what squeue or `scontrol show job` prints");
	each_is("# mine\nsolve n4 n[1-2] # of Anna\n\nb,1 n7\nsolve n9\n", "solve: n4 n1 n2 n9; b,1: n7");
	each_is("a n1\nb\n",
		"x:2: found \"b\" alone, expected NAME HOSTS..., or what squeue or `scontrol show job` "
		"prints, with its heading");
	each_is("a n1 n;2\n", "x:1: found \"n;2\", expected a host or a list as luna-[0160-0175]");
	each_is("a n[1-2\n",
		"x:1: found hosts \"n[1-2\"; the list may be cut off; expected all hosts, as `squeue -o "
		"'%i %D %N'` prints them");
	each_is("a n[2-1]\n", "x:1: \"n[2-1]\": found \"[2-1]\", expected numbers and ranges as in [1-4,7]");
	each_is("NODELIST NODES\nn[1-2] 2\n", "x:2: found hosts of no job, expected a column JOBID or NAME");
	each_is("JOBID NODES NODELIST\n5 3 n[1-2]\n", "x:2: found a list of 2 hosts, but the job has 3: one "
						      "of the two is cut off; expected all hosts, as "
						      "`squeue -o '%i %D %N'` prints them");
	each_is("", "x: found no job with hosts, expected lines NAME HOSTS..., or what squeue or `scontrol "
		    "show job` "
		    "prints");
}

static void test_squeue(void **state)
{
	hosts_are(squeue, NULL, "n01 n02 n03 n05 n07 n08");
	hosts_are(squeue, "591970_3", "n07 n08");
	hosts_are(squeue, "591970", "n05 n07 n08");
	hosts_are(squeue, "array", "n05 n07 n08");
	hosts_are(squeue, "my solve", "n01 n02 n03");
	hosts_are(squeue, "591969", "n01 n02 n03");
	refused(squeue, "591971", "x:7: found no hosts: (Nodes required for job are DOWN, ");
	refused(squeue, "59197",
		"found no job \"59197\", expected one of the 5 that are there: 591970_[4-9%2], 591970_3,");
	/* columns in another order, parted by '|', and where the widths differ */
	hosts_are("NODELIST|JOBID|NAME\nn[1-2]|7|a b\n|8|c\n", NULL, "n1 n2");
	hosts_are("JOBID | NODELIST | NODES\n7 | n[1-2] | 2\n8 | n3 | 1\n", "8", "n3");
	refused("JOBID|NODELIST\n7|a|n[1-2]\n", NULL, "x:2: found another number of '|'");
	hosts_are("JOBID NODELIST\n123456789 n[1-2]\n1 n3\n", "123456789", "n1 n2");
	hosts_are("ARRAY_JOB_ID ARRAY_TASK_ID NODELIST\n5 1 n1\n5 2 n2\n6 N/A n3\n", "5_2", "n2");
	hosts_are("ARRAY_JOB_ID ARRAY_TASK_ID NODELIST\n5 1 n1\n5 2 n2\n6 N/A n3\n", "5", "n1 n2");
	hosts_are("JOBID NODELIST\n5+0 n1\n5+1 n2\n", "5", "n1 n2");
	/* several clusters */
	hosts_are("CLUSTER: a\nJOBID NODES NODELIST\n5 1 n1\n\nCLUSTER: b\nNODELIST JOBID\nn2 6\n", NULL,
		  "n1 n2");
	refused("JOBID NODELIST\n", NULL, "found no host");
	/* other programs */
	hosts_are("PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
		  "fast*        up 1-00:00:00      2    mix n[1-2]\n"
		  "slow         up 1-00:00:00      2   idle n[2-3]\n"
		  "slow         up 1-00:00:00      0    n/a \n",
		  "fast", "n1 n2");
	hosts_are("JobID           JobName   NNodes        NodeList \n"
		  "------------ ---------- -------- --------------- \n"
		  "12                solve        2          n[1-2] \n"
		  "12.batch          batch        1              n1 \n"
		  "13                 wait        2   None assigned \n",
		  "12", "n1 n2");
	refused("JobID           NodeList \n------------ --------------- \n12           lrdn[0001-0003+ \n",
		NULL, "x:3: found hosts \"lrdn[0001-0003+\"; the list may be cut off");
}

/* What a column is too narrow for is never taken for the whole. */
static void test_cut(void **state)
{
	static const char whole[] = "n[001-003,005,007-009,011,013-020]";
	size_t len = strlen(whole);

	for (size_t n = 1; n <= len; n++) {
		AUTO_FREE char *list = str_printf("%.*s", (int)n, whole);
		/* set to the left with another column behind it, to the right before another, at the end */
		char *text[] = {
			str_printf("%-*s NODES JOBID\n%s    16     7\n", (int)n, "NODELIST", list),
			str_printf("JOBID %*s NODES\n    7 %s    16\n", (int)n, "NODELIST", list),
			str_printf("JOBID NODES %*s\n    7    16 %s\n", (int)n, "NODELIST", list),
			str_printf("JOBID NODES|%s\n    7|   16|%s\n", "NODELIST", list),
			str_printf("JobId=7 JobName=a\n   NodeList=%s\n   NumNodes=16 NumCPUs=1\n", list)};

		for (size_t i = 0; i < ARRAY_LEN(text); i++) {
			AUTO_FREE char *found = read_job(text[i], strlen(text[i]), NULL);

			if (i == 3)
				assert_true(strstr(found, "x:2: found another number of '|'") == found);
			else if (n < len && strncmp(found, i < 4 ? "x:2: found" : "x:1: found", 10) != 0)
				fail_msg("of \"%s\": \"%s\"", text[i], found);
			else if (n == len && strncmp(found, "n001 n002 n003 n005", 19) != 0)
				fail_msg("of \"%s\": \"%s\"", text[i], found);
			free(text[i]);
		}
	}
	/* without a number of hosts a list that fills its column may be cut */
	refused("NODELIST            JOBID               \nn[01-02],n04,m[01-2]7                   \n", NULL,
		"cut");
	refused("JOBID   NODELIST\n    7   n1,n2,n3\n   81 n1,n2,n345\n", NULL,
		"x:3: found hosts \"n1,n2,n345\"; the list may be cut off");
	hosts_are("JOBID   NODELIST\n    7   n1,n2,n3\n   81     n1,n34\n", NULL, "n1 n2 n3 n34");
	refused("JOBID NODELIST  \n7     n1,n2,n3  \n8     n1,n2,n34 \n", NULL, "cut");
	hosts_are("JOBID NODELIST    \n7     n1,n2,n3    \n", NULL, "n1 n2 n3");
	refused("NODELIST  JOBID\nn1,n2,n34 7\n", NULL, "cut");
	/* fewer, or more, than NODES tells; those of a job that ends are given back one by one */
	refused("JOBID ST NODES NODELIST\n7 R 4 n[1-3]\n", NULL,
		"found a list of 3 hosts, but the job has 4: one of the two is cut off");
	refused("JOBID ST NODES NODELIST\n7 R 2 n[1-3]\n", NULL, "but the job has 2");
	hosts_are("JOBID ST NODES NODELIST\n7 CG 4 n[1-3]\n", NULL, "n1 n2 n3");
	/* the job that was asked for is whole */
	hosts_are("JOBID ST NODES NODELIST\n7 R 4 n[1-3]\n8 R 1 n4\n", "8", "n4");
	/* a line that was broken */
	refused("JOBID ST NODES NODELIST\n7     R  4\nn[1-4]\n", "7",
		"x:2: found a running job without hosts");
}

/* --- scontrol show job ------------------------------------------------------------------------------- */

static const char records[] =
	"JobId=16951 ArrayJobId=16950 ArrayTaskId=3 JobName=my solve\n"
	"   UserId=anna(1) GroupId=anna(1) MCS_label=N/A\n"
	"   JobState=RUNNING Reason=None Dependency=(null)\n"
	"   ReqNodeList=n[01-99] ExcNodeList=n03\n"
	"   NodeList=n[01-02]\n"
	"   BatchHost=n01\n"
	"   NumNodes=2 NumCPUs=72 NumTasks=72\n"
	"     Nodes=n[01-02] CPU_IDs=0-31 Mem=0 GRES=\n"
	"\n"
	"JobId=16952 JobName=wait\n"
	"   JobState=PENDING Reason=Priority Dependency=(null)\n"
	"   ReqNodeList=n09 ExcNodeList=(null)\n"
	"   NodeList=(null)\n"
	"   NumNodes=4-4 NumCPUs=72\n"
	"\n"
	"JobId=16953 JobName=a b c UserId=anna(1) JobState=RUNNING NodeList=n[05-06] NumNodes=2\n";

static void test_records(void **state)
{
	hosts_are(records, NULL, "n01 n02 n05 n06");
	hosts_are(records, "16951", "n01 n02");
	hosts_are(records, "16950_3", "n01 n02");
	hosts_are(records, "16950", "n01 n02");
	hosts_are(records, "my solve", "n01 n02");
	hosts_are(records, "a b c", "n05 n06");
	refused(records, "wait", "found no hosts: (null); expected those of a job that runs");
	refused(records, "9", "expected one of the 3 that are there: 16951, 16952, 16953");
	refused("JobId=1 JobName=a\n   JobState=RUNNING\n", NULL, "x:1: found a running job without hosts");
	refused("JobId=1 JobName=a\n   NodeList=n[1-2]\n   NumNodes=3\n", NULL, "but the job has 3");
}

/* Cut behind any byte, with any byte changed: an error, or fewer jobs; never a part of a list. */
static void test_damaged(void **state)
{
	for (size_t n = 0; n < strlen(records); n++) {
		AUTO_FREE char *found = read_job(records, n, "16951");

		if (n < strlen(records) && strncmp(found, "x:", 2) != 0)
			assert_string_equal(found, "n01 n02");
	}
	for (size_t i = 0; i < sizeof(squeue) - 1; i++)
		for (int step = getenv("LONG") ? 1 : 45, c = getpid() % step; c < 256; c += step) {
			char *text = mem_dup(squeue, sizeof(squeue));

			text[i] = (char)c;
			free(read_job(text, sizeof(squeue) - 1, NULL));
			free(read_job(text, i, "array"));
			free(text);
		}
}

/* --- names of nodes ---------------------------------------------------------------------------------- */

/* All hosts of the scope by name. */
static void scope_is(const struct session *s, const char *names)
{
	const struct scope *scope = session_scope(s);
	AUTO_TEXT struct text t = {0};

	for (uint32_t i = 0; i < scope->n; i++)
		text_add(&t, "%s%s", i ? "|" : "",
			 s->fabric->node_name[endport_node(s->fabric,
							   scope_endport(s->fabric, &scope->port[i]))]);
	assert_string_equal(text_str(&t), names);
}

static void test_nodes(void **state)
{
	static const char *const name[] = {
		"rack node-2 mlx5_0",	 "node-1 mlx5_0", "node-1 mlx5_1",   "node-10 mlx5_0",
		"node-3.site.org HCA-1", "node-4/U1",	  "node-5-b mlx5_0", "NODE-6"};
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	struct fabric_builder *b = fb_new();
	uint32_t sw = fb_add(b, NODE_SWITCH, 0x1000, 36, "spine-01");
	struct fabric *f = NULL;
	struct err e = {0};

	for (unsigned i = 0; i < ARRAY_LEN(name); i++)
		fb_link(b, sw, i + 1, fb_add(b, NODE_CA, 0x2000 + i, 1, name[i]), 1);
	assert_int_equal(fb_finish(b, "test", "test", &f, &e), 0);
	assert_int_equal(session_set_fabric(s, f, "test", NULL, &e), 0);
	file_write("hosts.txt", "node-[1-6]\n");
	ok_line(s, "scope @hosts.txt");
	scope_is(s, "node-1 mlx5_0|node-1 mlx5_1|node-3.site.org HCA-1|node-4/U1|NODE-6");
	file_write("hosts.txt", "node-1.site.org\nnode\nnode-3\n");
	ok_line(s, "scope @hosts.txt -'node-1 mlx5_1'");
	scope_is(s, "node-1 mlx5_0|node-3.site.org HCA-1");
	line_says(s, "scope @hosts.txt", "@hosts.txt: 1 host not in the fabric: node\n");
	file_write("hosts.txt:a", "JOBID NAME NODELIST\n7 b:c node-3\n8 d node-4\n");
	ok_line(s, "scope @hosts.txt:a:b:c");
	scope_is(s, "node-3.site.org HCA-1");
	ok_line(s, "scope -@hosts.txt:a:d");
	ok_line(s, "scope all; route minhop; fail host @hosts.txt:a; restore all; fail link @hosts.txt:a:8; "
		   "undo; "
		   "load-map to @hosts.txt; flap @hosts.txt:a; roots export - spine-01");
	file_write("hosts.txt:a", "JOBID NAME NODELIST\n7 b:c spine-01,gone\n");
	line_says(s, "roots export - @hosts.txt:a", "1 host not in the fabric: gone\n");
	remove("hosts.txt");
	remove("hosts.txt:a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grammar), cmocka_unit_test(test_names), cmocka_unit_test(test_squeue),
		cmocka_unit_test(test_each),	cmocka_unit_test(test_cut),   cmocka_unit_test(test_records),
		cmocka_unit_test(test_damaged), cmocka_unit_test(test_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
