#include "core/fabric/speed.h"

#include <string.h>
#include <strings.h>

static const char *const speed_names[SPEED_COUNT] = {
	"???", "SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR",
};
static const char *const width_names[WIDTH_COUNT] = {"??", "1x", "2x", "4x", "8x", "12x"};

const char *link_speed_name(enum link_speed s)
{
	return s < SPEED_COUNT ? speed_names[s] : speed_names[0];
}

const char *link_width_name(enum link_width w)
{
	return w < WIDTH_COUNT ? width_names[w] : width_names[0];
}

static unsigned name_index(const char *const *names, unsigned n, const char *s, size_t len)
{
	for (unsigned i = 1; i < n; i++)
		if (strlen(names[i]) == len && !strncasecmp(names[i], s, len))
			return i;
	return 0;
}

enum link_speed link_speed_parse(const char *s, size_t len)
{
	return name_index(speed_names, SPEED_COUNT, s, len);
}

enum link_width link_width_parse(const char *s, size_t len)
{
	return name_index(width_names, WIDTH_COUNT, s, len);
}

enum link_width link_width_of_code(unsigned code)
{
	switch (code) {
	case 1:
		return WIDTH_1X;
	case 2:
		return WIDTH_4X;
	case 4:
		return WIDTH_8X;
	case 8:
		return WIDTH_12X;
	case 16:
		return WIDTH_2X;
	default:
		return WIDTH_UNKNOWN;
	}
}

double link_rate_gbps(enum link_width w, enum link_speed s)
{
	static const double lane[SPEED_COUNT] = {0,	  2.5,	    5,	    10,	    10.3125,
						 14.0625, 25.78125, 53.125, 106.25, 212.5};
	static const unsigned lanes[WIDTH_COUNT] = {0, 1, 2, 4, 8, 12};

	return s < SPEED_COUNT && w < WIDTH_COUNT ? lane[s] * lanes[w] : 0;
}
