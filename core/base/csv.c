#include "core/base/csv.h"

#include <stdlib.h>
#include <string.h>

static bool csv_is_formula(const char *s)
{
	char *end;

	if (!*s || !strchr("=+-@\t\r", *s))
		return false;
	strtod(s, &end);
	return end == s || *end;
}

void csv_add_cell(struct text *t, const char *s, bool safe)
{
	AUTO_TEXT struct text cell = {0};

	text_add(&cell, "%s%s", safe && csv_is_formula(s) ? "'" : "", s);
	text_csv(t, text_str(&cell));
}
