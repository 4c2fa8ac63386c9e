#include "core/base/memory.h"
#include "core/base/outfile.h"
#include "core/base/permit.h"
#include "core/base/progress.h"
#include "core/base/text.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MOST_LINKS 40 /* links followed, as in the kernel */
#define TEMP_MARK ".ibscope-"
#define TEMP_RANDOM 6
#define WAIT_MS 50
#define MOST_PENDING 8 /* one for each writing thread is enough */

/* Unfinished files: core's only global state that changes, since a signal handler sees nothing else. */
enum { SLOT_FREE, SLOT_TAKEN, SLOT_NAMED };
static struct {
	atomic_int state;
	char path[PATH_MAX];
} pending[MOST_PENDING];

static atomic_int *pending_add(const char *path)
{
	size_t size = strlen(path) + 1;

	for (size_t i = 0; i < ARRAY_LEN(pending) && size <= sizeof(pending[i].path); i++) {
		int is_free = SLOT_FREE;

		if (!atomic_compare_exchange_strong(&pending[i].state, &is_free, SLOT_TAKEN))
			continue;
		memcpy(pending[i].path, path, size);
		atomic_store(&pending[i].state, SLOT_NAMED);
		return &pending[i].state;
	}
	return NULL;
}

void outfile_remove_unfinished(void)
{
	for (size_t i = 0; i < ARRAY_LEN(pending); i++)
		if (atomic_load(&pending[i].state) == SLOT_NAMED)
			unlink(pending[i].path);
}

/* --- where a path leads to ----------------------------------------------------------------- */

static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Is the link in /proc, where its text is not the real target? */
static bool is_magic_link(const char *path)
{
	struct statfs fs;
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	bool magic = fd >= 0 && !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;

	if (fd >= 0)
		close(fd);
	return magic;
}

/* The end of a chain of links; it need not exist.  NULL and errno. */
static char *follow_links(const char *path, bool *magic)
{
	char *at = str_dup(path), link[PATH_MAX];

	*magic = false;
	for (unsigned n = 0; n < MOST_LINKS; n++) {
		ssize_t len = readlink(at, link, sizeof(link) - 1);

		if (len < 0)
			return at;
		*magic = is_magic_link(at);
		if (*magic)
			return at;
		link[len] = 0;
		char *next =
			*link == '/' ? str_dup(link) : str_printf("%.*s%s", (int)folder_length(at), at, link);
		free(at);
		at = next;
	}
	free(at);
	errno = ELOOP;
	return NULL;
}

/* The program's own descriptor that a path in /proc means; -1: none. */
static int own_descriptor(const char *path)
{
	AUTO_FREE char *folder = str_printf("%.*s.", (int)folder_length(path), path);
	AUTO_FREE char *own = str_printf("/proc/%d/fd", (int)getpid());
	const char *number = path + folder_length(path);
	char real[PATH_MAX], *end;
	long fd = strtol(number, &end, 10);

	return realpath(folder, real) && !strcmp(real, own) && *number && !*end ? (int)fd : -1;
}

static int outfile_failed(const struct outfile *o, int error, struct err *e)
{
	if (progress_cancelled(o->progress))
		return err_set(e, CANCELLED);
	return err_system(e, o->path, error);
}

/* --- opening ------------------------------------------------------------------------------- */

/* Wait a little for a reader. False: cancelled. */
static bool wait_writable(const struct outfile *o)
{
	struct pollfd p = {.fd = o->fd, .events = POLLOUT};

	poll(&p, o->fd < 0 ? 0 : 1, WAIT_MS);
	return !progress_cancelled(o->progress);
}

static ssize_t write_bytes(void *cookie, const char *buf, size_t size)
{
	struct outfile *o = cookie;
	size_t done = 0;

	while (done < size && !o->failed) {
		ssize_t n = progress_cancelled(o->progress) ? -1 : write(o->fd, buf + done, size - done);

		if (n >= 0)
			done += (size_t)n;
		else if (progress_cancelled(o->progress) || (errno == EAGAIN && !wait_writable(o)))
			o->failed = ECANCELED;
		else if (errno != EINTR && errno != EAGAIN)
			o->failed = errno;
	}
	return done < size ? 0 : (ssize_t)size;
}

/* NAME.ibscope-XXXXXX in the folder of the target; a long name is cut. */
static char *temp_name(const char *target)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	size_t folder = folder_length(target), most = NAME_MAX - strlen(TEMP_MARK) - TEMP_RANDOM;
	unsigned char random[TEMP_RANDOM];
	char name[TEMP_RANDOM + 1];

	while (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		;
	for (size_t i = 0; i < TEMP_RANDOM; i++)
		name[i] = letters[random[i] % (sizeof(letters) - 1)];
	name[TEMP_RANDOM] = 0;
	return str_printf("%.*s%.*s" TEMP_MARK "%s", (int)folder, target, (int)most, target + folder, name);
}

/* Forget the temporary name. */
static void drop_temp(struct outfile *o)
{
	if (o->slot)
		atomic_store(o->slot, SLOT_FREE);
	free(o->temp);
	o->temp = NULL;
	o->slot = NULL;
}

/* Takes over owner and mode of the file that is replaced. */
static void keep_mode(int fd, const struct stat *was)
{
	mode_t mode = was->st_mode & 07777;

	if (fchown(fd, was->st_uid, was->st_gid)) {
		mode &= 0777;				/* not set-uid for another owner */
		if (fchown(fd, (uid_t)-1, was->st_gid)) /* nor open to another group */
			mode = (mode & 0707) | (mode & 07) << 3;
	}
	(void)!fchmod(fd, mode);
}

/* Returns 0, or -1 and errno. */
static int open_temp(struct outfile *o, const struct stat *was)
{
	do {
		drop_temp(o);
		o->temp = temp_name(o->target);
		o->slot = pending_add(o->temp);
		o->fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, was ? 0600 : 0666);
	} while (o->fd < 0 && errno == EEXIST);
	if (o->fd >= 0 && was)
		keep_mode(o->fd, was);
	return o->fd < 0 ? -1 : 0;
}

static int open_straight(struct outfile *o, bool magic, bool is_fifo)
{
	int own = magic ? own_descriptor(o->target) : -1;

	if (own >= 0) { /* earlier output comes first, later output after it */
		fflush(stdout);
		o->fd = fcntl(own, F_DUPFD_CLOEXEC, 0);
	} else { /* a FIFO may have no reader yet */
		while ((o->fd = open(o->target, O_WRONLY | O_TRUNC | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)) <
			       0 &&
		       errno == ENXIO && is_fifo && wait_writable(o))
			;
	}
	return o->fd < 0 ? -1 : 0;
}

static int open_beside(struct outfile *o, const struct stat *was, struct err *e)
{
	int folder = (int)folder_length(o->target);

	if (!open_temp(o, was))
		return 0;
	if (!was || (errno != EACCES && errno != EPERM && errno != EROFS))
		return outfile_failed(o, errno, e);
	return err_set_kind(e, ERR_IO,
			    "%s: left as it is, as no new file can be made beside it in %s%.*s: %s", o->path,
			    folder ? "" : ".", folder, o->target, strerror(errno));
}

static int open_any(struct outfile *o, struct err *e)
{
	struct stat was;
	bool magic, there;

	o->target = follow_links(o->path, &magic);
	if (!o->target)
		return outfile_failed(o, errno, e);
	there = !stat(o->target, &was);
	if (!there && errno != ENOENT)
		return outfile_failed(o, errno, e);
	if (there && S_ISDIR(was.st_mode))
		return outfile_failed(o, EISDIR, e);
	if (there && (magic || !S_ISREG(was.st_mode)))
		return open_straight(o, magic, S_ISFIFO(was.st_mode)) ? outfile_failed(o, errno, e) : 0;
	if (there && eaccess(o->target, W_OK))
		return outfile_failed(o, errno, e);
	return open_beside(o, there ? &was : NULL, e);
}

/* Frees all but the stream. */
static void outfile_give_up(struct outfile *o)
{
	if (o->fd >= 0)
		close(o->fd);
	if (o->temp)
		unlink(o->temp);
	drop_temp(o);
	free(o->target);
	*o = (struct outfile){.fd = -1};
}

int outfile_open(struct outfile *o, const char *path, struct progress *p, struct err *e)
{
	static const cookie_io_functions_t io = {.write = write_bytes};

	*o = (struct outfile){.path = path, .progress = p, .fd = -1};
	if (permitted(DEED_WRITE, path, e) || open_any(o, e)) {
		outfile_give_up(o);
		return -1;
	}
	o->f = fopencookie(o, "w", io);
	if (!o->f) {
		outfile_failed(o, errno, e);
		outfile_give_up(o);
		return -1;
	}
	return 0;
}

/* --- ending -------------------------------------------------------------------------------- */

/* Makes the new file complete, and puts it on the disk. */
static int outfile_settle(struct outfile *o, int rc, struct err *e)
{
	int fd = o->fd;

	assert(o->f); /* it is open */
	if (fclose(o->f) && !o->failed)
		o->failed = errno;
	o->f = NULL;
	if (!rc && !o->failed && o->temp) {
		/* some targets that are not on a disk cannot be synced */
		if (fsync(fd) && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
			o->failed = errno;
		o->fd = -1;
		if (close(fd) && !o->failed)
			o->failed = errno;
	}
	return o->failed ? outfile_failed(o, o->failed, e) : rc;
}

/* Replaces the old file. With several files, old and new swap names if possible, so that it can be undone. */
static int outfile_take_place(struct outfile *o, bool alone, struct err *e)
{
	bool swapped = !alone && !renameat2(AT_FDCWD, o->temp, AT_FDCWD, o->target, RENAME_EXCHANGE);

	o->placed = PLACED_OVER;
	if (swapped)
		o->placed = PLACED_SWAPPED;
	else if (!alone && errno == ENOENT)
		o->placed = PLACED_NEW;
	if (swapped || !rename(o->temp, o->target))
		return 0;
	o->placed = NOT_PLACED;
	return err_set_kind(e, ERR_IO, "%s: left as it is, as it cannot be replaced: %s", o->path,
			    strerror(errno));
}

/*
 * Lets two programs write the same set of files one after the other, not mixed. Returns the descriptor to
 * close, or -1. Some folders allow no lock.
 */
static int lock_folder(const struct outfile *o)
{
	char *folder = str_printf("%.*s.", (int)folder_length(o->target), o->target);
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(folder);
	while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK &&
	       !progress_cancelled(o->progress))
		poll(NULL, 0, WAIT_MS);
	return fd;
}

int outfile_close_all(struct outfile *const *o, size_t n, int rc, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		rc = outfile_settle(o[i], rc, e);
	int lock = n > 1 && !rc ? lock_folder(o[n - 1]) : -1;
	for (size_t i = 0; i < n && !rc; i++)
		rc = o[i]->temp ? outfile_take_place(o[i], n == 1, e) : 0;
	for (size_t i = 0; i < n; i++) {
		if (rc) {
			if (o[i]->placed == PLACED_SWAPPED)
				(void)!rename(o[i]->temp, o[i]->target);
			else if (o[i]->placed == PLACED_NEW)
				unlink(o[i]->target);
		}
		if (o[i]->placed != NOT_PLACED && (rc || o[i]->placed != PLACED_SWAPPED))
			drop_temp(o[i]); /* the name is no longer used */
		outfile_give_up(o[i]);
	}
	if (lock >= 0)
		close(lock);
	return rc;
}

int outfile_close(struct outfile *o, int rc, struct err *e)
{
	return outfile_close_all(&o, 1, rc, e);
}

/* --- scratch ------------------------------------------------------------------------------- */

int scratch_file(char path[SCRATCH_PATH], struct err *e)
{
	int fd = memfd_create("ibscope", MFD_CLOEXEC);

	static_assert(sizeof("/proc/2147483647/fd/2147483647") <= SCRATCH_PATH, "any path has room");
	if (fd < 0)
		return err_system(e, "a file in memory", errno);
	snprintf(path, SCRATCH_PATH, "/proc/%d/fd/%d", (int)getpid(), fd);
	if (access(path, F_OK)) {
		close(fd);
		return err_system(e, "a file in memory is read by its name in /proc", ENOENT);
	}
	return fd;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void remove_tree(const char *folder)
{
	nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}
