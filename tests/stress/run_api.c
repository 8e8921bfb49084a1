// run_api.c - calls of the whole interface in random order, with what must hold checked after each.
//
//     run_api SEED COUNT [SECONDS]     COUNT seeds from SEED on; SECONDS: as many as fit
//
// Each seed is run three times: on one thread; on two; and with all calls left out that were
// refused or only asked something. The three must be the same to the bit.
#include "calls.h"
#include "observe.h"
#include "stress.h"

#include <stdio.h>

enum { OPERATIONS = 60 };

// What one run of a seed did.
typedef struct Trace {
    bool made; // the world was created
    CallResult results[OPERATIONS];
    uint64_t states[OPERATIONS]; // observe_state after each
    uint64_t alls[OPERATIONS];   // observe_all
    int findings;
} Trace;

static void operate(Session* session, const Call* call, Trace* trace) {
    uint64_t all = observe_all(session);
    stress_watch(session);
    CallResult result = call->make(session);
    stress_watch(NULL);
    if (result == CALL_FAILED && observe_all(session) != all) {
        session_find(session, "was refused, but changed the world");
    } else if (result == CALL_READ && observe_all(session) != all) {
        session_find(session, "only asked, but changed the world");
    }
    trace->results[session->operation] = result;
}

// plan: NULL, or the trace of a run whose changes alone are to be made again.
static void run(uint64_t seed, int threads, const Trace* plan, Trace* trace) {
    Session session;
    session_prepare(&session, seed);
    *trace = (Trace){.made = session_create(&session, threads)};
    for (int i = 0; trace->made && i < OPERATIONS; ++i) {
        session.operation = i;
        session.dice = dice_of_operation(seed, i, session.hostility);
        const Call* call = choose_call(&session.dice);
        session.call = call->name;
        if (plan == NULL || plan->results[i] == CALL_DONE) {
            operate(&session, call, trace);
        }
        trace->states[i] = observe_state(&session);
        trace->alls[i] = observe_all(&session);
    }
    session_end(&session);
    trace->findings = session.findings;
}

static const char* call_name(uint64_t seed, int operation) {
    Dice dice = dice_of_operation(seed, operation, 0.0);
    return choose_call(&dice)->name;
}

static int compare(uint64_t seed, const char* what, const uint64_t* a, const uint64_t* b) {
    for (int i = 0; i < OPERATIONS; ++i) {
        if (a[i] != b[i]) {
            printf("FINDING seed %llu, operation %d, %s: not the same %s\n",
                   (unsigned long long)seed, i, call_name(seed, i), what);
            return 1;
        }
    }
    return 0;
}

static int run_seed(uint64_t seed) {
    static Trace first, other;
    run(seed, 1, NULL, &first);
    int findings = first.findings;
    run(seed, 2, NULL, &other);
    findings += other.findings;
    findings += compare(seed, "on two threads", first.alls, other.alls);
    run(seed, 1, &first, &other);
    findings += other.findings;
    findings += compare(seed, "without the calls that were refused or only asked", first.states,
                        other.states);
    return findings;
}

int main(int argc, char** argv) {
    return stress_main(argc, argv, run_seed);
}
