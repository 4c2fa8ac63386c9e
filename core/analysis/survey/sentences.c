/* What words ask for. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/survey/survey.h"

static int number_of(const char *word, const char *what, uint64_t most, uint64_t *n, struct err *e)
{
	char *end;

	*n = strtoull(word, &end, 10);
	if (!*word || *end || *word == '-' || !*n || *n > most)
		return err_set(e, "found \"%s\", expected %s from 1 to %" PRIu64, word, what, most);
	return 0;
}

/* "3/8" */
static int take_share(struct survey_request *rq, const char *word, struct err *e)
{
	char *end;
	unsigned long shard = strtoul(word, &end, 10), shards = 0;

	if (*end == '/' && end != word)
		shards = strtoul(end + 1, &end, 10);
	if (*word == '-' || *end || !shard || shard > shards || shards > SURVEY_MOST_SHARES)
		return err_set(e, "shard: found \"%s\", expected I/N, the I-th of N shares (N up to %d)",
			       word, SURVEY_MOST_SHARES);
	rq->shard = (unsigned)shard;
	rq->shards = (unsigned)shards;
	return 0;
}

static int take_word(struct survey_request *rq, int argc, char **argv, int *i, struct err *e)
{
	uint64_t n;
	char *end;

	if (!strcmp(argv[*i], "shard") && *i + 1 < argc)
		return take_share(rq, argv[++*i], e);
	if (!strncmp(argv[*i], "seed=", 5)) {
		rq->seed = strtoull(argv[*i] + 5, &end, 0);
		return *end || !argv[*i][5]
			       ? err_set(e, "seed: found \"%s\", expected a number", argv[*i] + 5)
			       : 0;
	}
	if (!strncmp(argv[*i], "threads=", 8)) {
		if (number_of(argv[*i] + 8, "threads", SURVEY_MOST_THREADS, &n, e))
			return -1;
		rq->threads = (unsigned)n;
		return 0;
	}
	if (part_kind_of(argv[*i]) < 0)
		return err_set(e, "found \"%s\", expected links, switches, chassis or cards", argv[*i]);
	rq->kind = (enum part_kind)part_kind_of(argv[*i]);
	return 0;
}

int survey_words(struct survey_request *rq, int argc, char **argv, struct err *e)
{
	int first = 0, rc = 0;
	uint64_t n;

	rq->seed = 1;
	rq->kind = PART_LINK;
	if (argc && !strcmp(argv[0], "pairs")) {
		if (argc < 2)
			return err_set(e, "survey pairs: found nothing, expected a number of pairs");
		if (number_of(argv[1], "pairs", SURVEY_MOST_PAIRS, &n, e))
			return -1;
		rq->pairs = (uint32_t)n;
		first = 2;
	}
	for (int i = first; !rc && i < argc; i++)
		rc = take_word(rq, argc, argv, &i, e);
	return rc;
}
