#include "core/fabric/builder.h"
#include "core/base/cursor.h"
#include "core/base/memory.h"
#include "core/base/rng.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

struct fabric_builder *fb_new(void)
{
	struct fabric_builder *b = NEW(struct fabric_builder);

	b->sm_node = NO_ID;
	return b;
}

static void free_node(struct fb_node *n)
{
	for (unsigned p = 0; p <= n->nports; p++)
		free(n->port[p].label);
	free(n->desc);
	free(n->chassis_place);
	free(n->port);
}

void fb_free(struct fabric_builder *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->n; i++)
		free_node(&b->node[i]);
	free(b->node);
	free(b->hash);
	free(b->generated);
	free(b->untold);
	warnings_free(&b->warnings);
	free(b);
}

/* Place of a GUID in the hash: its own, or the free place where it belongs. */
static uint32_t *hash_slot(const struct fabric_builder *b, uint64_t guid)
{
	uint64_t seed = guid;
	uint32_t i = rng_next(&seed) & (b->hash_size - 1);

	while (b->hash[i] != NO_ID && b->node[b->hash[i]].guid != guid)
		i = (i + 1) & (b->hash_size - 1);
	return &b->hash[i];
}

uint32_t fb_find(const struct fabric_builder *b, uint64_t guid)
{
	return b->hash_size ? *hash_slot(b, guid) : NO_ID;
}

void fb_more_ports(struct fabric_builder *b, uint32_t node, unsigned nports)
{
	struct fb_node *n = &b->node[node];
	unsigned from = n->port ? n->nports + 1u : 0;

	if (n->port && nports <= n->nports)
		return;
	n->port = mem_resize(n->port, nports + 1, sizeof(*n->port));
	for (unsigned p = from; p <= nports; p++)
		n->port[p] = (struct fb_port){.peer_node = NO_ID};
	n->nports = nports;
}

uint32_t fb_add(struct fabric_builder *b, enum node_type type, uint64_t guid, unsigned nports,
		const char *desc)
{
	struct fb_node *n;

	if (2 * (b->n + 1) > b->hash_size) {
		b->hash_size = b->hash_size ? b->hash_size * 4 : 256;
		free(b->hash);
		b->hash = NEW_ARRAY(b->hash_size, uint32_t);
		memset(b->hash, 0xff, b->hash_size * sizeof(*b->hash));
		for (uint32_t i = 0; i < b->n; i++)
			*hash_slot(b, b->node[i].guid) = i;
	}
	if (fb_find(b, guid) != NO_ID)
		return NO_ID;
	GROW(b->node, b->n, b->cap);
	n = &b->node[b->n];
	*n = (struct fb_node){.guid = guid, .type = type, .fdb_cap = DEFAULT_FDB_CAP};
	n->desc = desc ? str_dup(desc) : NULL;
	fb_more_ports(b, b->n, nports);
	*hash_slot(b, guid) = b->n;
	return b->n++;
}

enum link_speed fb_speed_of_codes(unsigned extended, unsigned plain)
{
	static const uint8_t fast[33] = {
		[1] = SPEED_FDR, [2] = SPEED_EDR, [4] = SPEED_HDR, [8] = SPEED_NDR, [32] = SPEED_XDR};
	static const uint8_t slow[5] = {[1] = SPEED_SDR, [2] = SPEED_DDR, [4] = SPEED_QDR};

	if (extended)
		return extended < ARRAY_LEN(fast) ? fast[extended] : SPEED_UNKNOWN;
	return plain < ARRAY_LEN(slow) ? slow[plain] : SPEED_UNKNOWN;
}

void fb_place_sm(struct fabric_builder *b, uint64_t lid)
{
	b->sm_guessed = true;
	for (uint32_t n = 0; lid && b->sm_guessed && n < b->n; n++)
		for (unsigned p = 0; b->sm_guessed && p <= b->node[n].nports; p++) {
			const struct fb_port *q = &b->node[n].port[p];

			if (!q->lid || lid < q->lid || lid >= q->lid + (1u << q->lmc))
				continue;
			b->sm_node = n;
			b->sm_port = (uint8_t)p;
			b->sm_guessed = false;
		}
}

void fb_label(struct fabric_builder *b, uint32_t node, unsigned port, const char *s, size_t len)
{
	struct fb_port *p = &b->node[node].port[port];

	free(p->label);
	p->label = clean_text(s, len, LABEL_MAX);
	if (p->label[strcspn(p->label, "[],")]) { /* such a label would look like NODE[PORT] */
		free(p->label);
		p->label = NULL;
	}
}

bool fb_link(struct fabric_builder *b, uint32_t n1, unsigned p1, uint32_t n2, unsigned p2)
{
	struct fb_port *a, *z;

	if (n1 >= b->n || n2 >= b->n || p1 < 1 || p2 < 1 || p1 > b->node[n1].nports ||
	    p2 > b->node[n2].nports)
		return false;
	if (n1 == n2 && p1 == p2)
		return false;
	a = &b->node[n1].port[p1];
	z = &b->node[n2].port[p2];
	if (a->peer_node != NO_ID || z->peer_node != NO_ID)
		return a->peer_node == n2 && a->peer_port == p2;
	a->peer_node = n2;
	a->peer_port = p2;
	z->peer_node = n1;
	z->peer_port = p1;
	return true;
}

void fb_unlink(struct fabric_builder *b, uint32_t node, unsigned port)
{
	struct fb_port *p = &b->node[node].port[port], *q;

	if (p->peer_node == NO_ID)
		return;
	q = &b->node[p->peer_node].port[p->peer_port];
	p->peer_node = q->peer_node = NO_ID;
	p->state = q->state = PORT_DOWN;
}

static void hash_again(struct fabric_builder *b)
{
	memset(b->hash, 0xff, b->hash_size * sizeof(*b->hash));
	for (uint32_t i = 0; i < b->n; i++)
		*hash_slot(b, b->node[i].guid) = i;
}

void fb_remove(struct fabric_builder *b, uint32_t node)
{
	for (unsigned p = 1; p <= b->node[node].nports; p++)
		fb_unlink(b, node, p);
	free_node(&b->node[node]);
	memmove(b->node + node, b->node + node + 1, (--b->n - node) * sizeof(*b->node));
	for (uint32_t i = 0; i < b->n; i++)
		for (unsigned p = 1; p <= b->node[i].nports; p++) {
			struct fb_port *q = &b->node[i].port[p];

			q->peer_node -= q->peer_node != NO_ID && q->peer_node > node;
		}
	if (b->sm_node == node)
		b->sm_node = NO_ID; /* the first node, as if it had never been told */
	else if (b->sm_node != NO_ID && b->sm_node > node)
		b->sm_node--;
	hash_again(b);
}

void fb_replace(struct fabric_builder *b, uint32_t node, uint64_t guid)
{
	struct fb_node *n = &b->node[node];

	n->sysguid = n->sysguid == n->guid ? guid : n->sysguid;
	n->guid = guid;
	for (unsigned p = 0; p <= n->nports; p++) {
		n->port[p].guid = 0;
		n->port[p].lid = n->port[p].lmc = 0;
	}
	hash_again(b);
}
