/*
 * To be preloaded before the simulator's library: a device that lies.  Replies are rewritten before the
 *program reads them.
 *
 *	LIE="GUID ATTRIBUTE MODIFIER BIT WIDTH VALUE; ..."
 *				in each reply of the node (GUID in hex, 0: of any) for the attribute (hex, of
 *the modifier, -1: of any) the WIDTH bits from BIT on, counted from the first of the MAD, are VALUE
 *	LIE_LOG=FILE		a line is appended for each reply rewritten
 *
 *	LIE=@FILE		the same from the first line of a file, which each process reads at its begin
 *
 * Who answers is known by the path of the reply: NodeInfo came by it before.  The simulator answers no Get of
 * SMInfo; where a rule is about it the node is asked for NodeInfo instead, and its reply becomes an SMInfo
 * of zeros and what the rules say.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <infiniband/umad.h>

enum {
	MAD_SIZE = 256,
	MAD_CLASS = 1,
	MAD_METHOD = 3,
	MAD_HOPS = 7,
	MAD_ATTRIBUTE = 16,
	MAD_MODIFIER = 20,
	MAD_DATA = 64
};
enum { MAD_PATH = 128, PATH_SIZE = 64, MOST_PATHS = 4096, MOST_RULES = 64 };
enum {
	CLASS_DIRECTED = 0x81,
	GET = 0x01,
	GET_RESP = 0x81,
	NODE_INFO = 0x11,
	SM_INFO = 0x20,
	NODE_GUID = MAD_DATA + 12
};
enum { MAD_TID = 12, MOST_ASKED = 256 };

static struct rule {
	uint64_t guid, value;
	unsigned attribute, bit, width;
	long modifier;
} rule[MOST_RULES];
static unsigned n_rules, n_paths;
static struct {
	uint8_t path[PATH_SIZE];
	uint64_t guid;
} known[MOST_PATHS];
static int log_fd = -1;
static uint32_t asked[MOST_ASKED]; /* transactions of SMInfo */
static unsigned n_asked;

ssize_t read(int fd, void *buf, size_t n);
ssize_t write(int fd, const void *buf, size_t n);

static const char *first_line(const char *path)
{
	static char line[8192];
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	long n = fd < 0 ? -1 : syscall(SYS_read, fd, line, sizeof(line) - 1);

	if (n < 0)
		abort();
	syscall(SYS_close, fd);
	line[strcspn(line, "\n")] = 0;
	return *line ? line : NULL;
}

__attribute__((constructor)) static void begin(void)
{
	const char *lie = getenv("LIE"), *log = getenv("LIE_LOG");

	if (lie && *lie == '@')
		lie = first_line(lie + 1);
	if (log)
		log_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
				      0600);
	for (; lie && n_rules < MOST_RULES; lie = strchr(lie, ';'), lie = lie ? lie + 1 : NULL) {
		struct rule *r = &rule[n_rules];

		if (sscanf(lie, "%" SCNx64 " %x %ld %u %u %" SCNu64, &r->guid, &r->attribute, &r->modifier,
			   &r->bit, &r->width, &r->value) != 6 ||
		    !r->width || r->width > 64 || r->bit + r->width > 8 * MAD_SIZE)
			abort();
		n_rules++;
	}
}

static uint64_t big_endian(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | *p++;
	return v;
}

/* The node at the end of a path; told: its NodeInfo is in the reply. */
static uint64_t guid_of(const uint8_t *mad, int told)
{
	uint8_t path[PATH_SIZE] = {0};
	unsigned i;

	memcpy(path, mad + MAD_PATH + 1, mad[MAD_HOPS] < PATH_SIZE ? mad[MAD_HOPS] : PATH_SIZE - 1);
	for (i = 0; i < n_paths && memcmp(known[i].path, path, sizeof(path)) != 0; i++)
		continue;
	if (i == n_paths && told && n_paths < MOST_PATHS) {
		memcpy(known[i].path, path, sizeof(path));
		known[n_paths++].guid = big_endian(mad + NODE_GUID, 8);
	}
	return i < n_paths ? known[i].guid : 0;
}

static void set_bits(uint8_t *mad, const struct rule *r)
{
	for (unsigned i = 0; i < r->width; i++) {
		unsigned at = r->bit + i, one = r->value >> (r->width - 1 - i) & 1;

		mad[at / 8] = (uint8_t)((mad[at / 8] & ~(0x80u >> at % 8)) | (one ? 0x80u >> at % 8 : 0));
	}
}

static void rewrite(uint8_t *mad)
{
	unsigned attribute = (unsigned)big_endian(mad + MAD_ATTRIBUTE, 2);
	long modifier = (long)big_endian(mad + MAD_MODIFIER, 4);
	uint64_t guid = guid_of(mad, attribute == NODE_INFO);

	for (unsigned i = 0; i < n_rules; i++) {
		const struct rule *r = &rule[i];

		if (r->attribute != attribute || (r->guid && r->guid != guid) ||
		    (r->modifier >= 0 && r->modifier != modifier))
			continue;
		set_bits(mad, r);
		if (log_fd >= 0 && syscall(SYS_write, log_fd, "lied\n", 5) < 0)
			abort();
	}
}

/* Asks for NodeInfo in place of an SMInfo that a rule tells. */
static void ask_other(uint8_t *mad)
{
	uint64_t guid = guid_of(mad, 0);

	for (unsigned i = 0; i < n_rules && n_asked < MOST_ASKED; i++)
		if (rule[i].attribute == SM_INFO && rule[i].guid == guid) {
			asked[n_asked++] = (uint32_t)big_endian(mad + MAD_TID, 4);
			mad[MAD_ATTRIBUTE + 1] = NODE_INFO;
			return;
		}
}

static void answer_other(uint8_t *mad)
{
	for (unsigned i = 0; i < n_asked; i++)
		if (asked[i] == big_endian(mad + MAD_TID, 4)) {
			mad[MAD_ATTRIBUTE + 1] = SM_INFO;
			memset(mad + MAD_DATA, 0, MAD_PATH - MAD_DATA);
		}
}

ssize_t write(int fd, const void *buf, size_t n)
{
	ssize_t (*real)(int, const void *, size_t);
	uint8_t copy[1024], *mad = copy + umad_size();

	*(void **)&real = dlsym(RTLD_NEXT, "write");
	if (n != umad_size() + MAD_SIZE || n > sizeof(copy))
		return real(fd, buf, n);
	memcpy(copy, buf, n);
	if (mad[MAD_CLASS] == CLASS_DIRECTED && mad[MAD_METHOD] == GET &&
	    big_endian(mad + MAD_ATTRIBUTE, 2) == SM_INFO)
		ask_other(mad);
	return real(fd, copy, n);
}

ssize_t read(int fd, void *buf, size_t n)
{
	ssize_t (*real)(int, void *, size_t), done;
	uint8_t *mad = (uint8_t *)buf + umad_size();

	*(void **)&real = dlsym(RTLD_NEXT, "read");
	done = real(fd, buf, n);
	if (done == (ssize_t)(umad_size() + MAD_SIZE) && !umad_status(buf) &&
	    mad[MAD_CLASS] == CLASS_DIRECTED && mad[MAD_METHOD] == GET_RESP) {
		answer_other(mad);
		rewrite(mad);
	}
	return done;
}
