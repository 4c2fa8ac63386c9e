/* Numbers: round ones for axes. */
#include "core/base/number.h"

#include <math.h>

double round_step(double most, unsigned ticks)
{
	double least = fmax(most / ticks, 1), power = pow(10, floor(log10(least)));

	for (unsigned k = 0; k < 3; k++) {
		double step = power * (double[]){1, 2, 5}[k];

		if (step >= least)
			return step;
	}
	return 10 * power;
}
