#include "core/base/defs.h"
#include "core/source/gate.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>
#include "core/source/confine.h"
#include "core/source/instead.h"
#include "core/source/internal.h"

/* Bytes of a MAD's header: IBA 1.3, 13.4.2. */
enum { MAD_VERSION, MAD_CLASS, MAD_CLASS_VERSION, MAD_METHOD, MAD_TRID_END = 15, MAD_ATTRIBUTE };
#define METHOD_GET 0x01
#define VENDORS 0xff00 /* attributes from here on are the vendor's, with any effect */
#define MLNX_EXT_PORT_INFO 0xff90
#define MOST_MS 60000
#define MOST_RETRIES 15

struct opening {
	char ca[64];
	int32_t port;
};

struct gate_request {
	uint8_t mad[IB_MAD_SIZE];
	uint32_t lid, sl, timeout_ms, retries;
};

struct gate_answer {
	uint8_t mad[IB_MAD_SIZE];
	int32_t got; /* of umad_recv() */
	uint32_t status;
};

static int door = -1; /* the socket; in the worker only */

/* --- the gate ---------------------------------------------------------------------- */

struct gate {
	int socket, device;
	int agent[256]; /* by class, -1: none */
};

static bool send_whole(int s, const void *message, size_t size)
{
	return send(s, message, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/* Takes a whole message. One of another size is refused. */
static bool receive_whole(int s, void *message, size_t size)
{
	ssize_t n;

	do
		n = recv(s, message, size, MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)size;
}

static bool may_pass(const struct gate *g, const uint8_t *mad)
{
	unsigned attribute = (unsigned)mad[MAD_ATTRIBUTE] << 8 | mad[MAD_ATTRIBUTE + 1];

	return mad[MAD_VERSION] == 1 && mad[MAD_CLASS_VERSION] == 1 && mad[MAD_METHOD] == METHOD_GET &&
	       g->agent[mad[MAD_CLASS]] >= 0 && (attribute < VENDORS || attribute == MLNX_EXT_PORT_INFO);
}

static void send_back(const struct gate *g, const struct gate_request *r, int error)
{
	struct gate_answer a = {.status = (uint32_t)error};

	memcpy(a.mad, r->mad, sizeof(a.mad));
	send_whole(g->socket, &a, sizeof(a));
}

/* Passes a request on. The device's header is made here; the worker gives only destination and timeouts. */
static void gate_pass(const struct gate *g, void *umad, const struct gate_request *r)
{
	const uint8_t *mad = r->mad;
	bool smi = mad[MAD_CLASS] != IB_PERFORMANCE_CLASS;

	if (!may_pass(g, mad)) {
		fprintf(stderr,
			"refused to send a request of class 0x%02x, method 0x%02x and attribute 0x%02x%02x: "
			"only Gets of standard attributes are sent\n",
			mad[MAD_CLASS], mad[MAD_METHOD], mad[MAD_ATTRIBUTE], mad[MAD_ATTRIBUTE + 1]);
		send_back(g, r, EPERM);
		return;
	}
	memset(umad, 0, umad_size() + IB_MAD_SIZE);
	umad_set_addr(umad, (int)(r->lid & 0xffff), smi ? 0 : 1, (int)(r->sl & 15),
		      smi ? 0 : (int)IB_DEFAULT_QP1_QKEY);
	memcpy(umad_get_mad(umad), mad, IB_MAD_SIZE);
	if (umad_send(g->device, g->agent[mad[MAD_CLASS]], umad, IB_MAD_SIZE,
		      (int)(MIN(r->timeout_ms, MOST_MS)), (int)(MIN(r->retries, MOST_RETRIES))))
		send_back(g, r, EIO);
}

/* Brings what comes from the device to the worker. */
static void *bring(void *arg)
{
	struct gate *g = arg;
	void *umad = umad_alloc(1, umad_size() + IB_MAD_SIZE);
	struct gate_answer a;

	do {
		int length = IB_MAD_SIZE;

		memset(&a, 0, sizeof(a));
		a.got = umad_recv(g->device, umad, &length, -1);
		if (a.got >= 0) {
			a.status = (uint32_t)umad_status(umad);
			memcpy(a.mad, umad_get_mad(umad), IB_MAD_SIZE);
		}
	} while (send_whole(g->socket, &a, sizeof(a)));
	umad_free(umad);
	return NULL;
}

/* Returns 0 or -errno. */
static int open_device(struct gate *g, struct opening *o, const int *classes, size_t n)
{
	pthread_t t;

	o->ca[sizeof(o->ca) - 1] = '\0';
	g->device = umad_open_port(*o->ca ? o->ca : NULL, o->port);
	if (g->device < 0)
		return g->device;
	for (size_t i = 0; i < n; i++) {
		assert(classes[i] >= 0 && (size_t)classes[i] < ARRAY_LEN(g->agent));
		g->agent[classes[i]] = umad_register(g->device, classes[i], 1, 0, NULL);
		if (g->agent[classes[i]] < 0)
			return g->agent[classes[i]];
	}
	if (pthread_create(&t, NULL, bring, g))
		return -EAGAIN;
	pthread_detach(t);
	return 0;
}

static void serve(struct gate *g, const int *classes, size_t n)
{
	struct opening o;
	struct gate_request r;

	if (!receive_whole(g->socket, &o, sizeof(o)))
		return;
	int32_t opened = open_device(g, &o, classes, n);
	confine("the process that holds the device");
	if (!send_whole(g->socket, &opened, sizeof(opened)) || opened)
		return;
	void *umad = umad_alloc(1, umad_size() + IB_MAD_SIZE);
	while (umad && receive_whole(g->socket, &r, sizeof(r)))
		gate_pass(g, umad, &r);
	umad_free(umad);
}

static struct gate the_gate = {.socket = -1}; /* bring() may outlive a function */

int gate_serve(pid_t worker, const int *classes, size_t n_classes)
{
	int status;

	assert(worker > 0 && the_gate.socket >= 0); /* gate_start() came before */
	memset(the_gate.agent, -1, sizeof(the_gate.agent));
	dup2(STDERR_FILENO, STDOUT_FILENO); /* only the worker keeps its output open */
	serve(&the_gate, classes, n_classes);
	shutdown(the_gate.socket, SHUT_RDWR);
	while (waitpid(worker, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	return WEXITSTATUS(status);
}

pid_t gate_start(void)
{
	pid_t gate = getpid(), worker;
	int s[2];

	assert(the_gate.socket < 0 && door < 0); /* once */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s))
		return -1;
	worker = fork();
	the_gate.socket = s[0];
	if (worker) {
		close(s[1]);
		prctl(PR_SET_NAME, "ibscope-gate");
		return worker;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(s[0]);
	door = s[1];
	if (getppid() != gate)
		_exit(1);
	prctl(PR_SET_NAME, "ibscope-live"); /* who sees this name knows that the worker ends with the gate */
	return 0;
}

/* --- functions that replace libumad's in the worker; elsewhere libumad's are called ---------------- */

/*
 * The libraries open the device again and again.  Late answers to the opening before must not be seen.  Here
 * the device is open once: the low bits of a transaction's number show whose answer it is.
 */
static unsigned ports;		/* number of openings; the number of the port */
static unsigned asked_by[4096]; /* port by transaction */

static unsigned *asker(const uint8_t *mad)
{
	return &asked_by[(mad[MAD_TRID_END - 1] << 8 | mad[MAD_TRID_END]) % 4096];
}

INSTEAD_OF(umad_open_port)
(const char *ca, int port)
{
	static int32_t opened;
	struct opening o = {.port = port};

	if (door < 0)
		ORIGINAL(umad_open_port, ca, port);
	snprintf(o.ca, sizeof(o.ca), "%s", ca ? ca : "");
	if (!ports && (!send_whole(door, &o, sizeof(o)) || !receive_whole(door, &opened, sizeof(opened))))
		opened = -EIO;
	ports++;
	errno = -opened;
	return opened ? opened : (int)ports;
}

INSTEAD_OF(umad_close_port)
(int portid)
{
	if (door < 0)
		ORIGINAL(umad_close_port, portid);
	return 0;
}

INSTEAD_OF(umad_register)
(int portid, int mgmt_class, int mgmt_version, uint8_t rmpp_version, long method_mask[16 / sizeof(long)])
{
	if (door < 0)
		ORIGINAL(umad_register, portid, mgmt_class, mgmt_version, rmpp_version, method_mask);
	return mgmt_class; /* the gate has agents of its own */
}

INSTEAD_OF(umad_send)
(int portid, int agentid, void *umad, int length, int timeout_ms, int retries)
{
	static bool closed_in;
	struct gate_request r = {.timeout_ms = (uint32_t)timeout_ms, .retries = (uint32_t)retries};

	if (door < 0)
		ORIGINAL(umad_send, portid, agentid, umad, length, timeout_ms, retries);
	if (!closed_in)
		confine("the process that reads the fabric's answers");
	closed_in = true;
	if (length != IB_MAD_SIZE)
		return -EINVAL;
	memcpy(r.mad, umad_get_mad(umad), IB_MAD_SIZE);
	r.lid = be16toh(umad_get_mad_addr(umad)->lid);
	r.sl = umad_get_mad_addr(umad)->sl;
	*asker(r.mad) = (unsigned)portid;
	reply_expected(r.mad);
	return send_whole(door, &r, sizeof(r)) ? 0 : -EIO;
}

INSTEAD_OF(umad_recv)
(int portid, void *umad, int *length, int timeout_ms)
{
	struct pollfd pf = {.fd = door, .events = POLLIN};
	struct gate_answer a;

	if (door < 0)
		ORIGINAL(umad_recv, portid, umad, length, timeout_ms);
	do {
		int ready = poll(&pf, 1, timeout_ms);

		if (ready < 0)
			return -errno;
		if (!ready)
			return timeout_ms ? -ETIMEDOUT : -EWOULDBLOCK;
		if (!receive_whole(door, &a, sizeof(a)))
			return -EIO;
	} while (a.got >= 0 && *asker(a.mad) != (unsigned)portid);
	if (a.got < 0 || *length < IB_MAD_SIZE)
		return a.got < 0 ? a.got : -ENOSPC;
	memset(umad, 0, umad_size());
	((struct ib_user_mad *)umad)->status = a.status;
	memcpy(umad_get_mad(umad), a.mad, IB_MAD_SIZE);
	*length = IB_MAD_SIZE;
	reply_look_at(umad);
	return 0;
}
