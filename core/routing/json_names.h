/*
 * Nodes and ports in JSON.  A name may change and may fit several nodes, so GUID and LID always stand beside
 * it.
 *
 * Key K holds the name of a node.  Beside it stand K_guid ("0x" and 16 digits) and K_lid (0: it has none).
 * For a port there are also K_port, its number, and K_label if it has one.  Beside `name` itself they are
 * called guid, lid, port and label.  For nobody (NO_ID) all of them are null, without a label.  If the name
 * is a short one (fabric/names.h), K_description holds the given one.
 *
 * The GUID is that of the node.  The LID of a switch is that of its port 0.  The LID of a host's node is the
 * first one of its ports.  l: LIDs of the sweep, NULL = those of the fabric's source.
 *  */
#ifndef IBSCOPE_JSON_NAMES_H
#define IBSCOPE_JSON_NAMES_H

#include "core/base/json.h"
#include "core/fabric/state.h"
#include "core/routing/routing.h"

/* Puts the name, as names.h spells it, and the fields beside it into the object o. */
void json_put_node(json_t *o, const char *key, const struct fabric *f, const struct lids *l, uint32_t node);
void json_put_switch(json_t *o, const char *key, const struct fabric *f, const struct lids *l, uint32_t sw);
void json_put_port(json_t *o, const char *key, const struct fabric *f, const struct lids *l, uint32_t port);
void json_put_endport(json_t *o, const char *key, const struct fabric *f, const struct lids *l, uint32_t ep);

/* The fields beside the name of a port, without the name. */
void json_put_beside(json_t *o, const char *key, const struct fabric *f, const struct lids *l, uint32_t port);

/*
 * Puts the label of a port beside its number, if the port has one.  `key` is the number's key: the label's
 * key is K_label beside K_port, label beside port, in_label beside `in` and so on.  json_put_out() takes the
 * port that an entry of a switch names; an entry without a port gets no label.
 */
void json_put_label(json_t *o, const char *key, const struct fabric *f, uint32_t port);
void json_put_out(json_t *o, const char *key, const struct fabric *f, uint32_t sw, unsigned port);
char *json_label_key(const char *key, size_t len); /* to be freed */

/* Makes an object with name (of the node), guid and lid, and port when it is a port.  null for NO_ID. */
json_t *json_node(const struct fabric *f, const struct lids *l, uint32_t node);
json_t *json_port(const struct fabric *f, const struct lids *l, uint32_t port);

/* Puts `state` when an end of the port's cable is in Initialize or Armed, as it was read; otherwise
 * nothing. */
void json_put_state(json_t *o, const struct fabric *f, uint32_t port);
/* A link: its ports a and b, up, width and speed ("4x", "HDR"), state as above. */
json_t *json_link(const struct fabric *f, const struct lids *l, const struct state *st, uint32_t link);

#endif
