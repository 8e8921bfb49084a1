// friction_tables.c - tables of the bench of frictional contact problems.
#include "friction.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const FrictionResult* result_at(const FrictionTable* table, int problem, int contender) {
    return &table->results[problem * table->contender_count + contender];
}

static bool is_theirs(const FrictionTable* table, int contender) {
    return strncmp(table->contenders[contender], "siconos", 7) == 0;
}

// What a contender is credited with: Siconos knows the plain error only and is not blamed for it.
static bool is_solved(const FrictionTable* table, const FrictionResult* result, int contender) {
    return result->end == FRICTION_SOLVED ||
           (is_theirs(table, contender) && result->end == FRICTION_PLAIN);
}

static int find_contender(const FrictionTable* table, const char* name) {
    for (int i = 0; i < table->contender_count; ++i) {
        if (strcmp(table->contenders[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

void friction_print_header(void) {
    printf("%-42s %8s  %-16s %-10s %10s %12s %12s %12s\n", "problem", "contacts", "solver", "end",
           "iterations", "seconds", "fclib_error", "scaled_error");
}

void friction_print_result(const FrictionTable* table, int problem, int contender) {
    static const char* const words[] = {
        [FRICTION_SOLVED] = "solved", [FRICTION_PLAIN] = "plain only", [FRICTION_WRONG] = "wrong",
        [FRICTION_LATE] = "late",     [FRICTION_CRASHED] = "crashed",
    };
    const FrictionResult* result = result_at(table, problem, contender);
    if (result->end == FRICTION_ABSENT) {
        return;
    }
    printf("%-42s %8d  %-16s %-10s", table->problems[problem], table->contacts[problem],
           table->contenders[contender], words[result->end]);
    if (result->end < FRICTION_LATE) {
        printf(" %10d %12.3g %12.2g %12.2g", result->iterations, result->seconds,
               result->fclib_error, result->scaled_error);
    }
    printf("\n");
}

// Dolan and More: how many of the problems a solver ends within a factor of the fastest one.
void friction_print_profile(const FrictionTable* table) {
    static const double factors[] = {1.0, 2.0, 4.0, 10.0, 100.0, HUGE_VAL};
    printf("\n%-16s %7s   share of problems solved within this factor of the fastest solver\n",
           "tolerance", "solved");
    printf("%-16g %7s", table->tolerance, "");
    for (int f = 0; f < 6; ++f) {
        printf(" %7g", factors[f]);
    }
    printf("\n");
    for (int k = 0; k < table->contender_count; ++k) {
        int taken = 0, solved = 0, within[6] = {0};
        for (int i = 0; i < table->problem_count; ++i) {
            double best = HUGE_VAL;
            for (int other = 0; other < table->contender_count; ++other) {
                const FrictionResult* rival = result_at(table, i, other);
                best = is_solved(table, rival, other) ? fmin(best, rival->seconds) : best;
            }
            const FrictionResult* result = result_at(table, i, k);
            taken += result->end != FRICTION_ABSENT;
            if (is_solved(table, result, k)) {
                ++solved;
                for (int f = 0; f < 6; ++f) {
                    within[f] += result->seconds <= factors[f] * best;
                }
            }
        }
        printf("%-16s %3d/%-3d", table->contenders[k], solved, taken);
        for (int f = 0; f < 6; ++f) {
            printf(" %7.2f", taken > 0 ? (double)within[f] / taken : 0.0);
        }
        printf("\n");
    }
}

// The geometric mean of their time / ours over the problems that ours solves and theirs takes, and
// how many of them theirs solves. Lenient: those only, by the plain error. Strict: both errors must
// hold, and what fails is taken to need the whole limit, which is less than it would.
static void print_ratio(const FrictionTable* table, int own, int other, bool strict) {
    int counted = 0, solved = 0;
    double sum = 0.0;
    for (int i = 0; i < table->problem_count; ++i) {
        const FrictionResult *a = result_at(table, i, own), *b = result_at(table, i, other);
        bool ends = strict ? b->end == FRICTION_SOLVED : is_solved(table, b, other);
        if (b->end != FRICTION_ABSENT && is_solved(table, a, own) && (ends || strict)) {
            sum += log((ends ? b->seconds : table->limit) / a->seconds);
            counted += 1;
            solved += ends;
        }
    }
    if (counted > 0) {
        printf(" %9.3g (%2d)", exp(sum / counted), solved);
    } else {
        printf(" %14s", "-");
    }
}

void friction_print_ratios(const FrictionTable* table, bool strict) {
    printf("\ntheir time / ours, geometric mean (how many theirs solves); %s\n%-16s",
           strict ? "both errors, failures at the limit" : "plain error, what both solve", "");
    for (int k = 0; k < table->contender_count; ++k) {
        if (is_theirs(table, k)) {
            printf(" %14s", table->contenders[k]);
        }
    }
    printf("\n");
    for (int own = 0; own < table->contender_count; ++own) {
        if (is_theirs(table, own)) {
            continue;
        }
        printf("%-16s", table->contenders[own]);
        for (int k = 0; k < table->contender_count; ++k) {
            if (is_theirs(table, k)) {
                print_ratio(table, own, k, strict);
            }
        }
        printf("\n");
    }
}

// The exponent x of seconds ~ contacts^x, by least squares over what was solved; it means something
// when the problems are of one family. Small ones measure the way to the solver.
#define SMALL 50 // contacts

void friction_print_growth(const FrictionTable* table) {
    printf("\n");
    for (int k = 0; k < table->contender_count; ++k) {
        double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
        for (int i = 0; i < table->problem_count; ++i) {
            const FrictionResult* result = result_at(table, i, k);
            if (table->contacts[i] >= SMALL && is_solved(table, result, k)) {
                double size = log(table->contacts[i]), cost = log(result->seconds);
                n += 1.0;
                x += size;
                y += cost;
                xx += size * size;
                xy += size * cost;
            }
        }
        if (n > 2.0 && n * xx > x * x) { // two points lie on any line
            printf("%-16s seconds grow with contacts^%.2f (%g problems of %d contacts or more)\n",
                   table->contenders[k], (n * xy - x * y) / (n * xx - x * x), n, SMALL);
        }
    }
}

// Seconds of the same number of sweeps over all contacts, theirs / ours, and what they leave of the
// error. Problems that one sweep solves have none to compare.
#define SOLVED_AT_ONCE 1e-12 // fclib_error
#define FEW 4                // contacts

void friction_print_sweeps(const FrictionTable* table, const char* ours, const char* theirs) {
    int own = find_contender(table, ours), other = find_contender(table, theirs);
    int both = 0;
    double time = 0.0, error = 0.0;
    for (int i = 0; own >= 0 && other >= 0 && i < table->problem_count; ++i) {
        const FrictionResult *a = result_at(table, i, own), *b = result_at(table, i, other);
        if (a->sweep_seconds > 0.0 && b->sweep_seconds > 0.0 && table->contacts[i] >= FEW &&
            a->sweep_error > SOLVED_AT_ONCE && b->sweep_error > SOLVED_AT_ONCE) {
            time += log(b->sweep_seconds / a->sweep_seconds);
            error += log(b->sweep_error / a->sweep_error);
            ++both;
        }
    }
    if (both > 0) {
        printf("%d sweeps of %s take %.2f times as long as those of %s and leave %.2f times the "
               "error (geometric mean of %d problems)\n",
               FRICTION_SWEEPS, theirs, exp(time / both), ours, exp(error / both), both);
    }
}
