/*
 * Looks at replies before the libraries see them.  libibnetdisc takes numbers of ports and modifiers from
 * replies as indexes of arrays.  The node's first NodeInfo gave the length of these arrays.
 */
#ifndef IBSCOPE_REPLIES_H
#define IBSCOPE_REPLIES_H

/* A request that is about to be sent. */
void reply_expected(void *mad);

/*
 * A struct ib_user_mad that came.  It gets the status of an error, and stderr says so, in three cases: it
 * answers something else, it names a port that its node does not have, or it contradicts an earlier NodeInfo
 * of the same GUID.
 */
void reply_look_at(void *umad);

#endif
