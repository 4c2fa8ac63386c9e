/* LIDs over sweeps: what ports keep, what the subnet manager remembers, what is given anew. */
#include "fixture.h"
#include "core/routing/routing.h"

/* GUID whose place in OpenSM's order is n. */
#define G(n) ((uint64_t)(n) << 56)

/* A switch (place 1) with `n` hosts (places 2 ..) whose LIDs and LMCs are given; the first node runs the SM.
 */
struct net {
	struct fabric *f;
	struct state *st;
	struct lid_memory *m;
	struct topo *t;
	struct lids *l;
	struct text notes;
	uint8_t rule[32];
};

struct carried {
	uint16_t lid;
	uint8_t lmc;
};

static void net_make(struct net *n, unsigned hosts, const struct carried *c, uint32_t sm,
		     struct lid_options o)
{
	struct fabric_builder *b = fb_new();

	fb_add(b, NODE_SWITCH, G(1), 30, "switch");
	for (unsigned i = 0; i <= hosts; i++) {
		if (i) {
			fb_add(b, NODE_CA, G(i + 1), 1, "host");
			b->node[i].port[1].guid = G(i + 1);
			assert_true(fb_link(b, 0, i, i, 1));
		}
		struct fb_port *p = &b->node[i].port[i ? 1 : 0];
		p->lid = c ? c[i].lid : 0;
		p->lmc = c ? c[i].lmc : 0;
	}
	b->sm_node = sm;
	*n = (struct net){.f = built(b)};
	n->st = state_new(n->f);
	n->m = lid_memory_new(n->f, &o);
}

static void net_sweep(struct net *n)
{
	topo_unref(n->t);
	lids_unref(n->l);
	text_free(&n->notes);
	n->t = topo_new(n->f, n->st);
	n->l = lids_assign(n->m, n->t, &n->notes, n->rule);
}

static void net_free(struct net *n)
{
	lids_unref(n->l);
	topo_unref(n->t);
	lid_memory_free(n->m);
	state_free(n->st);
	text_free(&n->notes);
	fabric_unref(n->f);
}

/* A sweep gives these base LIDs, in GUID order: the switch, then the hosts. */
static void sweep_gives(struct net *n, const unsigned *want)
{
	net_sweep(n);
	for (uint32_t ep = 0; ep < n->f->n_endports; ep++) {
		assert_int_equal(n->l->base[ep], want[ep]);
		for (unsigned i = 0; i < n->l->count[ep]; i++)
			assert_int_equal(lid_owner(n->l, want[ep] + i), ep);
	}
}

static void test_fresh(void **state)
{
	AUTO_BY(net_free) struct net n;

	net_make(&n, 3, NULL, 2, (struct lid_options){0}); /* the SM runs on the second host */
	sweep_gives(&n, (unsigned[]){2, 3, 1, 4});
	assert_int_equal(n.l->max_lid, 4);
	assert_int_equal(n.rule[0], LID_NEW);
}

/* Of two with one LID the earlier keeps it; the other takes the smallest free one. */
static void test_kept(void **state)
{
	AUTO_BY(net_free) struct net n;

	net_make(&n, 4, (struct carried[]){{0, 0}, {3, 0}, {3, 0}, {1, 0}, {0xC000, 0}}, 0,
		 (struct lid_options){0});
	sweep_gives(&n, (unsigned[]){2, 3, 4, 1, 5});
	assert_int_equal(n.rule[1], LID_KEPT);
	assert_int_equal(n.rule[2], LID_NEW);
}

static void test_lmc(void **state)
{
	struct net n;

	/* LIDs skipped for alignment are lost for the sweep */
	net_make(&n, 2, NULL, 1, (struct lid_options){.lmc = 2});
	sweep_gives(&n, (unsigned[]){8, 4, 12});
	assert_int_equal(n.l->count[0], 1);
	assert_int_equal(n.l->count[1], 4);
	assert_int_equal(n.l->max_lid, 15);
	net_free(&n);
	/* a misaligned LID is not kept, an aligned one is, with its whole range */
	net_make(&n, 2, (struct carried[]){{5, 0}, {6, 0}, {8, 0}}, 0, (struct lid_options){.lmc = 2});
	sweep_gives(&n, (unsigned[]){5, 12, 8});
	net_free(&n);
}

/* Under LMC 0 a CA's surplus LIDs are free for others, those of a plain switch port 0 are not. */
static void test_carried_lmc(void **state)
{
	struct net n;

	net_make(&n, 3, (struct carried[]){{4, 1}, {1, 1}, {0, 0}, {0, 0}}, 0, (struct lid_options){0});
	sweep_gives(&n, (unsigned[]){4, 1, 2, 3});
	net_free(&n);
	net_make(&n, 3, (struct carried[]){{1, 1}, {0, 0}, {0, 0}, {0, 0}}, 0, (struct lid_options){0});
	sweep_gives(&n, (unsigned[]){1, 3, 4, 5});
	net_free(&n);
}

static void test_reassign(void **state)
{
	AUTO_BY(net_free) struct net n;
	struct guid2lid file[] = {{G(2), 77, 77}};

	net_make(&n, 2, (struct carried[]){{9, 0}, {20, 0}, {30, 0}}, 0,
		 (struct lid_options){.reassign = true, .file = file, .n_file = 1});
	sweep_gives(&n, (unsigned[]){1, 2, 3});
	assert_int_equal(n.l->max_lid, 3);
}

static void test_guid2lid(void **state)
{
	AUTO_BY(net_free) struct net n;
	struct guid2lid file[] = {
		{G(2), 9, 9}, {0x1234, 1, 2}, /* somebody who is not here keeps his LIDs */
		{G(3), 0, 4}, {G(3), 9, 9},   /* no LID 0; taken */
		{G(3), 6, 5}, {0, 3, 3},      {G(4), 0xBFFF, 0xC000},
	};

	net_make(&n, 3, (struct carried[]){{0, 0}, {20, 0}, {9, 0}, {0, 0}}, 0,
		 (struct lid_options){.file = file, .n_file = ARRAY_LEN(file)});
	sweep_gives(&n, (unsigned[]){2, 9, 3, 4}); /* of 1-2 only the first 2^lmc LIDs are reserved */
	assert_int_equal(n.rule[1], LID_REMEMBERED);
	assert_int_equal(n.l->max_lid, 20);
}

/* An entry that no longer fits the LMC is dropped, its LIDs are free. */
static void test_guid2lid_lmc(void **state)
{
	AUTO_BY(net_free) struct net n;
	struct guid2lid file[] = {{G(2), 8, 8}, {G(3), 12, 15}};

	net_make(&n, 2, NULL, 0, (struct lid_options){.lmc = 1, .file = file, .n_file = 2});
	/* 12 and 13 are used (2^lmc of the range); the host of 8 starts anew behind the switch's 1 */
	sweep_gives(&n, (unsigned[]){1, 2, 12});
	assert_int_equal(n.l->count[2], 2);
}

static void test_memory(void **state)
{
	AUTO_BY(net_free) struct net n;

	net_make(&n, 3, NULL, 0, (struct lid_options){0});
	net_sweep(&n);
	struct lids *first = lids_ref(n.l);
	net_sweep(&n);
	assert_ptr_equal(first, n.l); /* nothing changed: the same object */
	n.st->node_down[2] = 1;
	sweep_gives(&n, (unsigned[]){1, 2, 0, 4});
	assert_int_equal(lid_owner(n.l, 3), NO_ID);
	assert_int_equal(n.l->max_lid, 4);
	struct lid_memory *copy = lid_memory_copy(n.m);
	n.st->node_down[2] = 0;
	sweep_gives(&n, (unsigned[]){1, 2, 3, 4});
	lid_memory_free(n.m);
	n.m = copy; /* an older memory goes on by itself */
	sweep_gives(&n, (unsigned[]){1, 2, 3, 4});
	lids_unref(first);
}

/* A port that is seen later takes a LID that was never given. */
static void test_late(void **state)
{
	AUTO_BY(net_free) struct net n;

	net_make(&n, 3, NULL, 0, (struct lid_options){0});
	n.st->node_down[1] = 1;
	sweep_gives(&n, (unsigned[]){1, 0, 2, 3});
	n.st->node_down[1] = 0;
	sweep_gives(&n, (unsigned[]){1, 4, 2, 3});
}

static void test_exhausted(void **state)
{
	AUTO_BY(net_free) struct net n;

	net_make(&n, 4, NULL, 0, (struct lid_options){0});
	n.f->switch_fdb_cap[0] = 3;
	sweep_gives(&n, (unsigned[]){1, 2, 3, 0, 0});
	assert_int_equal(n.rule[4], LID_NONE);
	assert_non_null(strstr(text_str(&n.notes), "gets no LID"));
	n.st->node_down[1] = 1;
	sweep_gives(&n, (unsigned[]){1, 0, 3, 0, 0}); /* LIDs of the departed stay reserved */
}

/* Ports without LID under an LMC seem to have the LIDs below 2^lmc: the owner of LID 1 loses it, every sweep.
 */
static void test_exhausted_lmc(void **state)
{
	AUTO_BY(net_free) struct net n;

	net_make(&n, 3, NULL, 0, (struct lid_options){.lmc = 1});
	n.f->switch_fdb_cap[0] = 5;
	for (int sweep = 0; sweep < 2; sweep++) {
		sweep_gives(&n, (unsigned[]){0, 2, 4, 0});
		assert_int_equal(n.l->n_wrong, 1);
		assert_non_null(strstr(text_str(&n.notes), "LID 1 is in the table for switch"));
	}
	n.st->node_down[3] = 1;
	sweep_gives(&n, (unsigned[]){1, 2, 4, 0});
	assert_int_equal(n.l->n_wrong, 0);
}

/* A switch keeps its LID, but not the LMC it comes with: its further LIDs stay in OpenSM's table for a sweep.
 */
static void test_surplus(void **state)
{
	const struct carried found[] = {{6, 1}, {8, 1}};
	struct net n;

	net_make(&n, 1, found, 1, (struct lid_options){.lmc = 1});
	sweep_gives(&n, (unsigned[]){0, 8});
	assert_int_equal(n.l->n_wrong, 1);
	assert_non_null(strstr(text_str(&n.notes), "LID 7 is in the table for switch"));
	sweep_gives(&n, (unsigned[]){6, 8});
	assert_int_equal(n.l->n_wrong, 0);
	net_free(&n);
	/* not without an LMC of the subnet */
	net_make(&n, 1, found, 1, (struct lid_options){0});
	sweep_gives(&n, (unsigned[]){6, 8});
	assert_int_equal(n.l->n_wrong, 0);
	net_free(&n);
}

static void test_esp0(void **state)
{
	struct net n;

	for (unsigned enhanced = 0; enhanced < 2; enhanced++) {
		net_make(&n, 1, NULL, 0, (struct lid_options){.lmc = 1, .lmc_esp0 = true});
		n.f->switch_esp0[0] = enhanced;
		sweep_gives(&n, enhanced ? (unsigned[]){2, 4} : (unsigned[]){1, 2});
		assert_int_equal(n.l->count[0], 1 + enhanced);
		net_free(&n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fresh),	     cmocka_unit_test(test_kept),
		cmocka_unit_test(test_lmc),	     cmocka_unit_test(test_carried_lmc),
		cmocka_unit_test(test_reassign),     cmocka_unit_test(test_guid2lid),
		cmocka_unit_test(test_guid2lid_lmc), cmocka_unit_test(test_memory),
		cmocka_unit_test(test_late),	     cmocka_unit_test(test_exhausted),
		cmocka_unit_test(test_esp0),	     cmocka_unit_test(test_exhausted_lmc),
		cmocka_unit_test(test_surplus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
