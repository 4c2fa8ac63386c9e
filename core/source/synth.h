/* Synthetic fabrics from short descriptions. */
#ifndef IBSCOPE_SYNTH_H
#define IBSCOPE_SYNTH_H

#include "core/base/err.h"
#include "core/fabric/builder.h"
#include "core/fabric/fabric.h"

#define SYNTH_MAX_ENDPORTS 48000
#define SYNTH_MAX_PORTS (1u << 20) /* ports of all switches together */
#define SYNTH_MAX_CA_PORTS 16
#define SYNTH_MAX_DIMS 16
#define SYNTH_MAX_SHAPE 1000 /* characters of a shape */

/* Does the word look like a synthetic description ("kind:...")? */
bool synth_is_spec(const char *word);

/*
 * Make a fabric:
 *   xgft:M1,..,Mh:W1,..,Wh   extended generalised fat tree (Ohring et al. 1995): h levels of
 *                            switches (synth.c tells every kind and option)
 *   torus:AxBx..  mesh:AxBx..  hypercube:D  dragonfly:A,H,P[,G]  hyperx:AxBx..  ring:N
 *   director:...  random:SWITCHES,DEGREE  regular:SWITCHES,DEGREE  kautz:D,K  debruijn:D,K
 *   slimfly:Q  polarfly:Q  cascade:G[,H]  tsubame:2  published:NAME
 * followed by ",option=value" items: hosts= (per switch), parallel= (cables per link),
 * seed=, shuffle=1 (port numbers, GUIDs and file order at random), fail= (links removed at random), lids=1.
 * -1 and *e names the part of the description that is wrong and what was expected.
 */
int synth_make(const char *spec, struct fabric **out, struct err *e);

/*
 * A small fabric made for teaching, by its name in the list among the lessons (infile.h): "lesson:ring5".
 * *spec describes its making, *note what it shows; free both.  0; 1: the word is no such name; -1 and *e.
 */
int synth_lesson(const char *word, char **spec, char **note, struct err *e);
/* Their names, each behind a blank; none when the list cannot be read. */
void synth_lessons(struct text *names);

/*
 * What a description may begin with, each behind a blank: "torus:" and the other kinds; for a word that
 * begins "published:" or "lesson:", these with each name.
 */
void synth_begins(const char *word, struct text *words);

/* Lines of help about kinds and options, for `help synth` and the manual. */
extern const char synth_help[];

/*
 * Private to the synthetic fabrics: a plan is a list of nodes and cables that
 * kinds (synth_kinds.c, synth_graphs.c, synth_kinds.c) fill and synth.c turns into a fabric.
 */

/* Options behind the shape; numbers as given, words as numbers. */
struct synth_options {
	uint64_t hosts;	   /* CAs a switch; the kind's default when not set */
	uint64_t hosts_on; /* 0: where the kind has them; K: on every K-th switch (1 = all) */
	uint64_t parallel; /* cables a switch-switch link */
	uint64_t uplinks;  /* director: cables from an edge switch to each chassis */
	uint64_t seed, shuffle, fail, lids, lmc, aggregation, esp0;
	uint64_t ports;	       /* at least so many ports on every switch */
	uint64_t sm_host;      /* 1: the first node of the source is a CA */
	uint64_t speed, width; /* enum link_speed, enum link_width */
	bool hosts_given, hosts_on_given, uplinks_given;
};

struct plan_node {
	char *name;	     /* NULL: a CA, numbered at the end */
	char *chassis_place; /* place in the chassis, may be NULL */
	uint32_t
		system; /* node whose GUID is the system image GUID: itself, or the first chip of a chassis */
	uint16_t chassis; /* 0 = none */
	uint8_t type;	  /* NODE_SWITCH or NODE_CA */
	uint8_t nports;	  /* highest port so far */
	bool aggregation; /* CA: the aggregation node of a switch; switch: its highest port leads to one */
};

struct plan_cable {
	uint32_t node[2];
	uint8_t port[2];
	uint8_t width, speed;
};

struct plan {
	struct plan_node *node;
	uint32_t n, cap;
	struct plan_cable *cable;
	uint32_t n_cables, cap_cables;
	uint32_t n_switches, n_endports;
	struct synth_options o;
	uint64_t rng;
	const char *spec; /* for messages */
	struct err why;	  /* first thing that went wrong */
	bool failed;
};

/* Note the first failure ("SPEC: ..."); always -1. */
int plan_fail_kind(struct plan *p, enum err_kind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);
#define plan_fail(p, ...) plan_fail_kind(p, ERR_SYNTAX, __VA_ARGS__)
#define plan_limit(p, ...) plan_fail_kind(p, ERR_LIMIT, __VA_ARGS__)

/*
 * Announce the size in advance.  -1 with a message: it is too large. endports counts switches and CA ports;
 * ports are those of the largest switch.
 */
int plan_expect(struct plan *p, uint64_t switches, uint64_t endports, uint64_t ports);

/* a * b, at most 10^9: too large sizes stay too large. */
uint64_t size_mul(uint64_t a, uint64_t b);

uint32_t plan_switch(struct plan *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
uint32_t plan_ca(struct plan *p);

/* A cable between port p1 of n1 and p2 of n2; port 0 stands for the next free one of its node. */
struct plan_cable *plan_cable(struct plan *p, uint32_t n1, unsigned p1, uint32_t n2, unsigned p2);

/* o.parallel cables on the next free ports. */
void plan_link(struct plan *p, uint32_t n1, uint32_t n2);

/* n CAs with one port on the next free ports of a switch. */
void plan_hosts(struct plan *p, uint32_t sw, unsigned n);

/* Decimal digits of the largest of n numbers that start at 0 (n - 1), but at least min. */
int digits_of(uint32_t n, int min);

/* A shape that is nothing but numbers, separated by `sep`. */
struct shape_rule {
	const char *words; /* the expected shape, for messages */
	char sep;
	int min, max; /* how many */
	uint32_t low, high;
};

/* Reads such a shape into v[max].  Returns the number of numbers, or -1. */
int shape_read(struct plan *p, const char *s, const struct shape_rule *rule, uint32_t *v);

/* CAs that the options ask for on switch k, and on all of so many switches. */
unsigned hosts_at(const struct plan *p, uint32_t k);
uint64_t hosts_in_all(const struct plan *p, uint64_t switches);

/* The generators; each gets the text between "kind:" and the options.  0, or -1 with p->why. */
int synth_xgft(struct plan *p, const char *shape);
int synth_torus(struct plan *p, const char *shape);
int synth_mesh(struct plan *p, const char *shape);
int synth_ring(struct plan *p, const char *shape);
int synth_hypercube(struct plan *p, const char *shape);
int synth_hyperx(struct plan *p, const char *shape);
int synth_dragonfly(struct plan *p, const char *shape);
int synth_director(struct plan *p, const char *shape);
int synth_random(struct plan *p, const char *shape);
int synth_kautz(struct plan *p, const char *shape);
int synth_debruijn(struct plan *p, const char *shape);
int synth_slimfly(struct plan *p, const char *shape);
int synth_polarfly(struct plan *p, const char *shape);
int synth_regular(struct plan *p, const char *shape);
int synth_cascade(struct plan *p, const char *shape);
int synth_tsubame(struct plan *p, const char *shape);
int synth_published(struct plan *p, const char *shape);
extern const char synth_published_names[]; /* with blanks between */

/* Coordinates: grids and cubes, also for published shapes. cables[d]: parallel cables in dimension d. */
enum grid_kind { GRID_MESH, GRID_TORUS, GRID_HYPERX };
struct synth_grid {
	enum grid_kind kind;
	const char *prefix; /* of switch names */
	unsigned dims;
	uint32_t size[SYNTH_MAX_DIMS];
	uint32_t cables[SYNTH_MAX_DIMS];
};

/*
 * A chassis of line and spine chips with `links` cables between each pair,
 * all of one system image GUID.  Returns the first line chip; the spine chips follow.
 * Line chips keep their ports 1 .. outer free for what is outside.
 */
struct synth_chassis {
	const char *name;
	unsigned lines, spines, links, outer;
};

#endif
