/* The keeper of a simulation, and the process that asks its subnet administrator. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <infiniband/mad.h>
#include "core/base/memory.h"
#include "core/base/outfile.h"
#include "core/base/text.h"
#include "core/source/internal.h"
#include "core/source/live.h"
#include "core/source/simulation.h"

#define TICK_MS 20
#define DEVICES "/dev/infiniband"

/* --- the keeper --------------------------------------------------------------------------------- */

enum { CHILDREN = 3 };

struct keeper {
	char folder[256];
	char library[256];
	struct {
		pid_t pid; /* 0 = none */
		const char *name;
	} child[CHILDREN];
};

static void PRINTF_LIKE(1, 2) simulation_child_tell(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}

bool simulation_library(char *path, size_t size)
{
	static const char *const place[] = {
		"/usr/lib/*/umad2sim/libumad2sim.so", "/usr/lib/umad2sim/libumad2sim.so",
		"/usr/lib64/umad2sim/libumad2sim.so", "/usr/local/lib/umad2sim/libumad2sim.so"};
	glob_t g;

	for (size_t i = 0; i < ARRAY_LEN(place); i++) {
		if (!glob(place[i], 0, NULL, &g)) {
			snprintf(path, size, "%s", g.gl_pathv[0]);
			globfree(&g);
			return true;
		}
	}
	return false;
}

/* Could a program open a device of the folder? */
static bool devices_open(void)
{
	DIR *d = opendir(DEVICES);
	struct dirent *at;
	bool open = false;

	while (d && (at = readdir(d))) {
		char path[300];

		snprintf(path, sizeof(path), DEVICES "/%s", at->d_name);
		open = open || (!strncmp(at->d_name, "umad", 4) && !access(path, R_OK | W_OK));
	}
	if (d)
		closedir(d);
	return open;
}

/* From now on neither this process nor its children see the machine's InfiniBand devices. */
static bool hide_devices(void)
{
	if (access(DEVICES, F_OK))
		return true;
	if ((!unshare(CLONE_NEWNS) || !unshare(CLONE_NEWUSER | CLONE_NEWNS)) &&
	    !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	    !mount("none", DEVICES, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV, "size=4k"))
		return !devices_open();
	return !devices_open();
}

/* Sets the environment of the programs: ours, without what leads to another simulator or a real fabric. */
static void prepare_environment(const struct keeper *k, const char *host, bool preload)
{
	const char *path = getenv("PATH"), *base = strrchr(k->folder, '/');
	AUTO_FREE char *with = str_printf("%s:/usr/sbin:/sbin", path ? path : "/usr/bin:/bin");

	setenv("PATH", with, 1);
	unsetenv("IBSIM_SERVER_NAME");
	unsetenv("IBSIM_SERVER_PORT");
	unsetenv("OSM_PER_MODULE_LOGGING_FILE");
	setenv("IBSIM_SOCKNAME", base + 1, 1);
	setenv("OSM_TMP_DIR", k->folder, 1);
	setenv("OSM_CACHE_DIR", k->folder, 1);
	if (host)
		setenv("SIM_HOST", host, 1);
	if (preload)
		setenv("LD_PRELOAD", k->library, 1);
}

static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT,
			      SIGPIPE}; /* ignored by the keeper, not by its programs */

static void simulation_child_become(const struct keeper *k, const char *name, const char *const *argv,
				    const char *host, pid_t parent)
{
	char log[80];
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
		signal(ignored[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (getppid() != parent || chdir(k->folder))
		_exit(127);
	snprintf(log, sizeof(log), "%s.out", name);
	int in = open("/dev/null", O_RDONLY);
	int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(out, STDERR_FILENO) < 0)
		_exit(127);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	prepare_environment(k, host, host != NULL);
	execvp(argv[0], (char *const *)argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static void start_child(struct keeper *k, const char *name, const char *const *argv, const char *host)
{
	pid_t parent = getpid(), pid;
	int at = 0;

	while (at < CHILDREN && k->child[at].pid)
		at++;
	pid = at < CHILDREN ? fork() : -1;
	if (!pid)
		simulation_child_become(k, name, argv, host, parent);
	if (pid < 0) {
		simulation_child_tell("ended %s 127", name);
		return;
	}
	k->child[at].pid = pid;
	k->child[at].name = name;
	simulation_child_tell("started %s %ld", name, (long)pid);
}

/* "ibsim NODES SWITCHES PORTS" | "opensm HOST" | "paths HOST" */
static void obey(struct keeper *k, char *line)
{
	char *word[4] = {0}, *save = NULL;
	int n = 0;

	for (char *w = strtok_r(line, " ", &save); w && n < 4; w = strtok_r(NULL, " ", &save))
		word[n++] = w;
	if (n == 4 && !strcmp(word[0], "ibsim")) {
		const char *const argv[] = {"ibsim", "-s",    "-n", "-N",    word[1],	     "-S", word[2],
					    "-P",    word[3], "-L", "49152", SIMULATION_NET, NULL};

		start_child(k, "ibsim", argv, NULL);
	} else if (n == 2 && !strcmp(word[0], "opensm")) {
		const char *const argv[] = {"opensm", "-F", SIMULATION_CONF, NULL};

		start_child(k, "opensm", argv, word[1]);
	} else if (n == 2 && !strcmp(word[0], "paths")) {
		const char *const argv[] = {"/proc/self/exe", SIMULATION_SA_FLAG, NULL};

		start_child(k, "paths", argv, word[1]);
	}
}

static const char *temporary(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp && *tmp ? tmp : "/tmp";
}

static bool make_folder(struct keeper *k)
{
	char *whole = realpath(temporary(), NULL); /* absolute: programs run elsewhere */
	int n = whole ? snprintf(k->folder, sizeof(k->folder), "%s/ibscope-verify.XXXXXX", whole) : -1;

	free(whole);
	if (n >= (int)sizeof(k->folder))
		errno = ENAMETOOLONG;
	return n >= 0 && n < (int)sizeof(k->folder) && mkdtemp(k->folder);
}

/* Obeys the lines on standard input. Its end ends the keeper. */
static void simulation_child_serve(struct keeper *k)
{
	struct pollfd pf = {.fd = STDIN_FILENO, .events = POLLIN};
	char line[200];
	size_t len = 0;

	for (;;) {
		int n = poll(&pf, 1, TICK_MS);

		for (int i = 0; i < CHILDREN; i++) {
			int status;

			if (!k->child[i].pid || waitpid(k->child[i].pid, &status, WNOHANG) != k->child[i].pid)
				continue;
			k->child[i].pid = 0;
			simulation_child_tell("ended %s %d", k->child[i].name,
					      WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
		}
		if (n < 0 && errno != EINTR)
			return;
		if (n <= 0)
			continue;
		if (read(STDIN_FILENO, &line[len], 1) != 1)
			return;
		if (line[len] != '\n' && len + 1 < sizeof(line)) {
			len++;
			continue;
		}
		line[len] = '\0';
		obey(k, line);
		len = 0;
	}
}

static int simulation_child_keep(void)
{
	struct keeper k = {0};

	prctl(PR_SET_NAME, "ibscope-verify");
	for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
		signal(ignored[i], SIG_IGN); /* it ends with its parent's pipe, and not before */
	if (!simulation_library(k.library, sizeof(k.library)))
		simulation_child_tell("error ibsim's library libumad2sim.so is not there");
	else if (!hide_devices())
		simulation_child_tell(
			"error %s cannot be hidden from opensm (no mount namespace): not started", DEVICES);
	else if (!make_folder(&k))
		simulation_child_tell("error no folder can be made in %s: %s; TMPDIR names another",
				      temporary(), strerror(errno));
	else {
		simulation_child_tell("folder %s", k.folder);
		simulation_child_serve(&k);
		for (int i = 0; i < CHILDREN; i++)
			if (k.child[i].pid)
				kill(k.child[i].pid, SIGKILL);
		for (int i = 0; i < CHILDREN; i++)
			while (k.child[i].pid && waitpid(k.child[i].pid, NULL, 0) < 0 && errno == EINTR)
				continue;
		remove_tree(k.folder);
		return 0;
	}
	return 1;
}

/* --- asking the subnet administrator --------------------------------------------------------------- */

/* Component mask bits of a PathRecord (InfiniBand architecture, 15.2.5.16). */
#define PR_DLID (1u << 4)
#define PR_SLID (1u << 5)
#define PR_NUMB_PATH (1u << 12)
#define SA_TIMEOUT_MS 2000
#define RECORD_SIZE 2048 /* bytes that libibmad may fill */

/* The subnet administrator has the LID of the local port's subnet manager. */
static bool find_sa(struct ibmad_port *port, ib_portid_t *sa)
{
	uint8_t info[IB_SMP_DATA_SIZE] = {0};
	ib_portid_t local = {0};

	if (!smp_query_via(info, &local, IB_ATTR_PORT_INFO, 0, 0, port))
		return false;
	ib_portid_set(sa, (int)mad_get_field(info, 0, IB_PORT_SMLID_F), 1, IB_DEFAULT_QP1_QKEY);
	return true;
}

/* Is the simulator's library really in this process? */
static bool library_loaded(void)
{
	FILE *f = live_simulated() ? fopen("/proc/self/maps", "r") : NULL;
	char line[600];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, "libumad2sim.so") != NULL;
	if (f)
		fclose(f);
	return found;
}

/* Asks for pairs one by one, since the simulator loses an answer of several packets. */
static void simulation_child_ask_all(struct ibmad_port *port, ib_portid_t *sa, FILE *in, FILE *out)
{
	unsigned slid, dlid;

	setvbuf(out, NULL, _IOLBF, 0);
	while (fscanf(in, "%u %u", &slid, &dlid) == 2) {
		uint8_t record[RECORD_SIZE] = {0};
		ib_sa_call_t call = {.attrid = IB_SA_ATTR_PATHRECORD,
				     .method = IB_MAD_METHOD_GET,
				     .mask = PR_DLID | PR_SLID | PR_NUMB_PATH,
				     .trid = mad_trid()};

		mad_set_field(record, 0, IB_SA_PR_DLID_F, dlid);
		mad_set_field(record, 0, IB_SA_PR_SLID_F, slid);
		mad_set_field(record, 0, IB_SA_PR_NPATH_F, 1);
		if (!sa_rpc_call(port, record, sa, &call, SA_TIMEOUT_MS))
			fprintf(out, "%u %u -\n", slid, dlid);
		else
			fprintf(out, "%u %u %u\n", slid, dlid, mad_get_field(record, 0, IB_SA_PR_SL_F));
	}
}

static int ask_paths(void)
{
	int classes[] = {IB_SMI_CLASS, IB_SMI_DIRECT_CLASS, IB_SA_CLASS}, rc = 1;
	FILE *in = fopen(SIMULATION_PAIRS, "r"), *out = fopen(SIMULATION_PATHS, "w");
	bool loaded = library_loaded();
	struct ibmad_port *port = in && out && loaded ? mad_rpc_open_port(NULL, 0, classes, 3) : NULL;
	ib_portid_t sa = {0};

	if (!loaded)
		fputs("the simulator's library cannot be put before libc in this program, which has libc in "
		      "it (make static); the program of a package can\n",
		      stderr);
	if (port && find_sa(port, &sa)) {
		simulation_child_ask_all(port, &sa, in, out);
		rc = 0;
	}
	if (port)
		mad_rpc_close_port(port);
	if (in)
		fclose(in);
	return out && fclose(out) ? 1 : rc;
}

/* --- being let in -------------------------------------------------------------------------------- */

static atomic_bool let_in;

bool simulation_child_possible(void)
{
	return let_in;
}

int simulation_child_main(int argc, char **argv)
{
	let_in = true;
	if (argc == 2 && !strcmp(argv[1], SIMULATION_CHILD_FLAG))
		return simulation_child_keep();
	if (argc == 2 && !strcmp(argv[1], SIMULATION_SA_FLAG))
		return ask_paths();
	return -1;
}
