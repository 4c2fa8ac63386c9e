/* Live discovery, the parent's side: the process, its stream, and what may be wrong with either. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/permit.h"
#include "core/base/program.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/builder.h"
#include "core/fabric/fabric.h"
#include "core/routing/routing.h"
#include "core/source/live.h"

#define TICK_MS 50	/* interval of checks for cancelling */
#define NO_ANSWERS 3	/* factor for silence when errors come, but no answers */
#define GONE_S 1.0	/* silence after which the simulator is checked */
#define POLITE_S 0.4	/* time to leave after a cancel, before SIGKILL */
#define END_S 3.0	/* time to end after the last output */
#define MAX_CHATTER 20	/* lines of the library to keep */
#define MOST_SAID 65536 /* bytes of its messages to keep */

enum { STREAM_OUT, STREAM_ERR, STREAM_DATA, N_STREAMS };
static_assert(STREAM_DATA + 1 == LIVE_DATA_FD, "the child has them behind its standard input");

/* The discovery process and the data that has come from it. */
struct child {
	pid_t pid;
	int keep; /* its stdin: closing it tells it to leave */
	int fd[N_STREAMS];
	struct text line;   /* of stdout, not yet ended */
	struct text errors; /* its stderr */
	uint8_t *data;
	size_t size, cap;
	unsigned count; /* nodes found, or tables read */
	bool tables;	/* discovery is over, tables are being read */
	double silence; /* seconds allowed */
	double last;	/* when something came */
	double answer;	/* when an answer came last, or the start */
	double looked;	/* when the simulator was looked for */
};

/* --- starting ------------------------------------------------------------------ */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* end[0]: child's stdin, end[1..]: its stdout, stderr and data. */
static int spawn(pid_t *pid, const int end[4], char **argv)
{
	static char mark[] = LIVE_CHILD_MARK "=1"; /* it is a discovery process */
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;

	posix_spawn_file_actions_init(&fa);
	program_attributes(&at, POSIX_SPAWN_SETSID);
	for (int i = 0; i < 4; i++)
		posix_spawn_file_actions_adddup2(&fa, end[i], i);
	posix_spawn_file_actions_addclosefrom_np(&fa, LIVE_DATA_FD + 1);
	AUTO_FREE char **envp = program_environment(NULL, mark);
	int rc = posix_spawn(pid, "/proc/self/exe", &fa, &at, argv, envp);
	posix_spawn_file_actions_destroy(&fa);
	posix_spawnattr_destroy(&at);
	return rc;
}

static int live_start(struct child *c, const char *ca, int port, enum live_tables what, struct err *e)
{
	char name[] = "ibscope", flag[] = LIVE_CHILD_FLAG, num[16], tables[4];
	AUTO_FREE char *device = str_dup(ca ? ca : "");
	char *argv[] = {name, flag, device, num, tables, NULL};
	int p[4][2], end[4], rc = 0;

	if (!live_child_possible())
		return err_set(e, "this program was not made for live discovery");
	snprintf(num, sizeof(num), "%d", port);
	snprintf(tables, sizeof(tables), "%d", (int)what);
	for (int i = 0; i < 4; i++) {
		if (program_pipe(p[i]) && !rc)
			rc = errno;
		end[i] = p[i][i ? 1 : 0];
	}
	if (!rc)
		rc = spawn(&c->pid, end, argv);
	for (int i = 0; i < 4; i++)
		close_fd(&p[i][i ? 1 : 0]);
	if (rc) {
		for (int i = 0; i < 4; i++)
			close_fd(&p[i][i ? 0 : 1]);
		return err_set_kind(e, ERR_IO, "cannot start the discovery process: %s%s",
				    rc == ENOENT ? "/proc/self/exe: " : "", strerror(rc));
	}
	c->keep = p[0][1];
	for (int i = 0; i < N_STREAMS; i++)
		c->fd[i] = p[i + 1][0];
	c->last = c->answer = c->looked = now_seconds();
	return 0;
}

/* --- ending -------------------------------------------------------------------- */

/* Wait up to `seconds` for the end; true when it has ended. */
static bool ended(struct child *c, double seconds, int *status)
{
	double until = now_seconds() + seconds;

	for (;;) {
		pid_t r = waitpid(c->pid, status, WNOHANG);

		if (r == c->pid)
			return true;
		if (r < 0 && errno != EINTR) {
			*status = 0; /* somebody else (SIGCHLD ignored) collects children; the stream has a
					tail */
			return true;
		}
		if (now_seconds() >= until)
			return false;
		poll(NULL, 0, 10);
	}
}

/* Collects the process.  If it is not done, it is first asked to leave; if it stays, it is ended by force. */
static int live_stop(struct child *c, bool done)
{
	int status = 0;

	assert(c->pid > 0); /* -1 would mean every process */
	if (!done)
		close_fd(&c->keep);
	if (!ended(c, done ? END_S : POLITE_S, &status)) {
		kill(c->pid, SIGKILL);
		ended(c, END_S, &status);
	}
	close_fd(&c->keep);
	live_remove_folder(c->pid);
	for (int i = 0; i < N_STREAMS; i++)
		close_fd(&c->fd[i]);
	return status;
}

/* --- listening ----------------------------------------------------------------- */

static int live_take(struct child *c, int stream, const char *s, size_t n, struct progress *p, struct err *e)
{
	unsigned tables;

	c->last = now_seconds();
	if (stream == STREAM_ERR) {
		for (size_t i = 0; i < n && c->errors.len < MOST_SAID; i++)
			text_putc(&c->errors, s[i] ? s[i] : ' ');
		return 0;
	}
	c->answer = c->last;
	for (size_t i = 0; stream == STREAM_OUT && i < n; i++) {
		if (s[i] != '\n') {
			if (c->line.len < MOST_SAID)
				text_putc(&c->line, s[i]);
			continue;
		}
		/* the library's "... -> new Switch {guid} ...", or a line about tables */
		if (sscanf(text_str(&c->line), "tables %u", &tables) == 1) {
			c->count = 0;
			c->tables = true;
			if (p)
				progress_start(p, "reading forwarding tables", tables);
		} else if (c->tables ? !strcmp(text_str(&c->line), "table")
				     : strstr(text_str(&c->line), " -> new ") != NULL) {
			c->count++;
		}
		text_free(&c->line);
	}
	if (stream == STREAM_OUT)
		return 0;
	if (c->size + n > c->cap) {
		if (mem_room(e, 2 * (c->size + n), "what the discovery process sends"))
			return -1;
		c->cap = 2 * (c->size + n);
		c->data = mem_resize(c->data, c->cap, 1);
	}
	memcpy(c->data + c->size, s, n);
	c->size += n;
	return 0;
}

static int read_streams(struct child *c, const struct pollfd *pf, struct progress *p, struct err *e)
{
	char buf[16384];
	int rc = 0;

	for (int i = 0; i < N_STREAMS; i++) {
		if (pf[i].fd < 0 || !pf[i].revents)
			continue;
		ssize_t n = read(c->fd[i], buf, sizeof(buf));
		if (n > 0)
			rc |= live_take(c, i, buf, (size_t)n, p, e);
		else if (n == 0 || (errno != EINTR && errno != EAGAIN))
			close_fd(&c->fd[i]);
	}
	return rc;
}

static const char *what_came(const struct child *c, char *buf, size_t size)
{
	if (!c->count)
		return "";
	snprintf(buf, size, " (%u %s had come)", c->count, c->tables ? "tables" : "nodes");
	return buf;
}

/* -1 and *e when the simulator is gone. */
static int check_simulator(const struct child *c, struct err *e)
{
	char name[100], found[64];

	if (!live_simulator_gone(name, sizeof(name)))
		return 0;
	return err_set(e, "no answer: the ibsim with the socket name \"%s\" (IBSIM_SOCKNAME) has ended%s",
		       name, what_came(c, found, sizeof(found)));
}

/* -1 and *e when nothing comes any more, or only errors. */
static int check_silence(struct child *c, struct err *e)
{
	double now = now_seconds(), silent = now - c->last;
	char buf[64];
	const char *found = what_came(c, buf, sizeof(buf));

	if (silent > GONE_S && now - c->looked > GONE_S) {
		c->looked = now;
		if (check_simulator(c, e))
			return -1;
	}
	if (silent > c->silence)
		return err_set(e, "no answer from the %s for %.0f s%s; `live wait SECONDS` waits longer",
			       c->count ? "fabric" : "InfiniBand device", c->silence, found);
	if (now - c->answer > NO_ANSWERS * c->silence)
		return err_set(
			e,
			"nothing but errors from the fabric for %.0f s%s; `live wait SECONDS` waits longer",
			NO_ANSWERS * c->silence, found);
	return 0;
}

/* Wait until the child has closed everything.  -1 and *e: cancelled, or it fell silent. */
static int live_listen_to(struct child *c, struct progress *p, struct err *e)
{
	for (;;) {
		struct pollfd pf[N_STREAMS];
		bool open = false;

		for (int i = 0; i < N_STREAMS; i++) {
			pf[i] = (struct pollfd){.fd = c->fd[i], .events = POLLIN};
			open = open || c->fd[i] >= 0;
		}
		if (!open)
			return 0;
		if (poll(pf, N_STREAMS, TICK_MS) > 0 && read_streams(c, pf, p, e))
			return -1;
		if (!progress_step(p, c->count))
			return err_set(e, CANCELLED);
		if (check_silence(c, e))
			return -1;
	}
}

/* --- messages of the library ------------------------------------------------------- */

/* A line of the library without "ibwarn: [pid] " or "script.c; "; NULL when it says nothing. */
static const char *plain_line(const char *s)
{
	const char *t = s;

	if (strstr(s, "sim_connect: attached") || !strncmp(s, "cannot opendir ./sys-", 21))
		return NULL; /* the simulator's library: this program removes its folder */
	if (!strncmp(s, "ibwarn: [", 9) && (t = strstr(s, "] ")))
		return t + 2;
	t = strstr(s, ".c:");
	if (t && isdigit((unsigned char)t[3])) {
		t += 3 + strspn(t + 3, "0123456789");
		if (!strncmp(t, "; ", 2))
			return t + 2;
	}
	return *s ? s : NULL;
}

/* Tells the lines of the library, as warnings or (w NULL) in one text. */
static void live_tell_said(struct text *errors, struct warnings *w, struct text *t)
{
	char *save = NULL, *s = errors->len ? strtok_r(errors->s, "\r\n", &save) : NULL;

	for (unsigned n = 0; s && n < MAX_CHATTER; s = strtok_r(NULL, "\r\n", &save)) {
		const char *plain = plain_line(s);
		n += plain != NULL;
		if (plain && w)
			warnings_add(w, "discovery", 0, "%s", plain);
		else if (plain)
			text_add(t, "%s%s", t->len ? "; " : "", plain);
	}
}

/* Adds to *why what prevents opening any device, if anything does. */
static void device_trouble(struct text *why)
{
	glob_t g;
	bool usable = false;

	if (glob("/dev/infiniband/umad*", 0, NULL, &g)) {
		text_add(why,
			 "no InfiniBand device: /dev/infiniband/umad* does not exist (is the ib_umad module "
			 "loaded? `modprobe ib_umad`; %s loads it at start)",
			 package_of(PACKAGE_RDMA));
		return;
	}
	for (size_t i = 0; i < g.gl_pathc; i++)
		usable = usable || !access(g.gl_pathv[i], R_OK | W_OK);
	if (!usable)
		text_add(why, "no permission to open %s: run as root or join its group", g.gl_pathv[0]);
	globfree(&g);
}

static int explain(struct child *c, const char *source, int status, struct err *e)
{
	AUTO_TEXT struct text why = {0}, said = {0};

	/* the simulator's end may kill the process */
	if (WIFSIGNALED(status) && check_simulator(c, e))
		return -1;
	live_tell_said(&c->errors, NULL, &said);
	if (!live_simulated())
		device_trouble(&why);
	if (!why.len)
		text_add(&why, "discovery from %s failed", source);
	if (WIFSIGNALED(status))
		text_add(&why, ": the discovery process was ended by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	if (said.len)
		text_add(&why, " (%s)", text_str(&said));
	return err_set(e, "%s", text_str(&why));
}

struct fabric *live_discover_tables(const char *ca, int port, enum live_tables what, unsigned silence,
				    struct progress *p, struct err *e)
{
	struct fabric *f = NULL;
	struct child c = {.pid = -1, .keep = -1, .fd = {-1, -1, -1}, .silence = silence};
	AUTO_FREE char *source = port ? str_printf("%s:%d", ca ? ca : "first CA", port)
				      : str_dup(ca ? ca : "first active port");

	assert(port >= 0 && port <= MAX_PORTS && silence > 0 && silence <= LIVE_SILENCE_MOST);
	if (p)
		progress_start(p, "discovering", 0);
	int rc = permitted(DEED_DEVICE, "a live fabric", e) ? -1 : live_start(&c, ca, port, what, e);
	if (!rc) {
		rc = live_listen_to(&c, p, e);
		int status = live_stop(&c, rc == 0);
		if (!rc && (status || !c.size))
			rc = explain(&c, source, status, e);
		else if (!rc)
			rc = live_read(c.data, c.size, source, what, &f, e);
		/* what cannot be sent fails at once: the process may end before its silence is noticed */
		assert(rc || f);
		if (!rc && f->warnings.missing && check_simulator(&c, e)) {
			fabric_unref(f);
			rc = -1;
		}
		if (!rc)
			live_tell_said(&c.errors, &f->warnings, NULL);
	}
	text_free(&c.line);
	text_free(&c.errors);
	free(c.data);
	return rc ? NULL : f;
}

int live_again(char *const *argv, FILE *to, struct progress *p, struct err *e)
{
	AUTO_TEXT struct text why = {0};

	assert(!strcmp(argv[0], "/proc/self/exe") && argv[1]);
	if (permitted(DEED_DEVICE, "a live fabric", e))
		return -1;
	if (!live_child_possible())
		return err_set(e, "this program was not made for live discovery");
	int rc = program_run(argv, to, p, e);
	if (!rc || progress_cancelled(p))
		return rc;
	if (!live_simulated())
		device_trouble(&why);
	if (why.len)
		err_set(e, "%s", text_str(&why));
	else
		err_set(e, "the port did not answer, or has no counters that may be read");
	return -1;
}

int live_parse_target(const char *word, char **ca, int *port, struct err *e)
{
	const char *colon = strrchr(word, ':');
	size_t n = colon ? (size_t)(colon - word) : strlen(word);
	uint64_t v = 0;

	*ca = NULL;
	*port = 0;
	if (colon && !number_of(colon + 1, 1, MAX_PORTS, &v))
		return err_set(e, "found '%.80s', expected CA, CA:PORT or :PORT with a port from 1 to %d",
			       word, MAX_PORTS);
	*port = (int)v;
	if (n) {
		*ca = str_dup(word);
		(*ca)[n] = '\0';
	}
	return 0;
}

/* Reads the discovery stream. Its sender talks to a fabric that may lie, and that may take the sender over.
 * So nothing in the stream is trusted. Data that this program never sends is an error. Wrong data that can
 * come from a fabric is left out and reported, and makes the fabric incomplete. */

#define MOST_PORTS (1u << 22) /* ports of all nodes: more than MAX_LID nodes have */
#define NOT_SENT 255	      /* number of a port without a record */
static_assert(NOT_SENT > MAX_PORTS, "no port has the number");

struct live_stream_reader {
	const uint8_t *data;
	size_t size, at;
	const char *source;
	struct err *e;
	struct fabric_builder *b;
	struct live_port **port; /* by builder index and number: the records */
	uint32_t n_ports;
};

static bool unreadable(const struct live_stream_reader *r, const char *found, uint64_t value,
		       const char *expected)
{
	err_format(r->e,
		   "discovery from %s: before byte %zu of what the discovery process sent: found %s %" PRIu64
		   ", expected %s",
		   r->source, r->at, found, value, expected);
	return false;
}

static bool live_stream_room(const struct live_stream_reader *r, size_t size)
{
	return r->size - r->at >= size || unreadable(r, "bytes that are left:", r->size - r->at, "more");
}

static bool get(struct live_stream_reader *r, void *to, size_t size)
{
	if (!live_stream_room(r, size))
		return false;
	memcpy(to, r->data + r->at, size);
	r->at += size;
	return true;
}

/* Reports something impossible about a port; the truth is not known. */
static void PRINTF_LIKE(5, 6) live_stream_tell(struct live_stream_reader *r, const char *kind, uint32_t node,
					       unsigned port, const char *fmt, ...)
{
	AUTO_TEXT struct text t = {0};
	va_list ap;

	assert(node < r->b->n);
	va_start(ap, fmt);
	text_addv(&t, fmt, ap);
	va_end(ap);
	warnings_missing(&r->b->warnings, kind, 0, "%s[%u] %s", r->b->node[node].desc, port, t.s);
	warnings_place(&r->b->warnings, r->b->node[node].guid, port);
}

#define IMPOSSIBLE "impossible value"

static void live_stream_set_lid(struct live_stream_reader *r, uint32_t node, const struct live_port *p)
{
	struct fb_node *n = &r->b->node[node];

	if (p->lmc > MAX_LMC || (p->lmc && n->type == NODE_SWITCH && !n->esp0))
		live_stream_tell(r, IMPOSSIBLE, node, p->num, "tells LMC %u", p->lmc);
	else if (p->lid > MAX_LID || p->lid & ((1u << p->lmc) - 1))
		live_stream_tell(r, IMPOSSIBLE, node, p->num, "tells LID %u with LMC %u", p->lid, p->lmc);
	else {
		n->port[p->num].lid = p->lid;
		n->port[p->num].lmc = p->lmc;
	}
	if (!p->guid)
		live_stream_tell(r, IMPOSSIBLE, node, p->num, "tells GUID 0");
}

static void set_port(struct live_stream_reader *r, uint32_t node, const struct live_port *p)
{
	struct fb_node *n = &r->b->node[node];
	struct fb_port *q = &n->port[p->num];

	assert(p->num <= n->nports);
	q->guid = p->guid;
	q->widths = p->widths;
	q->speeds = p->speeds;
	q->ext = p->ext;
	if (p->state <= PORT_ACTIVE)
		q->state = p->state;
	else
		live_stream_tell(r, IMPOSSIBLE, node, p->num, "tells state %u", p->state);
	/* no port that a subnet manager has set up has 0; a base port 0 has no value */
	if (p->opervls > 5 || (!p->opervls && p->num && p->state >= PORT_ARMED))
		live_stream_tell(r, IMPOSSIBLE, node, p->num, "tells OperVLs %u", p->opervls);
	else if (p->opervls)
		q->opervls = p->opervls;
	if (n->type != NODE_SWITCH || !p->num)
		live_stream_set_lid(r, node, p);
}

static uint32_t live_stream_add_node(struct live_stream_reader *r, const struct live_node *n)
{
	uint32_t at = NO_ID;

	if (n->guid && n->type >= NODE_CA && n->type <= NODE_ROUTER && n->nports && n->nports <= MAX_PORTS)
		at = fb_add(r->b, n->type, n->guid, n->nports, n->desc);
	if (at == NO_ID)
		warnings_missing(
			&r->b->warnings, "impossible node", 0,
			"node 0x%016" PRIx64 " (%s) of type %u with %u ports is left out: %s", n->guid,
			n->desc, n->type, n->nports,
			fb_find(r->b, n->guid) == NO_ID
				? "expected type 1 (CA), 2 (switch) or 3 (router), 1 to 254 ports, a GUID"
				: "there is one of this GUID already");
	return at;
}

/* Reads a node and its ports. Cables come later, when all nodes are there. */
static bool get_node(struct live_stream_reader *r)
{
	struct live_node n;
	int last = -1;

	if (!get(r, &n, sizeof(n)))
		return false;
	if (n.n_ports > n.nports + 1u || (r->n_ports += n.nports + 1u) > MOST_PORTS)
		return unreadable(r, "records of ports:", n.n_ports, "at most one a port");
	n.desc[sizeof(n.desc) - 1] = n.chassis_place[sizeof(n.chassis_place) - 1] = '\0';
	uint32_t at = live_stream_add_node(r, &n);
	if (at != NO_ID) {
		struct fb_node *to = &r->b->node[at];
		to->sysguid = n.sysguid;
		to->vendor = n.vendor;
		to->device = n.device;
		to->chassis = n.chassis;
		to->esp0 = n.esp0 != 0;
		to->chassis_place = *n.chassis_place ? str_dup(n.chassis_place) : NULL;
		if (n.fdb_cap)
			to->fdb_cap = n.fdb_cap;
		else if (n.type == NODE_SWITCH)
			live_stream_tell(r, "silent switch", at, 0,
					 "did not tell how many LIDs its table holds (SwitchInfo)");
		r->port[at] = NEW_ARRAY(n.nports + 1u, struct live_port);
		for (unsigned p = 0; p <= n.nports; p++)
			r->port[at][p].num = NOT_SENT;
	}
	for (uint32_t i = 0; i < n.n_ports; i++) {
		struct live_port p;

		if (!get(r, &p, sizeof(p)))
			return false;
		if (p.num > n.nports || p.num <= last)
			return unreadable(r, "port", p.num, "the node's ports in ascending order");
		last = p.num;
		if (at != NO_ID) {
			r->port[at][p.num] = p;
			set_port(r, at, &p);
		}
	}
	return true;
}

static void live_stream_cable(struct live_stream_reader *r, uint32_t node, const struct live_port *p)
{
	const struct fb_node *n = &r->b->node[node];
	uint32_t peer = fb_find(r->b, p->peer_guid);

	assert(p->num != NOT_SENT && p->peer_guid);
	if (peer == NO_ID) {
		live_stream_tell(r, "dangling link", node, p->num,
				 "leads to node 0x%016" PRIx64 ", which is not there", p->peer_guid);
		return;
	}
	const struct live_port *q =
		p->peer_port <= r->b->node[peer].nports ? &r->port[peer][p->peer_port] : NULL;
	if (peer == node && q == p) {
		warnings_add(&r->b->warnings, "looped port", 0, "%s[%u] is cabled to itself", n->desc,
			     p->num);
		return;
	}
	if (!q || q->num != p->peer_port || q->peer_guid != n->guid || q->peer_port != p->num ||
	    !fb_link(r->b, node, p->num, peer, p->peer_port)) {
		live_stream_tell(r, "one-sided link", node, p->num,
				 "leads to %s[%u], which names another cable", r->b->node[peer].desc,
				 p->peer_port);
		return;
	}
	if (p->state == PORT_DOWN)
		live_stream_tell(r, IMPOSSIBLE, node, p->num,
				 "tells that it is down, but its other end answered");
	if (!p->state) /* already reported: no PortInfo came */
		return;
	if (!p->width || p->width >= WIDTH_COUNT || !p->speed || p->speed >= SPEED_COUNT) {
		live_stream_tell(r, IMPOSSIBLE, node, p->num, "tells a width or speed that there is not");
		return;
	}
	n->port[p->num].width = p->width;
	n->port[p->num].speed = p->speed;
}

/*
 * Adds the cables of a node, and reports what is unknown. Without the PortInfo of a port, libibnetdisc has no
 * port, or one without a state. It asks a CA only for the ports by which it came in.
 */
static void cable_node(struct live_stream_reader *r, uint32_t node)
{
	const struct fb_node *n = &r->b->node[node];
	bool sw = n->type == NODE_SWITCH;

	for (unsigned i = 0; i <= n->nports; i++) {
		const struct live_port *p = &r->port[node][i];
		bool sent = p->num != NOT_SENT;

		if (sw ? !sent || (i && !p->state) : sent && !p->state)
			live_stream_tell(r, "silent port", node, i, "did not tell its state%s",
					 sw && i ? ", so what is at its other end is not known" : " and LID");
		if (sent && p->peer_guid)
			live_stream_cable(r, node, p);
		else if (sent && i && p->state >= PORT_INIT)
			live_stream_tell(r, "open port", node, i,
					 "is up, but what is at its other end did not answer");
	}
}

static bool get_nodes(struct live_stream_reader *r, struct live_head *h)
{
	if (!get(r, h, sizeof(*h)))
		return false;
	if (h->magic != LIVE_HEAD)
		return unreadable(r, "number", h->magic, "that of a stream");
	if (h->n_nodes > MAX_LID || h->n_tables > h->n_nodes)
		return unreadable(r, "nodes:", h->n_nodes, "no more than a subnet has LIDs, nor more tables");
	r->port = NEW_ARRAY(h->n_nodes + 1u, struct live_port *);
	for (uint32_t i = 0; i < h->n_nodes; i++)
		if (!get_node(r))
			return false;
	for (uint32_t i = 0; i < r->b->n; i++)
		cable_node(r, i);
	/* the endport with the local port's SM LID, else the local port */
	r->b->sm_node = fb_find(r->b, h->from_guid);
	r->b->sm_port = h->from_port;
	if (r->b->sm_node == NO_ID)
		warnings_missing(&r->b->warnings, "dangling link", 0,
				 "the local node 0x%016" PRIx64 " is not there", h->from_guid);
	fb_place_sm(r->b, h->sm_lid);
	return true;
}

static bool get_table(struct live_stream_reader *r, const struct fabric *f, struct switch_tables *t)
{
	struct live_table h;

	if (!get(r, &h, sizeof(h)))
		return false;
	size_t size = h.n_entries + (size_t)h.n_maps * 8;
	if (h.n_entries > MAX_LID + 1)
		return unreadable(r, "entries:", h.n_entries, "at most one a LID");
	if (!live_stream_room(r, size))
		return false;
	uint32_t node = fabric_node_by_guid(f, h.guid);
	uint32_t sw = node == NO_ID ? NO_ID : f->node_switch[node];
	if (sw != NO_ID) { /* else the switch was left out */
		unsigned ports = f->switch_nports[sw] + 1u;
		if (t->lft[sw])
			return unreadable(r, "tables of the same switch:", 2, "1");
		if (h.n_maps && (!t->sl_tables || !h.n_entries || h.n_maps != ports * ports))
			return unreadable(r, "maps:", h.n_maps, "none, or those of all pairs of ports");
		if (h.n_entries) {
			t->top[sw] = (uint16_t)(h.n_entries - 1);
			t->lft[sw] = mem_dup(r->data + r->at, h.n_entries);
		}
		for (uint32_t i = 0; i < h.n_maps; i++)
			sl_tables_set_map(t->sl_tables, sw, i / ports, i % ports,
					  sl2vl_of_bytes(r->data + r->at + h.n_entries + 8 * (size_t)i));
	}
	r->at += size;
	return true;
}

static bool get_tables(struct live_stream_reader *r, struct fabric *f, const struct live_head *h,
		       enum live_tables what)
{
	struct switch_tables *t = what ? switch_tables_new(f->n_switches) : NULL;

	f->switch_tables = t ? &t->counted : NULL;
	if (h->n_tables && !t)
		return unreadable(r, "tables:", h->n_tables, "none");
	if (t && what == LIVE_LFTS_SL2VL)
		t->sl_tables = sl_tables_new(f, 0);
	for (uint32_t i = 0; i < h->n_tables; i++)
		if (!get_table(r, f, t))
			return false;
	return true;
}

/* The SM LID that most endports report, the lowest if several tie. */
static void count_masters(const struct live_stream_reader *r, struct managers *m)
{
	AUTO_FREE uint32_t *told = NEW_ARRAY(MAX_LID + 1u, uint32_t);
	uint32_t all = 0;

	for (uint32_t i = 0; i < r->b->n; i++)
		for (unsigned p = 0; p <= r->b->node[i].nports; p++) {
			const struct live_port *q = &r->port[i][p];
			bool endport = q->num != NOT_SENT && (r->b->node[i].type == NODE_SWITCH ? !p : p > 0);

			if (!endport || !q->sm_lid || q->sm_lid > MAX_LID)
				continue;
			told[q->sm_lid]++;
			all++;
		}
	for (unsigned lid = 1; lid <= MAX_LID; lid++)
		if (told[lid] > told[m->lid])
			m->lid = (uint16_t)lid;
	m->others = all - told[m->lid];
}

COMPARATOR(manager_by_guid, struct manager, UP(guid))

static bool get_managers(struct live_stream_reader *r, struct fabric *f, const struct live_head *h,
			 struct managers *m)
{
	for (uint32_t i = 0; i < h->n_managers; i++) {
		struct live_manager x;
		struct manager *to = &m->m[m->n];

		assert(m->n <= i); /* managers_new() made room */
		if (!get(r, &x, sizeof(x)))
			return false;
		if (fabric_endport_by_guid(f, x.guid) == NO_ID || manager_at(m, x.guid))
			continue;
		if (x.answered && x.state > MANAGER_MASTER)
			warnings_missing(&f->warnings, IMPOSSIBLE, 0,
					 "the subnet manager at port 0x%016" PRIx64 " tells state %u", x.guid,
					 x.state);
		*to = (struct manager){.guid = x.guid,
				       .lid = x.lid,
				       .state = x.answered && x.state <= MANAGER_MASTER ? x.state
											: MANAGER_SILENT,
				       .priority = x.answered ? x.priority : 0};
		m->n++;
	}
	qsort(m->m, m->n, sizeof(*m->m), manager_by_guid);
	return true;
}

static bool get_pkeys(struct live_stream_reader *r, const struct live_head *h, struct managers *m)
{
	for (uint32_t i = 0; i < h->n_pkey_ports; i++) {
		struct live_pkeys x;

		if (!get(r, &x, sizeof(x)))
			return false;
		if (x.n > UINT16_MAX + 1u)
			return unreadable(r, "P_Keys:", x.n, "at most 65536 a port");
		managers_tell_pkey(m, x.guid, 0); /* it reported its table, perhaps an empty one */
		for (uint32_t k = 0; k < x.n; k++) {
			uint16_t pkey;

			if (!get(r, &pkey, sizeof(pkey)))
				return false;
			if (pkey & 0x7fff)
				managers_tell_pkey(m, x.guid, pkey);
		}
	}
	managers_order_pkeys(m);
	return true;
}

static bool get_tail(struct live_stream_reader *r)
{
	uint32_t tail;

	if (!get(r, &tail, sizeof(tail)))
		return false;
	if (tail != LIVE_TAIL || r->at != r->size)
		return unreadable(r, "bytes behind the end:", r->size - r->at,
				  "none, and the number that ends a stream");
	return true;
}

int live_read(const void *data, size_t size, const char *source, enum live_tables what, struct fabric **out,
	      struct err *e)
{
	struct live_stream_reader r = {.data = data, .size = size, .source = source, .e = e, .b = fb_new()};
	struct live_head h = {0};
	struct fabric *f = NULL;
	int rc = -1;

	if (!get_nodes(&r, &h)) {
		fb_free(r.b);
	} else {
		struct managers *m = managers_new(h.n_managers);
		m->asked = true;
		count_masters(&r, m);
		if (fb_finish(r.b, source, "live", &f, e)) {
			counted_unref(&m->counted);
		} else {
			f->managers = &m->counted;
			rc = get_tables(&r, f, &h, what) && get_managers(&r, f, &h, m) &&
					     get_pkeys(&r, &h, m) && get_tail(&r)
				     ? 0
				     : -1;
		}
	}
	for (uint32_t i = 0; r.port && i < h.n_nodes; i++)
		free(r.port[i]);
	free(r.port);
	if (rc)
		fabric_unref(f);
	else
		*out = f;
	return rc;
}
