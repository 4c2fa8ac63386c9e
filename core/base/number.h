/* Numbers: round ones for axes. */
#ifndef IBSCOPE_NUMBER_H
#define IBSCOPE_NUMBER_H

/* The step of about `ticks` round numbers that go up to `most`: 1, 2 or 5 times a power of ten, at least 1.
 */
double round_step(double most, unsigned ticks);

#endif
