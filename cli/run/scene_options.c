// scene_options.c - the options that stand for settings of a scene, as `cairn run` has them.
#include "run/scene_options.h"

#include "terminal/choices.h"

#include <string.h>

void scene_options(SceneOverrides* overrides, Option* options) {
    SceneOverrides* o = overrides;
    const Option table[SCENE_OPTION_COUNT] = {
        option_choice("solver", "S", &o->solver, choice_solver, "who finds the impulses"),
        option_choice("scheme", "S", &o->scheme, choice_scheme, "how time advances"),
        option_choice("stabilisation", "S", &o->stabilisation, choice_stabilisation,
                      "how position errors are corrected"),
        option_positive("dt", "H", &o->dt, "length of a step [s]"),
        option_count("substeps", "N", &o->substeps, INT_MAX, "equal parts a step is cut into"),
        option_non_negative("theta", "A", &o->theta,
                            "moreau: weight of the velocity at the end of a step, 0.5 to 1"),
        option_non_negative("duration", "T", &o->duration, "simulated time [s]"),
        option_non_negative("speed-limit", "V", &o->speed_limit,
                            "a step that leaves a body faster than this fails [m/s]; 0: no limit"),
        option_non_negative("warm-start-factor", "A", &o->warm_start_factor,
                            "on all impulses that are used again, 0 to 1"),
        option_positive("tolerance", "E", &o->tolerance, "largest residual of a block [m/s]"),
        option_count("max-iterations", "N", &o->max_iterations, INT_MAX,
                     "of the solver, each time it is called"),
        option_positive("work-budget", "W", &o->work_budget,
                        "no iteration starts once a solve has used this many multiplications "
                        "(default: grows with the problem)"),
        option_positive("deadline", "T", &o->deadline,
                        "no iteration starts once a solve has taken this long [s]"),
        option_positive("change-tolerance", "E", &o->change_tolerance,
                        "pgs: stop when a sweep changes no impulse by more [N s]"),
        option_positive("impulse-limit", "P", &o->impulse_limit,
                        "pgs, active_set, lemke: contacts push at most this much [N s]"),
        option_count("threads", "N", &o->threads, MAX_THREADS,
                     "workers (default 1); results do not depend on it"),
        option_flag("real-time", &o->real_time,
                    "the real-time preset: soft_step, steps of 1/60 s, sleeping"),
        option_between("grade-every", "N", &o->grade_every, 0, INT_MAX,
                       "certificate and ledgers in every N-th step; 0: never"),
        option_flag("attribution", &o->attribution,
                    "with --json: momentum and energy by row direction, pair, constraint and "
                    "island"),
        option_list("set", "PATH=VALUE", &o->changes,
                    "change a value of the scene first: bodies.block.mass=2"),
    };
    memcpy(options, table, sizeof table);
}
