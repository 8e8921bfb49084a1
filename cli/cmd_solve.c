// cmd_solve.c - `cairn solve`: saved problems, one solver or all of them.
#include "cairn/fclib.h"
#include "cairn/solver.h"
#include "problems/problem_file.h"
#include "problems/problem_list.h"
#include "problems/profile.h"
#include "run/files.h"
#include "terminal/choices.h"
#include "terminal/interrupt.h"
#include "terminal/json_out.h"
#include "terminal/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct SolveOptions {
    int solver; // index into the choices, -1: the default of the library
    double tolerance;
    int measure; // index into the choices, -1: velocity where there are bodies, else relative
    int max_iterations;
    double work_budget;                     // multiplications; 0: the default of the library
    double deadline;                        // [s]; 0: none
    double change_tolerance, impulse_limit; // [N s]; 0: off
    bool minimum_norm;
    bool condition; // of problems of any size
    int friction;   // index into the choices
    int pyramid_sides;
    const char* output;
    const char* html; // page of profiles; NULL: none
    bool profile;     // is printed
    bool strict;
} SolveOptions;

// One solver's answer to the problem.
typedef struct Answer {
    CnSolverReport report;
    CnError error;  // why it refused
    bool is_judged; // determinacy was found out
    CnDeterminacy determinacy;
    bool has_condition;
    CnCondition condition;
} Answer;

// The condition number takes 3 n^3 multiplications: up to so many rows that is no wait.
#define FEW_ROWS 300

typedef struct Session {
    const char* path;
    const CnProblem* problem;
    int contact_count; // coulomb blocks
    CnSolverDef def;
    CnWorkspace* workspace;
    CnSolution solution; // of the last solver that ran
} Session;

// "all" stands behind the names of the solvers.
static const char* choice_solver_or_all(int index) {
    return index == cn_solver_count() ? "all" : choice_solver(index);
}

// ---- solving ----

static int count_contacts(const CnProblem* problem) {
    int count = 0;
    for (int i = 0; i < problem->block_count; ++i) {
        count += problem->blocks[i].law == CN_LAW_COULOMB;
    }
    return count;
}

static bool has_bodies(const CnProblem* problem) {
    return problem->response == NULL && problem->masses == NULL;
}

static bool session_begin(Session* session, const CnProblem* problem, const char* path,
                          const SolveOptions* options, CnError* error) {
    *session = (Session){.path = path, .problem = problem, .def = cn_solver_def_default()};
    session->contact_count = count_contacts(problem);
    session->def.warm_start = false;
    session->def.tolerance = options->tolerance;
    // Nobody knows in which units another code gave its masses or its response.
    session->def.measure = options->measure >= 0 ? (CnErrorMeasure)options->measure
                           : has_bodies(problem) ? CN_ERROR_VELOCITY
                                                 : CN_ERROR_RELATIVE;
    session->def.max_iterations = options->max_iterations;
    session->def.work_budget = options->work_budget;
    session->def.deadline = options->deadline;
    session->def.change_tolerance = options->change_tolerance;
    session->def.impulse_limit = options->impulse_limit;
    session->def.minimum_norm = options->minimum_norm;
    session->def.friction = (CnFrictionModel)options->friction;
    session->def.pyramid_sides = options->pyramid_sides;
    session->workspace = cn_workspace_create(NULL, error);
    if (session->workspace == NULL) {
        return false;
    }
    // One more than needed, so that an empty problem is no special case.
    session->solution.impulse = calloc((size_t)problem->row_count + 1, sizeof(double));
    session->solution.velocity = calloc((size_t)problem->body_count + 1, sizeof(double[6]));
    if (session->solution.impulse == NULL || session->solution.velocity == NULL) {
        error->status = CN_NO_MEMORY;
        snprintf(error->message, sizeof error->message, "%s: no memory for its solution", path);
        return false;
    }
    return true;
}

static void session_end(Session* session) {
    cn_workspace_destroy(session->workspace);
    free(session->solution.impulse);
    free(session->solution.velocity);
}

// Every solver starts from zero. A refusal is an answer; any other failure is not.
static bool session_solve(Session* session, const char* solver, Answer* answer) {
    const CnProblem* problem = session->problem;
    *answer = (Answer){.report = {.solver = solver}};
    memset(session->solution.impulse, 0, (size_t)problem->row_count * sizeof(double));
    memset(session->solution.velocity, 0, (size_t)problem->body_count * sizeof(double[6]));
    session->def.name = solver;
    CnStatus status = cn_solve(problem, &session->def, session->workspace, &session->solution,
                               &answer->report, &answer->error);
    if (status == CN_UNSUPPORTED) {
        answer->report.outcome = CN_REFUSED;
        answer->report.solver = solver;
    }
    return status == CN_OK || status == CN_UNSUPPORTED;
}

// Whether other forces would do as well: asked of one good answer to the exact laws, not of a race
// of solvers.
static bool session_judge(Session* session, Answer* answer) {
    const CnProblem* problem = session->problem;
    const CnSolverReport* report = &answer->report;
    if (report->outcome != CN_CONVERGED || report->approximation != NULL || !has_bodies(problem)) {
        return true;
    }
    bool* open = calloc((size_t)problem->block_count + 1, sizeof *open);
    double tolerance = session->def.measure == CN_ERROR_VELOCITY ? session->def.tolerance
                                                                 : report->certificate.worst;
    answer->is_judged =
        open != NULL &&
        cn_problem_determinacy(problem, &session->solution, tolerance, session->workspace, open,
                               &answer->determinacy, &answer->error) == CN_OK;
    free(open);
    return answer->is_judged;
}

// The condition number of A, where it is cheap or was asked for.
static bool session_examine(Session* session, const SolveOptions* options, Answer* answer) {
    bool is_wanted = session->problem->row_count <= FEW_ROWS || options->condition;
    if (!is_wanted || answer->report.outcome == CN_REFUSED) {
        return true;
    }
    answer->has_condition = cn_problem_condition(session->problem, session->workspace,
                                                 &answer->condition, &answer->error) == CN_OK;
    return answer->has_condition;
}

// ---- reporting ----

// Why it refused, or what the solver remarked.
static const char* remark(const Answer* answer) {
    return answer->report.outcome == CN_REFUSED ? answer->error.message : answer->report.remark;
}

// What was refused has no grade.
static void write_grade(JsonOut* json, const char* key, const CnSolverReport* report,
                        double value) {
    if (report->outcome == CN_REFUSED) {
        json_null(json, key);
    } else {
        json_real(json, key, value);
    }
}

// Whether the outcome goes by another law than the exact one, whose errors are printed.
static bool has_own_law(const Session* session, const CnSolverReport* report) {
    bool has_named_law =
        session->def.friction != CN_FRICTION_EXACT || session->def.impulse_limit > 0.0;
    return has_named_law && report->approximation != NULL;
}

// Who took part in the answer.
static void write_parts(JsonOut* json, const CnSolverReport* report) {
    json_begin_array(json, "parts");
    for (int i = 0; i < report->part_count; ++i) {
        json_begin_object(json, NULL);
        json_text(json, "solver", report->parts[i].solver);
        json_integer(json, "iterations", report->parts[i].iterations);
        json_real(json, "work", report->parts[i].work);
        json_end(json);
    }
    json_end(json);
}

static void write_json(JsonOut* json, const Session* session, const char* solver,
                       const Answer* answer) {
    const CnSolverReport* report = &answer->report;
    const CnCertificate* certificate = &report->certificate;

    json_begin_object(json, NULL);
    json_text(json, "problem", session->path);
    json_integer(json, "contacts", session->contact_count);
    json_integer(json, "bodies", has_bodies(session->problem) ? session->problem->body_count : 0);
    json_text(json, "solver", solver);
    json_text(json, "outcome", cn_outcome_name(report->outcome));
    json_integer(json, "iterations", report->iterations);
    json_real(json, "seconds", report->seconds);
    write_grade(json, "residual", report, certificate->worst);
    write_grade(json, "fclib_error", report, certificate->fclib_error);
    write_grade(json, "scaled_error", report, certificate->scaled_error);
    json_text(json, "remark", remark(answer));
    json_real(json, "work", report->work);
    write_parts(json, report);
    if (report->infeasible_blocks > 0) {
        json_integer(json, "infeasible_blocks", report->infeasible_blocks);
        json_integer(json, "infeasible_block", report->infeasible_block);
        json_real(json, "infeasibility", report->infeasibility);
    }
    if (has_own_law(session, report)) {
        json_text(json, "approximation", report->approximation);
        write_grade(json, "law_error", report, report->error);
    }
    if (answer->is_judged) {
        json_integer(json, "free_directions", answer->determinacy.directions);
        json_integer(json, "open_directions", answer->determinacy.open_directions);
        json_integer(json, "open_blocks", answer->determinacy.open_blocks);
        json_real(json, "force_error", answer->determinacy.force_error);
        json_boolean(json, "least_norm", report->has_least_norm);
    }
    if (answer->has_condition) {
        json_integer(json, "rank", answer->condition.rank);
        json_real(json, "condition", answer->condition.number);
        json_real(json, "scaled_condition", answer->condition.scaled_number);
    }
    json_end(json);
}

static void print_header(const Session* session) {
    const char* unit =
        session->def.measure == CN_ERROR_VELOCITY ? "m/s" : "of both relative errors";
    const CnMasses* masses = session->problem->masses;
    int parts = masses != NULL ? cn_masses_coordinate_count(masses) : session->problem->body_count;
    printf("%s: %d %s, %d blocks (%d contacts), %d rows; tolerance %g %s\n", session->path, parts,
           masses != NULL ? "coordinates" : "bodies", session->problem->block_count,
           session->contact_count, session->problem->row_count, session->def.tolerance, unit);
    printf("%-16s %-17s %10s %10s %12s %12s %12s  %s\n", "solver", "outcome", "iterations",
           "seconds", "residual", "fclib_error", "scaled_error", "remark");
}

static void print_row(const char* solver, const Answer* answer) {
    const CnSolverReport* report = &answer->report;
    const CnCertificate* certificate = &report->certificate;

    printf("%-16s %-17s ", solver, cn_outcome_name(report->outcome));
    if (report->outcome == CN_REFUSED) {
        printf("%10s %10s %12s %12s %12s", "-", "-", "-", "-", "-");
    } else {
        printf("%10d %10.3g %12.3g %12.3g %12.3g", report->iterations, report->seconds,
               certificate->worst, certificate->fclib_error, certificate->scaled_error);
    }
    printf("  %s\n", remark(answer));
}

// Who took part, where it was more than the one asked for.
static void print_parts(const CnSolverReport* report) {
    for (int i = 0; i < report->part_count && report->part_count > 1; ++i) {
        const CnSolverPart* part = &report->parts[i];
        printf("%s%s %d iterations (%.2g multiplications)%s", i == 0 ? "took part: " : ", ",
               part->solver, part->iterations, part->work, i + 1 == report->part_count ? "\n" : "");
    }
}

static void print_law_error(const Session* session, const CnSolverReport* report) {
    if (has_own_law(session, report) && report->outcome != CN_REFUSED) {
        printf("approximation: %s; error against that law %.1e\n", report->approximation,
               report->error);
    }
}

static void print_determinacy(const Answer* answer) {
    const CnDeterminacy* determinacy = &answer->determinacy;
    if (determinacy->open_directions == 0) {
        printf("forces: unique; to first order the largest error is %.1e N s\n",
               determinacy->force_error);
        return;
    }
    printf("forces: not unique; %d of %d directions can change and move nothing, in %d "
           "block%s, the first block %d%s\n",
           determinacy->open_directions, determinacy->directions, determinacy->open_blocks,
           determinacy->open_blocks == 1 ? "" : "s", determinacy->first_open_block,
           answer->report.has_least_norm ? "; these are of least norm" : "");
}

static void print_condition(const Session* session, const CnCondition* condition) {
    if (condition->rank == session->problem->row_count) {
        printf("condition of A: %.3g; %.3g with a unit diagonal\n", condition->number,
               condition->scaled_number);
    } else {
        printf("condition of A: infinite, rank %d of %d rows; %.3g where it is not singular\n",
               condition->rank, session->problem->row_count,
               condition->rank > 0 ? condition->largest / condition->smallest : 1.0);
    }
}

// What one solver did to several problems.
typedef struct Tally {
    int solved, refused, all;
    double seconds;
} Tally;

static void tally_add(Tally* tally, const CnSolverReport* report) {
    tally->all += 1;
    tally->solved += report->outcome == CN_CONVERGED;
    tally->refused += report->outcome == CN_REFUSED;
    tally->seconds += report->seconds;
}

static void print_tallies(const Tally* tallies) {
    printf("%-16s %10s %10s %10s %10s\n", "all problems", "converged", "not", "refused", "seconds");
    for (int i = 0; i < cn_solver_count(); ++i) {
        const Tally* tally = &tallies[i];
        if (tally->all > 0) {
            printf("%-16s %10d %10d %10d %10.3g\n", choice_solver(i), tally->solved,
                   tally->all - tally->solved - tally->refused, tally->refused, tally->seconds);
        }
    }
}

// ---- the command ----

// What several solves have in common.
typedef struct Campaign {
    const SolveOptions* options;
    const Console* console;
    JsonOut json;
    bool in_array; // of answers; else there is only one
    Tally* tallies;
    Profile profile; // kept when all solvers try
} Campaign;

static bool wants_all(const SolveOptions* options) {
    return options->solver == cn_solver_count();
}

// A solver that refuses is no failure unless it was asked for by name.
static ExitCode judge(const Campaign* campaign, const Answer* answer) {
    CnOutcome outcome = answer->report.outcome;
    if (outcome == CN_REFUSED) {
        return wants_all(campaign->options) ? CODE_OK
                                            : console_fail(campaign->console, &answer->error);
    }
    bool missed = campaign->options->strict && outcome != CN_CONVERGED;
    return missed ? CODE_NOT_CONVERGED : CODE_OK;
}

static bool wants_profile(const SolveOptions* options) {
    return options->profile || options->html != NULL;
}

// Solvers are compared by their times: short ones are measured again, because the first solve of a
// problem finds its memory cold.
#define SHORT_SOLVE 0.01 // [s]
#define MORE_SOLVES 2

static bool solve_for_time(Session* session, const char* solver, Answer* answer) {
    bool ok = true;
    for (int i = 0; ok && i < MORE_SOLVES && answer->report.seconds < SHORT_SOLVE &&
                    answer->report.outcome != CN_REFUSED;
         ++i) {
        double before = answer->report.seconds;
        ok = session_solve(session, solver, answer);
        answer->report.seconds = fmin(answer->report.seconds, before);
    }
    return ok;
}

static ExitCode solve_with(Campaign* campaign, Session* session, int solver) {
    const char* name = choice_solver(solver);
    Answer answer;
    bool is_one = !wants_all(campaign->options) && !campaign->in_array;
    if (!session_solve(session, name, &answer) ||
        (wants_profile(campaign->options) && !solve_for_time(session, name, &answer)) ||
        (is_one && (!session_judge(session, &answer) ||
                    !session_examine(session, campaign->options, &answer)))) {
        return console_fail(campaign->console, &answer.error);
    }
    tally_add(&campaign->tallies[solver], &answer.report);
    if (wants_all(campaign->options)) {
        profile_set(&campaign->profile, solver, &answer.report);
    }
    if (campaign->console->json) {
        write_json(&campaign->json, session, name, &answer);
    } else {
        print_row(name, &answer);
        if (is_one) {
            print_parts(&answer.report);
        }
        print_law_error(session, &answer.report);
        if (answer.is_judged) {
            print_determinacy(&answer);
        }
        if (answer.has_condition) {
            print_condition(session, &answer.condition);
        }
    }
    ExitCode code = judge(campaign, &answer);
    CnError error = {0};
    const char* output = campaign->options->output;
    if (output != NULL && answer.report.outcome != CN_REFUSED &&
        problem_file_save(session->problem, &session->solution, output, &error) != CN_OK) {
        return console_fail(campaign->console, &error);
    }
    return code;
}

// The first thing that went wrong is what the program ends with.
static ExitCode first_failure(ExitCode before, ExitCode now) {
    return before != CODE_OK ? before : now;
}

static ExitCode solve_problem(Campaign* campaign, Session* session) {
    const SolveOptions* options = campaign->options;
    ExitCode code = CODE_OK;
    if (!campaign->console->json) {
        print_header(session);
    }
    if (wants_all(options) && !profile_add_problem(&campaign->profile, session->path)) {
        const CnError error = {.status = CN_NO_MEMORY, .message = "no memory for profiles"};
        return console_fail(campaign->console, &error);
    }
    for (int i = 0; i < cn_solver_count() && !interrupt_asked(); ++i) {
        if (wants_all(options) || i == options->solver) {
            code = first_failure(code, solve_with(campaign, session, i));
        }
    }
    return code;
}

static ExitCode solve_file(Campaign* campaign, const char* path) {
    CnError error = {0};
    if (strcmp(path, "-") != 0) { // who waits for standard input has nothing to finish
        interrupt_hold(campaign->console->quiet);
    }
    CnOwnedProblem* owned = cn_fclib_load(path, &error);
    interrupt_hold(campaign->console->quiet);
    if (owned == NULL) {
        return console_fail(campaign->console, &error);
    }
    Session session;
    ExitCode code =
        session_begin(&session, cn_owned_problem_get(owned), path, campaign->options, &error)
            ? solve_problem(campaign, &session)
            : console_fail(campaign->console, &error);
    session_end(&session);
    cn_owned_problem_destroy(owned);
    return code;
}

static ExitCode write_profile_page(const Campaign* campaign) {
    CnError error = {0};
    const char* html = campaign->options->html;
    if (!profile_write_page(&campaign->profile, html, &error)) {
        return console_fail(campaign->console, &error);
    }
    console_note(campaign->console, "%s opens in any browser", html);
    return CODE_OK;
}

static ExitCode solve_files(const ProblemList* list, const SolveOptions* options,
                            const Console* console) {
    Campaign campaign = {.options = options,
                         .console = console,
                         .json = json_open(stdout),
                         .in_array = console->json && (wants_all(options) || list->count > 1),
                         .tallies = calloc((size_t)cn_solver_count(), sizeof(Tally)),
                         .profile = profile_none()};
    CnError error = {.status = CN_NO_MEMORY, .message = "no memory to count answers"};
    ExitCode code = CODE_OK;
    if (campaign.tallies == NULL) {
        return console_fail(console, &error);
    }
    bool in_object = console->json && options->profile; // answers and their profile
    if (in_object) {
        json_begin_object(&campaign.json, NULL);
    }
    if (campaign.in_array) {
        json_begin_array(&campaign.json, in_object ? "answers" : NULL);
    }
    int done = 0;
    while (done < list->count && !interrupt_asked()) {
        code = first_failure(code, solve_file(&campaign, list->paths[done++]));
    }
    if (campaign.in_array) {
        json_end(&campaign.json);
    }
    if (in_object) {
        profile_write(&campaign.profile, &campaign.json, "profile", false);
        json_end(&campaign.json);
    }
    if (!console->json && list->count > 1) {
        print_tallies(campaign.tallies);
    }
    if (!console->json && options->profile) {
        profile_print(&campaign.profile);
    }
    if (options->html != NULL) {
        code = first_failure(code, write_profile_page(&campaign));
    }
    if (interrupt_asked()) {
        console_note(console, "interrupted in problem %d of %d", done, list->count);
    }
    profile_free(&campaign.profile);
    free(campaign.tallies);
    return code;
}

static ExitCode solve(const Arguments* arguments, const SolveOptions* options) {
    const Console* console = &arguments->console;
    ProblemList list = {0};
    CnError error = {0};
    ExitCode code = CODE_OK;
    for (int i = 0; code == CODE_OK && i < arguments->operand_count; ++i) {
        if (!problem_list_add(&list, arguments->operands[i], &error)) {
            code = console_fail(console, &error);
        }
    }
    if (code == CODE_OK && options->output != NULL && (wants_all(options) || list.count > 1)) {
        console_error(console, "--output holds one answer; name one problem and one solver");
        code = CODE_USAGE;
    }
    if (code == CODE_OK && wants_profile(options) && !wants_all(options)) {
        console_error(console,
                      "a profile compares solvers: --html and --profile need --solver all");
        code = CODE_USAGE;
    }
    if (code == CODE_OK && !check_writable(options->html, &error)) {
        code = console_fail(console, &error);
    }
    if (code == CODE_OK) {
        code = solve_files(&list, options, console);
    }
    problem_list_free(&list);
    return code;
}

static const char notes[] = "A PROBLEM is a file, - for standard input, or a folder: all problems "
                            "in it. Of several\nproblems, and with --solver all, --json gives an "
                            "array; with --profile an object with\nthe array and the profiles.";

ExitCode command_solve(const Command* self, int argc, char** argv) {
    CnSolverDef defaults = cn_solver_def_default();
    SolveOptions chosen = {.solver = choice_find(choice_solver, defaults.name),
                           .tolerance = defaults.tolerance,
                           .measure = -1,
                           .friction = (int)defaults.friction,
                           .pyramid_sides = defaults.pyramid_sides};
    const Option options[] = {
        option_choice("solver", "S", &chosen.solver, choice_solver_or_all, "solver (default auto)"),
        option_positive("tolerance", "E", &chosen.tolerance,
                        "largest error of the answer (default 1e-8)"),
        option_choice("measure", "M", &chosen.measure, choice_measure,
                      "what the tolerance applies to: \"velocity\" [m/s] (default), or "
                      "\"relative\" (default for problems without bodies)"),
        option_count("max-iterations", "N", &chosen.max_iterations, INT_MAX,
                     "stop after this many (default: the solver's own)"),
        option_positive(
            "work-budget", "W", &chosen.work_budget,
            "no iteration starts once this many multiplications are used (default: grows with "
            "the problem)"),
        option_positive("deadline", "T", &chosen.deadline,
                        "no iteration starts after this time [s]"),
        option_positive("change-tolerance", "E", &chosen.change_tolerance,
                        "pgs: stop when a sweep changes no impulse by more [N s]"),
        option_positive("impulse-limit", "P", &chosen.impulse_limit,
                        "pgs, active_set, lemke: contacts push at most this much [N s]"),
        option_flag("condition", &chosen.condition,
                    "condition number of A, also of more than 300 rows (up to 4000)"),
        option_flag("minimum-norm", &chosen.minimum_norm,
                    "of all forces with the same motion those of least norm"),
        option_choice("friction", "F", &chosen.friction, choice_friction,
                      "\"exact\" (default), or an approximation by name"),
        option_between("pyramid-sides", "N", &chosen.pyramid_sides, 4, CN_MAX_PYRAMID_SIDES,
                       "of friction pyramids, even, from 4 (default 8)"),
        option_text("output", "F", &chosen.output, "write impulses and velocities to this file"),
        option_flag("profile", &chosen.profile,
                    "with --solver all: the share of problems that each solves within a multiple "
                    "of the least cost"),
        option_text("html", "F", &chosen.html,
                    "with --solver all: write a page with these profiles and all answers"),
        option_flag("strict", &chosen.strict, "exit with 4 when the answer misses the tolerance"),
    };
    const Usage usage = {
        self, "PROBLEM...", 1, ANY_NUMBER_OF_OPERANDS, options, OPTION_TABLE_COUNT(options), notes};
    Arguments arguments;
    ExitCode code;
    if (!options_parse(&usage, argc, argv, &arguments, &code)) {
        return code;
    }
    return solve(&arguments, &chosen);
}
