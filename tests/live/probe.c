/*
 * Program of the live tests: discovers through core/source/live.h and prints what it
 * got in a form that is easy to compare.
 *
 *	probe dump TARGET	nodes and ports; warnings on stderr
 *	probe tables TARGET	forwarding tables: GUID TOP entry entry ...
 *	probe changes TARGET	discover, print "ready", wait for a line, discover, print the changes
 *	probe cancel TARGET MS	cancel after MS milliseconds; print how long it took
 *	probe dying TARGET SECONDS
 *				tell how a discovery that waits SECONDS for answers ends; wait for a line,
 *				discover again, tell that
 *	probe again TARGET N	discover N times; print the number of open files and children left
 *	probe set free|confined	send a Set to the local port, or try to as a discovery process would
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <infiniband/mad.h>
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/routing/switch_tables.h"
#include "core/source/confine.h"
#include "core/source/live.h"

static int fail(const struct err *e)
{
	fprintf(stderr, "probe: %s\n", e->msg);
	return 1;
}

static int discover(const char *target, struct fabric **f, enum live_tables what, struct progress *p,
		    struct err *e)
{
	char *ca;
	int port, rc;

	if (live_parse_target(target, &ca, &port, e))
		return -1;
	rc = live_discover_tables(ca, port, what, LIVE_SILENCE_S, f, p, e);
	free(ca);
	return rc;
}

static void dump_port(const struct fabric *f, uint32_t p)
{
	uint32_t q = f->port_peer[p];

	printf("port 0x%016" PRIx64 " %u", f->node_guid[f->port_node[p]], f->port_num[p]);
	if (f->port_endport[p] != NO_ID)
		printf(" guid 0x%016" PRIx64 " lid %u lmc %u", f->port_guid[p], f->port_lid[p],
		       f->port_lmc[p]);
	if (q != NO_ID)
		printf(" to 0x%016" PRIx64 " %u %s%s %s", f->node_guid[f->port_node[q]], f->port_num[q],
		       link_width_name(f->port_width[p]), link_speed_name(f->port_speed[p]),
		       f->port_state[p] == PORT_ACTIVE ? "active"
		       : f->port_state[p] == PORT_INIT ? "init"
						       : "other");
	printf("\n");
}

static int dump(const char *target)
{
	struct fabric *f = NULL;
	struct progress p = {0};
	struct err e;

	if (discover(target, &f, LIVE_NO_TABLES, &p, &e))
		return fail(&e);
	printf("format %s source %s found %u sm 0x%016" PRIx64 "\n", f->format, f->source, p.done,
	       f->port_guid[f->endport_port[f->sm_endport]]);
	for (uint32_t n = 0; n < f->n_nodes; n++)
		printf("node 0x%016" PRIx64 " type %u ports %u vendor 0x%x device 0x%x system 0x%016" PRIx64
		       " cap %u esp0 "
		       "%u "
		       "chassis %u place %s name %s\n",
		       f->node_guid[n], f->node_type[n], f->node_nports[n], f->node_vendor[n],
		       f->node_device[n], f->node_sysguid[n],
		       f->node_switch[n] == NO_ID ? 0 : f->switch_fdb_cap[f->node_switch[n]],
		       f->node_switch[n] == NO_ID ? 0 : f->switch_esp0[f->node_switch[n]], f->node_chassis[n],
		       f->node_chassis_place[n] ? f->node_chassis_place[n] : "-", f->node_desc[n]);
	for (uint32_t i = 0; i < f->n_ports; i++)
		if (f->port_endport[i] != NO_ID || f->port_peer[i] != NO_ID)
			dump_port(f, i);
	for (size_t i = 0; i < f->warnings.n; i++)
		fprintf(stderr, "warning: %s: %s\n", f->warnings.w[i].kind, f->warnings.w[i].text);
	fabric_unref(f);
	return 0;
}

static int dump_tables(const char *target)
{
	struct fabric *f = NULL;
	const struct switch_tables *t;
	struct err e;

	if (discover(target, &f, LIVE_LFTS, NULL, &e))
		return fail(&e);
	t = fabric_switch_tables(f);
	for (uint32_t s = 0; s < t->n_switches; s++) {
		printf("0x%016" PRIx64 " %u", f->node_guid[f->switch_node[s]], t->top[s]);
		for (unsigned lid = 0; t->lft[s] && lid <= t->top[s]; lid++)
			printf(" %u", t->lft[s][lid]);
		printf("\n");
	}
	fabric_unref(f);
	return 0;
}

static int changes(const char *target)
{
	struct fabric *a = NULL, *b = NULL;
	struct text lines = {0};
	struct err e;
	unsigned n;

	if (discover(target, &a, LIVE_NO_TABLES, NULL, &e))
		return fail(&e);
	printf("ready\n");
	fflush(stdout);
	while (getchar() != '\n' && !feof(stdin))
		continue;
	if (discover(target, &b, LIVE_NO_TABLES, NULL, &e)) {
		fabric_unref(a);
		return fail(&e);
	}
	n = fabric_changes(a, b, &lines);
	printf("%s%u changes\n", text_str(&lines), n);
	text_free(&lines);
	fabric_unref(a);
	fabric_unref(b);
	return 0;
}

struct canceller {
	struct progress p;
	unsigned ms;
};

static void *cancel_later(void *arg)
{
	struct canceller *c = arg;

	usleep(c->ms * 1000);
	atomic_store(&c->p.cancel, true);
	return NULL;
}

static int cancel(const char *target, unsigned ms)
{
	struct canceller c = {.ms = ms};
	struct fabric *f = NULL;
	struct err e;
	pthread_t t;
	int rc;

	pthread_create(&t, NULL, cancel_later, &c);
	rc = discover(target, &f, LIVE_NO_TABLES, &c.p, &e);
	pthread_join(t, NULL);
	if (!rc) {
		fabric_unref(f);
		printf("finished before\n");
		return 0;
	}
	printf("%s, children left %d\n", e.msg, waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD ? 0 : 1);
	return 1;
}

static void tell_end(struct fabric *f, int rc, const struct err *e)
{
	bool alone = waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;

	printf("%s, children left %d\n", rc ? e->msg : "found", alone ? 0 : 1);
	fflush(stdout);
	if (!rc)
		fabric_unref(f);
}

static int dying(const char *target, unsigned silence)
{
	struct fabric *f = NULL;
	struct err e = {0};
	int rc = live_discover_tables(NULL, 0, LIVE_NO_TABLES, silence, &f, NULL, &e);

	tell_end(f, rc, &e);
	while (getchar() != '\n' && !feof(stdin))
		continue;
	rc = discover(target, &f, LIVE_NO_TABLES, NULL, &e);
	tell_end(f, rc, &e);
	return rc ? 1 : 0;
}

static int open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static int again(const char *target, int n)
{
	int before = open_files();
	struct err e;

	for (int i = 0; i < n; i++) {
		struct fabric *f = NULL;

		if (discover(target, &f, LIVE_NO_TABLES, NULL, &e))
			return fail(&e);
		fabric_unref(f);
	}
	printf("files left open %d, children left %d\n", open_files() - before,
	       waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD ? 0 : 1);
	return 0;
}

static int set(bool confined)
{
	int classes[] = {IB_SMI_CLASS, IB_SMI_DIRECT_CLASS};
	struct ibmad_port *via = mad_rpc_open_port(NULL, 0, classes, 2);
	uint8_t info[IB_SMP_DATA_SIZE] = {0};
	ib_portid_t self = {0};

	if (!via || !smp_query_via(info, &self, IB_ATTR_PORT_INFO, 0, 1000, via)) {
		fprintf(stderr, "probe: the local port does not answer\n");
		return 1;
	}
	if (confined)
		confine_start(false);
	printf("%s\n", smp_set_via(info, &self, IB_ATTR_PORT_INFO, 0, 1000, via) ? "answered" : "no answer");
	mad_rpc_close_port(via);
	return 0;
}

int main(int argc, char **argv)
{
	int status = live_child_main(argc, argv);

	if (status >= 0)
		return status;
	if (argc == 3 && !strcmp(argv[1], "dump"))
		return dump(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "tables"))
		return dump_tables(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "changes"))
		return changes(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "cancel"))
		return cancel(argv[2], (unsigned)atoi(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "dying"))
		return dying(argv[2], (unsigned)atoi(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "again"))
		return again(argv[2], atoi(argv[3]));
	if (argc == 3 && !strcmp(argv[1], "set"))
		return set(!strcmp(argv[2], "confined"));
	fprintf(stderr, "usage: probe dump|tables|changes|cancel|dying|again TARGET [N]... | probe set "
			"free|confined\n");
	return 2;
}
