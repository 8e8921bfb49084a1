// profile.c - performance profiles of solvers on a set of problems (Dolan and More, 2002).
#include "problems/profile.h"

#include "serve/html.h"
#include "terminal/choices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Costs below these are all the same: what a clock can tell apart, and one multiplication.
static const double least_cost[PROFILE_COST_COUNT] = {1e-7, 1.0};
static const char* const cost_names[PROFILE_COST_COUNT] = {"time", "work"};

// Where the table of text reads the profiles.
static const double shown_ratios[] = {1.0, 1.5, 2.0, 5.0, 10.0, 100.0, 1000.0};
#define SHOWN_COUNT ((int)(sizeof shown_ratios / sizeof shown_ratios[0]))

// ---- the answers ----

Profile profile_none(void) {
    return (Profile){.solver_count = cn_solver_count()};
}

void profile_free(Profile* profile) {
    for (int i = 0; i < profile->problem_count; ++i) {
        free(profile->problems[i]);
    }
    free(profile->problems);
    free(profile->entries);
    *profile = profile_none();
}

static bool reserve(Profile* profile) {
    if (profile->problem_count < profile->capacity) {
        return true;
    }
    size_t capacity = 2 * (size_t)profile->capacity + 16;
    char** problems = realloc(profile->problems, capacity * sizeof *problems);
    profile->problems = problems != NULL ? problems : profile->problems;
    ProfileEntry* entries =
        realloc(profile->entries, capacity * (size_t)profile->solver_count * sizeof *entries);
    profile->entries = entries != NULL ? entries : profile->entries;
    if (problems == NULL || entries == NULL) {
        return false;
    }
    profile->capacity = (int)capacity;
    return true;
}

static ProfileEntry* entry_at(const Profile* profile, int problem, int solver) {
    return &profile->entries[(size_t)problem * (size_t)profile->solver_count + (size_t)solver];
}

bool profile_add_problem(Profile* profile, const char* name) {
    char* copy = strdup(name);
    if (copy == NULL || !reserve(profile)) {
        free(copy);
        return false;
    }
    for (int s = 0; s < profile->solver_count; ++s) {
        *entry_at(profile, profile->problem_count, s) = (ProfileEntry){.outcome = CN_REFUSED};
    }
    profile->problems[profile->problem_count++] = copy;
    return true;
}

void profile_set(Profile* profile, int solver, const CnSolverReport* report) {
    *entry_at(profile, profile->problem_count - 1, solver) =
        (ProfileEntry){.is_solved = report->outcome == CN_CONVERGED,
                       .outcome = report->outcome,
                       .iterations = report->iterations,
                       .seconds = report->seconds,
                       .work = report->work,
                       .residual = report->certificate.worst};
}

// ---- the profiles ----

static double cost_of(const ProfileEntry* entry, ProfileCost cost) {
    return fmax(cost == PROFILE_TIME ? entry->seconds : entry->work, least_cost[cost]);
}

// Of all solvers that solved the problem; infinite when none did.
static double best_cost(const Profile* profile, int problem, ProfileCost cost) {
    double best = (double)INFINITY;
    for (int s = 0; s < profile->solver_count; ++s) {
        const ProfileEntry* entry = entry_at(profile, problem, s);
        if (entry->is_solved) {
            best = fmin(best, cost_of(entry, cost));
        }
    }
    return best;
}

static int compare_reals(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

int profile_ratios(const Profile* profile, int solver, ProfileCost cost, double* ratios) {
    int count = 0;
    for (int p = 0; p < profile->problem_count; ++p) {
        const ProfileEntry* entry = entry_at(profile, p, solver);
        if (entry->is_solved) {
            ratios[count++] = cost_of(entry, cost) / best_cost(profile, p, cost);
        }
    }
    qsort(ratios, (size_t)count, sizeof *ratios, compare_reals);
    return count;
}

static int count_outcome(const Profile* profile, int solver, CnOutcome outcome) {
    int count = 0;
    for (int p = 0; p < profile->problem_count; ++p) {
        count += entry_at(profile, p, solver)->outcome == outcome;
    }
    return count;
}

// ---- text ----

static void print_profile(const Profile* profile, ProfileCost cost, double* ratios) {
    printf("%% of %d problems solved within so many times the least %s\n%-16s",
           profile->problem_count, cost_names[cost], "solver");
    for (int i = 0; i < SHOWN_COUNT; ++i) {
        printf(" %8g", shown_ratios[i]);
    }
    printf(" %8s\n", "any");
    for (int s = 0; s < profile->solver_count; ++s) {
        int count = profile_ratios(profile, s, cost, ratios), below = 0;
        printf("%-16s", choice_solver(s));
        for (int i = 0; i < SHOWN_COUNT; ++i) {
            while (below < count && ratios[below] <= shown_ratios[i]) {
                ++below;
            }
            printf(" %8.1f", 100.0 * below / profile->problem_count);
        }
        printf(" %8.1f\n", 100.0 * count / profile->problem_count);
    }
}

static double* make_ratios(const Profile* profile) {
    return malloc(((size_t)profile->problem_count + 1) * sizeof(double));
}

void profile_print(const Profile* profile) {
    double* ratios = make_ratios(profile);
    for (int cost = 0; ratios != NULL && profile->problem_count > 0 && cost < PROFILE_COST_COUNT;
         ++cost) {
        print_profile(profile, (ProfileCost)cost, ratios);
    }
    free(ratios);
}

// ---- JSON ----

static void write_solver(const Profile* profile, int solver, double* ratios, JsonOut* json) {
    json_begin_object(json, NULL);
    json_text(json, "solver", choice_solver(solver));
    json_integer(json, "solved", count_outcome(profile, solver, CN_CONVERGED));
    json_integer(json, "refused", count_outcome(profile, solver, CN_REFUSED));
    for (int cost = 0; cost < PROFILE_COST_COUNT; ++cost) {
        int count = profile_ratios(profile, solver, (ProfileCost)cost, ratios);
        json_reals(json, cost == PROFILE_TIME ? "time_ratios" : "work_ratios", ratios, count);
    }
    json_end(json);
}

static void write_problem(const Profile* profile, int problem, JsonOut* json) {
    json_begin_object(json, NULL);
    json_text(json, "problem", profile->problems[problem]);
    json_begin_array(json, "answers");
    for (int s = 0; s < profile->solver_count; ++s) {
        const ProfileEntry* entry = entry_at(profile, problem, s);
        json_begin_object(json, NULL);
        json_text(json, "outcome", cn_outcome_name(entry->outcome));
        json_integer(json, "iterations", entry->iterations);
        json_real(json, "seconds", entry->seconds);
        json_real(json, "work", entry->work);
        json_real(json, "residual", entry->residual);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

void profile_write(const Profile* profile, JsonOut* json, const char* key, bool with_problems) {
    double* ratios = make_ratios(profile);
    json_begin_object(json, key);
    json_integer(json, "problem_count", profile->problem_count);
    json_begin_array(json, "solvers");
    for (int s = 0; ratios != NULL && s < profile->solver_count; ++s) {
        write_solver(profile, s, ratios, json);
    }
    json_end(json);
    if (with_problems) {
        json_begin_array(json, "problems");
        for (int p = 0; p < profile->problem_count; ++p) {
            write_problem(profile, p, json);
        }
        json_end(json);
    }
    json_end(json);
    free(ratios);
}

// ---- page ----

bool profile_write_page(const Profile* profile, const char* html, CnError* error) {
    char* text = NULL;
    size_t length = 0;
    FILE* memory = open_memstream(&text, &length);
    if (memory != NULL) {
        JsonOut json = json_open_line(memory);
        profile_write(profile, &json, NULL, true);
    }
    if (memory == NULL || fclose(memory) != 0) {
        free(text);
        error->status = CN_NO_MEMORY;
        snprintf(error->message, sizeof error->message, "no memory for the page");
        return false;
    }
    bool ok = html_write(html, &(HtmlPage){.data_name = "profile-data", .data = text}, error);
    free(text);
    return ok;
}
