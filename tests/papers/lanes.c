/*
 * How dfsssp spreads layers over lanes: lanes VLS PAIRS..., PAIRS of each layer; prints the lanes of each.
 *
 * The rule alone (engines/dfsssp/balance.c): what OpenSM's change log shows of it has no fabric.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engines/dfsssp/dfsssp.h"

int main(int argc, char **argv)
{
	struct ds_layers l;
	struct engine_input in;

	memset(&l, 0, sizeof(l));
	memset(&in, 0, sizeof(in));
	if (argc < 3 || argc - 2 > (int)ARRAY_LEN(l.count))
		return 2;
	l.vls = (unsigned)strtoul(argv[1], NULL, 10);
	l.need = (unsigned)argc - 2;
	for (unsigned t = 0; t < l.need; t++)
		l.count[t] = strtoul(argv[t + 2], NULL, 10);
	ds_balance(&l, &in);
	for (unsigned t = 0; t < l.need; t++)
		printf("%s%u", t ? " " : "", l.width[t]);
	putchar('\n');
	return 0;
}
