/*
 * OpenSM's unicast cache (use_ucast_cache, engines/doc/minhop.md section 9): tables survive sweeps in which
 * only hosts or whole leaf switches came or went.
 */
#ifndef IBSCOPE_UCAST_CACHE_H
#define IBSCOPE_UCAST_CACHE_H

#include "core/base/defs.h"
#include "core/routing/routing.h"

/* What the cache remembers since the tables were computed: missing links, and tables of switches that are
 * gone. */
struct ucast_cache;

/* Makes a cache that is valid and empty: tables were just computed for this fabric. */
struct ucast_cache *ucast_cache_new(const struct fabric *f);
struct ucast_cache *ucast_cache_copy(const struct ucast_cache *c);
void ucast_cache_free(struct ucast_cache *c);

/* A sweep after discovery and assignment of LIDs, and the sweep before it. */
struct cache_sweep {
	const struct topo *was, *now;
	const struct lids *lids_was, *lids;
	const uint8_t *flapped;	      /* [n_links] 1 = went down and up in between; NULL = none */
	const struct routing *tables; /* what the switches have */
};

/*
 * Takes in what came and went, and decides whether the tables may stay.  Returns NULL when they may,
 * otherwise the reason (the caller frees it); the cache is then useless.
 */
char *ucast_cache_check(struct ucast_cache *c, const struct cache_sweep *s);

/*
 * The cache after the fabric was replaced: what `to` lacks was lost after the sweep s, whose was, lids_was
 * and tables are used.
 */
struct ucast_cache *ucast_cache_on(const struct ucast_cache *c, const struct cache_sweep *s,
				   const struct fabric *to);

/*
 * The tables of a sweep served by the cache: rows of s->tables; switches that came back have their old rows.
 * Accessors answer from the computed routing.
 */
struct routing *ucast_cache_routing(const struct ucast_cache *c, const struct cache_sweep *s);

/* The computed routing of the same fabric: r itself, or the one from which its tables were taken. */
const struct routing *routing_origin(const struct routing *r);
/* The routing that an engine computed, on whatever fabric. */
const struct routing *routing_computed(const struct routing *r);

/*
 * The tables r on another fabric: whole rows for the switches that exist there, and accessors that answer for
 * what is in both.  t and l are the topo and LIDs on that fabric.
 */
struct routing *routing_on(const struct routing *r, const struct topo *t, const struct lids *l);

#endif
