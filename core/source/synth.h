/* Synthetic fabrics from short descriptions. */
#ifndef IBSCOPE_SYNTH_H
#define IBSCOPE_SYNTH_H

#include "core/base/err.h"
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
 * A small fabric made for teaching, by its name in the list among the lessons (lessonfile.h): "lesson:ring5".
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

#endif
