/*
 * Which corners of a cell can be found from which others. The index is the fingerprint: bit c for each empty
 * corner c of the cell, and 0x100, 0x200, 0x400 for the dimensions that exist. "C3102": corner 3 is the
 * fourth of the face with corners 1, 0 and 2. "P0546": corner 0 is perpendicular to corner 4 and its edges to
 * 5 and 6. In corner numbers, bit 0 is x, bit 1 is y, bit 2 is z.
 */
#include "engines/torus/internal.h"

/* Attempts in order; NULL: nothing can be found. */
static const char *const shapes[0x800] = {[0x301] = "C0132",
					  [0x302] = "C1023",
					  [0x303] = "P032 P123",
					  [0x304] = "C2013",
					  [0x305] = "P031 P213",
					  [0x308] = "C3102",
					  [0x30a] = "P120 P302",
					  [0x30c] = "P210 P301",
					  [0x501] = "C0154",
					  [0x502] = "C1045",
					  [0x503] = "P054 P145",
					  [0x510] = "C4015",
					  [0x511] = "P051 P415",
					  [0x520] = "C5104",
					  [0x522] = "P140 P504",
					  [0x530] = "P410 P501",
					  [0x601] = "C0264",
					  [0x604] = "C2046",
					  [0x605] = "P064 P246",
					  [0x610] = "C4026",
					  [0x611] = "P062 P426",
					  [0x640] = "C6204",
					  [0x644] = "P240 P604",
					  [0x650] = "P420 P602",
					  [0x701] = "C0231",
					  [0x702] = "C1045",
					  [0x703] = "C0264 C1375",
					  [0x704] = "C2046",
					  [0x705] = "C0154 C2376",
					  [0x707] = "C1375 C2376",
					  [0x708] = "C3201",
					  [0x70a] = "C1045 C3267",
					  [0x70b] = "C0264 C3267",
					  [0x70c] = "C2046 C3157",
					  [0x70d] = "C0154 C3157",
					  [0x70e] = "C1045 C2046",
					  [0x70f] = "P3576 P2467 P1457 P0546",
					  [0x710] = "C4015",
					  [0x711] = "C0132 C4576",
					  [0x713] = "C1375 C4576",
					  [0x715] = "C2376 C4576",
					  [0x717] = "C4675 C1375 C2376",
					  [0x71f] = "P3576",
					  [0x720] = "C5104",
					  [0x722] = "C1023 C5467",
					  [0x723] = "C0264 C5467",
					  [0x72a] = "C3267 C5467",
					  [0x72b] = "C5467 C0264 C3267",
					  [0x72f] = "P2467",
					  [0x730] = "C4026 C5137",
					  [0x731] = "C0132 C5137",
					  [0x732] = "C1023 C4026",
					  [0x733] = "P5673 P4267 P1237 P0623",
					  [0x737] = "P5673",
					  [0x73b] = "P4267",
					  [0x740] = "C6204",
					  [0x744] = "C2013 C6457",
					  [0x745] = "C0154 C6457",
					  [0x74c] = "C3157 C6457",
					  [0x74d] = "C6457 C0154 C3157",
					  [0x74f] = "P1457",
					  [0x750] = "C4015 C6237",
					  [0x751] = "C0132 C6237",
					  [0x754] = "C2013 C4015",
					  [0x755] = "P6573 P4157 P2137 P0513",
					  [0x757] = "P6573",
					  [0x75d] = "P4157",
					  [0x770] = "C5137 C6237",
					  [0x771] = "C0231 C5731 C6732",
					  [0x773] = "P1237",
					  [0x775] = "P2137",
					  [0x780] = "C7645",
					  [0x788] = "C3102 C7546",
					  [0x78a] = "C1045 C7546",
					  [0x78c] = "C2046 C7546",
					  [0x78e] = "C7546 C1045 C2046",
					  [0x78f] = "P0546",
					  [0x7a0] = "C5401 C7623",
					  [0x7a2] = "C1023 C7623",
					  [0x7a8] = "C3102 C5401",
					  [0x7aa] = "P7462 P5046 P3026 P1402",
					  [0x7ab] = "P7462",
					  [0x7ae] = "P5046",
					  [0x7b0] = "C4026 C7623",
					  [0x7b2] = "C1023 C7623 C4620",
					  [0x7b3] = "P0623",
					  [0x7ba] = "P3026",
					  [0x7c0] = "C6402 C7513",
					  [0x7c4] = "C2013 C7513",
					  [0x7c8] = "C3102 C6402",
					  [0x7cc] = "P7451 P6045 P3015 P2401",
					  [0x7cd] = "P7451",
					  [0x7ce] = "P6045",
					  [0x7d0] = "C4015 C7513",
					  [0x7d4] = "C2013 C4510 C7513",
					  [0x7d5] = "P0513",
					  [0x7dc] = "P3015",
					  [0x7e0] = "C5401 C6402",
					  [0x7e8] = "C3102 C5104 C6204",
					  [0x7ea] = "P1402",
					  [0x7ec] = "P2401",
					  [0x7f0] = "P7132 P6023 P5013 P4102",
					  [0x7f1] = "P7132",
					  [0x7f2] = "P6023",
					  [0x7f4] = "P5013",
					  [0x7f8] = "P4102"};

unsigned torus_attempts(unsigned fingerprint, struct torus_attempt a[4])
{
	const char *p = shapes[fingerprint] ? shapes[fingerprint] : "";
	unsigned n = 0;

	while (*p) {
		struct torus_attempt *x = &a[n++];

		*x = (struct torus_attempt){.perpendicular = *p == 'P', .target = (uint8_t)(p[1] - '0')};
		for (p += 2; *p && *p != ' '; p++)
			x->corner[x->n++] = (uint8_t)(*p - '0');
		p += *p == ' ';
	}
	return n;
}
