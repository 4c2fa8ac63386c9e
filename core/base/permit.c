#include "core/base/permit.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/lessonfile.h"

static bool reading_only;
static _Thread_local unsigned in_lesson;

void permit_reading_only(void)
{
	reading_only = true;
}

bool permit_reads_only(void)
{
	return reading_only;
}

void permit_lesson_begin(void)
{
	in_lesson++;
}

void permit_lesson_end(void)
{
	assert(in_lesson);
	in_lesson--;
}

/* A file without a name, which this program has made (memfd_create()). */
static bool is_own_memory(const char *path)
{
	char own[32], to[32];
	int len = snprintf(own, sizeof(own), "/proc/%d/fd/", (int)getpid());
	ssize_t n = strncmp(path, own, (size_t)len) ? 0 : readlink(path, to, sizeof(to));

	return n > 7 && !memcmp(to, "/memfd:", 7);
}

static const char *deed_word(enum permit_deed deed)
{
	switch (deed) {
	case DEED_WRITE:
		return "writing";
	case DEED_RUN:
	case DEED_LEAVE:
		return "running";
	default:
		return "reading";
	}
}

int permitted(enum permit_deed deed, const char *to, struct err *e)
{
	bool of_lessons = deed == DEED_READ && (lesson_name(to) || lesson_has_file(to) || is_own_memory(to));

	if (in_lesson && !of_lessons)
		return err_set_kind(
			e, ERR_NOT_ALLOWED,
			"%s %s is refused: commands of a lesson look, or change the session, and do "
			"nothing else",
			deed_word(deed), to);
	if (!reading_only || deed == DEED_READ || deed == DEED_LEAVE)
		return 0;
	return err_set_kind(e, ERR_NOT_ALLOWED, "%s %s is refused: the program was started with --read-only",
			    deed_word(deed), to);
}
