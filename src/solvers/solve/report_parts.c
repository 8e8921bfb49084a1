// report_parts.c - the share of each solver in a solve: iterations and work.
#include "solvers/solve/report_parts.h"

#include <string.h>

void cn_report_add_part(CnSolverReport* report, const char* solver, int iterations, double work) {
    int at = 0;
    while (at < report->part_count && strcmp(report->parts[at].solver, solver) != 0) {
        ++at;
    }
    if (at == CN_MAX_SOLVER_PARTS) {
        --at;
    } else if (at == report->part_count) {
        report->parts[report->part_count++] = (CnSolverPart){.solver = solver};
    }
    report->parts[at].iterations += iterations;
    report->parts[at].work += work;
}

void cn_report_own_part(CnSolverReport* report, const char* solver) {
    if (report->part_count == 0) {
        cn_report_add_part(report, solver, report->iterations, report->work);
    }
}

void cn_report_add_parts(CnSolverReport* report, const CnSolverReport* called) {
    for (int i = 0; i < called->part_count; ++i) {
        const CnSolverPart* part = &called->parts[i];
        cn_report_add_part(report, part->solver, part->iterations, part->work);
    }
}
