/* Targets and differences of live discoveries; discovery itself is tested over a simulator. */
#include <poll.h>
#include "fixture.h"
#include <sys/wait.h>
#include "core/fabric/changes.h"
#include "core/source/live.h"

static void target(const char *word, const char *want_ca, int want_port)
{
	char *ca;
	int port;
	struct err e;

	assert_int_equal(live_parse_target(word, &ca, &port, &e), 0);
	if (want_ca)
		assert_string_equal(ca, want_ca);
	else
		assert_null(ca);
	assert_int_equal(port, want_port);
	free(ca);
}

static void bad_target(const char *word)
{
	char *ca;
	int port;
	struct err e = {0};

	assert_int_equal(live_parse_target(word, &ca, &port, &e), -1);
	assert_non_null(strstr(e.msg, word));
	assert_non_null(strstr(e.msg, "expected CA, CA:PORT or :PORT"));
	assert_null(ca);
}

static void test_target(void **state)
{
	target("", NULL, 0);
	target("mlx5_0", "mlx5_0", 0);
	target("mlx5_0:2", "mlx5_0", 2);
	target(":1", NULL, 1);
	bad_target("mlx5_0:");
	bad_target("mlx5_0:0");
	bad_target("mlx5_0:255");
	bad_target(":-1");
	bad_target(": 1");
	bad_target("mlx5_0:1x");
	bad_target("mlx5_0:99999999999999999999");
}

/* This is no discovery process. */
static void test_not_child(void **state)
{
	char name[] = "ibscope", flag[] = "--discover-child", none[] = "", *argv[] = {name, flag, none, NULL};

	assert_int_equal(live_child_main(1, argv), -1);
	assert_int_equal(live_child_main(3, argv), -1);
}

struct cable {
	uint64_t a;
	unsigned pa;
	uint64_t b;
	unsigned pb;
	uint8_t width, speed;
};

/* Two switches (4 ports) and three hosts h1 h2 h3, as far as `nodes` has a letter for them, and cables. */
static struct fabric *make(const char *nodes, const struct cable *c, unsigned lid, const char *name)
{
	struct fabric_builder *b = fb_new();
	struct fabric *f = NULL;
	struct err e;

	for (const char *s = nodes; *s; s++) {
		uint32_t n;

		if (*s == 'A' || *s == 'B') {
			n = fb_add(b, NODE_SWITCH, *s == 'A' ? 0xa : 0xb, 4, *s == 'A' ? name : "sw-b");
			b->node[n].port[0].lid = *s == 'A' ? 1 : 2;
		} else {
			char host[] = {'h', *s, '\0'};

			n = fb_add(b, NODE_CA, 0x100u * (unsigned)(*s - '0'), 1, host);
			b->node[n].port[1].lid = (uint16_t)(lid + (unsigned)(*s - '0'));
		}
	}
	for (; c->a; c++) {
		uint32_t x = fb_find(b, c->a), y = fb_find(b, c->b);

		assert_true(fb_link(b, x, c->pa, y, c->pb));
		b->node[x].port[c->pa].width = b->node[y].port[c->pb].width = c->width;
		b->node[x].port[c->pa].speed = b->node[y].port[c->pb].speed = c->speed;
	}
	assert_int_equal(fb_finish(b, "test", "live", &f, &e), 0);
	return f;
}

static const struct cable before[] = {
	{0xa, 1, 0x100, 1, WIDTH_4X, SPEED_HDR},
	{0xa, 2, 0x200, 1, WIDTH_4X, SPEED_HDR},
	{0xa, 3, 0xb, 3, WIDTH_4X, SPEED_HDR},
	{0xa, 4, 0xb, 4, WIDTH_4X, SPEED_HDR},
	{0},
};

static void differs(struct fabric *a, struct fabric *b, unsigned n, const char *want)
{
	AUTO_TEXT struct text t = {0};

	assert_int_equal(fabric_changes(a, b, NULL, &t, NULL), n);
	assert_string_equal(text_str(&t), want);
	fabric_unref(a);
	fabric_unref(b);
}

static void test_same(void **state)
{
	differs(make("AB12", before, 10, "sw-a"), make("21BA", before, 10, "sw-a"), 0, "");
}

static void test_nodes(void **state)
{
	static const struct cable after[] = {
		{0xa, 1, 0x100, 1, WIDTH_4X, SPEED_HDR},
		{0xb, 1, 0x300, 1, WIDTH_4X, SPEED_HDR},
		{0xa, 3, 0xb, 3, WIDTH_4X, SPEED_HDR},
		{0xa, 4, 0xb, 4, WIDTH_4X, SPEED_HDR},
		{0},
	};

	differs(make("AB12", before, 10, "sw-a"), make("AB13", after, 10, "sw-a"), 2,
		"- node h2 (0x0000000000000200, CA, 1 port)\n"
		"    link h2[1] -- sw-a[2]\n"
		"+ node h3 (0x0000000000000300, CA, 1 port)\n"
		"    link h3[1] -- sw-b[1]\n");
}

static void test_moved(void **state)
{
	/* h2 from sw-a[2] to sw-b[1]; the cable of ports 4 is gone. */
	static const struct cable after[] = {
		{0xa, 1, 0x100, 1, WIDTH_4X, SPEED_HDR},
		{0xb, 1, 0x200, 1, WIDTH_4X, SPEED_HDR},
		{0xa, 3, 0xb, 3, WIDTH_4X, SPEED_HDR},
		{0},
	};

	differs(make("AB12", before, 10, "sw-a"), make("AB12", after, 10, "sw-a"), 2,
		"~ moved h2[1]: from sw-a[2] to sw-b[1]\n"
		"- link sw-a[4] -- sw-b[4]\n");
}

/* h3 is on the cable of h2. */
static void test_replaced(void **state)
{
	static const struct cable after[] = {
		{0xa, 1, 0x100, 1, WIDTH_4X, SPEED_HDR},
		{0xa, 2, 0x300, 1, WIDTH_4X, SPEED_HDR},
		{0xa, 3, 0xb, 3, WIDTH_4X, SPEED_HDR},
		{0xa, 4, 0xb, 2, WIDTH_4X, SPEED_HDR},
		{0},
	};

	differs(make("AB12", before, 10, "sw-a"), make("AB13", after, 10, "sw-a"), 2,
		"~ node h2 replaced: 0x0000000000000200 -> 0x0000000000000300, now h3\n"
		"~ link sw-a[4]: from sw-b[4] to sw-b[2]\n");
}

/* Two cables that changed places. */
static void test_swapped(void **state)
{
	static const struct cable after[] = {
		{0xa, 2, 0x100, 1, WIDTH_4X, SPEED_HDR},
		{0xa, 1, 0x200, 1, WIDTH_4X, SPEED_HDR},
		{0xa, 3, 0xb, 3, WIDTH_4X, SPEED_HDR},
		{0xa, 4, 0xb, 4, WIDTH_4X, SPEED_HDR},
		{0},
	};

	differs(make("AB12", before, 10, "sw-a"), make("AB12", after, 10, "sw-a"), 1,
		"~ swapped h1[1] and h2[1]: now at sw-a[2] and sw-a[1]\n");
}

static void test_name_lid_rate(void **state)
{
	static const struct cable after[] = {
		{0xa, 1, 0x100, 1, WIDTH_4X, SPEED_HDR},
		{0xa, 2, 0x200, 1, WIDTH_2X, SPEED_EDR},
		{0xa, 3, 0xb, 3, WIDTH_4X, SPEED_HDR},
		{0xa, 4, 0xb, 4, WIDTH_4X, SPEED_HDR},
		{0},
	};

	differs(make("AB12", before, 10, "sw-a"), make("AB12", after, 20, "new name"), 4,
		"~ name 0x000000000000000a: sw-a -> new name\n"
		"~ rate h2[1] -- new name[2]: 4xHDR -> 2xEDR\n"
		"~ lid h1[1]: 11 -> 21\n"
		"~ lid h2[1]: 12 -> 22\n");
}

/* A discovery process that hears nothing but errors, until it is told to leave. */
static int only_errors(void)
{
	static const char said[] = "ibwarn: [1] bad status 110; Connection timed out\n";
	struct pollfd told = {.fd = 0, .events = POLLIN};

	while (!poll(&told, 1, 20))
		(void)!write(2, said, sizeof(said) - 1);
	return 0;
}

static void test_only_errors(void **state)
{
	struct err e = {0};

	assert_null(live_discover_tables(NULL, 0, LIVE_NO_TABLES, 2, NULL, &e));
	assert_non_null(strstr(e.msg, "nothing but errors from the fabric for 6 s"));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
}

/* It is started again as the discovery process, instead of the real one. */
int main(int argc, char **argv)
{
	char *none[] = {argv[0], NULL};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_target),	    cmocka_unit_test(test_not_child),
		cmocka_unit_test(test_same),	    cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_moved),	    cmocka_unit_test(test_swapped),
		cmocka_unit_test(test_replaced),    cmocka_unit_test(test_name_lid_rate),
		cmocka_unit_test(test_only_errors),
	};

	if (argc == 5)
		return only_errors();
	if (live_child_main(1, none) != -1) /* lets it in */
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
