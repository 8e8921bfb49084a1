// calls_state.c - copies of the session's world make the same steps as the world itself.
#include "cairn/event.h"
#include "cairn/state.h"
#include "calls.h"
#include "checks.h"

#include <unistd.h>

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

static bool has_broken_joint(const CnWorld* world) {
    CnEvent events[64];
    int count = cn_world_events(world, events, 64);
    bool found = count > 64;
    for (int i = 0; i < count && i < 64; ++i) {
        found = found || events[i].type == CN_EVENT_JOINT_BROKE;
    }
    return found;
}

CallResult call_clone(Session* session) {
    CnError error = {0};
    CnWorld* clone = cn_world_clone(session->world, NULL, &error);
    check_refusal(session, clone == NULL, &error);
    CallResult result = clone == NULL ? CALL_READ : compare(session, clone);
    cn_world_destroy(clone);
    return result;
}

// The clone steps on and goes back to where it was.
CallResult call_save_state(Session* session) {
    CnError error = {0};
    void* bytes = NULL;
    size_t size = 0;
    CnStatus status = cn_world_save_state_memory(session->world, &bytes, &size, &error);
    check_refusal(session, status != CN_OK, &error);
    CnWorld* clone = status == CN_OK ? cn_world_clone(session->world, NULL, &error) : NULL;
    CallResult result = CALL_READ;
    if (clone != NULL) {
        error = (CnError){0};
        bool broken = cn_world_step(clone, STEP, NULL, NULL) == CN_OK && has_broken_joint(clone);
        status = cn_world_load_state_memory(clone, bytes, size, &error);
        check_refusal(session, status != CN_OK, &error);
        if (status == CN_OK) {
            result = compare(session, clone);
        } else if (status == CN_INVALID && !broken) {
            session_find(session, "a state is refused by the world it is of: %s", error.message);
        }
    }
    cn_world_release_state(session->world, bytes);
    cn_world_destroy(clone);
    return result;
}

CallResult call_state_file(Session* session) {
    CnError error = {0};
    char path[64];
    snprintf(path, sizeof path, "/tmp/cairn_stress_state_%ld", (long)getpid());
    CnStatus status = cn_world_save_state(session->world, path, &error);
    check_refusal(session, status != CN_OK, &error);
    if (status == CN_OK) {
        uint64_t hash = cn_world_hash(session->world);
        status = cn_world_load_state(session->world, path, &error);
        check_refusal(session, status != CN_OK, &error);
        if (hash != cn_world_hash(session->world)) {
            session_find(session, "loading the state that a world has changes it");
        }
    }
    remove(path);
    return status == CN_OK ? CALL_DONE : CALL_FAILED;
}
