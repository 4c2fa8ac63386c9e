#include "core/base/builtin.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The archive (Makefile). The assembler takes in its bytes. Tools that only read the code have no archive. */
#ifndef BUILTIN_FILES
#define BUILTIN_FILES "/dev/null"
#endif
extern const char builtin_begin[];
extern const uint64_t builtin_size;
__asm__(".pushsection .rodata\n"
	".globl builtin_begin, builtin_size\n"
	"builtin_begin: .incbin \"" BUILTIN_FILES "\"\n"
	"builtin_end: .byte 0\n"
	".balign 8\n"
	"builtin_size: .quad builtin_end - builtin_begin\n"
	".popsection\n");

bool builtin_next(struct builtin *b)
{
	const char *line = b->name ? b->data + b->size : builtin_begin;
	char *rest;

	if (line >= builtin_begin + builtin_size)
		return false;
	b->name = line;
	b->name_len = strcspn(line, " ");
	b->size = strtoul(line + b->name_len, &rest, 10);
	assert(*rest == '\n');
	b->data = rest + 1;
	return true;
}

bool builtin_find(const char *path, struct builtin *b)
{
	size_t start = strlen(BUILTIN), len = strlen(path);

	if (strncmp(path, BUILTIN, start))
		return false;
	*b = (struct builtin){0};
	while (builtin_next(b))
		if (b->name_len == len - start && !memcmp(b->name, path + start, b->name_len))
			return true;
	return false;
}

const char *builtin_fabric(const char *word)
{
	return strcmp(word, "demo") || !access(word, F_OK) ? word : BUILTIN "fabrics/demo-3level.ibnet";
}
