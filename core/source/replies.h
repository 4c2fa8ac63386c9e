/*
 * Replies looked at before the libraries see them.  libibnetdisc takes numbers of ports and modifiers from
 * replies for indexes of arrays that are as long as the node's first NodeInfo said.
 */
#ifndef IBSCOPE_REPLIES_H
#define IBSCOPE_REPLIES_H

/* A request that is about to be sent. */
void reply_expected(void *mad);

/*
 * A struct ib_user_mad that came: when it answers something else, names a port that its node does not have,
 * or contradicts an earlier NodeInfo of the same GUID, it gets the status of an error, and stderr says so.
 */
void reply_look_at(void *umad);

#endif
