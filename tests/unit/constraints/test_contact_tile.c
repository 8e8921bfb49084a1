// test_contact_tile.c - tiles push, answer and are graded as the blocks that they stand for.
#include "constraints/tiles/contact_tile.h"

#include "cairn/random.h"
#include "constraints/problem/block.h"
#include "constraints/tiles/tile_functions.h"
#include "math/simd.h"
#include "support/problems/problems.h"
#include "support/test.h"

#include <float.h>

#define BODIES 12
#define KINEMATIC 0 // moves as it is told
#define TILES 40
#define MAX_POINTS (TILES * CN_TILE_POINTS)

// Numbers of the scenes are about 1; sums have at most 500 terms, each the end of 50 operations.
#define ROUND_OFF 1e-12

typedef struct Scene {
    CnContactTile tile[TILES];
    CnTileSlide slide[TILES];
    CnContactTile* list[TILES];
    CnTileSet set;
    bool is_dynamic[BODIES];
    int dynamic[BODIES];
    double inverse_mass[BODIES], inverse_inertia[BODIES][9], center[BODIES][3];
    double free_velocity[BODIES][6], before[BODIES][6], mean_velocity[BODIES][6];
    double momentum[BODIES][6], velocity[BODIES][6];
    CnTileBodies bodies;
} Scene;

static double any(CnRandom* random) {
    return cn_random_between(random, -1.0, 1.0);
}

// A A^T + 1/2 with entries of A in [-1, 1].
static void add_body(Scene* scene, int body, CnRandom* random) {
    double a[9];
    bool is_dynamic = body != KINEMATIC;
    for (int i = 0; i < 9; ++i) {
        a[i] = any(random);
    }
    for (int i = 0; is_dynamic && i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            scene->inverse_inertia[body][3 * i + j] = (i == j ? 0.5 : 0.0) + a[3 * i] * a[3 * j] +
                                                      a[3 * i + 1] * a[3 * j + 1] +
                                                      a[3 * i + 2] * a[3 * j + 2];
        }
    }
    scene->is_dynamic[body] = is_dynamic;
    scene->inverse_mass[body] = is_dynamic ? cn_random_between(random, 0.2, 2.0) : 0.0;
    for (int k = 0; k < 6; ++k) {
        scene->free_velocity[body][k] = any(random);
        scene->before[body][k] = any(random);
        scene->mean_velocity[body][k] = any(random);
        scene->velocity[body][k] = scene->free_velocity[body][k];
    }
    for (int k = 0; k < 3; ++k) {
        scene->center[body][k] = any(random);
    }
}

static void add_tile(Scene* scene, int index, CnRandom* random) {
    CnContactTile* tile = &scene->tile[index];
    CnVec3 normal, t1, t2;
    double x = any(random), y = any(random), z = any(random);
    normal = cn_vec3_normalize(cn_vec3(x, y, z));
    cn_tangent_basis(normal, &t1, &t2);
    double scale = cn_random_between(random, 0.5, 2.0); // of elliptic friction
    const CnVec3 frame[3] = {normal, cn_vec3_scale(scale, t1), t2};
    tile->row_count = index % 5 == 4 ? 1 : 3;
    tile->slide = index % 4 == 3 ? NULL : &scene->slide[index];
    tile->acting = 1u + (unsigned)index % 15u;
    tile->body_b = 1 + index % (BODIES - 1);
    tile->body_a = index % 7 == 0 ? -1 : (tile->body_b + 1 + index % 3) % BODIES;
    if (index % 2 == 1) { // the kinematic body and the world are on either side
        int swapped = tile->body_a;
        tile->body_a = tile->body_b;
        tile->body_b = swapped;
    }
    for (int k = 0; k < 3; ++k) {
        tile->direction[k][0] = frame[k].x;
        tile->direction[k][1] = frame[k].y;
        tile->direction[k][2] = frame[k].z;
        tile->center[0][k] = any(random);
        tile->center[1][k] = any(random);
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            tile->point[k][j] = any(random);
            double target = 0.3 * any(random);
            *(k == 0 ? &tile->target[j] : &scene->slide[index].target[k - 1][j]) = target;
            tile->impulse[k][j] = k == 0 ? 0.3 + 0.5 * any(random) : 0.3 * any(random);
        }
    }
    for (int j = 0; j < CN_TILE_POINTS; ++j) {
        tile->friction[j] = index % 9 == 8 ? 0.0 : cn_random_between(random, 0.1, 1.0);
    }
    scene->list[index] = tile;
    cn_tile_prepare(tile, &scene->bodies);
}

static Scene* make_scene(uint64_t seed) {
    Scene* scene = calloc(1, sizeof *scene);
    CnRandom random = {seed};
    scene->set = (CnTileSet){.count = TILES, .tiles = scene->list};
    scene->bodies = (CnTileBodies){
        .is_dynamic = scene->is_dynamic,
        .inverse_mass = scene->inverse_mass,
        .inverse_inertia = (const double(*)[9])scene->inverse_inertia,
        .center = (const double(*)[3])scene->center,
        .free_velocity = (const double(*)[6])scene->free_velocity,
        .before = (const double(*)[6])scene->before,
        .mean_velocity = (const double(*)[6])scene->mean_velocity,
        .momentum = scene->momentum,
        .velocity = scene->velocity,
    };
    for (int i = 0; i < BODIES; ++i) {
        add_body(scene, i, &random);
        scene->dynamic[i] = i + 1;
    }
    for (int i = 0; i < TILES; ++i) {
        add_tile(scene, i, &random);
    }
    return scene;
}

static int total_points(const Scene* scene) {
    int points = 0;
    for (int i = 0; i < TILES; ++i) {
        points += cn_tile_points(&scene->tile[i]);
    }
    return points;
}

// v = v_free + M^-1 J^T p of the tiles alone.
static double respond(Scene* scene) {
    memset(scene->momentum, 0, sizeof scene->momentum);
    cn_tiles_push(&scene->set, &scene->bodies);
    return cn_bodies_respond(&scene->bodies, BODIES - 1, scene->dynamic);
}

static CnVec3 arm_of(const CnContactTile* tile, int side, int point) {
    return cn_vec3(tile->point[0][point] - tile->center[side][0],
                   tile->point[1][point] - tile->center[side][1],
                   tile->point[2][point] - tile->center[side][2]);
}

static Problem bodies_of(const Scene* scene) {
    Problem problem = {0};
    for (int i = 0; i < BODIES; ++i) {
        problem_add_body(&problem, scene->inverse_mass[i], 0.0);
        memcpy(problem.inverse_inertia[i], scene->inverse_inertia[i], sizeof(double[9]));
        memcpy(problem.free_velocity[i], scene->free_velocity[i], sizeof(double[6]));
    }
    return problem;
}

// The same contacts written row by row, by the code of the tests.
static void add_contacts(Problem* problem, const Scene* scene) {
    for (int i = 0; i < TILES; ++i) {
        const CnContactTile* tile = &scene->tile[i];
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            if ((tile->acting >> j & 1u) == 0) {
                continue;
            }
            CnLaw law = tile->row_count == 1 ? CN_LAW_BOUNDS : CN_LAW_COULOMB;
            int block =
                problem_add_block(problem, law, tile->row_count, tile->body_a, tile->body_b);
            problem->blocks[block].friction = tile->friction[j];
            for (int k = 0; k < tile->row_count; ++k) {
                int row = problem->blocks[block].first_row + k;
                const double* d = tile->direction[k];
                problem_set_row(problem, row, cn_vec3(d[0], d[1], d[2]), arm_of(tile, 0, j),
                                arm_of(tile, 1, j));
                problem->target[row] = cn_tile_target(tile, k, j);
                problem->impulse[row] = tile->impulse[k][j];
            }
        }
    }
}

// A joint, and a contact with torsion: what is no tile.
static void add_others(Problem* problem) {
    int joint = problem_add_point_joint(problem, 1, 5, cn_vec3(0.2, 0.1, 0), cn_vec3(0, 1, 0.5));
    int wide = problem_add_block(problem, CN_LAW_COULOMB, 4, 2, 3);
    int row = problem->blocks[wide].first_row;
    problem->blocks[wide].friction = 0.6;
    problem_set_row(problem, row, cn_vec3(0, 0, 1), cn_vec3(0.1, 0, 1), cn_vec3(0, 0.3, -1));
    problem_set_row(problem, row + 1, cn_vec3(1, 0, 0), cn_vec3(0.1, 0, 1), cn_vec3(0, 0.3, -1));
    problem_set_row(problem, row + 2, cn_vec3(0, 1, 0), cn_vec3(0.1, 0, 1), cn_vec3(0, 0.3, -1));
    problem->jacobian_a[row + 3][5] = -0.1;
    problem->jacobian_b[row + 3][5] = 0.1;
    for (int k = 0; k < 7; ++k) {
        problem->impulse[problem->blocks[joint].first_row + k] = 0.1 * (k + 1);
    }
}

static void check_certificate(const CnCertificate* a, const CnCertificate* b) {
    CHECK_INT(a->worst_block, b->worst_block);
    CHECK_NEAR(a->worst, b->worst, ROUND_OFF * b->worst);
    CHECK_NEAR(a->rms, b->rms, ROUND_OFF * b->rms);
    CHECK_NEAR(a->fclib_error, b->fclib_error, ROUND_OFF);
    CHECK_NEAR(a->scaled_error, b->scaled_error, ROUND_OFF);
    CHECK_NEAR(a->cone_violation, b->cone_violation, ROUND_OFF);
    CHECK_NEAR(a->complementarity, b->complementarity, ROUND_OFF * (1.0 + b->complementarity));
}

// The velocity of all bodies is that of tiles and blocks together.
static void tiles_and_blocks_grade_as_one_problem(void) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
        Scene* scene = make_scene(seed);
        Problem whole = bodies_of(scene), others = bodies_of(scene);
        add_contacts(&whole, scene);
        add_others(&whole);
        add_others(&others);
        CnSolution solution = {whole.impulse, whole.velocity};
        CnCertificate expected, found;
        double expected_residual[MAX_POINTS + 2], residual[2];
        int points = total_points(scene);
        cn_problem_velocity(problem_view(&whole), solution.impulse, solution.velocity);
        cn_problem_certify(problem_view(&whole), &solution, expected_residual, &expected);

        memset(scene->momentum, 0, sizeof scene->momentum);
        cn_tiles_push(&scene->set, &scene->bodies);
        cn_problem_push(problem_view(&others), others.impulse, scene->momentum);
        cn_bodies_respond(&scene->bodies, BODIES - 1, scene->dynamic);
        double trace = cn_problem_trace(problem_view(&others));
        for (int i = 0; i < TILES; ++i) {
            trace += scene->tile[i].trace;
        }
        double rho = whole.row_count / trace;
        CnGradeSums sums;
        cn_grade_begin(&sums);
        cn_grade_blocks(problem_view(&others), points, (const double(*)[6])scene->velocity,
                        others.impulse, rho, residual, &sums);
        cn_tiles_grade(&scene->set, &scene->bodies, rho, &sums);
        cn_grade_finish(&sums, rho, &found);

        check_certificate(&found, &expected);
        for (int i = 0, block = 0; i < TILES; ++i) {
            for (int j = 0; j < CN_TILE_POINTS; ++j) {
                if ((scene->tile[i].acting >> j & 1u) != 0) {
                    double residual_of = expected_residual[block++]; // kept in single precision
                    CHECK_NEAR((double)scene->tile[i].residual[j], residual_of,
                               ROUND_OFF + (double)FLT_EPSILON * residual_of);
                }
            }
        }
        CHECK_NEAR(residual[1], expected_residual[points + 1], ROUND_OFF);
        problem_free(&whole);
        problem_free(&others);
        free(scene);
    }
}

// Two halves, merged in either order, are the whole; blocks keep their numbers.
static void parts_merge_into_the_whole(void) {
    Scene* scene = make_scene(7);
    int first_block[TILES];
    CnGradeSums whole, low, high;
    respond(scene);
    for (int i = 0, points = 0; i < TILES; ++i) {
        first_block[i] = points;
        points += cn_tile_points(&scene->tile[i]);
    }
    CnTileSet halves[2] = {{TILES / 2, scene->list, first_block},
                           {TILES - TILES / 2, scene->list + TILES / 2, first_block + TILES / 2}};
    cn_grade_begin(&whole);
    cn_grade_begin(&low);
    cn_grade_begin(&high);
    cn_tiles_grade(&scene->set, &scene->bodies, 0.7, &whole);
    cn_tiles_grade(&halves[0], &scene->bodies, 0.7, &low);
    cn_tiles_grade(&halves[1], &scene->bodies, 0.7, &high);
    for (int order = 0; order < 2; ++order) {
        CnGradeSums merged;
        CnCertificate a, b;
        cn_grade_begin(&merged);
        cn_grade_merge(&merged, order == 0 ? &low : &high);
        cn_grade_merge(&merged, order == 0 ? &high : &low);
        cn_grade_finish(&merged, 0.7, &a);
        cn_grade_finish(&whole, 0.7, &b);
        CHECK_INT(merged.block_count, total_points(scene));
        check_certificate(&a, &b);
    }
    free(scene);
}

// Of equally bad points the first one is named, also across parts.
static void of_equals_the_first_is_the_worst(void) {
    Scene* scene = make_scene(3);
    CnContactTile* same[2] = {&scene->tile[5], &scene->tile[5]};
    const int first_block[2] = {20, 10};
    CnGradeSums sums;
    cn_grade_begin(&sums);
    cn_tiles_grade(&(CnTileSet){1, same, first_block}, &scene->bodies, 1.0, &sums);
    int point = sums.worst_block - 20;
    cn_tiles_grade(&(CnTileSet){1, same, first_block + 1}, &scene->bodies, 1.0, &sums);
    CHECK_INT(sums.worst_block, 10 + point);
    cn_grade_begin(&sums);
    cn_tiles_grade(&(CnTileSet){2, same, NULL}, &scene->bodies, 1.0, &sums);
    CHECK_INT(sums.worst_block, point);
    free(scene);
}

// cn_tiles_worst() is the certificate's worst, and the gain the largest change of a velocity.
static void acceptance_sees_the_worst_and_the_gain(void) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
        Scene* scene = make_scene(seed);
        CnGradeSums sums;
        double gain = respond(scene), most = 0.0;
        for (int i = 1; i < BODIES; ++i) {
            for (int k = 0; k < 6; ++k) {
                most = fmax(most, fabs(scene->velocity[i][k] - scene->before[i][k]));
            }
        }
        cn_grade_begin(&sums);
        cn_tiles_grade(&scene->set, &scene->bodies, 1.0, &sums);
        CHECK_NEAR(cn_tiles_worst(&scene->set, &scene->bodies), sums.worst, 0.0);
        CHECK_NEAR(gain, most, 0.0);
        scene->free_velocity[scene->dynamic[0]][0] = NAN; // others that are numbers do not hide it
        CHECK(respond(scene) == HUGE_VAL);
        free(scene);
    }
}

// 2 kg that would fall onto the world at 1 m/s: W = 1/2, so that 2 N s stop it. Half of that leaves
// the approach of 0.5 m/s; 3 N s push it off at 0.5 m/s, with 1.5 J of u p; a tangent of 0.5 N s
// beyond mu = 0.5 of 0.5 N s is sqrt(1/5) times the distance from the cone, 0.25, away from it.
static void one_point_has_the_grades_of_a_textbook(void) {
    Scene* scene = make_scene(0);
    CnContactTile tile = {.direction = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                          .friction = {0.0, 0.5},
                          .body_a = -1,
                          .body_b = 1,
                          .acting = 2,
                          .row_count = 3};
    CnContactTile* list[1] = {&tile};
    CnTileSet set = {1, list, NULL};
    const double normal[4] = {0.0, 1.0, 2.0, 3.0}, residual[4] = {1.0, 0.5, 0.0, 0.5};
    scene->inverse_mass[1] = 0.5;
    memset(scene->inverse_inertia[1], 0, sizeof scene->inverse_inertia[1]);
    memcpy(scene->free_velocity[1], (const double[6]){0, 0, -1}, sizeof(double[6]));
    cn_tile_prepare(&tile, &scene->bodies);
    CHECK_NEAR(tile.step_bound[1], 0.5, 1e-15);
    CHECK_NEAR(tile.trace, 1.5, 1e-15);
    for (int i = 0; i < 5; ++i) {
        CnGradeSums sums;
        tile.impulse[0][1] = i < 4 ? normal[i] : 0.5;
        tile.impulse[1][1] = i < 4 ? 0.0 : 0.5;
        memset(scene->momentum, 0, sizeof scene->momentum);
        cn_tiles_push(&set, &scene->bodies);
        cn_bodies_respond(&scene->bodies, 1, scene->dynamic);
        cn_grade_begin(&sums);
        cn_tiles_grade(&set, &scene->bodies, 1.0, &sums);
        if (i < 4) {
            CHECK_NEAR(sums.worst, residual[i], 1e-15);
            CHECK_NEAR((double)tile.residual[1], residual[i], 0.0); // exact in single precision
            CHECK_NEAR(sums.complementarity, fabs(0.5 * normal[i] - 1.0) * normal[i], 1e-15);
        } else {
            CHECK_NEAR(sums.cone_violation, 0.25 / sqrt(1.25), 1e-15);
        }
        CHECK_INT(sums.worst_block, 0);
    }
    free(scene);
}

// Nothing that is not a number passes, wherever it is.
static void what_is_not_finite_is_infinitely_wrong(void) {
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 9; ++i) {
        Scene* scene = make_scene(1);
        CnGradeSums sums;
        CnContactTile* tile = &scene->tile[2]; // whose points 0 and 1 act, with three rows
        respond(scene);
        double* victims[3] = {&tile->impulse[i % 3][1],
                              i % 3 == 0 ? &tile->target[0] : &tile->slide->target[i % 3 - 1][0],
                              &scene->velocity[tile->body_b][i % 3]};
        *victims[i / 3] = bad[i % 3];
        cn_grade_begin(&sums);
        cn_tiles_grade(&scene->set, &scene->bodies, 1.0, &sums);
        CHECK(isinf(sums.worst));
        CHECK(isinf(cn_tiles_worst(&scene->set, &scene->bodies)));
        free(scene);
    }
}

// What points that do not act hold is not looked at.
static void points_that_do_not_act_do_nothing(void) {
    Scene *scene = make_scene(2), *other = make_scene(2);
    CnGradeSums a, b;
    CnTileLedger x = {0}, y = {0};
    for (int i = 0; i < TILES; ++i) {
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            for (int k = 0; (other->tile[i].acting >> j & 1u) == 0 && k < 3; ++k) {
                other->tile[i].impulse[k][j] = 17.0;
                *(k == 0 ? &other->tile[i].target[j] : &other->slide[i].target[k - 1][j]) = -3.0;
            }
        }
    }
    respond(scene);
    respond(other);
    CHECK(memcmp(scene->velocity, other->velocity, sizeof scene->velocity) == 0);
    cn_grade_begin(&a);
    cn_grade_begin(&b);
    cn_tiles_grade(&scene->set, &scene->bodies, 1.0, &a);
    cn_tiles_grade(&other->set, &other->bodies, 1.0, &b);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
    cn_tiles_book(&scene->set, &scene->bodies, NULL, &x);
    cn_tiles_book(&other->set, &other->bodies, NULL, &y);
    CHECK(memcmp(&x, &y, sizeof x) == 0);
    free(scene);
    free(other);
}

// One side of one row, as ledger.md (4), (5), (10) and (11) have it.
static double book_row(const Scene* scene, int body, bool internal, const double* row, double p,
                       CnTileLedger* ledger) {
    double work = 0.0;
    for (int k = 0; body >= 0 && k < 6; ++k) {
        work += p * row[k] * scene->mean_velocity[body][k];
    }
    if (body >= 0 && scene->is_dynamic[body]) {
        const double* c = scene->center[body];
        const double f[3] = {p * row[0], p * row[1], p * row[2]};
        const double moment[3] = {c[1] * f[2] - c[2] * f[1] + p * row[3],
                                  c[2] * f[0] - c[0] * f[2] + p * row[4],
                                  c[0] * f[1] - c[1] * f[0] + p * row[5]};
        for (int k = 0; k < 3; ++k) {
            ledger->linear_external[k] += internal ? 0.0 : f[k];
            ledger->angular_external[k] += internal ? 0.0 : moment[k];
            ledger->angular_internal[k] += internal ? moment[k] : 0.0;
        }
    } else {
        ledger->drive -= work;
    }
    return work;
}

static void tiles_book_what_their_rows_do(void) {
    Scene* scene = make_scene(11);
    Problem problem = bodies_of(scene);
    CnTileLedger expected = {0}, found = {0};
    double work[MAX_POINTS] = {0.0}, of_points[TILES][CN_TILE_POINTS];
    add_contacts(&problem, scene);
    for (int b = 0; b < problem.block_count; ++b) {
        const CnBlock* block = &problem.blocks[b];
        bool internal = block->body_a > KINEMATIC && block->body_b > KINEMATIC;
        for (int k = 0; k < block->row_count; ++k) {
            int row = block->first_row + k;
            double p = problem.impulse[row];
            double done =
                book_row(scene, block->body_a, internal, problem.jacobian_a[row], p, &expected) +
                book_row(scene, block->body_b, internal, problem.jacobian_b[row], p, &expected);
            *(k == 0 ? &expected.contact : &expected.friction) += done;
            work[b] += done;
        }
    }
    cn_tiles_book(&scene->set, &scene->bodies, of_points, &found);
    CHECK_NEAR(found.contact, expected.contact, ROUND_OFF);
    CHECK_NEAR(found.friction, expected.friction, ROUND_OFF);
    CHECK_NEAR(found.drive, expected.drive, ROUND_OFF);
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(found.linear_external[k], expected.linear_external[k], ROUND_OFF);
        CHECK_NEAR(found.angular_external[k], expected.angular_external[k], ROUND_OFF);
        CHECK_NEAR(found.angular_internal[k], expected.angular_internal[k], ROUND_OFF);
    }
    for (int i = 0, block = 0; i < TILES; ++i) {
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            if ((scene->tile[i].acting >> j & 1u) != 0) {
                CHECK_NEAR(of_points[i][j], work[block++], ROUND_OFF);
            }
        }
    }
    problem_free(&problem);
    free(scene);
}

// A point of 0.3 N s on a body whose centre is 2 m from the origin, with an arm of 0.4 m across:
// magnitudes 0.3 N s, and 0.4 * 0.3 + 2 * 0.3 N m s; work at 0.5 m/s is 0.15 J.
static void scales_are_magnitudes(void) {
    Scene* scene = make_scene(0);
    CnContactTile tile = {.direction = {{0, 0, 1}},
                          .impulse = {{0.3}},
                          .point = {{0.4}},
                          .body_a = -1,
                          .body_b = 1,
                          .acting = 1,
                          .row_count = 1};
    CnContactTile* list[1] = {&tile};
    CnTileLedger ledger = {0};
    memcpy(scene->center[1], (const double[3]){0, 2, 0}, sizeof(double[3]));
    memcpy(scene->mean_velocity[1], (const double[6]){0, 0, -0.5}, sizeof(double[6]));
    cn_tiles_book(&(CnTileSet){1, list, NULL}, &scene->bodies, NULL, &ledger);
    CHECK_NEAR(ledger.contact, -0.15, 1e-16);
    CHECK_NEAR(ledger.work_scale, 0.15, 1e-16);
    CHECK_NEAR(ledger.linear_scale, 0.3, 1e-16);
    CHECK_NEAR(ledger.angular_scale, 0.72, 1e-15);
    CHECK_NEAR(ledger.linear_external[2], 0.3, 1e-16);
    free(scene);
}

// With u = 0 a point holds where p is inside its cone, and none that is open or does not act. Along
// a velocity z only rows that hold change, by J z / step_bound.
static void points_that_stick_hold_and_relax(void) {
    Scene* scene = make_scene(13);
    unsigned holds[TILES];
    int counts[3] = {0};
    memset(scene->velocity, 0, sizeof scene->velocity);
    memcpy(scene->momentum, scene->mean_velocity, sizeof scene->momentum);
    for (int i = 0; i < TILES; ++i) {
        memset(scene->tile[i].target, 0, sizeof scene->tile[i].target);
        scene->slide[i] = (CnTileSlide){0};
    }
    cn_tiles_find_holds(&scene->set, &scene->bodies, holds);
    Problem problem = bodies_of(scene);
    add_contacts(&problem, scene);
    cn_tiles_relax(&scene->set, &scene->bodies, holds);
    for (int i = 0, block = 0; i < TILES; ++i) {
        const CnContactTile* tile = &scene->tile[i];
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            if ((tile->acting >> j & 1u) == 0) {
                CHECK((holds[i] >> j & 17u) == 0);
                continue;
            }
            const CnBlock* rows = &problem.blocks[block++];
            const double* p = problem.impulse + rows->first_row;
            bool is_smooth = rows->friction == 0.0;
            bool sticks = !is_smooth && hypot(p[1], p[2]) <= rows->friction * p[0];
            unsigned expected = p[0] > 0.0 ? (sticks ? 17u : (is_smooth ? 1u : 0u)) : 0u;
            CHECK_INT(holds[i] >> j & 17u, expected);
            ++counts[expected == 17u ? 2 : expected];
            for (int k = 0; k < rows->row_count; ++k) {
                double z = 0.0;
                for (int r = 0; r < 6; ++r) {
                    int a = rows->body_a, b = rows->body_b, row = rows->first_row + k;
                    z += a > KINEMATIC ? problem.jacobian_a[row][r] * scene->momentum[a][r] : 0.0;
                    z += b > KINEMATIC ? problem.jacobian_b[row][r] * scene->momentum[b][r] : 0.0;
                }
                bool is_held = (expected & (k == 0 ? 1u : 16u)) != 0;
                CHECK_NEAR(tile->impulse[k][j], p[k] - (is_held ? z / tile->step_bound[j] : 0.0),
                           is_held ? ROUND_OFF : 0.0);
            }
        }
    }
    CHECK(counts[0] > 5 && counts[1] > 5 && counts[2] > 5);
    problem_free(&problem);
    free(scene);
}

// Rows as the tests write them, to the bit, and the answer comes back to where the guess was.
static void blocks_are_written_and_impulses_read_back(void) {
    Scene* scene = make_scene(5);
    Problem expected = bodies_of(scene), found = bodies_of(scene);
    add_contacts(&expected, scene);
    add_contacts(&found, scene);
    int blocks = expected.block_count, rows = expected.row_count;
    memset(found.blocks, 0, (size_t)blocks * sizeof *found.blocks);
    memset(found.jacobian_a, 1, (size_t)rows * sizeof *found.jacobian_a);
    memset(found.jacobian_b, 1, (size_t)rows * sizeof *found.jacobian_b);
    CnTileRows out = {0,
                      0,
                      found.blocks,
                      found.jacobian_a,
                      found.jacobian_b,
                      found.target,
                      found.compliance,
                      found.lower,
                      found.upper,
                      found.offset,
                      found.slope,
                      found.impulse};
    int place[BODIES];
    for (int i = 0; i < BODIES; ++i) {
        place[i] = BODIES - i;
    }
    cn_tiles_write_blocks(&scene->set, place, &out);
    CHECK_INT(out.block_count, blocks);
    CHECK_INT(out.row_count, rows);
    for (int b = 0; b < blocks; ++b) {
        const CnBlock *x = &found.blocks[b], *y = &expected.blocks[b];
        CHECK(x->law == y->law && x->first_row == y->first_row && x->row_count == y->row_count);
        CHECK(x->friction == y->friction);
        CHECK_INT(x->body_a, y->body_a < 0 ? -1 : BODIES - y->body_a);
        CHECK_INT(x->body_b, y->body_b < 0 ? -1 : BODIES - y->body_b);
    }
    for (int row = 0; row < rows; ++row) {
        for (int k = 0; k < 6; ++k) {
            CHECK_NEAR(found.jacobian_a[row][k], expected.jacobian_a[row][k], 0.0);
            CHECK_NEAR(found.jacobian_b[row][k], expected.jacobian_b[row][k], 0.0);
        }
        CHECK(found.target[row] == expected.target[row]);
        CHECK(found.impulse[row] == expected.impulse[row]);
        found.impulse[row] += 1.0;
    }
    cn_tiles_read_impulses(&scene->set, found.impulse);
    out.block_count = out.row_count = 0;
    cn_tiles_write_blocks(&scene->set, NULL, &out);
    for (int row = 0; row < rows; ++row) {
        CHECK(found.impulse[row] == expected.impulse[row] + 1.0);
    }
    problem_free(&expected);
    problem_free(&found);
    free(scene);
}

// Against W made of Jacobians. Eigenvalues are apart here, and right to round-off.
static void step_bounds_are_the_largest_eigenvalues(void) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
        Scene* scene = make_scene(seed);
        Problem problem = bodies_of(scene);
        add_contacts(&problem, scene);
        for (int i = 0, block = 0; i < TILES; ++i) {
            double trace = 0.0;
            for (int j = 0; j < CN_TILE_POINTS; ++j) {
                double w[CN_MAX_ROWS * CN_MAX_ROWS];
                if ((scene->tile[i].acting >> j & 1u) != 0) {
                    const CnBlock* rows = &problem.blocks[block++];
                    cn_block_delassus(problem_view(&problem), rows, w);
                    double expected = cn_block_largest_eigenvalue(w, rows->row_count);
                    CHECK_NEAR(scene->tile[i].step_bound[j], expected, 1e-9 * expected);
                    trace += cn_block_trace(problem_view(&problem), rows);
                }
            }
            CHECK_NEAR(scene->tile[i].trace, trace, ROUND_OFF * (1.0 + trace));
        }
        problem_free(&problem);
        free(scene);
    }
}

typedef struct Everything {
    double momentum[BODIES][6], worst;
    CnTileGrades grades;
    CnTileWorks works;
    double work[TILES][CN_TILE_POINTS];
    CnTileLedger ledger;
    unsigned holds[TILES];
    CnContactTile tile[TILES];
} Everything;

static Everything* all_of(const CnTileFunctions* functions, Scene* scene) {
    Everything* all = calloc(1, sizeof *all);
    memset(scene->momentum, 0, sizeof scene->momentum);
    for (int i = 0; i < TILES; ++i) {
        functions->prepare(&scene->tile[i], &scene->bodies);
    }
    functions->push(&scene->set, &scene->bodies);
    memcpy(all->momentum, scene->momentum, sizeof all->momentum);
    cn_bodies_respond(&scene->bodies, BODIES - 1, scene->dynamic);
    all->worst = functions->worst(&scene->set, &scene->bodies);
    for (int j = 0; j < CN_TILE_POINTS; ++j) {
        all->grades.worst[j] = -1.0;
    }
    functions->grade(&scene->set, &scene->bodies, 0.3, &all->grades);
    all->works.of_points = all->work;
    functions->book(&scene->set, &scene->bodies, &all->works, &all->ledger);
    all->works.of_points = NULL;
    functions->find_holds(&scene->set, &scene->bodies, all->holds);
    functions->relax(&scene->set, &scene->bodies, all->holds);
    memcpy(all->tile, scene->tile, sizeof all->tile);
    return all;
}

static void check_same_bits(const CnTileFunctions* functions, uint64_t seed) {
    Scene* scene = make_scene(seed);
    for (int i = 0; seed % 2 == 1 && i < TILES; ++i) { // two eigenvalues are one, as of balls
        for (int k = 0; k < 3; ++k) {
            scene->tile[i].center[0][k] = -scene->tile[i].direction[0][k];
            scene->tile[i].center[1][k] = scene->tile[i].direction[0][k];
            memset(scene->tile[i].point[k], 0, sizeof scene->tile[i].point[k]);
        }
    }
    CnContactTile* given = malloc(sizeof scene->tile);
    memcpy(given, scene->tile, sizeof scene->tile);
    Everything* plain = all_of(&cn_tile_functions_plain, scene);
    memcpy(scene->tile, given, sizeof scene->tile);
    Everything* fast = all_of(functions, scene);
    free(given);
    CHECK(memcmp(plain->momentum, fast->momentum, sizeof plain->momentum) == 0);
    CHECK(plain->worst == fast->worst);
    CHECK(memcmp(&plain->grades, &fast->grades, sizeof plain->grades) == 0);
    CHECK(memcmp(&plain->works, &fast->works, sizeof plain->works) == 0);
    CHECK(memcmp(plain->work, fast->work, sizeof plain->work) == 0);
    CHECK(memcmp(&plain->ledger, &fast->ledger, sizeof plain->ledger) == 0);
    CHECK(memcmp(plain->holds, fast->holds, sizeof plain->holds) == 0);
    CHECK(memcmp(plain->tile, fast->tile, sizeof plain->tile) == 0);
    free(plain);
    free(fast);
    free(scene);
}

static void check_all_widths(void (*check)(const CnTileFunctions*, uint64_t)) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
        check(&cn_tile_functions_128, seed);
#if defined(__x86_64__)
        if (cn_has_avx2()) {
            check(&cn_tile_functions_256, seed);
        }
#endif
    }
}

static void all_widths_have_the_bits_of_the_plain_version(void) {
    check_all_widths(check_same_bits);
}

// Seven tiles of one point that share no dynamic body, so that registers are filled and left over;
// the world and the kinematic body are on either side, and one point is open.
#define SINGLES 7

static void make_singles(Scene* scene, uint64_t seed) {
    static const int bodies[SINGLES][2] = {{1, 2}, {-1, 3},        {4, KINEMATIC}, {KINEMATIC, 5},
                                           {6, 7}, {8, KINEMATIC}, {9, -1}};
    for (int i = 0; i < TILES; ++i) {
        CnContactTile* tile = &scene->tile[i];
        tile->acting = 1;
        tile->row_count = 3;
        tile->slide = NULL;
        tile->body_a = bodies[i % SINGLES][0];
        tile->body_b = bodies[i % SINGLES][1];
        for (int k = 0; k < 3; ++k) {
            tile->impulse[k][0] *= i % SINGLES == 3 ? 0.0 : 1.0;
            if (seed % 2 == 1) { // two eigenvalues are one, as of balls
                tile->center[0][k] = -tile->direction[0][k];
                tile->center[1][k] = tile->direction[0][k];
                tile->point[k][0] = 0.0;
            }
        }
    }
    scene->free_velocity[6][2] = seed % 5 == 4 ? (double)NAN : 0.0; // makes no other tile worse
}

typedef struct SingleAnswers {
    double velocity[BODIES][6], gains[SINGLES];
    CnGradeSums grades[SINGLES];
    CnTileWorks works;
    CnTileLedger ledger;
    CnContactTile tile[TILES];
} SingleAnswers;

static SingleAnswers* answer_singles(const CnTileFunctions* functions, uint64_t seed) {
    SingleAnswers* answers = calloc(1, sizeof *answers);
    Scene* scene = make_scene(seed);
    int first_block[SINGLES];
    make_singles(scene, seed);
    for (int i = 0; i < SINGLES; ++i) {
        first_block[i] = 100 - 3 * i;
    }
    functions->prepare_singles(TILES, scene->list, &scene->bodies);
    functions->look_at_singles(&(CnTileSet){SINGLES, scene->list, first_block}, &scene->bodies, 0.3,
                               answers->gains, answers->grades);
    functions->book(&scene->set, &scene->bodies, &answers->works, &answers->ledger);
    memcpy(answers->velocity, scene->velocity, sizeof answers->velocity);
    memcpy(answers->tile, scene->tile, sizeof answers->tile);
    free(scene);
    return answers;
}

// Not-a-numbers have no bits to compare: they are where they are in the other.
static void check_same_numbers(const double* a, const double* b, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        CHECK(memcmp(&a[i], &b[i], sizeof a[i]) == 0 || (isnan(a[i]) && isnan(b[i])));
    }
}

static void check_same_singles(const CnTileFunctions* functions, uint64_t seed) {
    SingleAnswers *plain = answer_singles(&cn_tile_functions_plain, seed),
                  *fast = answer_singles(functions, seed);
    check_same_numbers(plain->velocity[0], fast->velocity[0], (size_t)6 * BODIES);
    check_same_numbers(plain->gains, fast->gains, SINGLES);
    for (int i = 0; i < SINGLES; ++i) {
        const CnGradeSums *a = &plain->grades[i], *b = &fast->grades[i];
        CHECK_INT(a->block_count, b->block_count);
        CHECK_INT(a->worst_block, b->worst_block);
        check_same_numbers(&a->worst, &b->worst, (sizeof *a - 2 * sizeof(int)) / sizeof(double));
    }
    CHECK(memcmp(&plain->works, &fast->works, sizeof plain->works) == 0);
    CHECK(memcmp(&plain->ledger, &fast->ledger, sizeof plain->ledger) == 0);
    CHECK(memcmp(plain->tile, fast->tile, sizeof plain->tile) == 0);
    free(plain);
    free(fast);
}

static void tiles_of_one_point_side_by_side_have_the_bits_of_each_alone(void) {
    check_all_widths(check_same_singles);
}

TEST_MAIN("constraints/contact_tile", TEST(tiles_and_blocks_grade_as_one_problem),
          TEST(parts_merge_into_the_whole), TEST(of_equals_the_first_is_the_worst),
          TEST(acceptance_sees_the_worst_and_the_gain),
          TEST(one_point_has_the_grades_of_a_textbook),
          TEST(what_is_not_finite_is_infinitely_wrong), TEST(points_that_do_not_act_do_nothing),
          TEST(tiles_book_what_their_rows_do), TEST(scales_are_magnitudes),
          TEST(points_that_stick_hold_and_relax), TEST(blocks_are_written_and_impulses_read_back),
          TEST(step_bounds_are_the_largest_eigenvalues),
          TEST(all_widths_have_the_bits_of_the_plain_version),
          TEST(tiles_of_one_point_side_by_side_have_the_bits_of_each_alone))
