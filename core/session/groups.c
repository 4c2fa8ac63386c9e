#include "core/session/groups.h"
#include "core/base/defs.h"

#include <string.h>

const struct aim_group aim_groups[N_GROUPS] = {
	[LOOK] = {"Look", "what there is, and what the tables hold"},
	[WHAT_IF] = {"What if", "break, repair and change things, and take it back"},
	[EXPLAIN] = {"Explain", "why packets go where they go"},
	[JUDGE] = {"Judge", "what is wrong, what is better"},
	[TEACH] = {"Teach", "lessons, questions, words"},
	[FILES] = {"Files", "get a fabric, keep what was found"},
};

static const struct {
	const char *name, *also;
} other_words[] = {
	{"fail", "broken cable pull unplug outage down dead maintenance"},
	{"restore", "repair up again plug in"},
	{"undo", "take back revert"},
	{"journal", "history events log"},
	{"survey", "maintenance worst failure single point redundancy risk"},
	{"outage", "until next sweep cut lost packets blackhole shield repair two ports"},
	{"diff", "difference what changed"},
	{"transition", "between two sweeps half written tables loops update"},
	{"pairs", "lost regained"},
	{"changes", "difference what changed cables replaced"},
	{"snapshot", "keep remember before maintenance"},
	{"why", "reason explain entry port choice"},
	{"trace", "route path reach ibtracert traceroute"},
	{"path", "route reach ibtracert traceroute"},
	{"cycles", "deadlock credit loop hang stuck"},
	{"cycle", "deadlock credit loop hang stuck"},
	{"drain", "deadlock packets move happen credits buffers throughput simulate"},
	{"cdg", "deadlock dependency graph"},
	{"check", "deadlock unreachable safe sound verify credit loops"},
	{"doctor", "wrong problems errors broken cable health slow"},
	{"warnings", "oddities errors"},
	{"compare", "engines algorithms side by side best"},
	{"advise", "which engine best recommend choose"},
	{"judge", "adaptive routing groups wrong nvidia ar_updn"},
	{"drift", "stale wrong tables switches hold"},
	{"hotter", "slow congestion busy traffic"},
	{"flows", "slow congestion who shares busy"},
	{"usage", "balance busy slow ports"},
	{"load-map", "slow congestion busy hot bandwidth gpu nccl ring allreduce"},
	{"jobs", "slow congestion strangers slurm squeue gpu nccl who disturbs"},
	{"ring-order", "nccl gpu collision swap hosts rank order mpi hostfile"},
	{"shift", "slow congestion all-to-all collective"},
	{"shifts", "slow congestion all-to-all collective"},
	{"plot", "histogram chart bars loads"},
	{"map", "picture draw topology diagram"},
	{"lft", "forwarding table entries dump_fts"},
	{"hosts", "nodes servers adapters hca"},
	{"plan", "cabling wrong cable miswired"},
	{"report", "save write document"},
	{"save-session", "save keep script"},
	{"export", "save write csv svg picture tables"},
	{"load", "open file ibnetdiscover"},
	{"open", "load file ibnetdiscover"},
	{"live", "discover fabric umad ibnetdiscover"},
	{"synth", "torus fat tree make artificial"},
	{"lesson", "learn tutorial course teach"},
	{"quiz", "question exercise learn perform"},
	{"grade", "exercise homework marks points"},
	{"quit", "exit leave close"},
	{"route", "engine algorithm compute tables"},
};

const char *group_also(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(other_words); i++)
		if (!strcmp(other_words[i].name, name))
			return other_words[i].also;
	return "";
}
