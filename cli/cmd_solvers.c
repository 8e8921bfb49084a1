// cmd_solvers.c - `cairn solvers`: the table of solvers.
#include "cairn/solver.h"
#include "terminal/json_out.h"
#include "terminal/options.h"

#include <string.h>

static void print_json(void) {
    JsonOut json = json_open(stdout);
    json_begin_array(&json, NULL);
    for (int i = 0; i < cn_solver_count(); ++i) {
        CnSolverInfo solver = cn_solver_at(i);
        json_begin_object(&json, NULL);
        json_text(&json, "name", solver.name);
        json_begin_array(&json, "laws");
        for (int law = 0; law < CN_LAW_COUNT; ++law) {
            if ((solver.laws & (1u << law)) != 0) {
                json_text(&json, NULL, cn_law_name((CnLaw)law));
            }
        }
        json_end(&json);
        json_begin_array(&json, "frictions");
        for (int model = 0; model < CN_FRICTION_COUNT; ++model) {
            if ((solver.frictions & (1u << model)) != 0) {
                json_text(&json, NULL, cn_friction_model_name((CnFrictionModel)model));
            }
        }
        json_end(&json);
        json_boolean(&json, "explicit_matrix", !solver.needs_bodies);
        json_boolean(&json, "slow_at_mass_ratios", solver.slow_at_mass_ratios);
        json_boolean(&json, "exact", solver.exact);
        json_text(&json, "summary", solver.summary);
        json_end(&json);
    }
    json_end(&json);
}

static void print_table(void) {
    printf("%-16s %-32s %-6s %s\n", "solver", "laws", "exact", "what it is");
    for (int i = 0; i < cn_solver_count(); ++i) {
        CnSolverInfo solver = cn_solver_at(i);
        char laws[80] = "";
        for (int law = 0; law < CN_LAW_COUNT; ++law) {
            if ((solver.laws & (1u << law)) != 0) {
                size_t used = strlen(laws);
                snprintf(laws + used, sizeof laws - used, "%s%s", used > 0 ? " " : "",
                         cn_law_name((CnLaw)law));
            }
        }
        printf("%-16s %-32s %-6s %s\n", solver.name, laws, solver.exact ? "yes" : "no",
               solver.summary);
    }
}

ExitCode command_solvers(const Command* self, int argc, char** argv) {
    const Usage usage = {.command = self, .operands = ""};
    Arguments arguments;
    ExitCode code;
    if (!options_parse(&usage, argc, argv, &arguments, &code)) {
        return code;
    }
    if (arguments.console.json) {
        print_json();
    } else {
        print_table();
    }
    return CODE_OK;
}
