/* Counters of ports: each line is tried in turn, so that files may be put together. */
#include "core/formats/counters.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/defs.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/formats/readers.h"

#define MAX_COLUMNS 256

const char *const counter_words[] = {
	"symbol_errors",
	"link_recoveries",
	"link_downed",
	"receive_errors",
	"remote_physical_errors",
	"switch_relay_errors",
	"transmit_discards",
	"transmit_constraint_errors",
	"receive_constraint_errors",
	"local_integrity_errors",
	"buffer_overruns",
	"vl15_dropped",
	"transmit_wait",
	"transmit_data",
	"receive_data",
	"transmit_packets",
	"receive_packets",
};

const uint64_t counter_tops[] = {
	UINT16_MAX, UINT8_MAX,	UINT8_MAX,  UINT16_MAX, UINT16_MAX, UINT16_MAX,
	UINT16_MAX, UINT8_MAX,	UINT8_MAX,  15,		15,	    UINT16_MAX,
	UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
};

const char *const ber_words[] = {"raw", "effective", "symbol"};
static_assert(ARRAY_LEN(counter_words) == N_COUNTERS && ARRAY_LEN(counter_tops) == N_COUNTERS &&
		      ARRAY_LEN(ber_words) == N_BERS,
	      "each counter has its word and limit, each rate its word");
static_assert(N_COUNTERS <= 32, "a counted_port has a bit for each");

/* Names of the tools without case, "_", "port", "counter", "extended" and a last s. */
static const struct {
	const char *name;
	enum counter counter;
} names[] = {
	{"symbolerror", COUNT_SYMBOL},
	{"linkerrorrecovery", COUNT_RECOVERIES},
	{"linkrecover", COUNT_RECOVERIES},
	{"linkdowned", COUNT_DOWNED},
	{"linkdown", COUNT_DOWNED},
	{"rcverror", COUNT_RECEIVE},
	{"rcvremotephysicalerror", COUNT_REMOTE},
	{"rcvremotephyserror", COUNT_REMOTE},
	{"rcvswitchrelayerror", COUNT_RELAY},
	{"rcvswrelayerror", COUNT_RELAY},
	{"xmitdiscard", COUNT_DISCARDS},
	{"xmtdiscard", COUNT_DISCARDS},
	{"xmitconstrainterror", COUNT_TRANSMIT_CONSTRAINT},
	{"xmtconstrainterror", COUNT_TRANSMIT_CONSTRAINT},
	{"rcvconstrainterror", COUNT_RECEIVE_CONSTRAINT},
	{"locallinkintegrityerror", COUNT_INTEGRITY},
	{"linkintegrityerror", COUNT_INTEGRITY},
	{"excessivebufferoverrunerror", COUNT_OVERRUNS},
	{"excessivebuffererror", COUNT_OVERRUNS},
	{"excbufoverrunerror", COUNT_OVERRUNS},
	{"vl15dropped", COUNT_VL15},
	{"xmitwait", COUNT_WAIT},
	{"xmtwait", COUNT_WAIT},
	{"xmitdata", COUNT_TRANSMIT_DATA},
	{"xmtdata", COUNT_TRANSMIT_DATA},
	{"rcvdata", COUNT_RECEIVE_DATA},
	{"xmitpkt", COUNT_TRANSMIT_PACKETS},
	{"xmtpkt", COUNT_TRANSMIT_PACKETS},
	{"rcvpkt", COUNT_RECEIVE_PACKETS},
};

static void strip_end(char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	if (n > m && !strcmp(s + n - m, end))
		s[n - m] = 0;
}

/* The counter that a tool's name means; N_COUNTERS: none that is kept. *wide: its name says 64 bits. */
static enum counter counter_named(struct cursor name, bool *wide)
{
	char s[64];
	size_t n = 0;

	for (; name.p < name.end && n + 1 < sizeof(s); name.p++)
		if (isalnum((unsigned char)*name.p))
			s[n++] = (char)tolower((unsigned char)*name.p);
	s[n] = 0;
	strip_end(s, "extended");
	strip_end(s, "ext");
	*wide = strlen(s) < n;
	strip_end(s, "s");
	strip_end(s, "counter");
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(s, names[i].name) || (!strncmp(s, "port", 4) && !strcmp(s + 4, names[i].name)))
			return names[i].counter;
	return N_COUNTERS;
}

struct counted_port *counters_add(struct counter_reading *r)
{
	GROW(r->port, r->n, r->cap);
	struct counted_port *c = &r->port[r->n++];
	*c = (struct counted_port){
		.ber = {-1, -1, -1}, .temperature = TEMPERATURE_NONE, .most = TEMPERATURE_NONE};
	return c;
}

void counters_set(struct counted_port *c, enum counter k, uint64_t value, bool wide)
{
	uint32_t bit = 1u << k;

	assert(k < N_COUNTERS);
	wide = wide || value > counter_tops[k];
	if (value > INT64_MAX || ((c->wide & bit) && !wide))
		return;
	c->told |= bit;
	c->wide |= wide ? bit : 0;
	c->value[k] = value;
}

void counters_free(struct counter_reading *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->port[i].cable);
	free(r->port);
	free(r->source);
	free(r->when);
	free(r->other);
	*r = (struct counter_reading){0};
}

void counters_write(const struct counter_reading *r, FILE *f)
{
	if (r->when)
		fprintf(f, "# Running timestamp : %s\n", r->when);
	for (size_t i = 0; i < r->n; i++) {
		const struct counted_port *c = &r->port[i];

		fprintf(f, "# Port counters: Lid %u port %u\nPortSelect:.%u\n", c->lid, c->port, c->port);
		for (size_t k = 0; k < ARRAY_LEN(names); k++)
			if (c->told >> names[k].counter & 1 &&
			    (!k || names[k].counter != names[k - 1].counter))
				fprintf(f, "%s%s:.%" PRIu64 "\n", names[k].name,
					c->wide >> names[k].counter & 1 ? "ext" : "",
					c->value[names[k].counter]);
	}
}

/* --- one file -------------------------------------------------------------------------------------- */

/* What a column of a table holds; below N_COUNTERS: that counter. */
enum column {
	COLUMN_NONE = N_COUNTERS,
	COLUMN_WIDE, /* and above, up to COLUMN_GUID: a counter of 64 bits */
	COLUMN_GUID = COLUMN_WIDE + N_COUNTERS,
	COLUMN_PORT,
	COLUMN_BER, /* and above */
	COLUMN_TEMPERATURE = COLUMN_BER + N_BERS,
	COLUMN_MAKER,
	COLUMN_PART,
	COLUMN_SERIAL,
	COLUMN_LENGTH,
	COLUMN_DATE,
};
static_assert(COLUMN_DATE <= UINT8_MAX, "counters_reader has a byte for each");

struct counters_reader {
	struct counter_reading *r;
	const char *name; /* of the file */
	struct lines lines;
	size_t at;		/* place of the block's port and 1; 0: lines of counters count for none */
	uint16_t lid;		/* of a perfquery block, until PortSelect is read */
	bool wide, errors_told; /* of that block */
	bool sparse;
	bool section;		     /* in a section of db_csv that is read */
	bool head;		     /* its next line names the columns */
	char between;		     /* of columns; 0: no table is read */
	uint8_t column[MAX_COLUMNS]; /* enum column */
	unsigned n_columns;
};

static enum column column_named(struct cursor name)
{
	static const struct {
		const char *name;
		enum column column;
	} known[] = {
		{"NodeGUID", COLUMN_GUID},
		{"NodeGuid", COLUMN_GUID},
		{"GUID", COLUMN_GUID},
		{"PortNumber", COLUMN_PORT},
		{"PortNum", COLUMN_PORT},
		{"#IB", COLUMN_PORT},
		{"Raw BER", COLUMN_BER + BER_RAW},
		{"Effective BER", COLUMN_BER + BER_EFFECTIVE},
		{"Symbol BER", COLUMN_BER + BER_SYMBOL},
		{"Temperature", COLUMN_TEMPERATURE},
		{"CurrentTemperature", COLUMN_TEMPERATURE},
		{"Vendor", COLUMN_MAKER},
		{"PN", COLUMN_PART},
		{"SN", COLUMN_SERIAL},
		{"Length", COLUMN_LENGTH},
		{"LengthDesc", COLUMN_LENGTH},
		{"Date", COLUMN_DATE},
	};
	bool wide;

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (cur_is(name, known[i].name))
			return known[i].column;
	enum counter k = counter_named(name, &wide);
	return wide && k < N_COUNTERS ? (enum column)(COLUMN_WIDE + (unsigned)k) : (enum column)k;
}

static void counters_unread(struct counters_reader *d)
{
	if (!d->r->unread++)
		d->r->unread_at = d->lines.no;
}

static bool real(struct cursor c, double *v)
{
	char s[40], *end;

	cur_blanks(&c);
	snprintf(s, sizeof(s), "%.*s", CUR_ARGS(c));
	if (!isdigit((unsigned char)*s) && *s != '-')
		return false;
	*v = strtod(s, &end);
	return end > s && *v > -300 && *v < 1e6; /* no temperature or rate is beyond */
}

/* A new port of the file.  False: impossible numbers. */
static bool begin_port(struct counters_reader *d, uint64_t guid, uint64_t lid, uint64_t port)
{
	d->at = 0;
	if (port > MAX_PORTS || lid > MAX_LID || (!guid && !lid)) {
		counters_unread(d);
		return false;
	}
	struct counted_port *c = counters_add(d->r);
	c->guid = guid;
	c->lid = (uint16_t)lid;
	c->port = (uint8_t)port;
	c->sparse = d->sparse;
	d->at = d->r->n;
	return true;
}

static void counters_take(struct counters_reader *d, struct cursor name, struct cursor value, bool wide)
{
	uint64_t v;
	bool said;
	enum counter k = counter_named(name, &said);

	if (d->at && k < N_COUNTERS && cur_is_number(cur_trimmed(value), 0, &v))
		counters_set(&d->r->port[d->at - 1], k, v, wide || said);
}

static void add_part(struct counted_port *c, enum column what, struct cursor word)
{
	AUTO_FREE char *clean = cur_clean(cur_trimmed(word), sizeof(c->cable->maker) - 1);

	if (!*clean || !strcmp(clean, "NA") || !strcmp(clean, "N/A"))
		return;
	c->cable = c->cable ? c->cable : NEW(struct cable_part);
	struct cable_part *to = c->cable;
	if (what == COLUMN_LENGTH)
		snprintf(to->length, sizeof(to->length), "%.15s", clean);
	else if (what == COLUMN_MAKER)
		snprintf(to->maker, sizeof(to->maker), "%s", clean);
	else
		snprintf(what == COLUMN_PART ? to->part : to->serial, sizeof(to->part), "%s", clean);
}

const char *cable_text(const struct cable_part *c, char buf[CABLE_TEXT])
{
	snprintf(buf, CABLE_TEXT, "%s%s%s%s%s", c->maker, *c->maker && *c->part ? " " : "", c->part,
		 (*c->maker || *c->part) && *c->serial ? " " : "", c->serial);
	return buf;
}

/* perfquery: "# Port counters: Lid 6 port 1 (CapMask: 0x1000 CapMask2: 0x2)". */
static bool perfquery_head(struct counters_reader *d, struct cursor line)
{
	uint64_t lid, mask = 0;

	if (!cur_char(&line, '#') || !cur_find(&line, "ounters: "))
		return false;
	d->at = 0;
	d->lid = 0;
	d->wide = cur_find(&line, "extended counters") != NULL;
	if (!d->wide && !cur_word(&line, "Port counters:"))
		return true; /* details of errors, or of a vendor */
	if (!cur_behind(&line, "Lid ") || !cur_number(&line, 10, &lid) || !lid || lid > MAX_LID) {
		counters_unread(d);
		return true;
	}
	d->lid = (uint16_t)lid;
	/* perfquery writes 0 for errors where the port has none of 64 bits */
	d->errors_told =
		!d->wide || !cur_behind(&line, "CapMask2: ") || !cur_number(&line, 0, &mask) || (mask & 2);
	return true;
}

static bool perfquery_line(struct counters_reader *d, struct cursor line)
{
	const char *colon = cur_find(&line, ":.");
	struct cursor name = {line.p, colon}, value = {colon, line.end};
	uint64_t port;
	bool said;

	if (!colon)
		return false;
	for (value.p++; value.p < value.end && *value.p == '.';)
		value.p++;
	if (cur_is(name, "PortSelect")) {
		d->at = 0;
		if (!cur_is_number(value, 0, &port))
			counters_unread(d);
		else if (port == 255)
			d->r->sums++;
		else if (d->lid)
			begin_port(d, 0, d->lid, port);
		return true;
	}
	enum counter k = counter_named(name, &said);
	if (d->errors_told || k >= COUNT_TRANSMIT_DATA)
		counters_take(d, name, value, d->wide);
	return true;
}

/* ibqueryerrors: "GUID 0x2c9 port 3: [LinkDownedCounter == 5] [PortXmitData == 19 (  infPB)]". */
static bool queryerrors_line(struct counters_reader *d, struct cursor line)
{
	struct cursor inside = line;
	uint64_t guid, port;

	if (!cur_word(&inside, "GUID ") || !cur_number(&inside, 16, &guid) || !cur_word(&inside, "port "))
		return false;
	d->at = 0;
	if (cur_word(&inside, "ALL")) {
		d->r->sums++;
		return true;
	}
	if (!cur_number(&inside, 10, &port) || !cur_char(&inside, ':') || !guid) {
		counters_unread(d);
		return true;
	}
	d->sparse = true;
	if (!begin_port(d, guid, 0, port))
		return true;
	while (cur_behind(&inside, "[")) {
		struct cursor one = cur_part(&inside, ']'), name;

		name = one;
		if (!cur_behind(&one, "=="))
			continue;
		name.end = one.p - 2;
		one = cur_trimmed(one);
		counters_take(d, cur_trimmed(name), cur_token(&one), false);
	}
	d->at = 0;
	return true;
}

/* ibcheckerrors: "#warn: counter LinkDowned = 23  (threshold 10) lid 193 port 14". */
static bool checkerrors_line(struct counters_reader *d, struct cursor line)
{
	uint64_t lid, port;
	struct counted_port *last = d->r->n ? &d->r->port[d->r->n - 1] : NULL;

	if (!cur_word(&line, "#warn: counter "))
		return false;
	struct cursor name = cur_token(&line);
	cur_char(&line, '=');
	struct cursor value = cur_token(&line);
	if (!cur_behind(&line, "lid ") || !cur_number(&line, 10, &lid) || !cur_word(&line, "port ") ||
	    !cur_number(&line, 10, &port)) {
		counters_unread(d);
		return true;
	}
	d->sparse = true;
	if (last && !last->guid && last->lid == lid && last->port == port)
		d->at = d->r->n;
	else if (!begin_port(d, 0, lid, port))
		return true;
	counters_take(d, name, value, false);
	d->at = 0;
	return true;
}

/* .pm and .cables: "Port=1 Lid=0x0018 GUID=0xb0cf0e0300e5b940 Device=54002 Port Name=leaf/U1/P1". */
static bool block_head(struct counters_reader *d, struct cursor line)
{
	uint64_t guid, lid, port;

	if (!cur_word(&line, "Port=") || !cur_number(&line, 0, &port) || !cur_word(&line, "Lid=") ||
	    !cur_number(&line, 0, &lid) || !cur_word(&line, "GUID=") || !cur_number(&line, 16, &guid))
		return false;
	begin_port(d, guid, 0, port);
	return true;
}

static void block_line(struct counters_reader *d, struct cursor line)
{
	struct counted_port *c = &d->r->port[d->at - 1];
	struct cursor key = line, value = line;
	double v;

	assert(d->at && d->at <= d->r->n);
	if (cur_behind(&value, "=") && !memchr(line.p, ':', (size_t)(value.p - line.p))) {
		key.end = value.p - 1;
		counters_take(d, key, value, false);
		return;
	}
	const char *colon = memchr(line.p, ':', cur_len(line));
	if (!colon)
		return;
	key.end = colon;
	value.p = colon + 1;
	enum column what = column_named(key);
	if (what >= COLUMN_MAKER && what <= COLUMN_LENGTH)
		add_part(c, what, value);
	else if (cur_is(key, "Temperature") && real(value, &v))
		c->temperature = v;
	else if ((cur_is(key, "WarnTemperatureHighThresh") ||
		  (cur_is(key, "AlarmTemperatureHighThresh") && c->most <= TEMPERATURE_NONE)) &&
		 real(value, &v) && v > 0) /* 0 C: not read */
		c->most = v;
}

/* --- tables: sections of db_csv, and .net_dump_ext --------------------------------------------------- */

static void table_head(struct counters_reader *d, struct cursor line)
{
	d->n_columns = 0;
	while (line.p && d->n_columns < MAX_COLUMNS)
		d->column[d->n_columns++] = (uint8_t)column_named(cur_trimmed(cur_csv(&line, d->between)));
}

static void take_date(struct counters_reader *d, struct cursor c)
{
	char *when = cur_clean(cur_trimmed(c), 60);

	if (*when && d->r->when && strcmp(when, d->r->when) != 0 && !d->r->other)
		d->r->other = str_printf("%s (%s)", d->name, when);
	if (*when && !d->r->when)
		d->r->when = when;
	else
		free(when);
}

/* The two numbers that say whose row it is, then all others. */
static void table_row(struct counters_reader *d, struct cursor line)
{
	struct cursor at = line, cell[MAX_COLUMNS];
	uint64_t guid = 0, port = 0;
	bool of_port = false, placed = true;
	unsigned n = 0;
	double v;

	for (; at.p && n < d->n_columns; n++) {
		cell[n] = cur_trimmed(cur_csv(&at, d->between));
		if (d->column[n] == COLUMN_DATE)
			take_date(d, cell[n]);
		if (d->column[n] == COLUMN_GUID)
			placed = cur_is_number(cell[n], 16, &guid) && placed;
		if (d->column[n] == COLUMN_PORT) {
			of_port = true;
			placed = cur_is_number(cell[n], 0, &port) && placed;
		}
	}
	if (!guid || !placed) {
		if (of_port)
			counters_unread(d);
		return;
	}
	if (!begin_port(d, guid, 0, port))
		return;
	struct counted_port *c = &d->r->port[d->at - 1];
	for (unsigned i = 0; i < n; i++) {
		unsigned k = d->column[i];
		uint64_t number;

		if (k < N_COUNTERS || (k >= COLUMN_WIDE && k < COLUMN_GUID)) {
			if (cur_is_number(cell[i], 0, &number))
				counters_set(c, k < N_COUNTERS ? k : k - COLUMN_WIDE, number,
					     k >= COLUMN_WIDE);
		} else if (k >= COLUMN_BER && k < COLUMN_TEMPERATURE && real(cell[i], &v) && v >= 0) {
			c->ber[k - COLUMN_BER] = v;
		} else if (k == COLUMN_TEMPERATURE && real(cell[i], &v)) {
			c->temperature = v;
		} else if (k >= COLUMN_MAKER && k <= COLUMN_LENGTH) {
			add_part(c, k, cell[i]);
		}
	}
	d->at = 0;
}

/* True: the line belongs to a table or begins or ends one. */
static bool table_line(struct counters_reader *d, struct cursor line)
{
	static const char *const sections[] = {"START_PM_INFO", "START_CABLE_INFO", "START_TEMP_SENSING",
					       "START_RUN_INFO"};

	if (cur_begins(line, "START_") || cur_begins(line, "END_")) {
		d->between = 0;
		d->section = false;
		for (size_t i = 0; i < ARRAY_LEN(sections); i++)
			if (cur_is(line, sections[i]))
				d->section = d->head = true;
		d->between = d->section ? ',' : 0;
		d->at = 0;
		return true;
	}
	if (!d->section && cur_find(&line, "#IB") && cur_find(&line, "Raw BER")) {
		d->between = ':';
		d->at = 0;
		table_head(d, line);
		return true;
	}
	if (!d->between)
		return false;
	if (d->section && d->head) {
		table_head(d, line);
		d->head = false;
	} else if (cur_says(line)) {
		table_row(d, line);
	}
	return d->section || d->at == 0;
}

static void counters_read_line(struct counters_reader *d, struct cursor line)
{
	struct cursor c = line;

	if (cur_word(&c, "# Running timestamp") && cur_char(&c, ':')) {
		take_date(d, c);
		return;
	}
	if (table_line(d, line) || perfquery_head(d, line) || checkerrors_line(d, line) ||
	    queryerrors_line(d, line) || perfquery_line(d, line) || block_head(d, line))
		return;
	if (d->at && !cur_empty(&line))
		block_line(d, line);
}

/* Drops rows that contain nothing. */
static void drop_empty(struct counter_reading *r, size_t from)
{
	size_t n = from;

	for (size_t i = from; i < r->n; i++) {
		const struct counted_port *c = &r->port[i];

		if (c->told || c->cable || c->temperature > TEMPERATURE_NONE || c->most > TEMPERATURE_NONE ||
		    c->ber[0] >= 0 || c->ber[1] >= 0 || c->ber[2] >= 0)
			r->port[n++] = *c;
	}
	r->n = n;
}

int counters_parse(const struct input *in, struct counter_reading *r, struct err *e)
{
	struct counters_reader d = {.r = r, .name = in->name, .lines = lines_of(in)};
	size_t had = r->n;
	struct cursor line;

	while (lines_next(&d.lines, &line))
		counters_read_line(&d, cur_trimmed(line));
	size_t rows = r->n - had;
	drop_empty(r, had);
	if (progress_cancelled(in->progress))
		return err_set(e, CANCELLED);
	if (r->n == had && !r->sums && rows)
		return err_set_kind(e, ERR_INPUT, "%s: none of its %zu rows of ports holds a value", in->name,
				    rows);
	if (r->n == had && !r->sums)
		return err_set_kind(e, ERR_INPUT,
				    "%s: found no counters of a port, expected those of perfquery, "
				    "ibqueryerrors, ibdiagnet (.db_csv, .pm, .cables, .net_dump_ext)",
				    in->name);
	return 0;
}

static int counters_load_file(const char *path, struct counter_reading *r, struct progress *p, struct err *e)
{
	AUTO_FREE char *data = NULL;
	size_t size;

	if (read_packed_file(path, p, &data, &size, e))
		return -1;
	return counters_parse(&(struct input){path, data, size, p}, r, e);
}

/* Files of a folder that describe ports; the one with the date of the run comes first. */
static const char *const told_in[] = {"*.db_csv*", "*.pm", "*.pm.*", "*.cables*", "*.net_dump_ext*"};

static int load_those(const char *path, const char *pattern, struct counter_reading *r, struct progress *p,
		      struct err *e)
{
	struct dirent **entry = NULL;
	int n = scandir(path, &entry, NULL, alphasort), rc = 0;

	if (n < 0)
		return err_system(e, path, errno);
	for (int i = 0; i < n; i++) {
		AUTO_FREE char *file = str_printf("%s/%s", path, entry[i]->d_name);
		struct err why = {0};

		/* one without content (no cable was read) leaves the others */
		if (!rc && !fnmatch(pattern, entry[i]->d_name, FNM_PERIOD) &&
		    counters_load_file(file, r, p, &why) &&
		    (progress_cancelled(p) || err_kind(&why) != ERR_INPUT))
			rc = err_copy(e, &why);
		free(entry[i]);
	}
	free(entry);
	return rc;
}

int counters_load(const char *path, struct counter_reading *r, struct progress *p, struct err *e)
{
	*r = (struct counter_reading){.source = str_dup(path)};
	if (!is_folder(path))
		return counters_load_file(path, r, p, e);
	for (size_t i = 0; i < ARRAY_LEN(told_in); i++)
		if (load_those(path, told_in[i], r, p, e))
			return -1;
	if (!r->n)
		return err_set_kind(
			e, ERR_INPUT,
			"%s: found no file with counters of ports, expected .db_csv, .pm, .cables "
			"or .net_dump_ext",
			path);
	return 0;
}

int counters_load_beside(const char *folder, const char *cables, struct counter_reading *r,
			 struct progress *p, struct err *e)
{
	int rc = counters_load(folder, r, p, e);

	if (!rc && r->other) {
		counters_free(r);
		rc = counters_load(cables, r, p, e);
	}
	r->beside = true;
	return rc;
}
