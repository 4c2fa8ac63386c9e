/*
 * To be preloaded before the simulator's library: a device that lies.  Replies are rewritten before the
 *program reads them.
 *
 *	LIE="GUID ATTRIBUTE MODIFIER BIT WIDTH VALUE; ..."
 *				in each reply of the node (GUID in hex, 0: of any) for the attribute (hex, of
 *the modifier, -1: of any) the WIDTH bits from BIT on, counted from the first of the MAD, are VALUE
 *	LIE_LOG=FILE		a line is appended for each reply rewritten
 *
 * Who answers is known by the path of the reply: NodeInfo came by it before.
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
enum { CLASS_DIRECTED = 0x81, GET_RESP = 0x81, NODE_INFO = 0x11, NODE_GUID = MAD_DATA + 12 };

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

ssize_t read(int fd, void *buf, size_t n);

__attribute__((constructor)) static void begin(void)
{
	const char *lie = getenv("LIE"), *log = getenv("LIE_LOG");

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

ssize_t read(int fd, void *buf, size_t n)
{
	ssize_t (*real)(int, void *, size_t), done;
	uint8_t *mad = (uint8_t *)buf + umad_size();

	*(void **)&real = dlsym(RTLD_NEXT, "read");
	done = real(fd, buf, n);
	if (done == (ssize_t)(umad_size() + MAD_SIZE) && !umad_status(buf) &&
	    mad[MAD_CLASS] == CLASS_DIRECTED && mad[MAD_METHOD] == GET_RESP)
		rewrite(mad);
	return done;
}
