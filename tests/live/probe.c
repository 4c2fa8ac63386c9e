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
 *	probe set free		send a Set to the local port
 *	probe write SWITCH LID PORT
 *				change an entry of the switch with that LID, behind the subnet manager's back
 *	probe taken SEED	what code that has taken over the worker of a discovery might try: a line for
 *each system call with its errno, then for each kind of MAD how often one was answered
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>
#include "core/base/err.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/routing/routing.h"
#include "core/fabric/changes.h"
#include "core/source/gate.h"
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
	int port;

	if (live_parse_target(target, &ca, &port, e))
		return -1;
	*f = live_discover_tables(ca, port, what, LIVE_SILENCE_S, p, e);
	free(ca);
	return *f ? 0 : -1;
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
	n = fabric_changes(a, b, NULL, &lines, NULL);
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
	struct err e = {0};
	struct fabric *f = live_discover_tables(NULL, 0, LIVE_NO_TABLES, silence, NULL, &e);
	int rc = f ? 0 : -1;

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

static int set(void)
{
	int classes[] = {IB_SMI_CLASS, IB_SMI_DIRECT_CLASS};
	struct ibmad_port *via = mad_rpc_open_port(NULL, 0, classes, 2);
	uint8_t info[IB_SMP_DATA_SIZE] = {0};
	ib_portid_t self = {0};

	if (!via || !smp_query_via(info, &self, IB_ATTR_PORT_INFO, 0, 1000, via)) {
		fprintf(stderr, "probe: the local port does not answer\n");
		return 1;
	}
	printf("%s\n", smp_set_via(info, &self, IB_ATTR_PORT_INFO, 0, 1000, via) ? "answered" : "no answer");
	mad_rpc_close_port(via);
	return 0;
}

/* One entry of a forwarding table; over a simulation alone. */
static int write_entry(unsigned sw, unsigned lid, unsigned port)
{
	int classes[] = {IB_SMI_CLASS, IB_SMI_DIRECT_CLASS};
	struct ibmad_port *via = mad_rpc_open_port(NULL, 0, classes, 2);
	uint8_t block[IB_SMP_DATA_SIZE] = {0};
	ib_portid_t to = {.lid = (int)sw};
	bool good = via && smp_query_via(block, &to, IB_ATTR_LINEARFORWTBL, lid / 64, 2000, via);

	block[lid % 64] = (uint8_t)port;
	good = good && smp_set_via(block, &to, IB_ATTR_LINEARFORWTBL, lid / 64, 2000, via);
	if (via)
		mad_rpc_close_port(via);
	printf("%s\n", good ? "written" : "no answer");
	return !good;
}

/* --- taken over ------------------------------------------------------------------------ */

static void told(const char *call, long result)
{
	printf("%s %d\n", call, result < 0 ? errno : 0);
}

static void try_calls(void)
{
	pid_t gate = (pid_t)syscall(SYS_getppid), own = (pid_t)syscall(SYS_getpid);
	char byte = 0;
	struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)&byte, 1};

	told("getppid", gate);
	told("kill", syscall(SYS_kill, 1, 0));
	told("tkill", syscall(SYS_tkill, own, 0));
	told("tgkill-other", syscall(SYS_tgkill, 1, 1, 0));
	told("tgkill-own", syscall(SYS_tgkill, own, syscall(SYS_gettid), 0));
	told("queue", syscall(SYS_rt_sigqueueinfo, 1, 0, NULL));
	told("pidfd", syscall(SYS_pidfd_open, 1, 0));
	told("ptrace", syscall(SYS_ptrace, PTRACE_SEIZE, 1, 0, 0));
	told("memory", syscall(SYS_process_vm_writev, 1, &here, 1, &there, 1, 0));
	told("ioctl", syscall(SYS_ioctl, 0, FIONREAD, &byte));
	told("fcntl-getfl", syscall(SYS_fcntl, 0, F_GETFL));
	told("fcntl-setown", syscall(SYS_fcntl, 0, F_SETOWN, 1));
	told("fcntl-dup", syscall(SYS_fcntl, 0, F_DUPFD, 0));
	told("fcntl-setfl", syscall(SYS_fcntl, 0, F_SETFL, 0));
	told("open", syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY));
	told("socket", syscall(SYS_socket, AF_UNIX, SOCK_DGRAM, 0));
	told("fork", syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL));
	told("exec", syscall(SYS_execve, "", NULL, NULL));
	told("prctl", syscall(SYS_prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0));
	told("code",
	     syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

/* Send it; 1: it came back from the fabric, 0: with an error, or not. */
static unsigned try_mad(int port, uint8_t *umad, const uint8_t *mad)
{
	int length = IB_MAD_SIZE;

	memset(umad, 0, umad_size() + IB_MAD_SIZE);
	umad_set_addr(umad, 0xffff, 0, 0, 0);
	memcpy(umad_get_mad(umad), mad, IB_MAD_SIZE);
	if (umad_send(port, mad[1], umad, IB_MAD_SIZE, 500, 0))
		return 0;
	return umad_recv(port, umad, &length, 5000) >= 0 && !umad_status(umad);
}

/* A Get of the local PortInfo, by a directed route without hops. */
static void make_get(uint8_t *mad, unsigned n)
{
	static const uint8_t head[] = {1, IB_SMI_DIRECT_CLASS, 1, IB_MAD_METHOD_GET};

	memset(mad, 0, IB_MAD_SIZE);
	memcpy(mad, head, sizeof(head));
	mad_set_field(mad, 0, IB_MAD_TRID_F, n);
	mad[17] = IB_ATTR_PORT_INFO;
	memset(mad + 32, 0xff, 4);
}

static int taken(unsigned seed)
{
	static const uint8_t byte[] = {0, 1, 2, 3, 16, 17};
	unsigned n = 1, sets = 0, vendors = 0, wild = 0, gets = 0, changed = 0;
	int classes[] = {IB_SMI_CLASS, IB_SMI_DIRECT_CLASS};
	pid_t worker = gate_start();
	uint8_t mad[IB_MAD_SIZE], *umad = calloc(1, umad_size() + IB_MAD_SIZE), raw[4096];
	struct stat st;
	bool right;
	int port;

	if (worker)
		return gate_serve(worker, classes, 2);
	srandom(seed);
	setvbuf(stdout, NULL, _IOFBF, 65536);
	printf("told\n");
	port = umad_open_port(NULL, 0);
	make_get(mad, n++);
	gets += try_mad(port, umad, mad);
	try_calls();
	for (unsigned m = 0; m < 256; m++) { /* methods: Set, GetTable, Trap, answers, ... */
		make_get(mad, n++);
		mad[3] = (uint8_t)m;
		if (m != IB_MAD_METHOD_GET)
			sets += try_mad(port, umad, mad);
	}
	for (unsigned a = 0xff00; a < 0x10000; a++) {
		make_get(mad, n++);
		mad[16] = 0xff;
		mad[17] = (uint8_t)a;
		if (a != 0xff90)
			vendors += try_mad(port, umad, mad);
	}
	for (unsigned i = 0; i < 1000; i++) { /* a Get with some bytes changed; bytes of any value */
		make_get(mad, n++);
		for (unsigned k = 0; k < 2; k++)
			mad[byte[random() % 6]] = (uint8_t)random();
		/* a Get of the other class stays a Get */
		right = mad[0] == 1 && (mad[1] == IB_SMI_CLASS || mad[1] == IB_SMI_DIRECT_CLASS) &&
			mad[2] == 1 && mad[3] == IB_MAD_METHOD_GET;
		changed += !right && try_mad(port, umad, mad);
		for (unsigned k = 0; k < IB_MAD_SIZE; k++)
			mad[k] = (uint8_t)random();
		wild += try_mad(port, umad, mad);
	}
	make_get(mad, n++);
	gets += try_mad(port, umad, mad);
	printf("methods %u\nvendors %u\nchanged %u\nwild %u\ngets %u\n", sets, vendors, changed, wild, gets);
	fflush(stdout);
	/* at last bytes for whatever is open, a Set as the device takes it among them */
	for (int fd = 3; fd < 1100; fd++) {
		if (fstat(fd, &st) || S_ISREG(st.st_mode)) /* a file: the log of what is sent */
			continue;
		make_get(mad, n++);
		mad[3] = IB_MAD_METHOD_SET;
		memset(umad, 0, umad_size());
		umad_set_addr(umad, 0xffff, 0, 0, 0);
		memcpy(umad_get_mad(umad), mad, IB_MAD_SIZE);
		memcpy(raw, mad, IB_MAD_SIZE);
		memset(raw + IB_MAD_SIZE, 0, 16);
		syscall(SYS_write, fd, raw, IB_MAD_SIZE + 16);
		syscall(SYS_write, fd, umad, umad_size() + IB_MAD_SIZE);
		for (unsigned k = 0; k < sizeof(raw); k++)
			raw[k] = (uint8_t)random();
		for (unsigned i = 0; i < 100; i++)
			if (syscall(SYS_sendto, fd, raw, random() % sizeof(raw), MSG_NOSIGNAL, NULL, 0) < 0)
				break;
	}
	_exit(0);
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
		return set();
	if (argc == 5 && !strcmp(argv[1], "write"))
		return write_entry((unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]), (unsigned)atoi(argv[4]));
	if (argc == 3 && !strcmp(argv[1], "taken"))
		return taken((unsigned)atoi(argv[2]));
	fprintf(stderr,
		"usage: probe dump|tables|changes|cancel|dying|again TARGET [N]... | probe set free | "
		"probe write SWITCH LID PORT | probe taken SEED\n");
	return 2;
}
