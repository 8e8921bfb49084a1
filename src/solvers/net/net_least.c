// net_least.c - impulses of least norm for nets whose rows depend on each other, or nearly so.
#include "solvers/net/net_least.h"

#include <math.h>
#include <string.h>

#define SIZE CN_CHOLESKY_ROWS

// ---- groups ----

// The joints at each node, side by side.
static bool list_joints(const CnNetRows* rows, CnArena* arena, CnNetLeast* least) {
    least->first = CN_ARENA_NEW(arena, int, (size_t)rows->node_count + 2);
    least->joint = CN_ARENA_RAW(arena, int, 2 * (size_t)rows->joint_count);
    if (least->first == NULL || least->joint == NULL) {
        return false;
    }
    int* next = least->first + 1; // behind the joints of a node so far
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < rows->joint_count; ++i) {
            for (int side = 0; side < 2; ++side) {
                int node = rows->joints[i].node[side];
                if (node >= 0 && pass == 0) {
                    ++next[node + 1];
                } else if (node >= 0) {
                    least->joint[next[node]++] = i;
                }
            }
        }
        for (int k = 0; pass == 0 && k < rows->node_count; ++k) {
            next[k + 1] += next[k];
        }
    }
    return true;
}

// Joints that meet at a body share a block while their rows find room in it: a joint goes to the
// block of its second body, else to that of the first one, else it begins the block of its second.
static bool group_joints(const CnNetRows* rows, CnArena* scratch, CnArena* arena,
                         CnNetLeast* least) {
    int* open = CN_ARENA_RAW(scratch, int, rows->node_count);    // the last block of each node
    int* filled = CN_ARENA_NEW(scratch, int, rows->joint_count); // rows of each block so far
    least->group = CN_ARENA_RAW(arena, int, rows->joint_count);
    least->offset = CN_ARENA_RAW(arena, int, rows->joint_count);
    least->row = CN_ARENA_RAW(arena, int, rows->joint_count);
    if (open == NULL || filled == NULL || least->group == NULL || least->offset == NULL ||
        least->row == NULL) {
        return false;
    }
    memset(open, -1, (size_t)rows->node_count * sizeof *open);
    least->group_count = 0;
    for (int i = 0, row = 0; i < rows->joint_count; row += rows->joints[i++].row_count) {
        const CnNetJoint* joint = &rows->joints[i];
        int group = -1;
        for (int side = 1; side >= 0 && group < 0; --side) {
            int last = joint->node[side] < 0 ? -1 : open[joint->node[side]];
            group = last >= 0 && filled[last] + joint->row_count <= SIZE ? last : -1;
        }
        if (group < 0) {
            group = least->group_count++;
            open[joint->node[joint->node[1] >= 0 ? 1 : 0]] = group;
        }
        least->group[i] = group;
        least->offset[i] = filled[group];
        least->row[i] = row;
        filled[group] += joint->row_count;
    }
    return true;
}

// Pairs of joints that meet at a body. work: what the factor takes at least; the rows of one body
// all respond to each other, and a dense factor takes a sixth of the third power of their number.
static size_t count_pairs(const CnNetRows* rows, const CnNetLeast* least, double* work) {
    size_t pairs = 0;
    *work = 0.0;
    for (int k = 0; k < rows->node_count; ++k) {
        size_t n = (size_t)(least->first[k + 1] - least->first[k]);
        double own = 0.0;
        for (int i = least->first[k]; i < least->first[k + 1]; ++i) {
            own += rows->joints[least->joint[i]].row_count;
        }
        pairs += n * (n - 1) / 2;
        *work = fmax(*work, own * own * own / 6.0);
    }
    *work = fmax(*work, (double)pairs);
    return pairs;
}

// Every two groups that meet at a body.
static CnStatus plan_factor(const CnNetRows* rows, double limit, CnArena* scratch, CnArena* arena,
                            CnNetLeast* least) {
    size_t count = 0;
    double work;
    size_t pairs = count_pairs(rows, least, &work);
    if (work > limit) {
        return CN_UNSUPPORTED;
    }
    int *a = CN_ARENA_RAW(scratch, int, pairs), *b = CN_ARENA_RAW(scratch, int, pairs);
    if (a == NULL || b == NULL) {
        return CN_NO_MEMORY;
    }
    for (int k = 0; k < rows->node_count; ++k) {
        for (int i = least->first[k]; i < least->first[k + 1]; ++i) {
            for (int j = least->first[k]; j < i; ++j) {
                a[count] = least->group[least->joint[i]];
                b[count++] = least->group[least->joint[j]];
            }
        }
    }
    return cn_block_cholesky_plan(&least->cholesky, least->group_count, (int)count, a, b, limit,
                                  scratch, arena);
}

CnStatus cn_net_least_plan(const CnNetRows* rows, double limit, CnArena* scratch, CnArena* arena,
                           CnNetLeast* least) {
    *least = (CnNetLeast){0};
    if (!list_joints(rows, arena, least) || !group_joints(rows, scratch, arena, least)) {
        return CN_NO_MEMORY;
    }
    least->x = CN_ARENA_NEW(arena, double, SIZE*(size_t)least->group_count);
    return least->x == NULL ? CN_NO_MEMORY : plan_factor(rows, limit, scratch, arena, least);
}

// ---- numbers ----

// Adds what rows of joints i and j respond to each other through a body that both are at.
static void add_product(const CnNetRows* rows, CnNetLeast* least, int i, int side_i, int j,
                        int side_j) {
    double block[CN_CHOLESKY_NUMBERS] = {0.0};
    for (int c = 0; c < rows->joints[j].row_count; ++c) {
        const double* to = rows->jacobian[least->row[j] + c] + 6 * side_j;
        for (int r = 0; r < rows->joints[i].row_count; ++r) {
            const double* from = rows->jacobian[least->row[i] + r] + 6 * side_i;
            double sum = 0.0;
            for (int k = 0; k < 6; ++k) {
                sum += from[k] * to[k];
            }
            block[SIZE * (least->offset[j] + c) + least->offset[i] + r] = sum;
        }
    }
    if (least->group[i] == least->group[j] && i != j) { // and its mirror image
        for (int c = 0; c < SIZE; ++c) {
            for (int r = 0; r < c; ++r) {
                block[SIZE * c + r] = block[SIZE * r + c] =
                    block[SIZE * c + r] + block[SIZE * r + c];
            }
        }
    }
    cn_block_cholesky_add(&least->cholesky, least->group[i], least->group[j], block);
}

static int side_at(const CnNetJoint* joint, int node) {
    return joint->node[0] == node ? 0 : 1;
}

// Unit responses of joints, the weight, and 1 where a block has no row.
static void add_diagonal(double weight, CnNetLeast* least) {
    double block[CN_CHOLESKY_NUMBERS] = {0.0};
    for (int k = 0; k < SIZE; ++k) {
        block[(SIZE + 1) * k] = 1.0 + weight;
    }
    for (int i = 0; i < least->group_count; ++i) {
        cn_block_cholesky_add(&least->cholesky, i, i, block);
    }
}

bool cn_net_least_factor(const CnNetRows* rows, double weight, CnNetLeast* least) {
    cn_block_cholesky_clear(&least->cholesky);
    add_diagonal(weight, least);
    for (int k = 0; k < rows->node_count; ++k) {
        for (int a = least->first[k]; a < least->first[k + 1]; ++a) {
            for (int b = least->first[k]; b < a; ++b) {
                int i = least->joint[a], j = least->joint[b];
                add_product(rows, least, i, side_at(&rows->joints[i], k), j,
                            side_at(&rows->joints[j], k));
            }
        }
    }
    return cn_block_cholesky_factor(&least->cholesky, 0.0);
}

void cn_net_least_solve(const CnNetRows* rows, const CnNetLeast* least, double* x) {
    memset(least->x, 0, SIZE * (size_t)least->group_count * sizeof(double));
    for (int i = 0; i < rows->joint_count; ++i) {
        memcpy(least->x + SIZE * least->group[i] + least->offset[i], x + least->row[i],
               (size_t)rows->joints[i].row_count * sizeof(double));
    }
    cn_block_cholesky_solve(&least->cholesky, least->x);
    for (int i = 0; i < rows->joint_count; ++i) {
        memcpy(x + least->row[i], least->x + SIZE * least->group[i] + least->offset[i],
               (size_t)rows->joints[i].row_count * sizeof(double));
    }
}
