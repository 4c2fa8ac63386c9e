#include "engines/guid_option.h"
#include "core/base/guidfile.h"
#include "core/base/text.h"
#include "core/sm/port_groups.h"

bool read_guid_option(const struct engine_input *in, struct engine_output *out, const char *option,
		      struct guid_file *g)
{
	*g = (struct guid_file){0};
	if (!options_file(in->options, option))
		return false;
	option_guids_read(in->options, option, in->topo->fabric, false, in->progress, g);
	if (g->stopped)
		note_add(&out->notes, NOTE_GUID_FILE, "%s: OpenSM stops reading: %s\n", option, g->why.msg);
	return true;
}

void note_ignored(const struct engine_input *in, struct engine_output *out, const char *option, unsigned line,
		  const char *fmt, ...)
{
	va_list ap;

	note_add(&out->notes, NOTE_GUID_FILE, "%s: %s:%u ignored: ", option, options_get(in->options, option),
		 line);
	va_start(ap, fmt);
	text_addv(&out->notes.text, fmt, ap);
	va_end(ap);
	text_putc(&out->notes.text, '\n');
}
