/* Widths and speeds of links. */
#ifndef IBSCOPE_SPEED_H
#define IBSCOPE_SPEED_H

#include <stddef.h>

/* In OpenSM's order, slowest first. */
enum link_speed {
	SPEED_UNKNOWN,
	SPEED_SDR,
	SPEED_DDR,
	SPEED_QDR,
	SPEED_FDR10,
	SPEED_FDR,
	SPEED_EDR,
	SPEED_HDR,
	SPEED_NDR,
	SPEED_XDR,
	SPEED_COUNT
};
/* Slowest first: 1x 2x 4x 8x 12x. */
enum link_width { WIDTH_UNKNOWN, WIDTH_1X, WIDTH_2X, WIDTH_4X, WIDTH_8X, WIDTH_12X, WIDTH_COUNT };

const char *link_speed_name(enum link_speed s); /* "HDR", "???" when unknown */
const char *link_width_name(enum link_width w); /* "4x", "??" when unknown */
enum link_speed link_speed_parse(const char *s, size_t len);
enum link_width link_width_parse(const char *s, size_t len);
enum link_width link_width_of_code(unsigned code); /* of PortInfo: 1 2 4 8 16 = 1x 4x 8x 12x 2x */
/*
 * Sets of speeds in a byte.  Bits 0 to 2 are SDR, DDR, QDR as in LinkSpeed, bit 3 is FDR10, bits 4 to 7 are
 * FDR, EDR, HDR, NDR as in LinkSpeedExt.  So SPEED_SDR is bit 0, and the others follow.
 */
#define SPEED_BITS(link_speed, fdr10, ext) (((link_speed)&7) | ((fdr10) ? 8 : 0) | ((ext)&15) << 4)
double link_rate_gbps(enum link_width w, enum link_speed s); /* signalling rate, 0 when unknown */

#endif
