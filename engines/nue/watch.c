#include "engines/nue/internal.h"
#include <stdlib.h>
#include "core/base/memory.h"
struct nue_watch { int x; };
struct nue_watch *nue_watch_new(const struct nue_run *x) { (void)x; return NEW(struct nue_watch); }
void nue_watch_free(struct nue_watch *w) { free(w); }
void nue_watch_model(struct nue_run *x) { (void)x; }
void nue_watch_layer(struct nue_run *x, const struct nue_layer *l) { (void)x; (void)l; }
void nue_watch_begin(struct nue_run *x, unsigned lid, uint32_t src) { (void)x; (void)lid; (void)src; }
void nue_watch_blocked(struct nue_run *x, uint32_t c, uint32_t to) { (void)x; (void)c; (void)to; }
void nue_watch_backtrack(struct nue_run *x, uint32_t u, uint32_t through, unsigned candidates) { (void)x; (void)u; (void)through; (void)candidates; }
void nue_watch_shortcut(struct nue_run *x, uint32_t v, uint32_t old, uint32_t now, bool taken) { (void)x; (void)v; (void)old; (void)now; (void)taken; }
void nue_watch_impasse(struct nue_run *x) { (void)x; }
void nue_watch_end(struct nue_run *x, unsigned lid, uint32_t src) { (void)x; (void)lid; (void)src; }
void nue_watch_done(struct nue_run *x) { (void)x; }
