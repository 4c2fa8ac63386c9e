/*
 * Columns of entries (one LID at all switches) on their way to rows (one switch, all LIDs). Engines that
 * route LID by LID collect some columns first: to write a byte here and there in every row is slow.
 */
#ifndef IBSCOPE_COLUMNS_H
#define IBSCOPE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#define COLUMNS_AT_ONCE 64 /* are collected before they are written */

struct columns {
	uint8_t **row; /* [rows] entries by LID; set by the engine, NULL: the row is not written */
	uint32_t rows;
	uint8_t *of; /* the columns, one after the other */
	size_t stride;
	uint16_t lid[COLUMNS_AT_ONCE];
	unsigned n;
};

struct columns columns_new(uint32_t rows);
void columns_free(struct columns *c);

/* Room for the column of a LID, undefined at first. It is valid until the next call. */
uint8_t *columns_next(struct columns *c, unsigned lid);

/* Writes all columns that are not written yet. */
void columns_write(struct columns *c);

#endif
