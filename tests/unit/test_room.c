/* What the machine has left, read from a folder that stands for it; limits of what is read. */
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/base/cursor.h"
#include "tests/unit/fixture.h"

#define MB ((size_t)1 << 20)

/* --- a machine ---------------------------------------------------------------------------- */

static char root[64];

static void put(const char *path, const char *text)
{
	AUTO_FREE char *whole = str_printf("%s%s", root, path);

	for (char *p = whole + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(whole, 0700);
		*p = '/';
	}
	FILE *f = fopen(whole, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int machine(void **state)
{
	strcpy(root, "/tmp/ibscope-room-XXXXXX");
	assert_non_null(mkdtemp(root));
	put("/proc/meminfo", "MemTotal:        8388608 kB\nMemFree:          102400 kB\n"
			     "MemAvailable:    1048576 kB\nSwapFree:         524288 kB\n");
	return 0;
}

static int remove_machine(void **state)
{
	AUTO_FREE char *command = str_printf("rm -rf '%s'", root);

	return system(command);
}

static void test_machine(void **state)
{
	assert_int_equal(mem_available(root), 1536 * MB);
}

static void test_unknown(void **state)
{
	assert_int_equal(mem_available("/nowhere"), SIZE_MAX);
}

static void test_cgroup2(void **state)
{
	put("/proc/self/cgroup", "0::/system.slice/a.service\n");
	put("/sys/fs/cgroup/system.slice/a.service/memory.max", "max\n");
	put("/sys/fs/cgroup/system.slice/a.service/memory.current", "999\n");
	assert_int_equal(mem_available(root), 1536 * MB);
	put("/sys/fs/cgroup/system.slice/memory.max", "419430400\n"); /* the group above has 400 MB */
	put("/sys/fs/cgroup/system.slice/memory.current", "314572800\n");
	assert_int_equal(mem_available(root), 100 * MB);
	put("/sys/fs/cgroup/system.slice/memory.stat", "anon 1\ninactive_file 52428800\nactive_file 7\n");
	assert_int_equal(mem_available(root), 150 * MB);
	put("/sys/fs/cgroup/system.slice/a.service/memory.max", "1000\n");
	assert_int_equal(mem_available(root), 1);
	put("/sys/fs/cgroup/system.slice/a.service/memory.max", "998\n");
	assert_int_equal(mem_available(root), 0);
}

/* In a container the group is the top one, and its limit stands there. */
static void test_container(void **state)
{
	put("/proc/self/cgroup", "0::/\n");
	put("/sys/fs/cgroup/memory.max", "209715200\n");
	put("/sys/fs/cgroup/memory.current", "104857600\n");
	assert_int_equal(mem_available(root), 100 * MB);
}

static void test_cgroup1(void **state)
{
	put("/proc/self/cgroup", "9:name=systemd:/\n4:hugetlb,memory:/job/7\n1:cpu:/memory\n0::/\n");
	put("/sys/fs/cgroup/memory/job/7/memory.limit_in_bytes", "9223372036854771712\n");
	put("/sys/fs/cgroup/memory/job/7/memory.usage_in_bytes", "5000\n");
	assert_int_equal(mem_available(root), 1536 * MB);
	put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "104857600\n");
	put("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "104857600\n");
	put("/sys/fs/cgroup/memory/job/memory.stat", "cache 9\ntotal_inactive_file 1048576\n");
	assert_int_equal(mem_available(root), MB);
}

static void test_room(void **state)
{
	struct err e = {0};

	assert_int_equal(mem_room(&e, MEM_LARGE - 1, "nothing"), 0);
	assert_int_equal(mem_room(&e, SIZE_MAX / 2, "pairs of %d hosts", 3), -1);
	assert_true(err_is_memory(&e));
	assert_memory_equal(e.msg, "out of memory: 9.2 EB needed for pairs of 3 hosts, ", 51);
	assert_int_equal(mem_room(NULL, SIZE_MAX / 2, "nobody"), -1);
	err_format(&e, "file:7: %s", "out of memory: x");
	assert_true(err_is_memory(&e));
	err_format(&e, "memory is fine");
	assert_false(err_is_memory(&e));
}

/* What is small must still find room: the last 32 MB are never given.  By a limit of the process's own, so
 * that others do not matter.
 */
static void test_reserve(void **state)
{
	struct rlimit was;
	unsigned long long data;
	struct err e = {0};
	FILE *f = fopen("/proc/self/statm", "r");

	assert_int_equal(fscanf(f, "%*u %*u %*u %*u %*u %llu", &data), 1);
	fclose(f);
	assert_int_equal(getrlimit(RLIMIT_DATA, &was), 0);
	struct rlimit now = was;
	now.rlim_cur = data * (unsigned long long)sysconf(_SC_PAGESIZE) + 128 * MB;
	assert_int_equal(setrlimit(RLIMIT_DATA, &now), 0);
	size_t room = mem_available("");
	assert_in_range(room, 100 * MB, 140 * MB);
	assert_int_equal(mem_room(&e, room - 33 * MB, "much"), 0);
	assert_int_equal(mem_room(&e, room - 31 * MB, "more"), -1);
	assert_true(err_is_memory(&e));
	assert_int_equal(setrlimit(RLIMIT_DATA, &was), 0);
}

static void test_text(void **state)
{
	char b[32];

	assert_string_equal(mem_text(1, b, sizeof(b)), "1 byte");
	assert_string_equal(mem_text(999, b, sizeof(b)), "999 bytes");
	assert_string_equal(mem_text(1000, b, sizeof(b)), "1.0 kB");
	assert_string_equal(mem_text(999949, b, sizeof(b)), "999.9 kB");
	assert_string_equal(mem_text(999960, b, sizeof(b)), "1.0 MB");
	assert_string_equal(mem_text(1234567890, b, sizeof(b)), "1.2 GB");
	assert_string_equal(mem_text(SIZE_MAX, b, sizeof(b)), "18.4 EB");
}

/* --- reading ---------------------------------------------------------------------------------- */

static void test_lines(void **state)
{
	static char given[] = "one\n\nthree";
	FILE *f = fmemopen(given, strlen(given), "r");
	AUTO_TEXT struct text t = {0};
	struct err e = {0};

	assert_int_equal(read_text_line(f, "x", &t, &e), 1);
	assert_string_equal(t.s, "one\n");
	assert_int_equal(read_text_line(f, "x", &t, &e), 1);
	assert_string_equal(t.s, "\n");
	assert_int_equal(read_text_line(f, "x", &t, &e), 1);
	assert_string_equal(t.s, "three");
	assert_int_equal(read_text_line(f, "x", &t, &e), 0);
	fclose(f);
	f = fopen("/dev/zero", "r");
	assert_int_equal(read_text_line(f, "zero", &t, &e), -1);
	assert_string_equal(e.msg, "zero: found a line of more than 1000000 bytes");
	fclose(f);
	f = fopen("/", "r");
	assert_int_equal(read_text_line(f, "top", &t, &e), -1);
	assert_string_equal(e.msg, "top: Is a directory");
	fclose(f);
}

static void test_stream(void **state)
{
	AUTO_TEXT struct text t = {0};
	FILE *f = text_stream(&t);

	assert_true(fprintf(f, "a%d", 1) == 2);
	assert_int_equal(fputc(0, f), 0);
	for (int i = 0; i < 20000; i++)
		fputs("0123456789", f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(t.len, 3 + 200000);
	assert_string_equal(t.s, "a1");
	assert_string_equal(t.s + t.len - 10, "0123456789");
}

#define ON_MACHINE(test) cmocka_unit_test_setup_teardown(test, machine, remove_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_MACHINE(test_machine),	cmocka_unit_test(test_unknown), ON_MACHINE(test_cgroup2),
		ON_MACHINE(test_container),	ON_MACHINE(test_cgroup1),	cmocka_unit_test(test_room),
		cmocka_unit_test(test_reserve), cmocka_unit_test(test_text),	cmocka_unit_test(test_lines),
		cmocka_unit_test(test_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
