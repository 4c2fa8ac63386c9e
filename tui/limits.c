/* The table of limits. Each number comes from the code that enforces it. */
#include "tui/limits.h"
#include "core/analysis/advise/advise.h"
#include "core/analysis/traffic/bisection.h"
#include "core/analysis/compare/side_by_side.h"
#include "core/analysis/survey/survey.h"
#include "core/base/cursor.h"
#include "core/base/hostlist.h"
#include "core/base/infile.h"
#include "core/base/text.h"
#include "core/fabric/state.h"
#include "core/formats/conf.h"
#include "core/formats/formats.h"
#include "core/session/command.h"
#include "core/session/interpreter.h"
#include "core/session/reading.h"
#include "core/sm/script.h"
#include "core/source/live.h"
#include "core/source/synth.h"
#include "tui/keymap.h"
#include "tui/ui.h"
#include "views/base/view.h"

const struct limit limits[] = {
	/* the fabric */
	{"unicast LIDs", MAX_LID, "ports for which none are left get no LID and no routes: `gets no LID`"},
	{"LMC", MAX_LMC, "refused: `expected a number from 0 to #`; in a file it counts as 0"},
	{"ports of a switch or host", MAX_PORTS, "the file is refused: `expected at most #`"},
	{"hops from the subnet manager", DR_MAX_HOPS,
	 "what lies behind is not discovered, as by OpenSM: `where directed routes end`"},
	{"bytes of a node's name", DESC_MAX,
	 "cut off behind them, as by OpenSM; a node-name-map may have longer ones"},
	/* synthetic fabrics */
	{"endports of a synthetic fabric", SYNTH_MAX_ENDPORTS,
	 "refused: `endports (switches and CA ports), expected at most #`"},
	{"switch ports of a synthetic fabric", SYNTH_MAX_PORTS,
	 "refused: `switch ports in all, expected at most #`"},
	{"ports of a synthetic host", SYNTH_MAX_CA_PORTS, "refused: `ports of a host, expected at most #`"},
	{"dimensions or levels of a synthetic fabric", SYNTH_MAX_DIMS, "refused: `more than # numbers`"},
	{"characters of a synthetic fabric's shape", SYNTH_MAX_SHAPE,
	 "refused: `characters, expected at most #`"},
	/* files */
	{"MiB of a file", FILE_MIB, "refused: `found more than # MiB, the most that is read`"},
	{"MiB that a program of `route script:` prints", SCRIPT_MIB,
	 "refused: `found more than # MiB, the most that is read`"},
	{"MiB of an opensm.conf, a list of GUIDs, a node-name-map, partitions or a QoS policy",
	 SMALL_FILE_MIB, "refused: `found more than # MiB, the most that is read`"},
	{"bytes of a line of a script, keymap or guid2lid file", LINE_BYTES_MOST,
	 "refused: `found a line of more than # bytes`"},
	{"lines of a keymap or guid2lid file", LINES_MOST, "refused: `found more than # lines`"},
	{"scripts within each other", MAX_SOURCE_DEPTH,
	 "refused: `scripts call each other more than # deep`"},
	{"ibsim net files within each other", IBSIM_INCLUDE_DEPTH,
	 "the file is refused: `too many includes inside each other, expected at most #`"},
	{"includes of an ibsim net file", IBSIM_INCLUDE_FILES,
	 "the file is refused: `too many includes in all, expected at most #`"},
	{"chips of a .topo", TOPO_CHIPS,
	 "the file is refused: `found more chips than are read, expected at most #`"},
	{"boards of a .topo within each other", TOPO_BOARD_DEPTH,
	 "the file is refused: `found boards more than # deep within each other`"},
	{"keymaps within each other", KEYMAP_INCLUDE_DEPTH,
	 "the line is left out: `include: more than # files within each other`"},
	{"files of a keymap", KEYMAP_FILES,
	 "the line is left out: `include: more than # files in one keymap`"},
	{"keys of a binding", KEY_SEQ, "the line is left out: `or a key such as`"},
	/* requests */
	{"engines of `compare`", SIDES_MOST, "refused: `more than # engines`"},
	{"engines in the pane compare", COMPARE_MOST, "refused: `engines, expected at most #`"},
	{"names of a list such as n[1-20]", HOSTLIST_MOST, "refused: `stands for more than # names`"},
	{"bytes of a list of names with ';' without quotes", UNQUOTED_MOST, "its first `;` ends the command"},
	{"pairs of failures of a survey", SURVEY_MOST_PAIRS, "refused: `expected pairs from 1 to #`"},
	{"shares of a survey", SURVEY_MOST_SHARES, "refused: `the I-th of N shares (N up to #)`"},
	{"threads of a survey", SURVEY_MOST_THREADS, "refused: `expected threads from 1 to #`"},
	{"failures that `advise` tries with each engine", ADVISE_MOST_FAILURES,
	 "refused: `expected a number from 0 to #`"},
	{"random pairings of `load-map ebb`", EBB_MOST,
	 "what they give is told, with the half-width it has: `# random pairings`"},
	{"seconds that `live` waits for an answer", LIVE_SILENCE_MOST,
	 "refused: `expected seconds from 1 to #`"},
	{"seconds between the readings of `watch`", LIVE_WATCH_MOST, "refused: `expected a number up to #`"},
	{"readings of `watch`, where they are counted", LIVE_WATCH_ROUNDS,
	 "refused: `expected a number up to #`"},
	{"rows that are sorted or folded", VIEW_SORT_MAX,
	 "refused until they are filtered: `rows are too many to sort (at most #)`"},
	{"characters of a filter", VIEW_FILTER_MAX, "`list` refuses them: `characters, expected at most #`"},
	{"bytes of a line that Tab completes", COMPLETED_MOST, "nothing is offered"},
	{"words that Tab offers", MOST_COMPLETIONS, "the rest is not offered"},
	{"lines of the history", HISTORY_LINES, "the oldest are forgotten"},
	{"rows or columns of the screen", SCREEN_MOST, "what is beyond stays empty"},
	{"panes behind each other", STACK_DEPTH, "the oldest is closed"},
	{0},
};

char *limit_beyond(const struct limit *l)
{
	struct text t = {0};

	for (const char *s = l->beyond; *s; s++) {
		if (*s == '#')
			text_add(&t, "%llu", (unsigned long long)l->most);
		else
			text_putc(&t, *s);
	}
	return t.s; /* never empty */
}
