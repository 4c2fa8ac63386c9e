/* The kinds of synthetic fabrics that are graphs of algebra, words and chance. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/rng.h"
#include "core/base/text.h"
#include "core/source/synth.h"

/* A switch named by n letters below `base`: digits side by side, or with hyphens when one needs two. */
static void word_switch(struct plan *p, const char *prefix, const uint32_t *letter, uint32_t n, uint32_t base)
{
	AUTO_TEXT struct text t = {0};

	assert(n >= 1 && n <= SYNTH_MAX_DIMS);
	for (uint32_t i = 0; i < n; i++) {
		assert(letter[i] < base);
		text_add(&t, base > 10 ? "-%0*u" : "%0*u", digits_of(base, 1), letter[i]);
	}
	plan_switch(p, "%s%s", prefix, text_str(&t));
}

/* n switches from `first` on get their hosts; before them, none has a port in use. */
static void all_hosts(struct plan *p, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		plan_hosts(p, first + i, hosts_at(p, i));
}

/* --- words ----------------------------------------------------------------------- */

/*
 * Words of v[1] letters; from a word, an arc leads to each word that follows when its first letter goes and
 * one of v[0] letters comes behind.  kautz: the alphabet has one letter more, and a letter never follows
 * itself.  Every arc is a cable, loops excepted.
 */
static int words_make(struct plan *p, const char *shape, bool kautz)
{
	const struct shape_rule rule = {
		kautz ? "kautz:D,K" : "debruijn:D,K", ',', 2, 2, 1, SYNTH_MAX_ENDPORTS};
	const char *prefix = kautz ? "k" : "b";
	uint32_t v[2] = {0}, letter[SYNTH_MAX_DIMS], first = p->n, base, n, rest;

	if (shape_read(p, shape, &rule, v) < 0)
		return -1;
	if (v[1] > SYNTH_MAX_DIMS)
		return plan_limit(p, "K = %u letters, expected at most %d", v[1], SYNTH_MAX_DIMS);
	base = v[0] + kautz;
	uint64_t all = base;
	for (uint32_t i = 1; i < v[1]; i++)
		all = size_mul(all, v[0]);
	uint64_t ports = p->o.hosts + size_mul(2 * (uint64_t)v[0], p->o.parallel);
	if (plan_expect(p, all, all + hosts_in_all(p, all), ports))
		return -1;
	n = (uint32_t)all;
	rest = n / base; /* words that begin with the same letter */
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0, at = i, below = rest; k < v[1]; k++) {
			letter[k] = at / below;
			/* the letter before is left out of those that may follow */
			letter[k] += kautz && k && letter[k] >= letter[k - 1];
			at %= below;
			below = below > v[0] ? below / v[0] : 1;
		}
		word_switch(p, prefix, letter, v[1], base);
	}
	all_hosts(p, first, n);
	for (uint32_t i = 0; i < n && !p->failed; i++) {
		uint32_t lead = i / rest, tail = i % rest, second;

		if (v[1] == 1) { /* one letter goes, any other comes */
			for (uint32_t to = 0; to < n; to++)
				if (to != i)
					plan_link(p, first + i, first + to);
			continue;
		}
		/* the tail as a word: its first letter, and the places of those behind */
		second = tail / (rest / v[0]); /* NOLINT(clang-analyzer-core.DivideZero): at least 1 */
		second += kautz && second >= lead;
		for (uint32_t k = 0; k < v[0]; k++) {
			uint32_t to = second * rest + tail % (rest / v[0]) * v[0] + k;

			if (to != i)
				plan_link(p, first + i, first + to);
		}
	}
	return p->failed ? -1 : 0;
}

int synth_kautz(struct plan *p, const char *shape)
{
	return words_make(p, shape, true);
}

int synth_debruijn(struct plan *p, const char *shape)
{
	return words_make(p, shape, false);
}

/* --- finite fields ----------------------------------------------------------------- */

/* GF(q), q = prime^m: elements are polynomials, their coefficients the digits of a number below q. */
struct synth_graphs_field {
	uint32_t q, prime;
	uint8_t exp[MAX_PORTS + 1], log[MAX_PORTS + 1]; /* powers of x, which generates all but 0 */
};

/* a + sign * b, digit by digit */
static uint32_t field_sum(const struct synth_graphs_field *f, uint32_t a, uint32_t b, uint32_t sign)
{
	uint32_t sum = 0;

	for (uint32_t unit = 1; unit < f->q; unit *= f->prime)
		sum += (a / unit + sign * (b / unit % f->prime)) % f->prime * unit;
	return sum;
}

static uint32_t field_product(const struct synth_graphs_field *f, uint32_t a, uint32_t b)
{
	assert(a < f->q && b < f->q);
	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): filled for all but 0 */
	return a && b ? f->exp[(f->log[a] + f->log[b]) % (f->q - 1)] : 0;
}

/* Is x a generator when x^m = -(the polynomial c)? Fills the powers. */
static bool field_try(struct synth_graphs_field *f, uint32_t c)
{
	uint32_t at = 1;

	for (uint32_t i = 0; i + 1 < f->q; i++) {
		uint32_t top = at / (f->q / f->prime);

		if (!at || (i && at == 1))
			return false;
		f->exp[i] = (uint8_t)at;
		f->log[at] = (uint8_t)i;
		at = at % (f->q / f->prime) * f->prime;
		for (uint32_t k = 0; k < top; k++)
			at = field_sum(f, at, c, f->prime - 1);
	}
	return at == 1;
}

/* Returns -1, and the plan has failed, when q is not a power of a prime, or is too large for a switch's
 * ports. */
static int field_make(struct plan *p, struct synth_graphs_field *f, uint32_t q)
{
	uint32_t rest = q, prime = 2;

	if (q > MAX_PORTS)
		return plan_limit(p, "Q = %u: more than %d ports on a switch", q, MAX_PORTS);
	while (prime < q && q % prime)
		prime++;
	while (rest > 1 && rest % prime == 0)
		rest /= prime;
	if (q < 2 || rest > 1)
		return plan_fail(p, "Q = %u, expected a power of a prime (2 3 4 5 7 8 9 11 13 16 ..)", q);
	*f = (struct synth_graphs_field){.q = q, .prime = prime};
	for (uint32_t c = 1; c < q; c++)
		if (field_try(f, c))
			return 0;
	return plan_fail(p, "Q = %u: no field found", q); /* every finite field has a generator */
}

/*
 * McKay, Miller, Siran 1998, as Slim Fly takes it (Besta, Hoefler 2014): switches (s, a, b) of two halves.
 * (0,x,y)-(0,x,z) when y - z is in X, (1,m,c)-(1,m,d) when c - d is in X', (0,x,y)-(1,m,c) when y = mx + c.
 * X holds the even powers of a generator and X' the odd ones; where -1 is an odd power, the powers up to
 * that of -1 and their negatives.
 */
int synth_slimfly(struct plan *p, const char *shape)
{
	static const struct shape_rule rule = {"slimfly:Q", ',', 1, 1, 0, SYNTH_MAX_ENDPORTS};
	bool in[2][MAX_PORTS + 1] = {{false}};
	uint32_t q = 0, first = p->n, degree, n;
	struct synth_graphs_field f;

	if (shape_read(p, shape, &rule, &q) < 0 || field_make(p, &f, q))
		return -1;
	if (q % 4 == 2)
		return plan_fail(p, "Q = %u: no such graph, expected a power of a prime from 3 on", q);
	degree = q % 4 == 1 ? (3 * q - 1) / 2 : (3 * q + 1) / 2;
	if (!p->o.hosts_given)
		p->o.hosts = (degree + 1) / 2;
	n = 2 * q * q;
	if (plan_expect(p, n, n + hosts_in_all(p, n), p->o.hosts + size_mul(degree, p->o.parallel)))
		return -1;
	for (uint32_t i = 0; i + 1 < q; i++)
		if (q % 4 == 3) {
			if (i <= (q - 1) / 2)
				in[i % 2][f.exp[i]] = in[i % 2][field_sum(&f, 0, f.exp[i], f.prime - 1)] =
					true;
		} else {
			in[i % 2][f.exp[i]] = true;
		}
	/* 2^m - 1 powers: the odd ones end with that of 1 */
	in[1][1] |= q % 4 == 0;
	for (uint32_t i = 0; i < n; i++)
		/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): q >= 2 */
		word_switch(p, "s", (uint32_t[]){i / (q * q), i / q % q, i % q}, 3, q);
	all_hosts(p, first, n);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t b = i % q + 1; b < q; b++)
			if (in[i / (q * q)][field_sum(&f, b, i % q, f.prime - 1)])
				plan_link(p, first + i, first + i - i % q + b);
	for (uint32_t i = 0; i < q * q; i++)
		for (uint32_t m = 0; m < q && !p->failed; m++) {
			uint32_t c = field_sum(&f, i % q, field_product(&f, m, i / q), f.prime - 1);

			plan_link(p, first + i, first + q * q + m * q + c);
		}
	return p->failed ? -1 : 0;
}

/* Links of a point to those of a row (.., z) behind it with known + a * z = 0. */
static void polar_row(struct plan *p, const struct synth_graphs_field *f, uint32_t point, uint32_t row,
		      uint32_t known, uint32_t a)
{
	uint32_t z = 0, end = a || known ? 0 : f->q;

	if (a) {
		uint32_t inverse = f->exp[(f->q - 1 - f->log[a]) % (f->q - 1)];

		z = field_product(f, field_sum(f, 0, known, f->prime - 1), inverse);
		end = z + 1;
	}
	for (; z < end; z++)
		if (row + z > point)
			plan_link(p, point, row + z);
}

/* Points of the projective plane over GF(q), linked when their product is 0 (Erdos, Renyi 1962). */
int synth_polarfly(struct plan *p, const char *shape)
{
	static const struct shape_rule rule = {"polarfly:Q", ',', 1, 1, 0, SYNTH_MAX_ENDPORTS};
	uint32_t q = 0, first = p->n, n;
	struct synth_graphs_field f;

	if (shape_read(p, shape, &rule, &q) < 0 || field_make(p, &f, q))
		return -1;
	if (!p->o.hosts_given)
		p->o.hosts = (q + 2) / 2;
	n = q * q + q + 1;
	if (plan_expect(p, n, n + hosts_in_all(p, n), p->o.hosts + size_mul(q + 1, p->o.parallel)))
		return -1;
	AUTO_FREE uint32_t(*at)[3] = mem_array(n, sizeof(*at));
	for (uint32_t i = 0; i < n; i++) { /* the first coordinate that isn't 0 is 1 */
		uint32_t rest = i < q * q ? i : i - q * q;

		at[i][0] = i < q * q;
		at[i][1] =
			i < q * q ? rest / q : rest < q; /* NOLINT(clang-analyzer-core.DivideZero): q >= 2 */
		at[i][2] = i + 1 == n ? 1 : rest % q;	 /* NOLINT(clang-analyzer-core.DivideZero): q >= 2 */
		word_switch(p, "p", at[i], 3, q);
	}
	all_hosts(p, first, n);
	/* a line has q + 1 points: those of row y are (1, y, z), then come (0, 1, z) and (0, 0, 1) */
	for (uint32_t i = 0; i < n && !p->failed; i++) {
		for (uint32_t y = 0; y < q; y++)
			polar_row(p, &f, first + i, first + y * q,
				  field_sum(&f, at[i][0], field_product(&f, at[i][1], y), 1), at[i][2]);
		polar_row(p, &f, first + i, first + q * q, at[i][1], at[i][2]);
		if (!at[i][2])
			plan_link(p, first + i, first + n - 1);
	}
	return p->failed ? -1 : 0;
}

/* --- regular graphs by chance ---------------------------------------------------- */

struct pairing {
	uint32_t n, degree;
	uint32_t *next; /* [n * degree] neighbours */
};

static uint32_t *pairing_find(const struct pairing *g, uint32_t a, uint32_t b)
{
	for (uint32_t k = 0; k < g->degree; k++)
		if (g->next[(size_t)a * g->degree + k] == b)
			return &g->next[(size_t)a * g->degree + k];
	return NULL;
}

static bool pairing_connected(const struct pairing *g)
{
	AUTO_FREE uint32_t *set = NEW_ARRAY(g->n, uint32_t);
	uint32_t parts = g->n;

	for (uint32_t i = 0; i < g->n; i++)
		set[i] = i;
	for (uint32_t i = 0; i < g->n * g->degree; i++) {
		uint32_t a = disjoint_root(set, i / g->degree), b = disjoint_root(set, g->next[i]);

		parts -= a != b;
		set[a] = b;
	}
	return parts == 1;
}

/* Two links a-b, c-d become a-c, b-d, unless such a link is there. */
static void pairing_swap(struct plan *p, struct pairing *g)
{
	uint32_t a = rng_below(&p->rng, g->n), c = rng_below(&p->rng, g->n);
	uint32_t b = g->next[(size_t)a * g->degree + rng_below(&p->rng, g->degree)];
	uint32_t d = g->next[(size_t)c * g->degree + rng_below(&p->rng, g->degree)];

	if (a == c || b == d || a == d || b == c || pairing_find(g, a, c) || pairing_find(g, b, d))
		return;
	*pairing_find(g, a, b) = c;
	*pairing_find(g, b, a) = d;
	*pairing_find(g, c, d) = a;
	*pairing_find(g, d, c) = b;
}

int synth_regular(struct plan *p, const char *shape)
{
	static const struct shape_rule rule = {"regular:SWITCHES,DEGREE", ',', 2, 2, 1, SYNTH_MAX_ENDPORTS};
	uint32_t v[2] = {0}, first = p->n;

	if (shape_read(p, shape, &rule, v) < 0)
		return -1;
	if (v[1] >= v[0] || v[0] % 2 * v[1] % 2 || (v[1] == 1 && v[0] > 2))
		return plan_fail(p, "no connected graph of %u switches has exactly %u links on each", v[0],
				 v[1]);
	if (plan_expect(p, v[0], v[0] + hosts_in_all(p, v[0]), p->o.hosts + size_mul(v[1], p->o.parallel)))
		return -1;
	struct pairing g = {v[0], v[1], mem_array((size_t)v[0] * v[1], sizeof(uint32_t))};
	AUTO_FREE uint32_t *order = NEW_ARRAY(g.n, uint32_t);
	for (uint32_t i = 0; i < g.n; i++) {
		uint32_t with = rng_below(&p->rng, i + 1);

		plan_switch(p, "sw-%0*u", digits_of(g.n + 1, 2), i + 1);
		order[i] = order[with];
		order[with] = i;
	}
	all_hosts(p, first, g.n);
	/* a circle in random order with its nearest neighbours, and those opposite when the degree is odd */
	for (uint32_t i = 0; i < g.n; i++)
		for (uint32_t k = 0; k < g.degree; k++) {
			uint32_t far = k + 1 == g.degree && g.degree % 2 ? g.n / 2 : k / 2 + 1;

			/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): n >= 1 */
			far = (i + (k % 2 ? g.n - far : far)) % g.n;
			g.next[(size_t)order[i] * g.degree + k] = order[far];
		}
	/* the only connected graph of degree 2 is that circle */
	if (g.degree > 2)
		do
			for (uint64_t k = 0; k < (uint64_t)g.n * g.degree * 4; k++)
				pairing_swap(p, &g);
		while (!pairing_connected(&g));
	for (uint32_t i = 0; i < g.n; i++)
		for (uint32_t k = 0; k < g.degree && !p->failed; k++)
			if (i < g.next[(size_t)i * g.degree + k])
				plan_link(p, first + i, first + g.next[(size_t)i * g.degree + k]);
	free(g.next);
	return p->failed ? -1 : 0;
}

/* --- machines -------------------------------------------------------------------- */

#define CHASSIS 6u
#define BLADES 16u
#define BETWEEN_CHASSIS 3u
#define GROUP (CHASSIS * BLADES)

/* Groups as in Cray XC (Cascade; Faanes et al. 2012): 4 hosts on a switch, at most 241 groups. */
int synth_cascade(struct plan *p, const char *shape)
{
	static const struct shape_rule rule = {"cascade:GROUPS[,FAR]", ',', 1, 2, 0, 1000};
	uint32_t v[2] = {0, 10}, first = p->n, n, far, rounds;

	if (shape_read(p, shape, &rule, v) < 0)
		return -1;
	far = GROUP * v[1];
	if (!v[0] || v[0] - 1 > far)
		return plan_fail(p, "%u groups with %u cables each to others, expected 1 to %u groups", v[0],
				 far, far + 1);
	uint64_t ports =
		p->o.hosts +
		size_mul(BLADES - 1 + (CHASSIS - 1) * BETWEEN_CHASSIS + (v[0] > 1 ? v[1] : 0), p->o.parallel);
	n = v[0] * GROUP;
	if (plan_expect(p, n, n + hosts_in_all(p, n), ports))
		return -1;
	for (uint32_t i = 0; i < n; i++)
		plan_switch(p, "g%0*uc%us%02u", digits_of(v[0], 2), i / GROUP, i / BLADES % CHASSIS,
			    i % BLADES);
	all_hosts(p, first, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t end = i - i % GROUP + GROUP;

		for (uint32_t j = i + 1; j % BLADES; j++)
			plan_link(p, first + i, first + j);
		for (uint32_t j = i + BLADES; j < end; j += BLADES)
			for (uint32_t k = 0; k < BETWEEN_CHASSIS && !p->failed; k++)
				plan_link(p, first + i, first + j);
	}
	/* every two groups get as many; cable l of a group is on its switch l mod GROUP */
	rounds = v[0] > 1 ? far / (v[0] - 1) : 0;
	for (uint32_t k = 0; k < rounds; k++)
		for (uint32_t a = 0; a < v[0]; a++)
			for (uint32_t b = a + 1; b < v[0] && !p->failed; b++)
				plan_link(p, first + a * GROUP + (k * (v[0] - 1) + b - 1) % GROUP,
					  first + b * GROUP + (k * (v[0] - 1) + a) % GROUP);
	return p->failed ? -1 : 0;
}

/* Only the second has a published cabling. */
int synth_tsubame(struct plan *p, const char *shape)
{
	if (strcmp(shape, "2"))
		return plan_fail(p, "found '%.40s', expected tsubame:2", shape);
	return synth_published(p, "tsubame2");
}
