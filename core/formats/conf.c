/* opensm.conf, read as OpenSM 3.3.23 reads it (found by trying it with files of every kind). */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/program.h"
#include "core/base/text.h"
#include "core/base/wordlist.h"
#include "core/formats/conf.h"
#include "core/formats/readers.h"
#include "core/sm/engine.h"

#define PIECE 1022 /* characters that OpenSM takes at a time; the rest of a longer line is another line */
#define GROUPS "pgrp_policy_file"		   /* NVIDIA's */
#define TORUS_CONFIG "/etc/opensm/torus-2QoS.conf" /* the end of OpenSM's default, which seldom exists */

/* Every key that OpenSM 3.3.23 accepts, between blanks. */
static const char known_keys[] =
	" accum_log_file allow_both_pkeys avoid_throttled_links babbling_port_policy "
	"cc_ca_cong_setting_ccti_increase cc_ca_cong_setting_ccti_min cc_ca_cong_setting_ccti_timer "
	"cc_ca_cong_setting_control_map cc_ca_cong_setting_port_control cc_ca_cong_setting_trigger_threshold "
	"cc_cct cc_key cc_max_outstanding_mads cc_sw_cong_setting_control_map cc_sw_cong_setting_credit_mask "
	"cc_sw_cong_setting_credit_starvation_return_delay cc_sw_cong_setting_credit_starvation_threshold "
	"cc_sw_cong_setting_marking_rate cc_sw_cong_setting_packet_size cc_sw_cong_setting_threshold "
	"cc_sw_cong_setting_victim_mask cn_guid_file congestion_control connect_roots console console_port "
	"consolidate_ipv6_snm_req daemon dimn_ports_file disable_multicast do_mesh_analysis "
	"drop_event_subscriptions dump_files_dir enable_quirks event_db_dump_file event_plugin_name "
	"event_plugin_options exit_on_fatal fdr10 force_heavy_sweep force_link_speed force_link_speed_ext "
	"force_link_width force_log_flush fsync_high_avail_files guid guid_routing_order_file "
	"guid_routing_order_no_scatter head_of_queue_lifetime honor_guid2lid_file hop_weights_file "
	"ids_guid_file ignore_other_sm io_guid_file ipoib_mcgroup_creation_validation keep_pkey_indexes "
	"lash_start_vl leaf_head_of_queue_lifetime leaf_vl_stall_count lfts_file lid_matrix_dump_file lmc "
	"lmc_esp0 local_phy_errors_threshold log_file log_flags log_max_size log_prefix "
	"long_transaction_timeout m_key m_key_lease_period m_key_lookup m_key_protection_level "
	"max_msg_fifo_timeout max_op_vls max_reverse_hops max_smps_timeout max_wire_smps max_wire_smps2 "
	"mcgroup_join_validation no_clients_rereg no_partition_enforcement node_name_map_name "
	"nue_include_switches nue_max_num_vls overrun_errors_threshold packet_life_time part_enforce "
	"partition_config_file per_module_logging_file perfmgr perfmgr_ignore_cas perfmgr_log_errors "
	"perfmgr_max_outstanding_queries perfmgr_query_cpi perfmgr_redir perfmgr_rm_nodes "
	"perfmgr_sweep_time_s perfmgr_xmit_wait_log perfmgr_xmit_wait_threshold polling_retry_number "
	"port_prof_ignore_file port_profile_switch_nodes port_search_ordering_file port_shifting "
	"prefix_routes_file qos qos_ca_high_limit qos_ca_max_vls qos_ca_sl2vl qos_ca_vlarb_high "
	"qos_ca_vlarb_low qos_high_limit qos_max_vls qos_policy_file qos_rtr_high_limit qos_rtr_max_vls "
	"qos_rtr_sl2vl qos_rtr_vlarb_high qos_rtr_vlarb_low qos_sl2vl qos_sw0_high_limit qos_sw0_max_vls "
	"qos_sw0_sl2vl qos_sw0_vlarb_high qos_sw0_vlarb_low qos_swe_high_limit qos_swe_max_vls qos_swe_sl2vl "
	"qos_swe_vlarb_high qos_swe_vlarb_low qos_vlarb_high qos_vlarb_low quasi_ftree_indexing "
	"reassign_lids root_guid_file routing_engine sa_db_dump sa_db_file sa_key scatter_ports "
	"single_thread sm_assigned_guid sm_inactive sm_key sm_priority sm_sl sminfo_polling_timeout "
	"subnet_prefix subnet_timeout suppress_sl2vl_mad_status_errors sweep_interval sweep_on_trap "
	"torus_config transaction_retries transaction_timeout use_mfttop use_optimized_slvl "
	"use_original_extended_sa_rates_only use_ucast_cache vl_stall_count ";

/* An entry of nvidia.settings. */
struct conf_key {
	const char *key, *standard, *means;
};

struct conf_reader {
	struct options *o;
	const char *name;
	unsigned line;
	char *engines;
	struct text *notes;
	unsigned others;	     /* keys of OpenSM that do not concern routing */
	bool known, unknown;	     /* some keys were OpenSM's, some were not */
	bool nvidia;		     /* the file of NVIDIA's subnet manager */
	unsigned own;		     /* keys that only that one has */
	const struct conf_key *keys; /* those of them that bear on routes, ended by a NULL key */
	struct err *e;
};

static bool conf_is_known(const char *key)
{
	AUTO_FREE char *word = str_printf(" %s ", key);

	return strstr(known_keys, word) != NULL || !strcmp(key, GROUPS);
}

bool conf_knows(const char *line)
{
	char word[60];
	size_t n = strcspn(line, " \t");

	if (!line[n] || n >= sizeof(word))
		return false;
	memcpy(word, line, n);
	word[n] = 0;
	return conf_is_known(word);
}

static void PRINTF_LIKE(3, 4) conf_note(struct conf_reader *r, const char *key, const char *what, ...)
{
	va_list ap;

	if (!r->notes)
		return;
	text_add(r->notes, "%s:%u: %.80s: ", r->name, r->line, key);
	va_start(ap, what);
	text_addv(r->notes, what, ap);
	va_end(ap);
	text_putc(r->notes, '\n');
}

static int bad(struct conf_reader *r, const char *why)
{
	return err_set(r->e, "%.200s:%u: %s", r->name, r->line, why);
}

/* The SM's port GUID: a number; 0 = OpenSM chooses. */
static int conf_set_guid(struct conf_reader *r, const char *v)
{
	struct err why;
	char text[32], *end;

	errno = 0;
	unsigned long long guid = strtoull(v, &end, 0);
	if (!isdigit((unsigned char)*v) || *end || errno) {
		err_set(&why,
			"guid: found '%.80s', expected a port GUID such as 0x0002c90300001234 (0 = none)", v);
		return bad(r, why.msg);
	}
	if (!guid) {
		options_unset(r->o, "guid");
		return 0;
	}
	snprintf(text, sizeof(text), "0x%016llx", guid);
	return options_set(r->o, "guid", text, &why) ? bad(r, why.msg) : 0;
}

static int conf_set_option(struct conf_reader *r, const struct optdef *d, const char *v)
{
	struct err why;

	if (!strcmp(d->name, "guid"))
		return conf_set_guid(r, v);
	if (d->type == OPT_BOOL && strcmp(v, "TRUE")) {
		if (strcmp(v, "FALSE"))
			conf_note(r, d->name, "only TRUE is true to OpenSM, anything else counts as FALSE");
		v = "FALSE";
	}
	if (d->type == OPT_FILE && !*v)
		conf_note(r, d->name,
			  "no value, taken as none (OpenSM would try to open a file without name)");
	if (!strcmp(d->name, "torus_config") && strlen(v) >= strlen(TORUS_CONFIG) &&
	    !strcmp(v + strlen(v) - strlen(TORUS_CONFIG), TORUS_CONFIG) &&
	    options_set(r->o, d->name, v, NULL)) {
		options_unset(r->o, d->name);
		return 0;
	}
	if (r->nvidia && d->type == OPT_FILE && *v && options_set(r->o, d->name, v, NULL)) {
		conf_note(r, d->name, "%.200s cannot be read here; skipped, as if there was none", v);
		return 0;
	}
	return options_set(r->o, d->name, v, &why) ? bad(r, why.msg) : 0;
}

/* The key of NVIDIA's subnet manager that bears on routes, or NULL. */
static const struct conf_key *conf_nvidia_key(const struct conf_reader *r, const char *key)
{
	for (const struct conf_key *k = r->keys; k->key; k++)
		if (words_have(k->key, key))
			return k;
	return NULL;
}

/* Is a line one of NVIDIA's subnet manager: a key, an engine, a path of UFM? */
static bool is_nvidia(const struct conf_reader *r, struct cursor c)
{
	struct cursor first = c, at = cur_token(&first);
	char key[60];

	snprintf(key, sizeof(key), "%.*s", CUR_ARGS(at));
	if (conf_nvidia_key(r, key))
		return true;
	bool engines = cur_word(&c, "routing_engine");
	c = cur_part(&c, '#');
	if (cur_find(&(struct cursor){c.p, c.end}, "/opt/ufm/"))
		return true;
	while (engines && !cur_empty(&c)) {
		struct cursor part = cur_trimmed(cur_part(&c, ','));
		char word[24];

		snprintf(word, sizeof(word), "%.*s", CUR_ARGS(part));
		if (!strcmp(word, "ar_updn") || engine_not_computed(word))
			return true;
	}
	return false;
}

/* Do two values say the same: "(null)" and nothing, 0x0a and 10? */
static bool conf_same_value(const char *a, const char *b)
{
	uint64_t x, y;

	a = strcmp(a, "(null)") ? a : "";
	b = strcmp(b, "(null)") ? b : "";
	return !strcasecmp(a, b) ||
	       (number_of_any(a, 0, UINT64_MAX, &x) && number_of_any(b, 0, UINT64_MAX, &y) && x == y);
}

/* One piece of a line, NUL-terminated; it may be written to. */
static int conf_read_line(struct conf_reader *r, char *s)
{
	char *key, *v, *save = NULL;
	struct text t = {0};

	s[strcspn(s, "#")] = '\0';
	key = strtok_r(s, " \t\n", &save);
	if (!key || !strcmp(key, "\r"))
		return 0;
	v = strtok_r(NULL, "\n", &save);
	v = v ? v + strspn(v, " \t\r\v\f") : key + strlen(key);
	size_t n = strlen(v);
	while (n > 1 && isspace((unsigned char)v[n - 1]))
		n--;
	if (n > 1 && (*v == '"' || *v == '\'') && v[n - 1] == *v) { /* one pair of equal quotes */
		v++;
		n -= 2;
	}
	v[n] = '\0';
	bool public = conf_is_known(key);
	const struct conf_key *own = r->nvidia && !public ? conf_nvidia_key(r, key) : NULL;
	if (own) {
		bool option = options_find(r->o, key), other = !strcmp(own->means, "other");

		r->known = true;
		r->own++;
		if (!other && !conf_same_value(v, own->standard))
			conf_note(r, key, "%.80s: %s", v, option ? "ibscope uses it" : own->means);
		if (!option)
			return 0;
	} else if (!public) {
		r->unknown = true;
		conf_note(r, key, "unknown key, ignored as OpenSM ignores it");
		return 0;
	}
	r->known = true;
	if (!strcmp(key, "routing_engine")) {
		/* names may be separated by commas and blanks; the result has commas */
		free(r->engines);
		r->engines = NULL;
		for (v = strtok_r(strcmp(v, "(null)") ? v : v + strlen(v), ", \t", &save); v;
		     v = strtok_r(NULL, ", \t", &save))
			text_add(&t, "%s%s", t.len ? "," : "", v);
		if (t.len)
			r->engines = t.s;
		return 0;
	}
	const struct optdef *d =
		options_find(r->o, strcmp(key, "dimn_ports_file") ? key : "port_search_ordering_file");
	if (!d) {
		r->others++;
		return 0;
	}
	return conf_set_option(r, d, v);
}

static int conf_read_all(struct conf_reader *r, const char *data, size_t size)
{
	char piece[PIECE + 1];
	struct err why;
	bool begin = true;

	for (size_t at = 0; at < size;) {
		size_t n = size - at < PIECE ? size - at : PIECE;
		const char *nl = memchr(data + at, '\n', n);

		if (nl)
			n = (size_t)(nl - (data + at)) + 1;
		memcpy(piece, data + at, n);
		piece[n] = '\0';
		r->line += begin;
		if (!at && text_head_check(data, size, &why))
			return bad(r, why.msg);
		if (text_line_check(data + at, n, &why) && r->notes)
			text_add(r->notes, "%s:%u: %s; OpenSM does not read what stands behind it\n", r->name,
				 r->line, why.msg);
		at += n;
		begin = nl != NULL;
		if (conf_read_line(r, piece))
			return -1;
	}
	return 0;
}

int conf_parse(struct options *o, const struct input *in, char **engines, struct text *notes, struct err *e)
{
	struct conf_reader r = {.o = options_copy(o), .name = in->name, .notes = notes, .e = e};
	struct lines l = lines_of(in), look = l;
	struct file_kind kind;
	struct cursor line = {0};
	char found[64];
	AUTO_ARENA char *words = ARENA_NEW(NULL, char);

	r.keys = wordlist_read(words, ".settings", "key default means", e);
	if (!r.keys) {
		options_free(r.o);
		return -1;
	}
	while (!r.nvidia && lines_next(&look, &line))
		r.nvidia = is_nvidia(&r, line);
	if (r.nvidia && !options_is_set(r.o, "rules") && !options_set(r.o, "rules", "nvidia", NULL) && notes)
		text_add(notes,
			 "%s: options of NVIDIA's OpenSM: its rules count from now on, as far as they are "
			 "known "
			 "(`help nvidia`; `set rules opensm` goes back)\n",
			 in->name);
	int rc = conf_read_all(&r, in->data, in->size);
	/* is it a file of another kind, and not just an empty one? */
	if (!rc && !r.known && file_kind(in, &kind)) {
		rc = err_set(e, "%.200s: found %s, expected options of OpenSM (opensm.conf)%s%s", in->name,
			     kind.is, *kind.use ? "; " : "", kind.use);
	} else if (!rc && !r.known && r.unknown) {
		while (lines_next(&l, &line) && !cur_says(line))
			;
		rc = err_set(e,
			     "%.200s:%u: found '%s' and no option of OpenSM; expected lines of opensm.conf, "
			     "as `routing_engine updn`",
			     in->name, l.no, excerpt(line, found, sizeof(found)));
	}
	for (size_t i = 0; !rc && i < options_count(r.o); i++) {
		const char *option = options_at(r.o, i)->name;

		if (!options_is_set(r.o, option))
			options_unset(o, option);
		else
			rc = options_set(o, option, options_get(r.o, option), e);
	}
	if (!rc && r.others && notes)
		text_add(notes,
			 r.others == 1 ? "%s: %s that does not concern routing was skipped\n"
				       : "%s: %s that do not concern routing were skipped\n",
			 in->name, PLURAL(r.others, "option"));
	if (!rc && r.own && notes)
		text_add(notes,
			 "%s: %s of NVIDIA's own: those that bear on routes are told where they are not at "
			 "their "
			 "default, the others have nothing to do with routes\n",
			 in->name, PLURAL(r.own, "key"));
	if (rc) {
		free(r.engines);
		r.engines = NULL;
	}
	*engines = r.engines;
	options_free(r.o);
	return rc;
}

int conf_read(struct options *o, const char *path, struct progress *p, char **engines, struct text *notes,
	      struct err *e)
{
	FILE *f = infile_open(path, p);
	struct input in = {.name = path};
	AUTO_FREE char *data = NULL;

	*engines = NULL;
	if (!f)
		return err_system(e, path, errno);
	int rc = read_at_most(f, path, SMALL_FILE_MIB, &data, &in.size, e);
	if (rc && progress_cancelled(p))
		err_set(e, CANCELLED);
	in.data = data;
	if (!rc)
		rc = conf_parse(o, &in, engines, notes, e);
	fclose(f);
	return rc;
}
