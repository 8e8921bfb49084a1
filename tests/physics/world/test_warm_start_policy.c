// test_warm_start_policy.c - how much of the last step's impulses is used again, as users say.
#include "cairn/joint.h"
#include "cairn/random.h"
#include "support/run.h"

#define STEP 4e-3

static const CnVec3 zero = {0.0, 0.0, 0.0};

// What a policy was asked about.
typedef struct Asked {
    bool seen[CN_CHANNEL_COUNT];
    int oldest;
    double largest_residual;
    double least_factor, largest_factor; // of the built-in policy
} Asked;

static void note(const CnWarmStartRow* row, Asked* asked) {
    asked->seen[row->channel] = true;
    asked->oldest = row->age > asked->oldest ? row->age : asked->oldest;
    asked->largest_residual = fmax(asked->largest_residual, row->residual);
    asked->least_factor = fmin(asked->least_factor, row->factor);
    asked->largest_factor = fmax(asked->largest_factor, row->factor);
    CHECK_NEAR(cn_vec3_length(row->direction), 1.0, 1e-14);
    CHECK(row->age >= 1 && row->impulse != 0.0);
}

static double as_built_in(const CnWorld* world, const CnWarmStartRow* row, void* data) {
    (void)world;
    if (data != NULL) {
        note(row, data);
    }
    return row->factor;
}

static double scaled(const CnWorld* world, const CnWarmStartRow* row, void* data) {
    (void)world, (void)data;
    return cn_warm_start_scaled(row);
}

static double constant(const CnWorld* world, const CnWarmStartRow* row, void* data) {
    (void)world, (void)row;
    return *(const double*)data;
}

// A door with a limit, a motor, a spring and friction in its hinge.
static void add_door(CnWorld* world) {
    CnBodyDef door = run_body(2.0, cn_vec3(0.1, 0.1, 0.2), cn_vec3(0.5, -5.0, 1.0));
    CnJointDef hinge = cn_joint_def_default(CN_JOINT_HINGE);
    CnJointAxis* axis = &hinge.axes[CN_AXIS_TURN_Z];
    hinge.body_b = run_add(world, &door);
    hinge.point_a = cn_vec3(0.0, -5.0, 1.0);
    axis->limited = true;
    axis->lower = -1.0;
    axis->upper = 0.02;
    axis->motor = CN_MOTOR_VELOCITY;
    axis->target = 1.0;
    axis->max_force = 20.0;
    axis->spring_stiffness = 3.0;
    axis->friction = 0.5;
    CHECK(cn_world_add_joint(world, &hinge, NULL).index != 0);
}

// Balls that fall onto each other, with all kinds of friction; solved badly enough for residuals
// that count.
static CnWorld* create_heap(CnWarmStart warm_start, CnWarmStartHook hook, const CnTasks* tasks) {
    CnWorldDef def = cn_world_def_default();
    def.step.warm_start = warm_start;
    def.warm_start_hook = hook;
    def.solver.name = "nsgs";
    def.solver.tolerance = 1e-3;
    if (tasks != NULL) {
        def.tasks = *tasks;
    }
    CnWorld* world = run_create(&def);
    CnMaterialDef rough = cn_material_def_default();
    rough.torsion = rough.rolling = 0.01;
    CnMaterialId materials[2] = {run_add_material(world, 0.4, 0.1),
                                 cn_world_add_material(world, &rough, NULL)};
    CnRandom random = {7};
    run_add_ground(world, materials[0]);
    for (int i = 0; i < 24; ++i) {
        double x = 0.42 * (i % 3) + cn_random_between(&random, -0.02, 0.02);
        double y = 0.42 * (i / 3 % 2) + cn_random_between(&random, -0.02, 0.02);
        run_add_ball(world, 1.0 + 0.1 * i, 0.2, cn_vec3(x, y, 0.21 + 0.41 * (i / 6)), zero,
                     materials[i % 2]);
    }
    add_door(world);
    return world;
}

static uint64_t hash_after(CnWarmStart warm_start, CnWarmStartHook hook, int threads, int steps) {
    CnTaskPool* pool = threads > 1 ? cn_task_pool_create(threads, NULL) : NULL;
    CnTasks tasks = pool != NULL ? cn_task_pool_tasks(pool) : (CnTasks){0};
    CnWorld* world = create_heap(warm_start, hook, &tasks);
    for (int i = 0; i < steps; ++i) {
        CHECK_INT(cn_world_step(world, STEP, NULL, NULL), CN_OK);
    }
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    cn_task_pool_destroy(pool);
    return hash;
}

// Whoever computes a factor, the same factors lead to the same bits.
static void a_policy_with_the_built_in_factors_gives_the_same_bits(void) {
    Asked asked = {.least_factor = 1.0};
    CnWarmStartHook none = {0}, same = {as_built_in, &asked}, own = {scaled, NULL};
    int steps = UNDER_SANITIZER ? 60 : 200;
    uint64_t built_in = hash_after(CN_WARM_START_SCALED, none, 1, steps);
    CHECK(hash_after(CN_WARM_START_SCALED, same, 1, steps) == built_in);
    CHECK(hash_after(CN_WARM_START_FULL, own, 1, steps) == built_in);
    CHECK(hash_after(CN_WARM_START_FULL, own, 4, steps) == built_in);
    CHECK(hash_after(CN_WARM_START_FULL, none, 1, steps) != built_in);
    CHECK(asked.least_factor < 0.9 && asked.largest_factor == 1.0); // it had something to say
    CHECK(asked.oldest > 20 && asked.largest_residual > 1e-5);
    const CnChannel expected[] = {
        CN_CHANNEL_NORMAL,        CN_CHANNEL_TANGENT_1, CN_CHANNEL_TANGENT_2, CN_CHANNEL_TORSION,
        CN_CHANNEL_ROLLING_1,     CN_CHANNEL_ROLLING_2, CN_CHANNEL_JOINT_X,   CN_CHANNEL_JOINT_Y,
        CN_CHANNEL_JOINT_Z,       CN_CHANNEL_LIMIT,     CN_CHANNEL_MOTOR,     CN_CHANNEL_SPRING,
        CN_CHANNEL_JOINT_FRICTION};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
        ck_assert_msg(asked.seen[expected[i]], "%s", cn_channel_name(expected[i]));
    }
    CHECK(!asked.seen[CN_CHANNEL_CONSTRAINT] && !asked.seen[CN_CHANNEL_TRANSMISSION]);
}

static void a_policy_that_says_one_is_the_full_warm_start(void) {
    double one = 1.0;
    CnWarmStartHook none = {0}, same = {as_built_in, NULL}, said = {constant, &one};
    uint64_t full = hash_after(CN_WARM_START_FULL, none, 1, 100);
    CHECK(hash_after(CN_WARM_START_FULL, same, 1, 100) == full);
    CHECK(hash_after(CN_WARM_START_SCALED, said, 2, 100) == full);
}

// 0 and below start cold; what is no number is the built-in factor.
static void answers_beyond_the_range_count_as_documented(void) {
    double below = -2.0, nothing = NAN, zero_factor = 0.0;
    CnWarmStartHook none = {0}, negative = {constant, &below}, empty = {constant, &nothing},
                    cold = {constant, &zero_factor};
    uint64_t from_zero = hash_after(CN_WARM_START_FULL, cold, 1, 60);
    CHECK(hash_after(CN_WARM_START_FULL, negative, 1, 60) == from_zero);
    CHECK(hash_after(CN_WARM_START_SCALED, empty, 1, 60) ==
          hash_after(CN_WARM_START_SCALED, none, 1, 60));
}

TEST_MAIN("physics/world/warm_start_policy",
          TEST(a_policy_with_the_built_in_factors_gives_the_same_bits),
          TEST(a_policy_that_says_one_is_the_full_warm_start),
          TEST(answers_beyond_the_range_count_as_documented))
