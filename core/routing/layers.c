#include "core/routing/layers.h"

#include <stdlib.h>

void witness_free(struct witness *w)
{
	if (!w)
		return;
	free(w->edge);
	free(w);
}
