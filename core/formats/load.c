/* What kind of file is it? */
#include "core/base/builtin.h"
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/foreign.h"
#include "core/base/unpack.h"
#include "core/formats/formats.h"
#include "core/formats/kinds.h"
#include "core/formats/readers.h"

#include <stdlib.h>
#include <string.h>

#define KNOWN_FORMATS                                                                         \
	"ibnetdiscover text, an ibsim net file, a libibnetdisc cache, an opensm-subnet.lst, " \
	"iblinkinfo's lines, ibdiagnet's db_csv or net_dump, ibdm's .topo, or lines `NAME[PORT] NAME[PORT]`"

static int unknown_format(const struct input *in, struct err *e)
{
	struct lines l = lines_of(in);
	struct cursor line = {0};
	struct file_kind kind;
	char buf[64];
	bool any = false;

	if (file_kind(in, &kind) && !kind.fabric)
		return err_set(e, "%s: found %s, expected a fabric, as `ibnetdiscover > FILE` writes it%s%s",
			       in->name, kind.is, kind.use ? "; " : "", kind.use ? kind.use : "");
	if (memchr(in->data, 0, in->size))
		return err_set(e, "%s: found binary data, expected %s", in->name, KNOWN_FORMATS);
	while (!any && lines_next(&l, &line))
		any = cur_says(line);
	if (!any)
		return err_set(e, "%s: found only empty lines and comments, expected %s", in->name,
			       KNOWN_FORMATS);
	return err_set(e, "%s: found no node (the text begins '%s'), expected %s", in->name,
		       excerpt(line, buf, sizeof(buf)), KNOWN_FORMATS);
}

enum text_format { TEXT_UNKNOWN, TEXT_IBNETDISCOVER, TEXT_IBSIM };

/*
 * The first line of a node decides. ibnetdiscover's has an id of type and GUID, after lines with GUID or
 * vendor. Every other is ibsim's.
 */
static enum text_format text_format(const struct input *in)
{
	static const char *const keys[] = {"vendid=", "switchguid=", "caguid=", "hcaguids=", "rtguid="};
	struct lines l = lines_of(in);
	struct cursor line, id;
	bool keyed = false, include = false;
	uint64_t v;

	while (lines_next(&l, &line)) {
		struct cursor c = line;

		/* ibsim's console prints such lines, too, but with a GUID after them */
		if (cur_node_type(&c) && cur_number(&c, 10, &v) && cur_quoted(&c, &id) &&
		    !cur_word(&c, "nodeguid "))
			return keyed && id_guid(id, &v) ? TEXT_IBNETDISCOVER : TEXT_IBSIM;
		for (size_t i = 0; i < ARRAY_LEN(keys); i++)
			keyed |= cur_word(&line, keys[i]);
		include |= cur_word(&line, "include") && cur_quoted(&line, &id);
	}
	return include ? TEXT_IBSIM : TEXT_UNKNOWN;
}

static int parse_text(const struct input *in, struct fabric **out, struct err *e)
{
	struct file_kind kind;
	enum likeness like;

	if (is_subnet_lst(in))
		return parse_subnet_lst(in, out, e);
	if (is_db_csv(in))
		return parse_db_csv(in, out, e);
	if (is_net_dump(in))
		return parse_net_dump(in, out, e);
	switch (text_format(in)) {
	case TEXT_IBNETDISCOVER:
		return parse_ibnetdiscover(in, out, e);
	case TEXT_IBSIM:
		return parse_ibsim(in, out, e);
	default:
		if (is_linkinfo(in))
			return parse_linkinfo(in, out, e);
		if (is_port_list(in))
			return parse_port_list(in, out, e);
		if (is_topo(in))
			return parse_topo(in, out, e);
		like = memchr(in->data, 0, in->size) ? NOT_LIKE_THAT : edges_likeness(in);
		if (like == LIKE_NOTHING_ELSE || (like == LIKE_THAT && !file_kind(in, &kind)))
			return parse_edges(in, out, e);
		return unknown_format(in, e);
	}
}

/* ibdiagnet's dumps tell when they began and ended. *open: line of a beginning without end, 0 = none. */
static void read_frame(struct fabric *f, struct cursor line, unsigned *open, unsigned no)
{
	if (!cur_char(&line, '#'))
		return;
	if (cur_word(&line, "File created at"))
		*open = no;
	else if (cur_word(&line, "File closed at"))
		*open = 0;
	else if (!f->generated && cur_word(&line, "Running timestamp") && cur_char(&line, ':')) {
		cur_blanks(&line);
		f->generated = cur_clean(line, 64);
	}
}

static int formats_load_parse(const struct input *in, struct fabric **out, struct err *e)
{
	struct input text = *in;
	size_t mark = text_mark(in->data, in->size);
	struct lines l;
	struct cursor line;
	const char *what;
	unsigned framed = 0;

	*out = NULL;
	if (!in->size)
		return err_set(e, "%s: found an empty file, expected %s", in->name, KNOWN_FORMATS);
	if (is_cache(in))
		return parse_cache(in, out, e);
	what = foreign_content(in->data, in->size);
	if (what)
		return err_set(e, "%s: found %s, expected %s", in->name, what, KNOWN_FORMATS);
	text.data += mark; /* it has no meaning here */
	text.size -= mark;
	if (parse_text(&text, out, e))
		return -1;
	l = lines_of(&text);
	while (lines_next(&l, &line)) {
		/* the writer of the file may have reported missing parts */
		warnings_read_missing(&(*out)->warnings, line.p, line.end - line.p);
		read_frame(*out, line, &framed, l.no);
	}
	if (framed)
		warnings_missing(
			&(*out)->warnings, "cut list", framed,
			"%s has no last line '# File closed at': was it copied or written to its end?",
			in->name);
	return 0;
}

int fabric_parse(const char *name, const char *data, size_t size, struct fabric **out, struct err *e)
{
	return formats_load_parse(&(struct input){.name = name, .data = data, .size = size}, out, e);
}

int fabric_load(const char *path, struct fabric **out, struct progress *p, struct err *e)
{
	bool standard = !strcmp(path, "-");
	const char *from = builtin_fabric(path), *name = standard ? "standard input" : from;
	char *data;
	size_t size;
	int status;

	*out = NULL;
	if (!standard && is_folder(from))
		return load_folder(from, out, p, e);
	if (!standard && read_packed_file(from, p, &data, &size, e))
		return -1;
	if (standard && (read_stream(stdin, name, &data, &size, e) || unpack(name, p, &data, &size, e)))
		return -1;
	status = formats_load_parse(&(struct input){name, data, size, p}, out, e);
	free(data);
	if (!progress_cancelled(p))
		return status;
	fabric_unref(*out);
	*out = NULL;
	return err_set(e, CANCELLED);
}
