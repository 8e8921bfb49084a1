// runs.c - the table of golden runs, and how one is made.
#include "runs.h"
#include "builtin/builtin_scenes.h"

#include "cairn/scene.h"

#include <string.h>

#define HERE "tests/golden/"

// Kept short: all of them together take a few seconds.
const GoldenRun golden_runs[] = {
    // Built-in scenes as they are: masonry, piles, chains, machines.
    {"stack", "@stack:6", .steps = 100},
    {"heavy_stack", "@heavy_stack:5", .steps = 60},
    {"spheres", "@spheres:27", .steps = 200, .dt = 0.004},
    {"chain", "@chain:10", .steps = 100},
    {"ground_chain", "@ground_chain:12", .steps = 60},
    {"incline", "@incline:3000", .steps = 60},
    {"bounce", "@bounce:80", .steps = 150},
    {"pyramid", "@pyramid:5", .steps = 60},
    {"wall", "@wall:3", .steps = 30},
    {"arch", "@arch:1200", .steps = 20},
    {"cardhouse", "@cardhouse:1", .steps = 60},
    {"kapla", "@kapla:4", .steps = 40},
    {"pile", "@pile:1", .steps = 150},
    {"hulls", "@hulls:8", .steps = 150, .dt = 0.004},
    {"rain", "@rain:12", .steps = 200, .dt = 0.004},
    {"robot", "@robot:2", .steps = 60},
    {"grasp", "@grasp:2", .steps = 40},
    {"stewart", "@stewart:1", .steps = 60},
    {"net", "@net:8", .steps = 60},

    // Scene files: shapes, surfaces, joints, fast bodies.
    {"resting_shapes", "scenes/supports/resting-shapes.json", .steps = 60},
    {"mesh_tray", "scenes/surfaces/mesh-tray.json", .steps = 100},
    {"hills", "scenes/surfaces/hills.json", .steps = 100},
    {"carried_block", "scenes/friction/carried-block.json", .steps = 60},
    {"mass_ratio_stack", "scenes/supports/mass-ratio-stack.json", .steps = 60},
    {"cradle", "scenes/collisions/cradle.json", .steps = 300},
    {"heavy_top", "scenes/rotation/heavy-top.json", .steps = 200},
    {"bullet", "scenes/collisions/bullet.json", .steps = 20},
    {"surfaces", HERE "surfaces.json", .steps = 75},
    {"joints", HERE "joints.json", .steps = 100},
    {"fast", HERE "fast.json", .steps = 50},
    {"fast_substeps", HERE "fast.json", .steps = 50, .substeps = 4},
    {"heap", HERE "heap.json", .steps = 100},

    // Schemes and integrators.
    {"mechanism_implicit", HERE "mechanism.json", .steps = 100, .scheme = "implicit"},
    {"joints_implicit", HERE "joints.json", .steps = 30, .scheme = "implicit"},
    {"heap_implicit", HERE "heap.json", .steps = 100, .scheme = "implicit"},
    {"heap_quasi_static", HERE "heap.json", .steps = 100, .scheme = "quasi_static"},
    {"pyramid_quasi_static", "@pyramid:4", .steps = 40, .scheme = "quasi_static"},
    {"mechanism_euler", HERE "mechanism.json", .steps = 200, .scheme = "acceleration",
     .integrator = "semi_implicit_euler"},
    {"mechanism_rk4", HERE "mechanism.json", .steps = 200, .scheme = "acceleration",
     .integrator = "rk4"},
    {"double_pendulum", "scenes/mechanisms/double-pendulum.json", .steps = 200},
    {"heap_theta", HERE "heap.json", .steps = 100, .theta = 0.75},
    {"pyramid_substeps", "@pyramid:4", .steps = 30, .substeps = 3},

    // Rotation updates.
    {"mechanism_exact", HERE "mechanism.json", .steps = 200, .rotation = "exact"},
    {"mechanism_rig_pos", HERE "mechanism.json", .steps = 200, .rotation = "rig_pos"},
    {"mechanism_rig_neg", HERE "mechanism.json", .steps = 200, .rotation = "rig_neg"},
    {"mechanism_rig_imp", HERE "mechanism.json", .steps = 200, .rotation = "rig_imp"},
    {"mechanism_semi_implicit", HERE "mechanism.json", .steps = 200, .rotation = "semi_implicit"},

    // Stabilisations and warm starts.
    {"heap_none", HERE "heap.json", .steps = 100, .stabilisation = "none"},
    {"heap_baumgarte", HERE "heap.json", .steps = 100, .stabilisation = "baumgarte"},
    {"heap_split_impulse", HERE "heap.json", .steps = 100, .stabilisation = "split_impulse"},
    {"joints_baumgarte", HERE "joints.json", .steps = 60, .stabilisation = "baumgarte"},
    {"heap_cold", HERE "heap.json", .steps = 60, .warm_start = "off"},
    {"stack_scaled", "@stack:5", .steps = 60, .warm_start = "scaled"},

    // Solvers.
    {"heap_pgs", HERE "heap.json", .steps = 60, .solver = "pgs", .max_iterations = 50},
    {"heap_box_friction", HERE "heap.json", .steps = 60, .solver = "pgs", .friction = "box"},
    {"stack_nsgs", "@stack:4", .steps = 60, .solver = "nsgs"},
    {"surfaces_nsgs", HERE "surfaces.json", .steps = 40, .solver = "nsgs"},
    {"pile_pgs_lanes", "@pile:1", .steps = 60, .solver = "pgs_lanes"},
    {"pile_nsgs_momentum", "@pile:1", .steps = 60, .solver = "nsgs_momentum"},
    {"surfaces_nsgs_momentum", HERE "surfaces.json", .steps = 40, .solver = "nsgs_momentum"},
    {"heap_extragradient", HERE "heap.json", .steps = 60, .solver = "extragradient"},
    {"heap_admm", HERE "heap.json", .steps = 60, .solver = "admm"},
    {"stack_newton_projected", "@stack:4", .steps = 40, .solver = "newton_projected"},
    {"stack_newton_ac", "@stack:4", .steps = 40, .solver = "newton_ac"},
    {"stack_newton_fb", "@stack:4", .steps = 40, .solver = "newton_fb"},
    {"heap_cone_ip", HERE "heap.json", .steps = 60, .solver = "cone_ip"},
    {"mechanism_direct", HERE "mechanism.json", .steps = 100, .solver = "direct"},
    {"joints_active_set", HERE "joints.json", .steps = 40, .solver = "active_set"},
    {"heap_pyramid_friction", HERE "heap.json", .steps = 40, .solver = "lemke",
     .friction = "pyramid"},
    {"heap_associated", HERE "heap.json", .steps = 60, .solver = "admm", .friction = "associated"},
    {"heap_penalty", HERE "heap.json", .steps = 60, .solver = "penalty"},
    {"heap_loose", HERE "heap.json", .steps = 60, .tolerance = 1e-3},

    // Threads.
    {"pile_2_threads", "@pile:1", .steps = 100, .threads = 2},
    {"pyramids_2_threads", "@pyramids:2", .steps = 20, .threads = 2},
};
const int golden_run_count = (int)(sizeof golden_runs / sizeof golden_runs[0]);

// ---- settings by name ----

typedef const char* NameFunction(int value);

static const char* scheme_name(int value) {
    return cn_scheme_name((CnScheme)value);
}
static const char* stabilisation_name(int value) {
    return cn_stabilisation_name((CnStabilisation)value);
}
static const char* rotation_name(int value) {
    return cn_rotation_update_name((CnRotationUpdate)value);
}
static const char* integrator_name(int value) {
    return cn_integrator_name((CnIntegrator)value);
}
static const char* warm_start_name(int value) {
    return cn_warm_start_name((CnWarmStart)value);
}
static const char* friction_name(int value) {
    return cn_friction_model_name((CnFrictionModel)value);
}

// The value of that name; as it was when there is no name; -1 when no value has it.
static int choose(const char* name, NameFunction* name_of, int count, int before) {
    for (int i = 0; name != NULL && i < count; ++i) {
        if (strcmp(name, name_of(i)) == 0) {
            return i;
        }
    }
    return name == NULL ? before : -1;
}

static bool apply(const GoldenRun* run, CnSceneSettings* settings) {
    CnStepDef* step = &settings->step;
    int choices[] = {
        choose(run->scheme, scheme_name, CN_SCHEME_COUNT, (int)step->scheme),
        choose(run->stabilisation, stabilisation_name, CN_STABILISATION_COUNT,
               (int)step->stabilisation),
        choose(run->rotation, rotation_name, CN_ROTATION_COUNT, (int)step->rotation),
        choose(run->integrator, integrator_name, CN_INTEGRATOR_COUNT, (int)step->integrator),
        choose(run->warm_start, warm_start_name, CN_WARM_START_COUNT, (int)step->warm_start),
        choose(run->friction, friction_name, CN_FRICTION_COUNT, (int)settings->solver.friction),
    };
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; ++i) {
        if (choices[i] < 0) {
            return false;
        }
    }
    step->scheme = (CnScheme)choices[0];
    step->stabilisation = (CnStabilisation)choices[1];
    step->rotation = (CnRotationUpdate)choices[2];
    step->integrator = (CnIntegrator)choices[3];
    step->warm_start = (CnWarmStart)choices[4];
    settings->solver.friction = (CnFrictionModel)choices[5];
    settings->solver.name = run->solver != NULL ? run->solver : settings->solver.name;
    settings->dt = run->dt > 0.0 ? run->dt : settings->dt;
    step->theta = run->theta > 0.0 ? run->theta : step->theta;
    settings->solver.tolerance = run->tolerance > 0.0 ? run->tolerance : settings->solver.tolerance;
    step->substeps = run->substeps > 0 ? run->substeps : step->substeps;
    settings->solver.max_iterations =
        run->max_iterations > 0 ? run->max_iterations : settings->solver.max_iterations;
    return true;
}

// ---- making a run ----

// Bodies spread evenly over the order of creation, the last one among them.
static void take_sample(const CnWorld* world, int step, Sample* sample) {
    int count = cn_world_body_count(world);
    sample->step = step;
    sample->hash = cn_world_hash(world);
    sample->energy = cn_world_energy(world);
    sample->body_count = count < RECORD_BODIES ? count : RECORD_BODIES;
    for (int i = 0; i < sample->body_count; ++i) {
        sample->bodies[i] = (i + 1) * count / sample->body_count - 1;
        cn_body_state(world, cn_world_body_at(world, sample->bodies[i]), &sample->states[i]);
    }
}

static uint16_t digest(uint64_t hash) {
    return (uint16_t)(hash ^ hash >> 16 ^ hash >> 32 ^ hash >> 48);
}

// Samples: early, while a change is still as small as it came, and at the end.
static void make_steps(const GoldenRun* run, CnWorld* world, double dt, Record* record) {
    CnStatus status = CN_OK;
    int early = (run->steps + 7) / 8;
    while (record->steps < run->steps && status == CN_OK) {
        status = cn_world_step(world, dt, NULL, NULL);
        if (status != CN_OK) {
            break;
        }
        record->digests[record->steps++] = digest(cn_world_hash(world));
        if (record->steps == early || record->steps == run->steps) {
            take_sample(world, record->steps, &record->samples[record->sample_count++]);
        }
    }
    snprintf(record->status, sizeof record->status, "%s", cn_status_name(status));
}

CnWorld* golden_run_open(const GoldenRun* run, const CnWorldDef* hooks, double* dt,
                         CnError* error) {
    CnScene* scene = cn_open_scene(run->scene, error);
    if (scene == NULL) {
        return NULL;
    }
    CnWorld* world = NULL;
    CnSceneSettings settings = cn_scene_settings(scene);
    if (!apply(run, &settings)) {
        *error = (CnError){CN_INVALID, "a setting of the run has a name that does not exist"};
    } else if (cn_scene_set_settings(scene, &settings, error) == CN_OK) {
        world = cn_scene_build(scene, hooks, error);
    }
    *dt = settings.dt;
    cn_scene_destroy(scene);
    return world;
}

bool golden_run_make(const GoldenRun* run, int threads, Record* record, CnError* error) {
    *record = (Record){0};
    snprintf(record->name, sizeof record->name, "%s", run->name);
    threads = threads > 0 ? threads : run->threads;
    CnTaskPool* pool = threads > 1 ? cn_task_pool_create(threads, error) : NULL;
    CnWorldDef hooks = cn_world_def_default();
    CnWorld* world = NULL;
    double dt = 0.0;
    if (pool != NULL) {
        hooks.tasks = cn_task_pool_tasks(pool);
    }
    if (threads <= 1 || pool != NULL) {
        world = golden_run_open(run, &hooks, &dt, error);
    }
    if (world != NULL) {
        make_steps(run, world, dt, record);
    }
    bool made = world != NULL;
    cn_world_destroy(world);
    cn_task_pool_destroy(pool);
    return made;
}
