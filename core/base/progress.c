#include "core/base/progress.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void progress_start(struct progress *p, const char *what, unsigned total)
{
	if (!p)
		return;
	atomic_store(&p->done, 0);
	atomic_store(&p->total, total);
	atomic_store(&p->since, now_seconds());
	atomic_store(&p->what, what);
}

bool progress_step(struct progress *p, unsigned done)
{
	if (!p)
		return true;
	atomic_store_explicit(&p->done, done, memory_order_relaxed);
	if (atomic_load_explicit(&p->cancel, memory_order_relaxed))
		return false;
	return !p->up || !atomic_load_explicit(&p->up->cancel, memory_order_relaxed);
}

bool progress_cancelled(const struct progress *p)
{
	for (; p; p = p->up)
		if (atomic_load(&p->cancel))
			return true;
	return false;
}

double progress_left(const struct progress *p, double now)
{
	unsigned done = atomic_load(&p->done), total = atomic_load(&p->total);
	double spent = now - atomic_load(&p->since);

	if (spent < 1 || !done || done > total || done < total / 100)
		return -1;
	return spent * (total - done) / done;
}

double now_seconds(void)
{
	struct timespec t;

	/* the kernel's clock never goes back; libfaketime's clock_gettime() may */
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}
