/*
 * Closes processes in. A process keeps its rights (uid, capabilities), since the ib_umad driver takes
 * requests only from a process with the credentials with which the device was opened.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#ifdef HAVE_SECCOMP
#include <seccomp.h>
#endif
#include "core/base/defs.h"
#include "core/source/confine.h"
#include "core/source/live.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
static const char *confine_load_filter(void)
{
	return NULL;
}
#elif defined(HAVE_SECCOMP)
static const int allowed[] = {
	/* on open files */
	SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(close), SCMP_SYS(lseek),
	SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(recvfrom), SCMP_SYS(recvmsg), SCMP_SYS(sendto),
	SCMP_SYS(sendmsg), SCMP_SYS(shutdown),
	/* waiting */
	SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6), SCMP_SYS(futex),
	SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep), SCMP_SYS(sched_yield), SCMP_SYS(clock_gettime),
	SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(alarm), SCMP_SYS(setitimer),
	SCMP_SYS(restart_syscall), SCMP_SYS(wait4),
	/* memory, never to be executed: see below */
	SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(getrandom),
	/* existing threads (one may just be starting), signals, ending */
	SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(exit),
	SCMP_SYS(exit_group)};

/* Returns NULL, or why the filter cannot be loaded. */
static const char *confine_load_filter(void)
{
	const struct {
		int call;
		struct scmp_arg_cmp arg;
	} some[] = {
		{SCMP_SYS(mmap), SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)},
		{SCMP_SYS(mprotect), SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)},
		{SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_MASKED_EQ, 0xffffffff, (scmp_datum_t)getpid())},
		{SCMP_SYS(fcntl), SCMP_A1(SCMP_CMP_EQ, F_GETFL, 0)}, /* fdopen() asks */
	};
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int rc = filter ? 0 : -ENOMEM;

	if (!rc)
		rc = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	if (!rc)
		rc = seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0);
	for (size_t i = 0; i < ARRAY_LEN(allowed) && !rc; i++)
		rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
	for (size_t i = 0; i < ARRAY_LEN(some) && !rc; i++)
		rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, some[i].call, 1, some[i].arg);
	if (!rc)
		rc = seccomp_load(filter);
	seccomp_release(filter);
	return rc ? strerror(-rc) : NULL;
}
#else
static const char *confine_load_filter(void)
{
	return "built without libseccomp";
}
#endif

/* With libc linked in, nothing is missing, and dlopen() might open parts of another libc. */
static bool libc_is_shared(void)
{
#ifdef LINKED_IN
	return getauxval(AT_BASE) != 0; /* is there a dynamic linker? */
#else
	return true;
#endif
}

void confine(const char *who)
{
	live_remove_folder(getpid()); /* it has been read */
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	/* a cancelled thread needs this library, and later it cannot be opened */
	if (libc_is_shared())
		dlopen("libgcc_s.so.1", RTLD_NOW);
	const char *why = confine_load_filter();
	if (why)
		fprintf(stderr, "%s is not closed in by seccomp: %s\n", who, why);
}
