#include "core/sm/guid2lid.h"
#include "core/base/err.h"
#include "core/base/cursor.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int guid2lid_read(const char *path, struct progress *p, struct guid2lid **entries, size_t *n, struct err *e)
{
	FILE *f = infile_open(path, p);
	struct text t = {0};
	size_t cap = 0;
	char rest[2];
	int rc = 0, got = 0;

	*entries = NULL;
	*n = 0;
	if (!f)
		return err_system(e, path, errno);
	for (unsigned number = 1; !rc && (got = read_text_line(f, path, &t, e)) > 0; number++) {
		unsigned long long guid;
		unsigned min, max;
		const char *line = text_str(&t);
		int fields = sscanf(line, "%llx %x %x %1s", &guid, &min, &max, rest);

		if (number > LINES_MOST) {
			rc = err_set(e, "%s: found more than %d lines, expected one for each GUID", path,
				     LINES_MOST);
			break;
		}
		if (line[strspn(line, " \t\r\n")] == 0 || line[0] == '#')
			continue;
		if (fields != 3) {
			rc = err_set(e, "%s:%u: found \"%.*s\", expected `0xGUID 0xMINLID 0xMAXLID`", path,
				     number, (int)strcspn(line, "\r\n"), line);
			break;
		}
		GROW(*entries, *n, cap);
		/* a LID above 16 bits can only be an error; 0 makes lids_assign() drop the entry */
		(*entries)[(*n)++] =
			(struct guid2lid){guid, min > 0xFFFF ? 0 : min, max > 0xFFFF ? 0xFFFF : max};
	}
	if (!rc && got)
		rc = progress_cancelled(p) ? err_set(e, CANCELLED) : -1;
	text_free(&t);
	fclose(f);
	if (rc) {
		free(*entries);
		*entries = NULL;
		*n = 0;
	}
	return rc;
}
