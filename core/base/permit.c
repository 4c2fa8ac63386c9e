#include <assert.h>

#include "core/base/permit.h"

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
	assert(deed && !(deed & (deed - 1))); /* one deed */
	if (in_lesson)
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
