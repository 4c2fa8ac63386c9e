/* Files that map GUIDs to names or LIDs. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/fabric/names.h"
#include "core/sm/guid_names.h"

struct guid_names_list {
	const struct fabric *f;
	enum opt_names what;
	uint8_t *listed; /* [n_ports]: by port, a switch by its port 0 */
	struct text text;
	uint32_t n;
};

static void list_port(struct guid_names_list *l, uint32_t port)
{
	if (l->listed[port]++)
		return;
	text_add(&l->text, "0x%016" PRIx64, l->f->port_guid[port]);
	l->n++;
	if (l->what == OPT_SWITCH_IDS)
		text_add(&l->text, " %u", l->n);
	text_putc(&l->text, '\n');
}

static void list_node(struct guid_names_list *l, uint32_t node)
{
	const struct fabric *f = l->f;

	for (unsigned p = 0; p <= f->node_nports[node]; p++)
		if (f->port_endport[f->node_port[node] + p] != NO_ID)
			list_port(l, f->node_port[node] + p);
}

static const struct {
	enum name_kind kind;
	const char *words;
} guid_names_of[] = {
	[OPT_SWITCHES] = {NAMES_SWITCHES, "switches"},
	[OPT_SWITCH_IDS] = {NAMES_SWITCHES, "switches"},
	[OPT_HOST_PORTS] = {NAMES_HOSTS, "hosts"},
	[OPT_ANY_PORTS] = {NAMES_ANY, "switches or hosts"},
};
static_assert(ARRAY_LEN(guid_names_of) == OPT_ANY_PORTS + 1, "each subject has a kind of names");

static bool fits_kind(const struct guid_names_list *l, uint32_t node)
{
	enum name_kind kind = guid_names_of[l->what].kind;

	return kind == NAMES_ANY || node_is_switch(l->f, node) == (kind == NAMES_SWITCHES);
}

/* Lists a GUID of the fabric: a node's GUID means all its ports, a port's GUID that port.  Returns false when
 * it is not a GUID. */
static bool list_guid(struct guid_names_list *l, const char *word, bool *found)
{
	uint64_t guid;

	if (!number_of_hex(word, &guid))
		return false;
	uint32_t node = fabric_node_by_guid(l->f, guid);
	uint32_t ep = fabric_endport_by_guid(l->f, guid);
	if (node != NO_ID && fits_kind(l, node))
		list_node(l, node);
	else if (ep != NO_ID && fits_kind(l, endport_node(l->f, ep)))
		list_port(l, l->f->endport_port[ep]);
	else
		*found = false;
	return true;
}

static int list_word(struct guid_names_list *l, const char *word, struct err *e)
{
	struct name_hits h = {0};
	bool many, found = true;
	int rc = 0;

	if (!list_guid(l, word, &found)) {
		rc = names_many(l->f, word, guid_names_of[l->what].kind, &h, &many, e);
		found = h.n > 0;
	}
	for (uint32_t i = 0; i < h.n; i++)
		list_node(l, h.node[i]);
	name_hits_free(&h);
	if (rc || found)
		return rc;
	return err_set(e, "\"%s\" fits none of the %s", word, guid_names_of[l->what].words);
}

/*
 * The list of GUIDs that words mean, in the form of guid_file_read(); to be freed. With `all`, each word must
 * fit something, else NULL and *e.
 */
static char *guid_names_list_of(const struct fabric *f, enum opt_names what, const char *value, bool all,
				struct err *e)
{
	struct guid_names_list l = {.f = f, .what = what, .listed = NEW_ARRAY(f->n_ports + 1, uint8_t)};
	const char *rest;
	int argc, rc;
	char **argv;

	assert(what != OPT_NO_NAMES);
	text_add(&l.text, "%c", GUID_LIST_MARK);
	for (const char *p = value; *p; p++)
		text_putc(&l.text, *p == '\n' ? ' ' : *p);
	text_putc(&l.text, '\n');
	rc = words_split(value, &rest, &argc, &argv, e);
	if (list_word(&l, value, NULL)) { /* if not, it is one name, whatever its characters */
		if (!rc && rest)
			rc = err_set(e, "found ';', which only quotes make a part of a name");
		for (int i = 0; !rc && i < argc; i++)
			rc = list_word(&l, argv[i], e) && all ? -1 : 0;
	} else {
		rc = 0;
	}
	if (!rc && all && !l.n)
		rc = err_set(e, "no %s are named", guid_names_of[what].words);
	words_free(argc, argv);
	free(l.listed);
	if (!rc)
		return l.text.s;
	text_free(&l.text);
	return NULL;
}

/*
 * Sets the option `guid`, a port where the subnet manager can run. The value is a port's GUID, or a node's
 * GUID or name, which means its first cabled port; 0: none.
 */
static int set_manager(struct options *o, const struct fabric *f, const char *value, struct err *e)
{
	bool number = isdigit((unsigned char)*value);
	uint32_t node = NO_ID, ep = NO_ID;
	uint64_t guid = 0;
	struct err why;
	char text[24];

	if (!strcmp(value, "(null)") || (number_of_any(value, 0, UINT64_MAX, &guid) && !guid)) {
		options_unset(o, "guid");
		return 0;
	}
	if (!f && guid) {
		snprintf(text, sizeof(text), "0x%016" PRIx64, guid);
		return options_set(o, "guid", text, e);
	}
	if (!f)
		return err_set(e,
			       "guid: found \"%s\", expected a port GUID, or a fabric with a node so named",
			       value);
	if (guid) {
		ep = fabric_endport_by_guid(f, guid);
		node = fabric_node_by_guid(f, guid);
	} else if (!number) {
		node = fabric_node_by_name(f, value, &why);
	}
	for (unsigned p = 0; ep == NO_ID && node != NO_ID && p <= f->node_nports[node]; p++)
		ep = f->port_endport[f->node_port[node] + p];
	if (ep == NO_ID)
		return err_set(e,
			       "guid: found \"%s\", expected a GUID of a cabled port or of a node of the "
			       "fabric, or a node's name%s%s",
			       value, guid || number || node != NO_ID ? "" : ": ",
			       guid || number || node != NO_ID ? "" : why.msg);
	snprintf(text, sizeof(text), "0x%016" PRIx64, f->port_guid[f->endport_port[ep]]);
	return options_set(o, "guid", text, e);
}

int options_set_named(struct options *o, const struct fabric *f, const char *name, const char *value,
		      struct err *e)
{
	const struct optdef *d = options_find(o, name);
	struct err no_file = {0}, no_name = {0};

	if (!strcmp(name, "guid"))
		return set_manager(o, f, value, e);
	if (!d || !d->names)
		return options_set(o, name, value, e);
	if (!options_set(o, name, value, &no_file))
		return 0;
	if (!f)
		return err_set(e, "%s, or a fabric with %s so named", no_file.msg,
			       guid_names_of[d->names].words);
	AUTO_FREE char *list = guid_names_list_of(f, d->names, value, true, &no_name);
	if (!list)
		return err_set(e, "%s, or names of %s: %s", no_file.msg, guid_names_of[d->names].words,
			       no_name.msg);
	options_set_list(o, name, value, list);
	return 0;
}

uint32_t options_named(const struct options *o, const char *name)
{
	const char *list = options_has_list(o, name) ? options_file(o, name) : "";
	uint32_t lines = 0;

	for (; *list; list++)
		lines += *list == '\n';
	return lines ? lines - 1 : 0; /* the first is the list's name */
}

struct options *options_named_anew(const struct options *o, const struct fabric *f)
{
	struct options *c = options_copy(o);

	for (size_t i = 0; i < options_count(c); i++) {
		const struct optdef *d = options_at(c, i);

		if (!d->names || !options_has_list(c, d->name))
			continue;
		AUTO_FREE char *list = guid_names_list_of(f, d->names, options_get(c, d->name), false, NULL);
		options_set_list(c, d->name, options_get(c, d->name), list ? list : "@\n");
	}
	return c;
}

int options_assign(struct options *o, const struct fabric *f, const char *word, struct err *e)
{
	const char *eq = strchr(word, '=');

	if (!eq)
		return err_set(e, "found \"%s\", expected OPTION=VALUE", word);
	AUTO_FREE char *name = str_printf("%.*s", (int)(eq - word), word);
	if (!strcmp(name, "guid") || !strcmp(name, "port_guids"))
		return err_set(e, "%s changes the fabric, not only its tables; use `set %s %s`", name, name,
			       eq + 1);
	if (options_find(o, name))
		return options_set_named(o, f, name, eq + 1, e);
	return err_set_kind(e, ERR_SYNTAX, "unknown option \"%s\"; `show options` lists them", name);
}

int guid2lid_read(const char *path, struct progress *p, struct guid2lid **entries, size_t *n, struct err *e)
{
	FILE *f = infile_open(path, p);
	AUTO_TEXT struct text t = {0};
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
		(*entries)[(*n)++] = (struct guid2lid){guid, min > 0xFFFF ? 0 : min, MIN(max, 0xFFFF)};
	}
	if (!rc && got)
		rc = progress_cancelled(p) ? err_set(e, CANCELLED) : -1;
	fclose(f);
	if (rc) {
		free(*entries);
		*entries = NULL;
		*n = 0;
	}
	return rc;
}
