#include "tui/ui.h"

#if defined(REVISION)
#define SOURCE_REVISION REVISION
#else
/* git writes the revision between the dollar signs when it makes an archive (tui/.gitattributes) */
#define SOURCE_REVISION "$Format:%h$"
#endif

const struct about about = {
	.version = VERSION,
	.revision = SOURCE_REVISION,
	.keymaps = KEYMAPDIR,
};
