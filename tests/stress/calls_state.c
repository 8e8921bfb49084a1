// calls_state.c - copies of the session's world make the same steps as the world itself.
#include "cairn/state.h"
#include "calls.h"
#include "checks.h"

#define STEP 0.01 // [s]

// Both make a step; one of them may fail for want of memory.
static CallResult compare(Session* session, CnWorld* copy) {
    CnError error = {0}, copy_error = {0};
    CnStatus copied = cn_world_step(copy, STEP, NULL, &copy_error);
    CnStatus status = cn_world_step(session->world, STEP, NULL, &error);
    check_refusal(session, status != CN_OK, &error);
    check_refusal(session, copied != CN_OK, &copy_error);
    if (status == CN_OK && copied == CN_OK &&
        cn_world_hash(copy) != cn_world_hash(session->world)) {
        session_find(session, "a copy of the world makes a step of other bits");
    }
    return status == CN_OK ? CALL_DONE : CALL_FAILED;
}

CallResult call_clone(Session* session) {
    CnError error = {0};
    CnWorld* clone = cn_world_clone(session->world, NULL, &error);
    check_refusal(session, clone == NULL, &error);
    CallResult result = clone == NULL ? CALL_READ : compare(session, clone);
    cn_world_destroy(clone);
    return result;
}
