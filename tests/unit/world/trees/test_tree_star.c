// test_tree_star.c - stars of loops in registers have the bits of the plain text, and solve W.
#include "world/trees/tree_store.h"

#include "cairn/random.h"
#include "math/simd.h"
#include "support/test.h"

#include <string.h>

enum { MOST_LOOPS = 6, MOST_LINKS = 60, MOST_ROWS = MOST_LOOPS * CN_MAX_ROWS };

// A trunk of links with an axis each, and for every loop two branches that hang on its end, or one
// and the world. Y is made up: of order one along the paths.
typedef struct Star {
    CnJointTree tree;
    int parent[MOST_LINKS], first_axis[MOST_LINKS + 1];
    int loop_at[MOST_LINKS], own_link[MOST_LINKS], first_own[MOST_LOOPS + 1];
    CnTreeLoop loops[MOST_LOOPS];
    double y[MOST_LOOPS][MOST_LINKS * CN_LOOP_LANES];
    double own[MOST_LOOPS][CN_MAX_ROWS][CN_LOOP_LANES];
    double reply[MOST_ROWS][CN_STAR_AXES];
} Star;

static int add_branch(Star* it, int from, int length) {
    for (int i = 0; i < length; ++i) {
        int link = it->tree.link_count++;
        it->parent[link] = from;
        from = link;
    }
    return from;
}

// Four links on each branch leave a loop of up to six rows eight axes of its own.
static void add_loop(Star* it, CnRandom* random, int trunk, int rows, double common) {
    CnTreeLoops* loops = &it->tree.loops;
    int index = loops->count++;
    CnTreeLoop* loop = &it->loops[index];
    *loop = (CnTreeLoop){
        .joint.row_count = rows,
        .end = {add_branch(it, trunk, 4), add_branch(it, index % 2 == 0 ? trunk : -1, 4)},
        .first_row = loops->row_count,
        .lanes = rows > CN_LINKAGE_ROWS ? 2 * CN_LINKAGE_ROWS : CN_LINKAGE_ROWS,
        .y = it->y[index],
    };
    loops->row_count += rows;
    for (int side = 0; side < 2; ++side) {
        for (int link = loop->end[side]; link >= 0; link = it->parent[link]) {
            double size = link <= trunk ? common : 1.0;
            for (int i = 0; i < rows; ++i) {
                it->y[index][link * loop->lanes + i] = cn_random_between(random, -size, size);
            }
        }
    }
}

// shared: links of the trunk; common: how large Y is along them.
static void build_star(Star* it, uint64_t seed, int shared, int count, double common) {
    CnRandom random = {seed};
    memset(it, 0, sizeof *it);
    CnTreeLoops* loops = &it->tree.loops;
    *loops = (CnTreeLoops){.loops = it->loops,
                           .star = {.loop_at = it->loop_at,
                                    .own_link = it->own_link,
                                    .first_own = it->first_own,
                                    .own = it->own,
                                    .reply = it->reply}};
    it->tree.parent = it->parent;
    it->tree.first_axis = it->first_axis;
    int trunk = add_branch(it, -1, shared);
    for (int i = 0; i < count; ++i) {
        add_loop(it, &random, trunk, 1 + (int)(cn_random_next(&random) % CN_MAX_ROWS), common);
    }
    for (int link = 0; link <= it->tree.link_count; ++link) {
        it->first_axis[link] = link;
    }
    it->tree.links.axis_count = it->tree.link_count;
    cn_loop_star_plan(&it->tree);
}

// What is made of a star by one set of passes.
typedef struct Outcome {
    bool is_star;
    double own[MOST_LOOPS][CN_MAX_ROWS][CN_MAX_ROWS], reply[MOST_ROWS][CN_STAR_AXES];
    double whole[CN_STAR_AXES][CN_STAR_AXES];
    double x[MOST_ROWS], response[MOST_LOOPS][CN_LOOP_LANES], along[MOST_LINKS];
} Outcome;

// Lower triangles are all that is used of factors.
static void copy_factors(const Star* it, Outcome* out) {
    const CnTreeLoops* loops = &it->tree.loops;
    for (int i = 0; i < loops->count; ++i) {
        for (int r = 0; r < it->loops[i].joint.row_count; ++r) {
            memcpy(out->own[i][r], it->own[i][r], (size_t)(r + 1) * sizeof(double));
        }
    }
    for (int r = 0; r < loops->star.shared_count; ++r) {
        memcpy(out->whole[r], loops->star.whole[r], (size_t)(r + 1) * sizeof(double));
    }
    memcpy(out->reply, it->reply, (size_t)loops->row_count * sizeof *it->reply);
}

static void run_passes(Star* it, const CnLoopPasses* passes, Outcome* out) {
    CnTreeLoops* loops = &it->tree.loops;
    memset(out, 0, sizeof *out);
    out->is_star = passes->factor_star(&it->tree);
    for (int i = 0; i < loops->row_count; ++i) {
        out->x[i] = 0.1 * (double)(i * 7 % 5 - 2);
    }
    for (int i = 0; i < loops->count; ++i) {
        double p[CN_LOOP_LANES] = {0.3, -0.7, 0.2, 0.9, -0.4, 0.6};
        memset(p + it->loops[i].joint.row_count, 0,
               sizeof p - (size_t)it->loops[i].joint.row_count * sizeof *p);
        passes->find_responses(&it->loops[i], it->tree.links.axis_count, out->response[i]);
        passes->add_along(&it->loops[i], it->tree.links.axis_count, p, out->along);
    }
    if (out->is_star) {
        passes->solve_star(loops, out->x);
        copy_factors(it, out);
    }
}

// Loops of one to six rows, one to six of them, up to twelve shared axes; a trunk that outweighs
// the branches is no star.
static void lanes_have_the_bits_of_the_plain_text(void) {
    static Star star;
    static Outcome plain, other;
    const CnLoopPasses* lanes[2] = {&cn_loop_passes_128, CN_WIDEST(cn_loop_passes)};
    int stars = 0, others = 0;
    for (int shared = 0; shared <= CN_STAR_AXES; ++shared) {
        for (int count = 1; count <= MOST_LOOPS; ++count) {
            for (int weight = 0; weight < 2; ++weight) {
                uint64_t seed = (uint64_t)(100 * shared + 10 * count + weight + 1);
                build_star(&star, seed, shared, count, weight == 0 ? 0.5 : 50.0);
                cn_loop_star_factor(&star.tree); // lists the shared axes
                run_passes(&star, &cn_loop_passes_plain, &plain);
                for (int w = 0; w < 2; ++w) {
                    run_passes(&star, lanes[w], &other);
                    CHECK(memcmp(&plain, &other, sizeof plain) == 0);
                }
                stars += plain.is_star;
                others += !plain.is_star;
            }
        }
    }
    CHECK(stars > 20 && others > 20);
}

// W x is what x was solved for. Y is of order one, and a star leaves its rows 2^-6 of W at least:
// digits are lost to that and to the condition of a loop's own part, below 1e6 here.
static void the_star_solves_the_whole(void) {
    static Star star;
    static Outcome plain;
    int stars = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        build_star(&star, seed, 1 + (int)seed % CN_STAR_AXES, 2 + (int)seed % 5, 0.5);
        const CnTreeLoops* loops = &star.tree.loops;
        cn_loop_star_factor(&star.tree);
        run_passes(&star, &cn_loop_passes_plain, &plain);
        stars += plain.is_star;
        double along[MOST_LINKS] = {0.0};
        for (int i = 0; plain.is_star && i < loops->count; ++i) {
            const CnTreeLoop* loop = &star.loops[i];
            for (int k = 0; k < star.tree.links.axis_count; ++k) {
                for (int r = 0; r < loop->joint.row_count; ++r) {
                    along[k] += loop->y[k * loop->lanes + r] * plain.x[loop->first_row + r];
                }
            }
        }
        for (int i = 0; plain.is_star && i < loops->count; ++i) {
            const CnTreeLoop* loop = &star.loops[i];
            for (int r = 0; r < loop->joint.row_count; ++r) {
                double sum = 0.0;
                for (int k = 0; k < star.tree.links.axis_count; ++k) {
                    sum += loop->y[k * loop->lanes + r] * along[k];
                }
                CHECK_NEAR(sum, 0.1 * (double)((loop->first_row + r) * 7 % 5 - 2), 1e-9);
            }
        }
    }
    CHECK(stars > 10);
}

TEST_MAIN("unit/world/trees/tree_star", TEST(lanes_have_the_bits_of_the_plain_text),
          TEST(the_star_solves_the_whole))
