#include "core/base/builtin.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* BUILTIN_FILES: the archive (Makefile); its bytes are taken in by the assembler. */
extern const char builtin_begin[], builtin_end[];
__asm__(".pushsection .rodata\n"
	".globl builtin_begin, builtin_end\n"
	"builtin_begin: .incbin \"" BUILTIN_FILES "\"\n"
	"builtin_end: .byte 0\n"
	".popsection\n");

bool builtin_at(size_t i, struct builtin *b)
{
	const char *p = builtin_begin;

	while (p < builtin_end) {
		char *rest;

		b->name = p;
		b->name_len = (size_t)((const char *)memchr(p, ' ', (size_t)(builtin_end - p)) - p);
		b->size = strtoul(p + b->name_len, &rest, 10);
		b->data = rest + 1;
		if (!i--)
			return true;
		p = b->data + b->size;
	}
	return false;
}

bool builtin_find(const char *path, struct builtin *b)
{
	size_t start = strlen(BUILTIN), len = strlen(path);

	if (strncmp(path, BUILTIN, start))
		return false;
	for (size_t i = 0; builtin_at(i, b); i++)
		if (b->name_len == len - start && !memcmp(b->name, path + start, b->name_len))
			return true;
	return false;
}

const char *builtin_fabric(const char *word)
{
	return strcmp(word, "demo") || !access(word, F_OK) ? word : BUILTIN "fabrics/demo-3level.ibnet";
}
