#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/base/progress.h"

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
	return !progress_cancelled(p);
}

bool progress_cancelled(const struct progress *p)
{
	const struct progress *all = p;

	for (; p; p = p->up)
		if (atomic_load_explicit(&p->cancel, memory_order_relaxed))
			return true;
	return progress_late(all);
}

bool progress_late(const struct progress *p)
{
	for (; p; p = p->up) {
		double until = atomic_load_explicit(&p->until, memory_order_relaxed);

		if (until > 0 && now_seconds() >= until)
			return true;
	}
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
