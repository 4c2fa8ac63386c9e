/*
 * The discovery process closed in.  libibnetdisc opens the device, asks the whole fabric and closes the
 * device in one call.  So this file has a umad_send() of its own, which the libraries call instead of
 * libumad's because the program's symbols come first: it looks at every request before it goes to the real
 * one.
 *
 * Rights of the process (uid, capabilities) stay as they are: the ib_umad driver takes requests only from a
 * process whose credentials are those with which the device was opened.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <infiniband/umad.h>
#ifdef HAVE_SECCOMP
#include <seccomp.h>
#endif
#include "core/base/defs.h"
#include "core/source/confine.h"

/* Of a MAD: IBA 1.3, 13.4.2 (header) and 14.2.1.2 (directed route). */
enum { MAD_CLASS = 1, MAD_METHOD = 3, MAD_HOP_COUNT = 7 };
#define CLASS_DIRECTED 0x81
#define METHOD_GET 0x01

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

/* How far the process is closed in. */
enum { FREE, WATCHING, NO_NEW_PROCESS, CLOSED_IN };

static atomic_int stage;
static atomic_bool will_open;

void confine_start(bool opens_again)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	atomic_store(&will_open, opens_again);
	atomic_store(&stage, WATCHING);
}

#if defined(HAVE_SECCOMP) && !defined(SANITIZED)
static const int allowed[] = {
	/* what is open already */
	SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(close), SCMP_SYS(ioctl),
	SCMP_SYS(fcntl), SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(recvfrom),
	SCMP_SYS(recvmsg), SCMP_SYS(sendto), SCMP_SYS(sendmsg), SCMP_SYS(shutdown),
	/* waiting */
	SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6), SCMP_SYS(futex),
	SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep), SCMP_SYS(sched_yield), SCMP_SYS(clock_gettime),
	SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(alarm), SCMP_SYS(setitimer),
	SCMP_SYS(restart_syscall),
	/* memory, never to be executed: see below */
	SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(getrandom),
	/* threads there are (one may be just starting), signals, ending */
	SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(tgkill), SCMP_SYS(set_robust_list), SCMP_SYS(rseq),
	SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
	SCMP_SYS(exit), SCMP_SYS(exit_group)};

/* ... and, while the device will be opened again, what libumad does to open it. */
static const int opening[] = {SCMP_SYS(open),	SCMP_SYS(openat),  SCMP_SYS(stat),
			      SCMP_SYS(access), SCMP_SYS(seccomp), SCMP_SYS(getdents64)};

static bool allow(scmp_filter_ctx filter, const int *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0))
			return false;
	return true;
}

/* A kernel or a container may lack seccomp.  The fabric is looked at all the same, and nothing is said. */
static void load_filter(bool open_too)
{
	static const int data_only[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect)};
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	bool good = filter && !seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) &&
		    !seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0) &&
		    allow(filter, allowed, ARRAY_LEN(allowed));

	for (size_t i = 0; i < ARRAY_LEN(data_only); i++)
		good = good && !seccomp_rule_add(filter, SCMP_ACT_ALLOW, data_only[i], 1,
						 SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	if (open_too)
		good = good && allow(filter, opening, ARRAY_LEN(opening));
	if (good)
		seccomp_load(filter);
	seccomp_release(filter);
}
#else
static void load_filter(bool open_too)
{
	(void)open_too;
}
#endif

static void close_in(int to)
{
	if (atomic_exchange(&stage, to) >= to)
		return;
	/* a thread that is cancelled needs it, and it can't be opened later */
	dlopen("libgcc_s.so.1", RTLD_NOW);
	load_filter(to == NO_NEW_PROCESS);
}

void confine_now(void)
{
	close_in(CLOSED_IN);
}

static bool goes_beyond_local_port(const uint8_t *mad)
{
	return mad[MAD_CLASS] != CLASS_DIRECTED || mad[MAD_HOP_COUNT] > 0;
}

/* In place of libumad's, see above. */
int umad_send(int portid, int agentid, void *umad, int length, int timeout_ms, int retries)
{
	typedef int send_fn(int, int, void *, int, int, int);
	const uint8_t *mad = umad_get_mad(umad);
	send_fn *next;

	/* POSIX's way to a function pointer */
	*(void **)&next = dlsym(RTLD_NEXT, "umad_send");
	if (!next)
		return -ENOSYS;
	if (atomic_load(&stage) == FREE)
		return next(portid, agentid, umad, length, timeout_ms, retries);
	if (mad[MAD_METHOD] != METHOD_GET) {
		fprintf(stderr,
			"refused to send a request of class 0x%02x and method 0x%02x: only Get is sent\n",
			mad[MAD_CLASS], mad[MAD_METHOD]);
		return -EPERM;
	}
	if (atomic_load(&stage) == WATCHING && goes_beyond_local_port(mad))
		close_in(atomic_load(&will_open) ? NO_NEW_PROCESS : CLOSED_IN);
	return next(portid, agentid, umad, length, timeout_ms, retries);
}
