/* Memory: allocation that never fails, and how much the machine has left. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/defs.h"
#include "core/base/memory.h"
#include "core/base/outfile.h"
#include "core/base/program.h"

#define LARGE_PAGE ((uintptr_t)2 << 20)

static void (*_Atomic before_end)(void);

void mem_before_end(void (*fn)(void))
{
	atomic_store(&before_end, fn);
}

void mem_exhausted(size_t size)
{
	void (*fn)(void) = atomic_load(&before_end);
	char size_text[32], said[96];
	int n = snprintf(said, sizeof(said), "ibscope: " OUT_OF_MEMORY "%s needed for\n",
			 mem_text(size, size_text, sizeof(size_text)));

	outfile_remove_unfinished();
	programs_kill();
	if (fn)
		fn();
	(void)!write(STDERR_FILENO, said, (size_t)n);
	_exit(EXIT_MEMORY);
}

void *mem_alloc(size_t size)
{
	return mem_array(1, size);
}

/* n * size bytes, or SIZE_MAX if that overflows. */
static size_t total(size_t n, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes;
}

void *mem_array(size_t n, size_t size)
{
	void *p = calloc(MAX(n, 1), MAX(size, 1));

	if (!p)
		mem_exhausted(total(n, size));
	return p;
}

void *mem_resize(void *p, size_t n, size_t size)
{
	void *q = reallocarray(p, MAX(n, 1), MAX(size, 1));

	if (!q)
		mem_exhausted(total(n, size));
	return q;
}

void mem_in_large_pages(void *p, size_t size)
{
	uintptr_t from = ((uintptr_t)p + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	uintptr_t to = ((uintptr_t)p + size) / LARGE_PAGE * LARGE_PAGE;

	if (from < to)
		(void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

void *mem_dup(const void *p, size_t size)
{
	void *q = mem_alloc(size);

	if (size)
		memcpy(q, p, size);
	return q;
}

void free_each(void *const *p, size_t n)
{
	while (n--)
		free(*p++);
}

char *str_dup(const char *s)
{
	return mem_dup(s, strlen(s) + 1);
}

/* Arenas. */

/* What stands before each block. */
struct arena_block {
	_Alignas(max_align_t) struct arena_block *next; /* of the same owner */
	struct arena_block **at;			/* where the pointer to this one is; NULL: no owner */
	struct arena_block *first;			/* of those it owns */
	void (*end)(void *p); /* NULL, or to be called with the pointer in the block */
};

static struct arena_block *arena_block_of(const void *p)
{
	return (struct arena_block *)(uintptr_t)p - 1;
}

/* Tells its neighbours where a block lies. */
static void *arena_block_placed(struct arena_block *b)
{
	if (b->at)
		*b->at = b;
	if (b->next)
		b->next->at = &b->next;
	if (b->first)
		b->first->at = &b->first;
	return b + 1;
}

void *arena_array(void *arena, size_t n, size_t size)
{
	struct arena_block *b = NULL;
	size_t bytes;

	if (!__builtin_add_overflow(total(n, size), sizeof(*b), &bytes))
		b = calloc(1, bytes);
	if (!b)
		mem_exhausted(total(n, size));
	b->at = arena ? &arena_block_of(arena)->first : NULL;
	b->next = arena ? *b->at : NULL;
	return arena_block_placed(b);
}

void *arena_resize(void *arena, void *p, size_t n, size_t size)
{
	struct arena_block *b = NULL;
	size_t bytes;

	if (!p)
		return arena_array(arena, n, size);
	if (!__builtin_add_overflow(total(n, size), sizeof(*b), &bytes))
		b = realloc(arena_block_of(p), bytes);
	if (!b)
		mem_exhausted(total(n, size));
	return arena_block_placed(b);
}

void *arena_dup(void *arena, const void *p, size_t size)
{
	void *q = arena_array(arena, size, 1);

	if (size)
		memcpy(q, p, size);
	return q;
}

char *arena_str(void *arena, const char *s)
{
	return arena_dup(arena, s, strlen(s) + 1);
}

void arena_free(const void *p)
{
	struct arena_block *b = p ? arena_block_of(p) : NULL;

	if (!b)
		return;
	if (b->at)
		*b->at = b->next;
	if (b->next)
		b->next->at = b->at;
	while (b->first)
		arena_free(b->first + 1);
	if (b->end)
		b->end(*(void **)(b + 1));
	free(b);
}

void arena_end(void *arena, void (*end)(void *p), const void *p)
{
	void **later = ARENA_NEW(arena, void *);

	assert(arena);
	*later = (void *)(uintptr_t)p;
	arena_block_of(later)->end = end;
}

static void arena_mutex_end(void *lock)
{
	pthread_mutex_destroy(lock);
}

void arena_mutex(void *arena, pthread_mutex_t *lock)
{
	pthread_mutex_init(lock, NULL);
	arena_end(arena, arena_mutex_end, lock);
}

void auto_free(void *variable)
{
	void *p;

	memcpy(&p, variable, sizeof(p));
	free(p);
}

void auto_arena(void *variable)
{
	void *p;

	memcpy(&p, variable, sizeof(p));
	arena_free(p);
}

/* Memory that the machine has left for this process. */

#define RESERVE ((size_t)32 << 20) /* left for small allocations */
#define FILE_MOST 16384
#define PATH_MOST 4096

/* Reads the beginning of a small file, ended by NUL. False: there is none. */
static bool read_small(const char *root, const char *path, char buf[FILE_MOST])
{
	char whole[PATH_MOST];
	size_t n = 0;
	ssize_t got = 0;

	if ((size_t)snprintf(whole, sizeof(whole), "%s%s", root, path) >= sizeof(whole))
		return false;
	int fd = open(whole, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (n < FILE_MOST - 1 && (got = read(fd, buf + n, FILE_MOST - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	buf[n] = 0;
	return got >= 0;
}

/* The number after a name at the beginning of a line. False: there is none. */
static bool number_behind(const char *text, const char *name, unsigned long long *v)
{
	size_t len = strlen(name);

	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, name, len) || (p[len] != ' ' && p[len] != ':'))
			continue;
		*v = strtoull(p + len + 1, NULL, 10);
		return true;
	}
	return false;
}

static size_t room_least(size_t a, size_t b)
{
	return MIN(a, b);
}

static size_t room_below(unsigned long long limit, unsigned long long used)
{
	return limit > used ? limit - used : 0;
}

/* --- the machine ---------------------------------------------------------------------------- */

static size_t machine_room(const char *root)
{
	unsigned long long free_kb, swap_kb = 0;
	char text[FILE_MOST];

	if (!read_small(root, "/proc/meminfo", text) || !number_behind(text, "MemAvailable", &free_kb))
		return SIZE_MAX;
	number_behind(text, "SwapFree", &swap_kb);
	return (free_kb + swap_kb) * 1024;
}

/* --- the process ---------------------------------------------------------------------------- */

static size_t limit_room(int which, unsigned long long used)
{
	struct rlimit r;

	return getrlimit(which, &r) || r.rlim_cur == RLIM_INFINITY ? SIZE_MAX : room_below(r.rlim_cur, used);
}

static size_t process_room(const char *root)
{
	unsigned long long page = (unsigned long long)sysconf(_SC_PAGESIZE), size, data;
	char text[FILE_MOST];

	if (!read_small(root, "/proc/self/statm", text) ||
	    sscanf(text, "%llu %*u %*u %*u %*u %llu", &size, &data) != 2)
		return SIZE_MAX;
	return room_least(limit_room(RLIMIT_AS, size * page), limit_room(RLIMIT_DATA, data * page));
}

/* --- control groups -------------------------------------------------------------------------- */

/* The place and the names of the files of a cgroup version. */
struct cgroup_files {
	const char *mount, *limit, *used, *cache; /* cache: the part in memory.stat that can be freed */
};

static const struct cgroup_files cgroup_files[2] = {
	{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
	{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
};

/* False also for "max", which means no limit in version 2. */
static bool room_read_number(const char *root, const char *folder, const char *name, unsigned long long *v)
{
	char path[PATH_MOST], text[FILE_MOST], *end;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path) ||
	    !read_small(root, path, text))
		return false;
	*v = strtoull(text, &end, 10);
	return end != text;
}

static size_t group_room(const char *root, const struct cgroup_files *c, const char *folder)
{
	unsigned long long limit, used, cache = 0;
	char path[PATH_MOST], text[FILE_MOST];

	if (!room_read_number(root, folder, c->limit, &limit) ||
	    !room_read_number(root, folder, c->used, &used))
		return SIZE_MAX;
	if ((size_t)snprintf(path, sizeof(path), "%s/memory.stat", folder) < sizeof(path) &&
	    read_small(root, path, text))
		number_behind(text, c->cache, &cache);
	return room_below(limit, used > cache ? used - cache : 0);
}

/* The least room of a group and all above it. In a container with the host's path, existing groups count. */
static size_t groups_room(const char *root, const struct cgroup_files *c, const char *group, size_t len)
{
	char folder[PATH_MOST];
	size_t room = SIZE_MAX;

	if ((size_t)snprintf(folder, sizeof(folder), "%s%.*s", c->mount, (int)len, group) >= sizeof(folder))
		return room;
	while (strlen(folder) >= strlen(c->mount)) {
		room = room_least(room, group_room(root, c, folder));
		*strrchr(folder, '/') = 0;
	}
	return room;
}

/* Is a controller in the list of a line "4:cpu,memory:/path"? */
static bool has_memory(const char *controllers, size_t len)
{
	static const char name[] = "memory";

	for (const char *p = controllers; p < controllers + len; p += strcspn(p, ",:") + 1)
		if (strcspn(p, ",:") == sizeof(name) - 1 && !strncmp(p, name, sizeof(name) - 1))
			return true;
	return false;
}

static size_t cgroup_room(const char *root)
{
	char text[FILE_MOST];
	size_t room = SIZE_MAX;

	if (!read_small(root, "/proc/self/cgroup", text))
		return room;
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n"), number = strcspn(line, ":\n") + 1, names;

		if (number < len) {
			names = strcspn(line + number, ":\n");
			if (number + names < len && (!names || has_memory(line + number, names)))
				room = room_least(room, groups_room(root, &cgroup_files[!names],
								    line + number + names + 1,
								    len - number - names - 1));
		}
		line += len + (line[len] == '\n');
	}
	return room;
}

/* --- all together ------------------------------------------------------------------------------ */

size_t mem_available(const char *root)
{
	return room_least(room_least(machine_room(root), process_room(root)), cgroup_room(root));
}

const char *mem_text(size_t size, char *buf, size_t room)
{
	static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
	double v = (double)size / 1000;
	size_t i = 0;

	if (size < 1000) {
		snprintf(buf, room, "%zu byte%s", size, size == 1 ? "" : "s");
		return buf;
	}
	for (; v >= 999.95 && i + 1 < ARRAY_LEN(units); i++)
		v /= 1000;
	snprintf(buf, room, "%.1f %s", v, units[i]);
	return buf;
}

int mem_room(struct err *e, size_t size, const char *what, ...)
{
	char for_what[256], asked[32], had[32];
	va_list ap;

	if (size < MEM_LARGE)
		return 0;
	size_t room = mem_available("");
	room = room > RESERVE ? room - RESERVE : 0;
	if (size <= room)
		return 0;
	va_start(ap, what);
	vsnprintf(for_what, sizeof(for_what), what, ap);
	va_end(ap);
	return err_set(e, OUT_OF_MEMORY "%s needed for %s, %s available",
		       mem_text(size, asked, sizeof(asked)), for_what, mem_text(room, had, sizeof(had)));
}
