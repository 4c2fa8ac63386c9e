#include "core/base/foreign.h"
#include "core/base/defs.h"
#include "core/base/err.h"

#include <stdbool.h>
#include <string.h>

#define TAR_AT 257 /* where a tar archive says what it is */

static const struct {
	size_t at, len;
	const char *bytes, *what, *unpacker;
} known[] = {
	{0, 6, "\xfd\x37zXZ\0", "data compressed by xz (unpack it first: xz -d)", "xz"},
	{0, 2, "\x1f\x8b", "data compressed by gzip (unpack it first: gzip -d)", "gzip"},
	{0, 3, "BZh", "data compressed by bzip2 (unpack it first: bzip2 -d)", "bzip2"},
	{0, 4, "\x28\xb5\x2f\xfd", "data compressed by zstd (unpack it first: zstd -d)", "zstd"},
	{0, 4, "\x04\x22\x4d\x18", "data compressed by lz4 (unpack it first: lz4 -d)", NULL},
	{0, 4, "PK\3\4", "a zip archive (unpack it first: unzip)", NULL},
	{0, 4, "PK\5\6", "an empty zip archive", NULL},
	{0, 6, "7z\xbc\xaf\x27\x1c", "a 7z archive (unpack it first: 7z x)", NULL},
	{TAR_AT, 5, "ustar", "a tar archive (unpack it first: tar xf)", NULL},
	{0, 2, "\xff\xfe", "UTF-16 text (convert it first: iconv -f UTF-16 -t UTF-8)", NULL},
	{0, 2, "\xfe\xff", "UTF-16 text (convert it first: iconv -f UTF-16 -t UTF-8)", NULL},
};

size_t text_mark(const char *data, size_t size)
{
	return size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3) ? 3 : 0;
}

/* Is every other one of the first bytes NUL, as in UTF-16 without a mark? first: 0 = big endian. */
static bool half_nul(const char *data, size_t size, size_t first)
{
	if (size < 4)
		return false;
	for (size_t i = 0; i < 4; i++)
		if (!data[i] != (i % 2 == first))
			return false;
	return true;
}

/* Do lines end in CR, and none in LF? */
static bool only_cr(const char *data, size_t size)
{
	const char *cr = memchr(data, '\r', size);

	while (cr && (size_t)(cr + 1 - data) < size && cr[1] == '\r')
		cr++;
	return cr && (size_t)(cr + 1 - data) < size && !memchr(data, '\n', size);
}

static bool foreign_is_known(size_t i, const char *data, size_t size)
{
	return size >= known[i].at + known[i].len &&
	       !memcmp(data + known[i].at, known[i].bytes, known[i].len);
}

const char *foreign_unpacker(const char *data, size_t size)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (foreign_is_known(i, data, size))
			return known[i].unpacker;
	return NULL;
}

const char *foreign_content(const char *data, size_t size)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (foreign_is_known(i, data, size))
			return known[i].what;
	if (half_nul(data, size, 1))
		return "UTF-16 text (convert it first: iconv -f UTF-16LE -t UTF-8)";
	if (half_nul(data, size, 0))
		return "UTF-16 text (convert it first: iconv -f UTF-16BE -t UTF-8)";
	if (only_cr(data, size))
		return "lines that end in CR alone (convert them first: tr '\\r' '\\n')";
	return NULL;
}

int text_head_check(const char *data, size_t size, struct err *e)
{
	const char *what = foreign_content(data, size);

	if (what)
		return err_set(e, "found %s, expected text", what);
	if (text_mark(data, size))
		return err_set(e,
			       "found a byte order mark (EF BB BF) before the text, expected none (take it "
			       "off: tail -c +4)");
	return 0;
}

int text_line_check(const char *line, size_t len, struct err *e)
{
	const char *nul = len ? memchr(line, 0, len) : NULL;

	if (nul)
		return err_set(e, "found a NUL byte as character %zu, expected text",
			       (size_t)(nul - line) + 1);
	return 0;
}
