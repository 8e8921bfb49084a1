// machine_axes.c - rows on the joints of a machine: axes, pivots, impulses.
#include "solvers/tree/machine_parts.h"

#include <string.h>

// A drive's row that acts: p changes by base - slope (J moved), or is rigid and held like a joint.
typedef struct Yield {
    bool is_rigid;
    double base, slope;
} Yield;

static bool is_rigid(const CnProblem* problem, const CnBlock* block, int row) {
    return block->law != CN_LAW_FORCE && problem->compliance[row] == 0.0;
}

// mechanisms.md (14), (15), from the impulses and velocities so far.
static Yield yield_of(const CnMachine* machine, const CnBlock* block, int row) {
    const CnProblem* problem = machine->problem;
    double softness = problem->compliance[row], u = machine->u[row], p = machine->impulse[row];
    if (machine->state[row] != CN_AXIS_ACTS) {
        double bound =
            machine->state[row] == CN_AXIS_AT_LOWER ? problem->lower[row] : problem->upper[row];
        return (Yield){.base = bound - p};
    }
    if (block->law == CN_LAW_FORCE) {
        double slope = problem->slope[row], whole = 1.0 + slope * softness;
        return (Yield){.base = (problem->offset[row] - p - slope * u) / whole,
                       .slope = slope / whole};
    }
    return softness > 0.0 ? (Yield){.base = -u / softness, .slope = 1.0 / softness}
                          : (Yield){.is_rigid = true};
}

// Lists the rows that a joint holds. False: more than it can.
static bool list_held(const CnMachine* machine, int link, CnHeldRows* held,
                      double jacobian[CN_MAX_ROWS][6]) {
    const CnProblem* problem = machine->problem;
    held->count = 0;
    if (machine->kept[link] >= 0) {
        CnMachineSide side = cn_machine_side(machine, link, machine->kept[link]);
        held->count = side.row_count;
        for (int k = 0; k < side.row_count; ++k) {
            held->row[k] = side.first_row + k;
        }
        memcpy(jacobian, side.child, (size_t)side.row_count * sizeof *side.child);
    }
    for (int i = machine->first_drive[link]; i >= 0; i = machine->next_drive[i]) {
        CnMachineSide side = cn_machine_side(machine, link, i);
        for (int k = 0; k < side.row_count; ++k) {
            int row = side.first_row + k;
            if (machine->state[row] != CN_AXIS_ACTS ||
                !is_rigid(problem, &problem->blocks[i], row)) {
                continue;
            }
            if (held->count == CN_MAX_ROWS) {
                return false;
            }
            held->row[held->count] = row;
            memcpy(jacobian[held->count++], side.child[k], sizeof *jacobian);
        }
    }
    return true;
}

static void set_axes(CnMachine* machine, int link) {
    CnLinkage* links = &machine->links;
    const CnLinkageJoint* joint = &machine->joints[link];
    int first = machine->first_axis[link], count = 6 - joint->row_count;
    machine->first_axis[link + 1] = first + count;
    memcpy(links->axis[first], joint->axis, (size_t)count * sizeof *links->axis);
    memset(links->slope[first], 0, (size_t)count * sizeof *links->slope);
    for (int i = machine->first_drive[link]; i >= 0; i = machine->next_drive[i]) {
        const CnBlock* block = &machine->problem->blocks[i];
        CnMachineSide side = cn_machine_side(machine, link, i);
        for (int k = 0; k < side.row_count; ++k) {
            Yield yield = yield_of(machine, block, side.first_row + k);
            for (int a = 0; yield.slope > 0.0 && a < count; ++a) {
                double part = yield.slope * cn_dot6(side.child[k], links->axis[first + a]);
                for (int b = 0; b <= a; ++b) {
                    links->slope[first + a][b] +=
                        part * cn_dot6(side.child[k], links->axis[first + b]);
                }
            }
        }
    }
}

bool cn_machine_factor(CnMachine* machine) {
    for (int i = 0; i < machine->links.link_count; ++i) {
        double jacobian[CN_MAX_ROWS][6];
        if (!list_held(machine, i, &machine->held[i], jacobian) ||
            !cn_linkage_joint_factor(machine->held[i].count, (const double(*)[6])jacobian,
                                     &machine->joints[i])) {
            return false;
        }
        set_axes(machine, i);
    }
    machine->links.axis_count = machine->first_axis[machine->links.link_count];
    machine->links.has_slopes = true;
    return cn_linkage_factor(&machine->links);
}

void cn_machine_set_offsets(CnMachine* machine) {
    const CnLinkage* links = &machine->links;
    for (int link = 0; link < links->link_count; ++link) {
        const CnHeldRows* held = &machine->held[link];
        double wanted[CN_MAX_ROWS];
        for (int k = 0; k < held->count; ++k) {
            wanted[k] = -machine->u[held->row[k]];
        }
        cn_linkage_joint_twist(&machine->joints[link], wanted, machine->twist[link]);
        int first = machine->first_axis[link], end = machine->first_axis[link + 1];
        for (int a = first; a < end; ++a) {
            machine->offset[a] = 0.0;
        }
        for (int i = machine->first_drive[link]; i >= 0; i = machine->next_drive[i]) {
            CnMachineSide side = cn_machine_side(machine, link, i);
            for (int k = 0; k < side.row_count; ++k) {
                const double* row = side.child[k];
                Yield yield = yield_of(machine, &machine->problem->blocks[i], side.first_row + k);
                double push = yield.base - yield.slope * cn_dot6(row, machine->twist[link]);
                for (int a = first; push != 0.0 && a < end; ++a) {
                    machine->offset[a] += push * cn_dot6(row, links->axis[a]);
                }
            }
        }
    }
}

void cn_machine_move(CnMachine* machine) {
    size_t links = (size_t)machine->links.link_count;
    memcpy(machine->momentum, machine->pushed, links * sizeof *machine->momentum);
    cn_linkage_solve(&machine->links, machine->momentum, (const double(*)[6])machine->twist,
                     machine->offset, machine->moved, NULL);
}

// The velocity of a link relative to its parent.
static void relative_twist(const CnMachine* machine, int link, double out[6]) {
    int parent = machine->plan.parent[link];
    cn_linkage_relative(machine->links.arm[link], machine->moved[link],
                        parent < 0 ? NULL : machine->moved[parent], out);
}

void cn_machine_find_changes(CnMachine* machine) {
    cn_linkage_wrenches(&machine->links, (const double(*)[6])machine->pushed,
                        (const double(*)[6])machine->moved, machine->wrench);
    for (int link = 0; link < machine->links.link_count; ++link) {
        const CnHeldRows* held = &machine->held[link];
        double left[6], relative[6], impulse[CN_MAX_ROWS];
        memcpy(left, machine->wrench[link], sizeof left);
        if (machine->first_drive[link] >= 0) {
            relative_twist(machine, link, relative);
        }
        for (int i = machine->first_drive[link]; i >= 0; i = machine->next_drive[i]) {
            CnMachineSide side = cn_machine_side(machine, link, i);
            for (int k = 0; k < side.row_count; ++k) {
                Yield yield = yield_of(machine, &machine->problem->blocks[i], side.first_row + k);
                if (yield.is_rigid) {
                    continue;
                }
                double change = yield.base - yield.slope * cn_dot6(side.child[k], relative);
                machine->change[side.first_row + k] = change;
                for (int j = 0; j < 6; ++j) {
                    left[j] -= change * side.child[k][j];
                }
            }
        }
        cn_linkage_joint_impulses(&machine->joints[link], left, impulse);
        for (int k = 0; k < held->count; ++k) {
            machine->change[held->row[k]] = impulse[k];
        }
    }
}
