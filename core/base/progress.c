#include "core/base/progress.h"

#include <time.h>

void progress_start(struct progress *p, const char *what, unsigned total)
{
	if (!p)
		return;
	atomic_store(&p->done, 0);
	atomic_store(&p->total, total);
	atomic_store(&p->what, what);
}

bool progress_step(struct progress *p, unsigned done)
{
	if (!p)
		return true;
	atomic_store_explicit(&p->done, done, memory_order_relaxed);
	return !atomic_load_explicit(&p->cancel, memory_order_relaxed);
}

bool progress_cancelled(const struct progress *p)
{
	return p && atomic_load(&p->cancel);
}

double now_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}
