/* Small fabrics for teaching: lines "NAME SPEC NOTE" in the file `fabrics` of the lessons. */
#include "core/base/cursor.h"
#include "core/base/lessonfile.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/source/synth.h"

#include <stdlib.h>
#include <string.h>

/* Finds SPEC and NOTE of a name in a text that ends with NUL. All names are added to `names`. */
static bool find_line(char *text, const char *name, char **spec, char **note, struct text *names)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *at = NULL, *n = strtok_r(line, " \t", &at), *made = strtok_r(NULL, " \t", &at);

		if (!n || *n == '#' || !made)
			continue;
		text_add(names, " %s", n);
		if (strcmp(n, name))
			continue;
		at = at ? at + strspn(at, " \t") : at;
		*spec = str_dup(made);
		*note = str_dup(at ? at : "");
		return true;
	}
	return false;
}

/* The list as text that ends with NUL, or NULL and *e. */
static char *lesson_fabric_read_list(struct err *e)
{
	char *path = lesson_file("fabrics", e), *data, *text;
	size_t size;
	int rc;

	if (!path)
		return NULL;
	rc = read_file(path, NULL, &data, &size, e);
	free(path);
	if (rc)
		return NULL;
	text = str_printf("%.*s", size > 1000000 ? 1000000 : (int)size, data);
	free(data);
	return text;
}

void synth_lessons(struct text *names)
{
	struct err e;
	char *text = lesson_fabric_read_list(&e), *spec, *note;

	if (text)
		find_line(text, "", &spec, &note, names);
	free(text);
}

int synth_lesson(const char *word, char **spec, char **note, struct err *e)
{
	const char *name = lesson_name(word);
	char *text;
	struct text names = {0};
	int rc = 0;

	if (!name)
		return 1;
	text = lesson_fabric_read_list(e);
	if (!text)
		return -1;
	if (!find_line(text, name, spec, note, &names))
		rc = err_set(e, "lesson:%.100s: there is no such fabric, expected one of%s", name,
			     text_str(&names));
	free(text);
	text_free(&names);
	return rc;
}
