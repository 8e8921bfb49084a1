// run_memory.c - each request for memory refused once: what failed is done again.
//
//     run_memory SEED COUNT [SECONDS]     COUNT seeds from SEED on; SECONDS: as many as fit
//
// A session of random changes is made once with all the memory it asks for. Then again for each
// request k: the k-th is refused, the call that fails for it is made again, and from there on
// everything must be as in the first run.
#include "calls.h"
#include "observe.h"
#include "stress.h"

enum { OPERATIONS = 40 };

// Calls that may fail and be made again; those that only ask are left to run_api.
static bool is_change(const Call* call) {
    return call->make == call_step || strncmp(call->name, "cn_world_add_", 13) == 0 ||
           call->make == call_exclude_pair || call->make == call_set_axis ||
           call->make == call_set_state || strncmp(call->name, "cn_world_remove_", 16) == 0 ||
           call->make == call_set_material_pair || call->make == call_add_shape ||
           call->make == call_remove_shape || call->make == call_set_filter ||
           call->make == call_set_shape_material || call->make == call_create_geometry ||
           call->make == call_release_geometry || call->make == call_apply ||
           call->make == call_set_pose || call->make == call_set_mass ||
           call->make == call_set_type || call->make == call_set_body_enabled ||
           call->make == call_set_body_numbers || call->make == call_write_states ||
           call->make == call_set_world;
}

typedef struct Trace {
    int requests;                // of memory, in all
    uint64_t states[OPERATIONS]; // observe_all after each
} Trace;

// False: the world was refused.
static bool begin(Session* session, uint64_t seed, int refuse_at) {
    session_prepare(session, seed);
    session->memory.refuse_at = refuse_at;
    session->refusing = refuse_at > 0;
    if (session_create(session, 1)) {
        return true;
    }
    return refuse_at > 0 && session->memory.requests >= refuse_at && session_create(session, 1);
}

static CallResult make(Session* session, const Call* call, uint64_t seed) {
    session->dice = dice_of_operation(seed, session->operation, session->hostility);
    choose_call(&session->dice); // the same numbers as before follow
    stress_watch(session);
    CallResult result = call->make(session);
    stress_watch(NULL);
    return result;
}

// A call that fails because of the refusal must leave everything as it was; it is made again.
static void operate(Session* session, const Call* call, uint64_t seed) {
    int refuse_at = session->memory.refuse_at;
    bool before = refuse_at > 0 && session->memory.requests < refuse_at;
    uint64_t all = observe_all(session);
    CallResult result = make(session, call, seed);
    bool refused = before && session->memory.requests >= refuse_at;
    if (refused && result == CALL_FAILED) {
        if (observe_all(session) != all) {
            session_find(session, "request %d was refused, and the failed call changed the world",
                         refuse_at);
        }
        make(session, call, seed);
    }
}

static int run(uint64_t seed, int refuse_at, const Trace* expected, Trace* trace) {
    Session session;
    *trace = (Trace){0};
    if (!begin(&session, seed, refuse_at)) {
        session_end(&session);
        return session.findings;
    }
    for (int i = 0; i < OPERATIONS; ++i) {
        session.operation = i;
        session.dice = dice_of_operation(seed, i, session.hostility);
        const Call* call = choose_call(&session.dice);
        session.call = call->name;
        if (is_change(call)) {
            operate(&session, call, seed);
        }
        trace->states[i] = observe_all(&session);
        if (expected != NULL && trace->states[i] != expected->states[i]) {
            session_find(&session, "request %d was refused; from here on it is not the same",
                         refuse_at);
            break;
        }
    }
    trace->requests = session.memory.requests;
    session_end(&session);
    return session.findings;
}

static int run_seed(uint64_t seed) {
    static Trace whole, other;
    int findings = run(seed, 0, NULL, &whole);
    for (int k = 1; k <= whole.requests && findings < 5; ++k) {
        findings += run(seed, k, &whole, &other);
    }
    return findings;
}

int main(int argc, char** argv) {
    return stress_main(argc, argv, run_seed);
}
