// test_scene_misuse.c - every mistake in a scene is told with its line, its place and a reason.
#include "builtin/builtin_scenes.h"
#include "support/scene_mistakes.h"

#include "io/scene/scene_loader.h"
#include <stdio.h>

#define SHAPE(members) "{\"shapes\": [{" members "}]}"
#define STILL(members) "{\"type\": \"static\", \"shapes\": [{" members "}]}"
#define CONTACT "\"point\": [0, 0, 0], \"normal\": [0, 0, 1]"
#define POINTS "\"point_a\": [0, 0, 0], \"point_b\": [1, 0, 0]"

static const Mistake mistakes[] = {
    // The file: keys, types, ranges.
    {TOP, "\"gravty\": [0, 0, 0]", 2, "gravty", "did you mean \"gravity\"?"},
    {TOP, "\"colour\": 3", 2, "colour", "a scene has cairn, name, gravity"},
    {TOP, "\"Gravity\": [0, 0, 0]", 2, "Gravity", "did you mean \"gravity\"?"},
    {TOP, "\"gravity\": 9.81", 2, "gravity", "gravity is a number; it must be an array of 3"},
    {TOP, "\"gravity\": \"9.81 m/s2\"", 2, "gravity",
     "the string \"9.81 m/s2\"; it must be an array of 3 numbers, in m/s^2, written without the "
     "unit"},
    {TOP, "\"gravity\": [0, 0]", 2, "gravity", "gravity has length 2"},
    {TOP, "\"gravity\": [0, 0, 0, 0]", 2, "gravity", "gravity has length 4"},
    {TOP, "\"gravity\": [0,\n\"0\", 0]", 3, "gravity[1]", "gravity[1] is the string \"0\""},
    {TOP, "\"gravity\": null", 2, "gravity", "gravity is null"},
    {TOP, "\"duration\": -1", 2, "duration", "duration is -1 s; it must be zero or positive"},
    {TOP, "\"duration\": \"2 s\"", 2, "duration", "it must be a number, in s"},
    {TOP, "\"duration\": true", 2, "duration", "duration is a boolean"},
    {TOP, "\"name\": \"\"", 2, "name", "name is empty"},
    {TOP, "\"name\": 7", 2, "name", "name is a number; it must be a string"},
    {TOP, "\"step\": []", 2, "step", "step is an array; it must be an object"},
    {TOP, "\"solver\": \"pgs\"", 2, "solver", "solver is the string \"pgs\"; it must be an object"},
    {TOP, "\"bodies\": {}", 2, "bodies", "bodies is an object; it must be an array of bodies"},
    {TOP, "\"materials\": []", 2, "materials", "it must be an object of materials by name"},
    {TOP, "\"series\": []", 2, "series", "it must be an object of series by name"},
    {TOP, "\"contacts\": 1", 2, "contacts", "it must be an array of contacts"},
    {TOP, "\"forces\": {}", 2, "forces", "it must be an array of forces"},
    {TOP, "\"constraints\": \"x\"", 2, "constraints", "it must be an array of constraints"},
    {TOP, "\"collide\": []", 2, "collide", "collide is an array; it must be an object"},
    {TOP, "\"material_pairs\": {}", 2, "material_pairs", "an array of material pairs"},
    {TOP, "\"bodies\": [3]", 2, "bodies[0]", "bodies[0] is a number; it must be an object"},
    {TOP, "\"bodies\": [[[]]]", 2, "bodies[0]", "bodies[0] is an array"},

    // step
    {TOP, "\"step\": {\n\"dt\": 0}", 3, "step.dt", "dt is 0 s; it must be positive"},
    {TOP, "\"step\": {\"dt\": -0.01}", 2, "step.dt", "dt is -0.01 s"},
    {TOP, "\"step\": {\"dt\": \"1 ms\"}", 2, "step.dt", "the string \"1 ms\""},
    {TOP, "\"step\": {\"h\": 0.01}", 2, "step.h", "step has scheme, dt, substeps"},
    {TOP, "\"step\": {\"shceme\": \"moreau\"}", 2, "step.shceme", "did you mean \"scheme\"?"},
    {TOP, "\"step\": {\"scheme\": \"moro\"}", 2, "step.scheme",
     "unknown scheme \"moro\"; this version has moreau, acceleration, implicit, quasi_static"},
    {TOP, "\"step\": {\"scheme\": \"moreu\"}", 2, "step.scheme", "did you mean \"moreau\"?"},
    {TOP, "\"step\": {\"scheme\": 1}", 2, "step.scheme", "scheme is a number; it must be a string"},
    {TOP, "\"step\": {\"substeps\": 0}", 2, "step.substeps", "substeps is 0; it must be in [1, "},
    {TOP, "\"step\": {\"substeps\": 1.5}", 2, "step.substeps", "it must be a whole number"},
    {TOP, "\"step\": {\"substeps\": 1000000000}", 2, "step.substeps", "it must be in [1, 1000]"},
    {TOP, "\"step\": {\"substeps\": 1e300}", 2, "step.substeps", "it must be a whole number from"},
    {TOP, "\"step\": {\"theta\": 0.4}", 2, "step.theta", "theta is 0.4; it must be in [0.5, 1]"},
    {TOP, "\"step\": {\"rotation\": \"rig_new\"}", 2, "step.rotation", "did you mean \"rig_neg\"?"},
    {TOP, "\"step\": {\"integrator\": \"rk5\"}", 2, "step.integrator", "did you mean \"rk4\"?"},
    {TOP, "\"step\": {\"stabilisation\": \"magic\"}", 2, "step.stabilisation", "this version has"},
    {TOP, "\"step\": {\"error_reduction\": 2}", 2, "step.error_reduction", "it must be in [0, 1]"},
    {TOP, "\"step\": {\"slop\": -1}", 2, "step.slop", "slop is -1 m"},
    {TOP, "\"step\": {\"max_correction\": -1}", 2, "step.max_correction", "it must be zero or"},
    {TOP, "\"step\": {\"restitution_threshold\": -1}", 2, "step.restitution_threshold", "-1 m/s"},
    {TOP, "\"step\": {\"contact_margin\": -1}", 2, "step.contact_margin", "-1 m"},
    {TOP, "\"step\": {\"hit_speed\": -1}", 2, "step.hit_speed", "-1 m/s"},
    {TOP, "\"step\": {\"speed_limit\": -1}", 2, "step.speed_limit", "-1 m/s"},
    {TOP, "\"step\": {\"friction_bias\": 1.5}", 2, "step.friction_bias", "1.5"},
    {TOP, "\"step\": {\"soft_substeps\": 0}", 2, "step.soft_substeps", "it must be in [1, 1000]"},
    {TOP, "\"step\": {\"contact_hertz\": -1}", 2, "step.contact_hertz",
     "contact_hertz is -1 Hz; it must be positive"},
    {TOP, "\"step\": {\"contact_damping_ratio\": -1}", 2, "step.contact_damping_ratio",
     "it must be zero or positive"},
    {TOP, "\"step\": {\"push_speed\": -1}", 2, "step.push_speed", "push_speed is -1 m/s"},
    {TOP, "\"step\": {\"joint_hertz\": \"2 Hz\"}", 2, "step.joint_hertz", "it must be a number"},
    {TOP, "\"step\": {\"joint_damping_ratio\": -1}", 2, "step.joint_damping_ratio",
     "joint_damping_ratio is -1; it must be zero or positive"},
    {TOP, "\"step\": {\"tree_mass_ratio\": 0.5}", 2, "step.tree_mass_ratio",
     "tree_mass_ratio is 0.5; it must be at least 1"},
    {TOP, "\"step\": {\"recycling_share\": 2}", 2, "step.recycling_share",
     "it must be in [0, 0.5]"},
    {TOP, "\"step\": {\"friction_per_point\": 1}", 2, "step.friction_per_point",
     "it must be true or false"},
    {TOP, "\"step\": {\"grade_every\": -1}", 2, "step.grade_every", "it must not be negative"},
    {TOP, "\"preset\": \"realtime\"", 2, "preset", "did you mean \"real_time\"?"},
    {TOP, "\"preset\": 3", 2, "preset", "it must be a string"},
    {TOP, "\"solver\": {\"minimum_norm\": 1}", 2, "solver.minimum_norm",
     "it must be true or false"},
    {TOP, "\"step\": {\"warm_start\": true}", 2, "step.warm_start", "it must be a string"},
    {TOP, "\"step\": {\"implicit_method\": \"fischer\"}", 2, "step.implicit_method", "fischer"},
    {TOP, "\"step\": {\"implicit_method\": 1}", 2, "step.implicit_method", "it must be a string"},
    {TOP, "\"step\": {\"attribution\": 1}", 2, "step.attribution", "it must be true or false"},
    {TOP, "\"step\": {\"warm_start_factor\": 1.5}", 2, "step.warm_start_factor",
     "warm_start_factor is 1.5; it must be in [0, 1]"},
    {TOP, "\"step\": {\"warm_start_factor\": -0.1}", 2, "step.warm_start_factor",
     "it must be in [0, 1]"},
    {TOP, "\"step\": {\"warm_start_factr\": 1}", 2, "step.warm_start_factr",
     "did you mean \"warm_start_factor\"?"},

    // solver
    {TOP, "\"solver\": {\"name\": \"nsgz\"}", 2, "solver.name", "did you mean \"nsgs\"?"},
    {TOP, "\"solver\": {\"name\": \"gauss\"}", 2, "solver.name", "there is no solver \"gauss\""},
    {TOP, "\"solver\": {\"tolerance\": 0}", 2, "solver.tolerance", "tolerance is 0 m/s"},
    {TOP, "\"solver\": {\"tolerence\": 1}", 2, "solver.tolerence", "did you mean \"tolerance\"?"},
    {TOP, "\"solver\": {\"max_iterations\": -5}", 2, "solver.max_iterations", "-5"},
    {TOP, "\"solver\": {\"warm_start\": \"full\"}", 2, "solver.warm_start", "true or false"},
    {TOP, "\"solver\": {\"friction\": \"cone\"}", 2, "solver.friction",
     "unknown friction \"cone\"; this version has exact, box, pyramid"},
    {TOP, "\"solver\": {\"pyramid_sides\": 5}", 2, "solver.pyramid_sides", "even number from 4"},
    {TOP, "\"solver\": {\"preconditioner\": \"ilu\"}", 2, "solver.preconditioner",
     "none, diagonal"},
    {TOP, "\"solver\": {\"regularisation\": -1}", 2, "solver.regularisation", "-1"},
    {TOP, "\"solver\": {\"over_relaxation\": 2}", 2, "solver.over_relaxation", "2"},
    {TOP, "\"solver\": {\"change_tolerance\": -1e-6}", 2, "solver.change_tolerance", "-1e-06"},
    {TOP, "\"solver\": {\"change_tolerance\": \"small\"}", 2, "solver.change_tolerance", "number"},
    {TOP, "\"solver\": {\"impulse_limit\": -3}", 2, "solver.impulse_limit", "-3"},
    {TOP, "\"solver\": {\"impulse_limit\": true}", 2, "solver.impulse_limit", "number"},
    {TOP, "\"solver\": {\"impulse_limits\": 3}", 2, "solver.impulse_limits", "impulse_limit"},
    {TOP, "\"solver\": {\"shuffle\": -1}", 2, "solver.shuffle", "-1"},
    {TOP, "\"solver\": {\"freeze_after\": -3}", 2, "solver.freeze_after", "-3 sweeps"},

    // materials and pairs
    {MATERIALS, "\"ice\": 0.1", 5, "materials.ice", "ice is a number; it must be an object"},
    {MATERIALS, "\"ice\": {\"friction\": -1}", 5, "materials.ice.friction", "friction is -1"},
    {MATERIALS, "\"ice\": {\"restitution\": 1.1}", 5, "materials.ice.restitution", "in [0, 1]"},
    {MATERIALS, "\"ice\": {\"density\": 0}", 5, "materials.ice.density", "density is 0 kg/m^3"},
    {MATERIALS, "\"ice\": {\"torsion\": -0.1}", 5, "materials.ice.torsion", "torsion is -0.1 m"},
    {MATERIALS, "\"ice\": {\"rolling\": -1}", 5, "materials.ice.rolling", "rolling is -1 m"},
    {MATERIALS, "\"ice\": {\"surface_velocity\": [1, 1]}", 5, "materials.ice.surface_velocity",
     "has length 2"},
    {MATERIALS, "\"ice\": {\"grain\": [1, 1, 0]}", 5, "materials.ice.grain",
     "it must be a unit vector"},
    {MATERIALS, "\"ice\": {\"friction_across\": 0.1}", 5, "materials.ice.friction_across",
     "there is no grain to go across"},
    {MATERIALS, "\"ice\": {\"mu\": 0}", 5, "materials.ice.mu", "a material has friction, static"},
    {MATERIALS, "\"ice\": {\"fricton\": 0}", 5, "materials.ice.fricton", "did you mean"},
    {MATERIALS, "\"\": {}", 5, "materials.", "the name of a material must not be empty"},
    {MATERIALS, "\"stone\": {}", 5, "materials", "\"stone\" is given twice, first on line 4"},
    {TOP,
     "\"materials\": {\"ice\": {}}, \"material_pairs\": [{\"materials\": [\"ice\",\n\"icy\"]}]", 3,
     "material_pairs[0].materials[1]", "there is no material \"icy\"; did you mean \"ice\"?"},
    {TOP, "\"material_pairs\": [{\"friction\": 1}]", 2, "material_pairs[0]",
     "a material pair needs the key \"materials\""},
    {TOP, "\"material_pairs\": [{\"materials\": [\"a\"]}]", 2, "material_pairs[0].materials",
     "materials must be an array of two names of materials"},
    {TOP, "\"material_pairs\": [{\"materials\": [\"a\", 2]}]", 2, "material_pairs[0].materials[1]",
     "is a number; it must be a string"},
    {TOP,
     "\"materials\": {\"a\": {}}, \"material_pairs\": [{\"materials\": [\"a\", \"a\"]},\n"
     "{\"materials\": [\"a\", \"a\"]}]",
     3, "material_pairs[1]", "given twice"},
    {TOP,
     "\"materials\": {\"a\": {}}, \"material_pairs\": [{\"materials\": [\"a\", \"a\"],\n"
     "\"friction\": -1}]",
     3, "material_pairs[0].friction", "friction is -1"},

    // series
    {SERIES, "\"s\": {\"times\": [0]}", 5, "series.s", "a series needs the key \"values\""},
    {SERIES, "\"s\": {\"values\": [0]}", 5, "series.s", "a series needs the key \"times\""},
    {SERIES, "\"s\": {\"times\": [], \"values\": []}", 5, "series.s.times", "at least one"},
    {SERIES, "\"s\": {\"times\": [0, 1], \"values\": [0]}", 5, "series.s.values",
     "there are 1 values for 2 times"},
    {SERIES, "\"s\": {\"times\": [0, 1, 1], \"values\": [0, 0, 0]}", 5, "series.s.times",
     "times[2] is 1 s, not after times[1]"},
    {SERIES, "\"s\": {\"times\": [1, 0], \"values\": [0, 0]}", 5, "series.s.times", "not after"},
    {SERIES, "\"s\": {\"times\": [0, \"1\"], \"values\": [0, 0]}", 5, "series.s.times[1]",
     "string"},
    {SERIES, "\"s\": {}", 5, "series.s", "needs the key \"times\" and \"values\", or one of"},
    {SERIES, "\"s\": {\"times\": [0], \"file\": \"x.txt\"}", 5, "series.s.file",
     "it has both times and file"},
    {SERIES, "\"s\": {\"file\": 3}", 5, "series.s.file", "it must be a string"},
    {SERIES, "\"s\": {\"file\": \"-\"}", 5, "series.s.file", "cannot come from standard input"},
    {SERIES, "\"s\": {\"file\": \"nowhere.txt\"}", 5, "series.s.file", "nowhere.txt"},
    {SERIES, "\"s\": {\"times\": 0, \"values\": [0]}", 5, "series.s.times", "an array of numbers"},
    {SERIES, "\"s\": [0, 1]", 5, "series.s", "s is an array; it must be an object"},

    // bodies
    {BODIES, "{\"nmae\": \"a\", " MASS "}", 5, "bodies[4].nmae", "did you mean \"name\"?"},
    {BODIES, "{\"name\": \"ball\", " MASS "}", 5, "bodies[4].name",
     "body 2 already has the name \"ball\""},
    {BODIES, "{\"name\": \"world\", " MASS "}", 5, "bodies[4].name", "name of the immovable body"},
    {BODIES, "{\"name\": \"\", " MASS "}", 5, "bodies[4].name", "name is empty"},
    {BODIES, "{\"type\": \"fixed\"}", 5, "bodies[4].type", "this version has dynamic, static"},
    {BODIES, "{\"type\": \"statc\"}", 5, "bodies[4].type", "did you mean \"static\"?"},
    {BODIES, "{}", 5, "bodies[4].mass", "needs a shape with volume, or mass and inertia"},
    {BODIES, "{\"mass\": 2}", 5, "bodies[4]", "mass is given without inertia, and there is no"},
    {BODIES,
     "{\"mass\": 2, \"shapes\": [{\"type\": \"mesh\", \"points\": [[0,0,0],[1,0,0],[0,1,0]], "
     "\"triangles\": [[0,1,2]]}]}",
     5, "bodies[4].shapes[0].type", "a mesh has no mass and cannot be on a dynamic body"},
    {BODIES, "{\"mass\": 2, \"shapes\": [{\"type\": \"plane\"}]}", 5, "bodies[4].shapes[0].type",
     "a plane is boundless, has no mass and cannot be on a dynamic body"},
    {BODIES, "{\n\"mass\": -1, \"inertia\": [1, 1, 1]}", 6, "bodies[4].mass", "mass is -1 kg"},
    {BODIES, "{\"mass\": 0, \"inertia\": [1, 1, 1]}", 5, "bodies[4].mass", "mass is 0 kg"},
    {BODIES, "{\"mass\": \"2 kg\", \"inertia\": [1, 1, 1]}", 5, "bodies[4].mass",
     "the string \"2 kg\"; it must be a number, in kg, written without the unit"},
    {BODIES, "{\"inertia\": [1, 1, 1]}", 5, "bodies[4].inertia", "inertia is given without mass"},
    {BODIES, "{\"mass\": 1, \"inertia\": 1}", 5, "bodies[4].inertia",
     "3 principal moments or of 6"},
    {BODIES, "{\"mass\": 1, \"inertia\": [1, 1]}", 5, "bodies[4].inertia", "3 principal moments"},
    {BODIES, "{\"mass\": 1, \"inertia\": [1, 1, \"1\"]}", 5, "bodies[4].inertia[2]", "string"},
    {BODIES, "{\"mass\": 1,\n\"inertia\": [1, 1, 2.5]}", 6, "bodies[4].inertia",
     "break the triangle inequality"},
    {BODIES, "{\"mass\": 1, \"inertia\": [1, 1, 0]}", 5, "bodies[4].inertia", "must be positive"},
    {BODIES, "{\"mass\": 1, \"inertia\": [1, -1, 1]}", 5, "bodies[4].inertia", "must be positive"},
    {BODIES, "{\"mass\": 1, \"inertia\": [1, 1, 1, 2, 0, 0]}", 5, "bodies[4].inertia",
     "the smallest principal inertia is -1"},
    {BODIES, "{\"mass\": 1, \"center\": [0, 0, 0]}", 5, "bodies[4].center", "without inertia"},
    {BODIES, "{\"center\": [0, 0, 0]}", 5, "bodies[4].center", "center is given without mass"},
    {BODIES, "{" MASS ", \"center\": [0, 0]}", 5, "bodies[4].center", "center has length 2"},
    {BODIES, "{" MASS ", \"position\": [0, 0]}", 5, "bodies[4].position", "position has length 2"},
    {BODIES, "{" MASS ", \"position\": {\"x\": 1}}", 5, "bodies[4].position", "is an object"},
    {BODIES, "{" MASS ", \"velocity\": 3}", 5, "bodies[4].velocity", "3 numbers, in m/s"},
    {BODIES, "{" MASS ", \"angular_velocity\": \"1 rpm\"}", 5, "bodies[4].angular_velocity",
     "in rad/s"},
    {BODIES, "{" MASS ", \"rotation\": 30}", 5, "bodies[4].rotation", "a quaternion [w, x, y, z]"},
    {BODIES, "{" MASS ", \"rotation\": [1, 0, 0]}", 5, "bodies[4].rotation", "has length 3"},
    {BODIES, "{" MASS ", \"rotation\": [1, 1, 0, 0]}", 5, "bodies[4].rotation", "length 1.41421"},
    {BODIES, "{" MASS ", \"rotation\": [0, 0, 0, 0]}", 5, "bodies[4].rotation", "length 0"},
    {BODIES, "{" MASS ", \"rotation\": {\"degrees\": 3}}", 5, "bodies[4].rotation", "key \"axis\""},
    {BODIES, "{" MASS ", \"rotation\": {\"axis\": [0, 0, 1]}}", 5, "bodies[4].rotation",
     "one of \"degrees\" and \"radians\""},
    {BODIES, "{" MASS ", \"rotation\": {\"axis\": [0, 0, 1], \"degrees\": 1, \"radians\": 1}}", 5,
     "bodies[4].rotation", "one of \"degrees\" and \"radians\""},
    {BODIES, "{" MASS ", \"rotation\": {\"axis\": [0, 0, 0], \"degrees\": 1}}", 5,
     "bodies[4].rotation.axis", "axis has no direction"},
    {BODIES, "{" MASS ", \"rotation\": {\"axis\": [0, 0, 1], \"degree\": 1}}", 5,
     "bodies[4].rotation.degree", "did you mean \"degrees\"?"},
    {BODIES, "{" MASS ", \"material\": \"stne\"}", 5, "bodies[4].material",
     "there is no material \"stne\"; did you mean \"stone\"?"},
    {BODIES, "{" MASS ", \"material\": \"wood\"}", 5, "bodies[4].material", "no material \"wood\""},
    {BODIES, "{\"type\": \"static\", \"velocity\": [1, 0, 0]}", 5, "bodies[4].velocity",
     "a static body cannot have a velocity"},

    // shapes
    {BODIES, "{\"shapes\": {}}", 5, "bodies[4].shapes", "an array of shapes"},
    {BODIES, "{\"shapes\": [\"sphere\"]}", 5, "bodies[4].shapes[0]", "it must be an object"},
    {BODIES, "{\"shapes\": [{\"radius\": 1}]}", 5, "bodies[4].shapes[0]", "needs the key \"type\""},
    {BODIES, "{\"shapes\": [{\"type\": \"sphere\"}]}", 5, "bodies[4].shapes[0]", "key \"radius\""},
    {BODIES, "{\"shapes\": [{\"type\": \"sphere\",\n\"radius\": -1}]}", 6,
     "bodies[4].shapes[0].radius", "radius is -1 m"},
    {BODIES, "{\"shapes\": [{\"type\": \"sphere\", \"radius\": 0}]}", 5,
     "bodies[4].shapes[0].radius", "radius is 0 m"},
    {BODIES, SHAPE("\"type\": \"box\""), 5, "bodies[4].shapes[0]", "a box needs the key \"size\""},
    {BODIES, SHAPE("\"type\": \"box\", \"size\": 1"), 5, "bodies[4].shapes[0].size",
     "size is a number; it must be an array of 3 numbers, in m"},
    {BODIES, SHAPE("\"type\": \"box\", \"size\": [1, 1]"), 5, "bodies[4].shapes[0].size",
     "size has length 2"},
    {BODIES, SHAPE("\"type\": \"box\",\n\"size\": [1, -2, 3]"), 6, "bodies[4].shapes[0].size",
     "size is (1, -2, 3) m; every edge must be positive and finite"},
    {BODIES, SHAPE("\"type\": \"box\", \"size\": [1, 0, 3]"), 5, "bodies[4].shapes[0].size",
     "every edge must be positive"},
    {BODIES, "{\"mass\": 1, \"shapes\": [{\"type\": \"box\", \"size\": [1, 0, 3]}]}", 5,
     "bodies[4].shapes[0].size", "every edge must be positive"},
    {BODIES, SHAPE("\"type\": \"box\", \"size\": [1, 1, 1], \"radius\": 1"), 5,
     "bodies[4].shapes[0].radius", "a box has no radius"},
    {BODIES, SHAPE("\"type\": \"box\", \"size\": [1, 1, 1], \"half_size\": [1, 1, 1]"), 5,
     "bodies[4].shapes[0].half_size", "unknown key \"half_size\""},
    {BODIES, SHAPE("\"type\": \"box\", \"size\": [1, 1, 1], \"rotation\": [1, 1, 0, 0]"), 5,
     "bodies[4].shapes[0].rotation", "the quaternion has length 1.41"},
    {BODIES, SHAPE("\"type\": \"box\", \"size\": [1, 1, 1], \"rotation\": {\"degrees\": 3}"), 5,
     "bodies[4].shapes[0].rotation", "a rotation needs the key \"axis\""},
    {BODIES, SHAPE("\"type\": \"capsule\", \"radius\": 1"), 5, "bodies[4].shapes[0]",
     "a capsule needs the key \"length\""},
    {BODIES, SHAPE("\"type\": \"capsule\", \"length\": 1"), 5, "bodies[4].shapes[0]",
     "a capsule needs the key \"radius\""},
    {BODIES, SHAPE("\"type\": \"capsule\", \"radius\": 1, \"length\": 0"), 5,
     "bodies[4].shapes[0].length", "length is 0 m; it must be positive"},
    {BODIES, SHAPE("\"type\": \"cylinder\", \"radius\": -1, \"length\": 2"), 5,
     "bodies[4].shapes[0].radius", "radius is -1 m; it must be positive"},
    {BODIES, SHAPE("\"type\": \"cylinder\", \"radius\": 1, \"length\": 1,\n\"size\": [1, 1, 1]"), 6,
     "bodies[4].shapes[0].size", "a cylinder has no size"},
    {BODIES, SHAPE("\"type\": \"convex\""), 5, "bodies[4].shapes[0]",
     "a convex needs the key \"points\""},
    {BODIES, SHAPE("\"type\": \"convex\", \"points\": 4"), 5, "bodies[4].shapes[0].points",
     "it must be an array of points"},
    {BODIES, SHAPE("\"type\": \"convex\", \"points\": [[0, 0, 0],\n[1, 0], [0, 1, 0], [0, 0, 1]]"),
     6, "bodies[4].shapes[0].points[1]",
     "points[1] has length 2; it must be an array of 3 numbers"},
    {BODIES, SHAPE("\"type\": \"convex\", \"points\": [[0, 0, 0], [1, 0, \"0\"]]"), 5,
     "bodies[4].shapes[0].points[1][2]", "is the string \"0\"; it must be a number, in m"},
    {BODIES, SHAPE("\"type\": \"convex\",\n\"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]"), 6,
     "bodies[4].shapes[0].points", "a convex shape has 3 points; it needs at least 4"},
    {BODIES,
     SHAPE("\"type\": \"convex\", \"points\": [[0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]]"), 5,
     "bodies[4].shapes[0].points", "plane"},
    {BODIES,
     SHAPE("\"type\": \"convex\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1e300, 0], [0, 0, 1]]"), 5,
     "bodies[4].shapes[0].points",
     "points[2] has a coordinate of 1e+300 m; a hull takes at most 1e+100 m"},
    {BODIES, "{\"mass\": 1, \"shapes\": [{\"type\": \"convex\", \"points\": []}]}", 5,
     "bodies[4].shapes[0].points", "a convex shape has 0 points"},
    {BODIES, "{\"shapes\": [{\"type\": \"shpere\", \"radius\": 1}]}", 5, "bodies[4].shapes[0].type",
     "did you mean \"sphere\"?"},
    {BODIES, "{\"shapes\": [{\"type\": \"sphere\", \"radius\": 1, \"size\": [1, 1, 1]}]}", 5,
     "bodies[4].shapes[0].size", "a sphere has no size"},
    {BODIES, "{\"shapes\": [{\"type\": \"sphere\", \"radius\": 1, \"normal\": [0, 0, 1]}]}", 5,
     "bodies[4].shapes[0].normal", "a sphere has no normal"},
    {BODIES, "{\"type\": \"static\", \"shapes\": [{\"type\": \"plane\", \"radius\": 1}]}", 5,
     "bodies[4].shapes[0].radius", "a plane has no radius"},
    {BODIES, "{\"type\": \"static\", \"shapes\": [{\"type\": \"plane\", \"normal\": [0, 0, 2]}]}",
     5, "bodies[4].shapes[0].normal", "normal has length 2; it must be a unit vector"},
    {BODIES, "{\"shapes\": [{\"type\": \"plane\"}]}", 5, "bodies[4].shapes[0].type",
     "a plane is boundless"},
    {BODIES, "{\"shapes\": [{\"type\": \"sphere\", \"radius\": 1, \"material\": \"icy\"}]}", 5,
     "bodies[4].shapes[0].material", "there is no material \"icy\"; did you mean \"ice\"?"},

    // meshes, height fields, files
    {BODIES, SHAPE("\"type\": \"mesh\""), 5, "bodies[4].shapes[0]",
     "a mesh needs the key \"points\", or \"file\""},
    {BODIES, SHAPE("\"type\": \"mesh\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]"), 5,
     "bodies[4].shapes[0]", "a mesh needs the key \"triangles\", or \"file\""},
    {BODIES, SHAPE("\"type\": \"msh\""), 5, "bodies[4].shapes[0].type", "did you mean \"mesh\"?"},
    {BODIES, SHAPE("\"type\": \"heightfield\""), 5, "bodies[4].shapes[0].type",
     "did you mean \"height_field\"?"},
    {BODIES,
     SHAPE("\"type\": \"mesh\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],\n\"triangles\": "
           "[[0, 1, 2]]"),
     5, "bodies[4].shapes[0].type", "use \"convex\" with \"hull\": true, or make the body static"},
    {BODIES, SHAPE("\"type\": \"height_field\", \"size\": [1, 1], \"heights\": [[0, 0], [0, 0]]"),
     5, "bodies[4].shapes[0].type", "make the body static"},
    {BODIES,
     STILL("\"type\": \"mesh\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],\n\"triangles\": 3"),
     6, "bodies[4].shapes[0].triangles", "it must be an array of triangles"},
    {BODIES,
     STILL("\"type\": \"mesh\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],\n\"triangles\": "
           "[[0, 1]]"),
     6, "bodies[4].shapes[0].triangles[0]", "must be an array of 3 indices of points"},
    {BODIES,
     STILL("\"type\": \"mesh\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],\n\"triangles\": "
           "[[0, 1, 2],\n[0, 1, 1.5]]"),
     7, "bodies[4].shapes[0].triangles[1][2]", "is 1.5; it must be a whole number"},
    {BODIES,
     STILL("\"type\": \"mesh\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],\n\"triangles\": "
           "[[0, 1, \"2\"]]"),
     6, "bodies[4].shapes[0].triangles[0][2]", "it must be a whole number"},
    {BODIES,
     STILL("\"type\": \"mesh\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],\n\"triangles\": "
           "[[0, 1, 2]], \"hull\": true"),
     6, "bodies[4].shapes[0].hull", "a mesh has no hull"},
    {BODIES,
     STILL("\"type\": \"mesh\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],\n\"triangle\": [[0, "
           "1, 2]]"),
     6, "bodies[4].shapes[0].triangle", "did you mean \"triangles\"?"},
    {BODIES, STILL("\"type\": \"height_field\", \"size\": [1, 1]"), 5, "bodies[4].shapes[0]",
     "needs the key \"heights\", or \"file\""},
    {BODIES, STILL("\"type\": \"height_field\", \"heights\": [[0, 0], [0, 0]]"), 5,
     "bodies[4].shapes[0]", "needs the key \"size\""},
    {BODIES,
     STILL("\"type\": \"height_field\", \"size\": [1, 1, 1], \"heights\": [[0, 0], [0, 0]]"), 5,
     "bodies[4].shapes[0].size", "size has length 3; it must be an array of 2 numbers"},
    {BODIES, STILL("\"type\": \"height_field\", \"size\": [1, 1],\n\"heights\": 0"), 6,
     "bodies[4].shapes[0].heights", "it must be an array of rows of numbers"},
    {BODIES, STILL("\"type\": \"height_field\", \"size\": [1, 1],\n\"heights\": []"), 6,
     "bodies[4].shapes[0].heights", "heights holds no numbers"},
    {BODIES, STILL("\"type\": \"height_field\", \"size\": [1, 1],\n\"heights\": [[], []]"), 6,
     "bodies[4].shapes[0].heights", "heights holds no numbers"},
    {BODIES, STILL("\"type\": \"height_field\", \"size\": [1, 1],\n\"heights\": [0, 0]"), 6,
     "bodies[4].shapes[0].heights[0]", "it must be an array of numbers"},
    {BODIES, STILL("\"type\": \"height_field\", \"size\": [1, 1],\n\"heights\": [[0, 0],\n[0]]"), 7,
     "bodies[4].shapes[0].heights[1]", "heights[1] has 1 numbers; the first row has 2"},
    {BODIES,
     STILL("\"type\": \"height_field\", \"size\": [1, 1],\n\"heights\": [[0, 0],\n[0, \"0\"]]"), 7,
     "bodies[4].shapes[0].heights[1][1]", "it must be a number, in m"},
    {BODIES, STILL("\"type\": \"height_field\", \"size\": [1, 1],\n\"heights\": [[0, 0]]"), 6,
     "bodies[4].shapes[0].heights", "at least 2 rows of 2 heights; this one has 1 of 2"},
    {BODIES, STILL("\"type\": \"height_field\", \"size\": [1, 1],\n\"heights\": [[0], [0]]"), 6,
     "bodies[4].shapes[0].heights", "at least 2 rows of 2 heights; this one has 2 of 1"},
    {BODIES, STILL("\"type\": \"height_field\", \"size\": [1, 1], \"hights\": [[0, 0], [0, 0]]"), 5,
     "bodies[4].shapes[0].hights", "did you mean \"heights\"?"},
    {BODIES,
     STILL("\"type\": \"height_field\", \"size\": [1, 1], \"file\": \"no/such\", \"scale\": 2"), 5,
     "bodies[4].shapes[0].scale", "a height_field has no scale"},
    {BODIES, SHAPE("\"type\": \"convex\",\n\"file\": \"no/such.obj\""), 6,
     "bodies[4].shapes[0].file", "no/such.obj: cannot be read: No such file"},
    {BODIES, SHAPE("\"type\": \"convex\",\n\"file\": 7"), 6, "bodies[4].shapes[0].file",
     "file is a number; it must be a string"},
    {BODIES, SHAPE("\"type\": \"convex\",\n\"file\": \"\""), 6, "bodies[4].shapes[0].file",
     "file is empty"},
    {BODIES, SHAPE("\"type\": \"convex\",\n\"file\": \"-\""), 6, "bodies[4].shapes[0].file",
     "a shape cannot come from standard input"},
    {BODIES, SHAPE("\"type\": \"convex\",\n\"file\": \"/\""), 6, "bodies[4].shapes[0].file",
     "/: cannot be read: Is a directory"},
    {BODIES, SHAPE("\"type\": \"convex\", \"fil\": \"x.obj\""), 5, "bodies[4].shapes[0].fil",
     "did you mean \"file\"?"},
    {BODIES, SHAPE("\"type\": \"sphere\", \"radius\": 1, \"file\": \"x.obj\""), 5,
     "bodies[4].shapes[0].file", "a sphere has no file"},
    {BODIES, SHAPE("\"type\": \"convex\", \"file\": \"x.obj\",\n\"points\": [[0, 0, 0]]"), 6,
     "bodies[4].shapes[0].points", "points and \"file\" are both given; give one of them"},
    {BODIES, SHAPE("\"type\": \"convex\", \"points\": [[0, 0, 0]],\n\"scale\": 2"), 6,
     "bodies[4].shapes[0].scale", "the key \"file\" is missing"},
    {BODIES, SHAPE("\"type\": \"convex\", \"points\": [[0, 0, 0]],\n\"hull\": true"), 6,
     "bodies[4].shapes[0].hull", "the key \"file\" is missing"},
    {BODIES, SHAPE("\"type\": \"convex\", \"file\": \"x.obj\",\n\"hull\": \"yes\""), 6,
     "bodies[4].shapes[0].hull", "it must be true or false"},
    {BODIES, SHAPE("\"type\": \"convex\", \"file\": \"x.obj\",\n\"hul\": true"), 6,
     "bodies[4].shapes[0].hul", "did you mean \"hull\"?"},
    {BODIES,
     STILL("\"type\": \"mesh\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],\n\"triangles\": []"),
     6, "bodies[4].shapes[0].triangles", "a mesh has 0 triangles"},
    {BODIES,
     STILL("\"type\": \"mesh\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],\n\"triangles\": "
           "[[0, 1, 2],\n[0, 1, 3]]"),
     7, "bodies[4].shapes[0].triangles[1]", "triangles[1] names point 3; there are points 0 to 2"},
    {BODIES,
     STILL("\"type\": \"mesh\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],\n\"triangles\": "
           "[[0, 1, -1]]"),
     6, "bodies[4].shapes[0].triangles[0]", "names point -1"},
    {BODIES,
     STILL("\"type\": \"mesh\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],\n\"triangles\": "
           "[[0, 1, 1]]"),
     6, "bodies[4].shapes[0].triangles[0]", "has no area"},
    {BODIES,
     STILL("\"type\": \"mesh\", \"points\": [[0, 0, 0], [1, 0, 0]],\n\"triangles\": [[0, 1, 1]]"),
     5, "bodies[4].shapes[0].points", "a mesh has 2 points; it needs at least 3"},
    {BODIES, STILL("\"type\": \"height_field\",\n\"size\": [1, -1], \"heights\": [[0, 0], [0, 0]]"),
     6, "bodies[4].shapes[0].size", "both must be positive"},
    {BODIES, STILL("\"type\": \"height_field\",\n\"size\": [0, 1], \"heights\": [[0, 0], [0, 0]]"),
     6, "bodies[4].shapes[0].size", "both must be positive"},

    {BODIES,
     STILL("\"type\": \"height_field\",\n\"size\": [1, 1], \"heights\": [[0, 0], [0, 1e308]]"), 6,
     "bodies[4].shapes[0].heights",
     "heights[3] (1 of row 1) is 1e+308 m; it must be from -1e+75 to"},
    {BODIES,
     STILL("\"type\": \"mesh\", \"points\": [[0, 0, 0], [1e160, 0, 0], [0, 1, 0]],\n\"triangles\": "
           "[[0, 1, 2]]"),
     5, "bodies[4].shapes[0].points",
     "points[1] is (1e+160, 0, 0) m; a mesh takes at most 1e+75 m"},

    // filters, sensors, fast bodies
    {BODIES, SHAPE("\"type\": \"sphere\", \"radius\": 1,\n\"category\": 1.5"), 6,
     "bodies[4].shapes[0].category",
     "category is 1.5; it must be a whole number from 0 to 4294967295"},
    {BODIES, SHAPE("\"type\": \"sphere\", \"radius\": 1,\n\"category\": -1"), 6,
     "bodies[4].shapes[0].category", "category is -1; it must be a whole number from 0"},
    {BODIES, SHAPE("\"type\": \"sphere\", \"radius\": 1,\n\"category\": 4294967296"), 6,
     "bodies[4].shapes[0].category",
     "category is 4294967296; it must be a whole number from 0 to 4294967295"},
    {BODIES, SHAPE("\"type\": \"sphere\", \"radius\": 1,\n\"category\": \"0xff\""), 6,
     "bodies[4].shapes[0].category", "it must be a whole number"},
    {BODIES, SHAPE("\"type\": \"sphere\", \"radius\": 1,\n\"categroy\": 1"), 6,
     "bodies[4].shapes[0].categroy", "did you mean \"category\"?"},
    {BODIES, SHAPE("\"type\": \"sphere\", \"radius\": 1,\n\"mask\": -1"), 6,
     "bodies[4].shapes[0].mask", "mask is -1; it must be a whole number from 0"},
    {BODIES, SHAPE("\"type\": \"sphere\", \"radius\": 1,\n\"mask\": 0.5"), 6,
     "bodies[4].shapes[0].mask", "mask is 0.5"},
    {BODIES, SHAPE("\"type\": \"sphere\", \"radius\": 1,\n\"mask\": [1]"), 6,
     "bodies[4].shapes[0].mask", "mask is an array; it must be a whole number"},
    {BODIES, SHAPE("\"type\": \"sphere\", \"radius\": 1,\n\"masks\": 1"), 6,
     "bodies[4].shapes[0].masks", "did you mean \"mask\"?"},
    {BODIES, SHAPE("\"type\": \"sphere\", \"radius\": 1,\n\"group\": 0.5"), 6,
     "bodies[4].shapes[0].group",
     "group is 0.5; it must be a whole number from -2147483648 to 2147483647"},
    {BODIES, SHAPE("\"type\": \"sphere\", \"radius\": 1,\n\"group\": 3e9"), 6,
     "bodies[4].shapes[0].group", "group is 3000000000; it must be a whole number from"},
    {BODIES, SHAPE("\"type\": \"sphere\", \"radius\": 1,\n\"group\": \"a\""), 6,
     "bodies[4].shapes[0].group", "it must be a whole number"},
    {BODIES, SHAPE("\"type\": \"sphere\", \"radius\": 1,\n\"sensor\": 1"), 6,
     "bodies[4].shapes[0].sensor", "sensor is a number; it must be true or false"},
    {BODIES, SHAPE("\"type\": \"sphere\", \"radius\": 1,\n\"senser\": true"), 6,
     "bodies[4].shapes[0].senser", "did you mean \"sensor\"?"},
    {BODIES, "{\"fast\": 1, " MASS "}", 5, "bodies[4].fast",
     "fast is a number; it must be true or false"},
    {BODIES, "{\"exact\": \"yes\", " MASS "}", 5, "bodies[4].exact", "it must be true or false"},
    {BODIES, "{\"fst\": true, " MASS "}", 5, "bodies[4].fst", "did you mean \"fast\"?"},

    // contacts
    {CONTACTS, "{" CONTACT "}", 5, "contacts[0]", "a contact needs the key \"bodies\""},
    {CONTACTS, "{\"bodies\": [\"world\", \"ball\"], \"point\": [0, 0, 0]}", 5, "contacts[0]",
     "needs the key \"normal\""},
    {CONTACTS, "{\"bodies\": [\"world\", \"ball\"], \"normal\": [0, 0, 1]}", 5, "contacts[0]",
     "needs the key \"point\""},
    {CONTACTS, "{\"bodies\": [\"world\"], " CONTACT "}", 5, "contacts[0].bodies", "two names"},
    {CONTACTS, "{\"bodies\": \"ball\", " CONTACT "}", 5, "contacts[0].bodies",
     "two names of bodies"},
    {CONTACTS, "{\"bodies\": [\"world\", \"bal\"], " CONTACT "}", 5, "contacts[0].bodies[1]",
     "there is no body \"bal\"; did you mean \"ball\"?"},
    {CONTACTS, "{\"bodies\": [\"Ground\", \"ball\"], " CONTACT "}", 5, "contacts[0].bodies[0]",
     "did you mean \"ground\"?"},
    {CONTACTS, "{\"bodies\": [\"ball\", \"ball\"], " CONTACT "}", 5, "contacts[0].bodies",
     "\"ball\" is on both sides; two different bodies are needed"},
    {CONTACTS, "{\"bodies\": [\"ball\", \"world\"], " CONTACT "}", 5, "contacts[0].bodies[1]",
     "the immovable world (\"world\") cannot be used here"},
    {CONTACTS, "{\"bodies\": [\"ground\", \"wall\"], " CONTACT "}", 5, "contacts[0].bodies",
     "neither \"ground\" nor \"wall\" can be moved"},
    {CONTACTS, "{\"bodies\": [\"world\", \"ball\"], \"point\": [0, 0, 0], \"normal\": [0, 0, 3]}",
     5, "contacts[0].normal", "normal has length 3"},
    {CONTACTS, "{\"bodies\": [\"world\", \"ball\"], " CONTACT ", \"gap\": \"1 mm\"}", 5,
     "contacts[0].gap", "it must be a number, in m"},
    {CONTACTS, "{\"bodies\": [\"world\", \"ball\"], " CONTACT ", \"material\": \"stoen\"}", 5,
     "contacts[0].material", "did you mean \"stone\"?"},
    {CONTACTS, "{\"bodies\": [\"world\", \"ball\"], " CONTACT ", \"materials\": [\"ice\", \"x\"]}",
     5, "contacts[0].materials[1]", "there is no material \"x\""},
    {CONTACTS,
     "{\"bodies\": [\"world\", \"ball\"], " CONTACT ", \"material\": \"ice\","
     " \"materials\": [\"ice\", \"ice\"]}",
     5, "contacts[0].materials", "not both"},
    {CONTACTS,
     "{\"name\": \"c\", \"bodies\": [\"world\", \"ball\"], " CONTACT "},\n"
     "{\"name\": \"c\", \"bodies\": [\"world\", \"cube\"], " CONTACT "}",
     6, "contacts[1].name", "contact 0 already has the name \"c\""},

    // constraints
    {CONSTRAINTS, "{\"body\": \"ball\"}", 5, "constraints[0]", "needs the key \"kind\""},
    {CONSTRAINTS, "{\"kind\": \"distnce\", \"bodies\": [\"ball\", \"cube\"], " POINTS "}", 5,
     "constraints[0].kind", "did you mean \"distance\"?"},
    {CONSTRAINTS, "{\"kind\": \"hinge\", \"bodies\": [\"ball\", \"cube\"], " POINTS "}", 5,
     "constraints[0].kind", "this version has distance, anchor_distance, pin, unit_quaternion"},
    {CONSTRAINTS, "{\"kind\": \"distance\", " POINTS "}", 5, "constraints[0]", "key \"bodies\""},
    {CONSTRAINTS,
     "{\"kind\": \"distance\", \"bodies\": [\"ball\", \"cube\"], " POINTS ", \"compliance\": -1}",
     5, "constraints[0].compliance", "compliance is -1 m/N"},
    {CONSTRAINTS,
     "{\"kind\": \"distance\", \"bodies\": [\"ball\", \"cube\"], " POINTS ", \"beta\": -2}", 5,
     "constraints[0].beta", "beta is -2 1/s"},
    {CONSTRAINTS, "{\"kind\": \"unit_quaternion\", \"body\": \"ball\", \"alpha\": 1}", 5,
     "constraints[0].alpha", "has no alpha"},
    {CONSTRAINTS, "{\"kind\": \"pin\", \"point_a\": [0, 0, 0]}", 5, "constraints[0]",
     "needs the key \"body\""},
    {CONSTRAINTS, "{\"kind\": \"pin\", \"body\": \"ball\"}", 5, "constraints[0]",
     "key \"point_a\""},
    {CONSTRAINTS, "{\"kind\": \"pin\", \"body\": \"ball\", \"point_a\": [0, 0, 0], \"length\": 1}",
     5, "constraints[0].length", "a constraint of kind \"pin\" has no length"},
    {CONSTRAINTS,
     "{\"kind\": \"pin\", \"body\": \"ball\", \"point_a\": [0, 0, 0], \"collide\": true}", 5,
     "constraints[0].collide", "a constraint of kind \"pin\" has no collide"},
    {CONSTRAINTS, "{\"kind\": \"pin\", \"body\": \"wall\", \"point_a\": [0, 0, 0]}", 5,
     "constraints[0].body", "\"wall\" cannot be moved"},
    {CONSTRAINTS, "{\"kind\": \"pin\", \"body\": \"world\", \"point_a\": [0, 0, 0]}", 5,
     "constraints[0].body", "the immovable world (\"world\") cannot be used here"},
    {CONSTRAINTS, "{\"kind\": \"distance\", \"bodies\": [\"ball\", \"world\"], " POINTS "}", 5,
     "constraints[0].bodies[1]", "the immovable world (\"world\") cannot be used here"},
    {CONSTRAINTS, "{\"kind\": \"distance\", \"bodies\": [\"ball\", \"ball\"], " POINTS "}", 5,
     "constraints[0].bodies", "two different bodies"},
    {CONSTRAINTS, "{\"kind\": \"distance\", \"bodies\": [\"ball\", \"cub\"], " POINTS "}", 5,
     "constraints[0].bodies[1]", "did you mean \"cube\"?"},
    {CONSTRAINTS,
     "{\"kind\": \"distance\", \"bodies\": [\"ball\", \"cube\"], " POINTS ", \"length\": -2}", 5,
     "constraints[0].length", "length is -2 m"},
    {CONSTRAINTS,
     "{\"kind\": \"distance\", \"bodies\": [\"ball\", \"cube\"], \"point_a\": [1, 1, 1],"
     " \"point_b\": [1, 1, 1]}",
     5, "constraints[0].length", "point_a and point_b coincide; a length is needed"},
    {CONSTRAINTS,
     "{\"name\": \"r\", \"kind\": \"unit_quaternion\", \"body\": \"ball\"},\n"
     "{\"name\": \"r\", \"kind\": \"unit_quaternion\", \"body\": \"cube\"}",
     6, "constraints[1].name", "constraint 0 already has the name \"r\""},
    {CONSTRAINTS, "{\"kind\": \"unit_quaternion\", \"body\": \"ball\", \"point_a\": [0, 0, 0]}", 5,
     "constraints[0].point_a", "has no point_a"},

    // forces and exclusions
    {FORCES, "{\"force\": [1, 0, 0], \"point\": [0, 0, 0]}", 5, "forces[0]", "the key \"body\""},
    {FORCES, "{\"body\": \"ball\", \"force\": [1, 0, 0]}", 5, "forces[0]", "the key \"point\""},
    {FORCES, "{\"body\": \"ball\", \"force\": 3, \"point\": [0, 0, 0]}", 5, "forces[0].force",
     "3 numbers, in N"},
    {FORCES, "{\"body\": \"ball\", \"torque\": [1, 0]}", 5, "forces[0].torque", "has length 2"},
    {FORCES, "{\"body\": \"baal\", \"torque\": [1, 0, 0]}", 5, "forces[0].body",
     "there is no body \"baal\"; did you mean \"ball\"?"},
    {FORCES, "{\"body\": \"world\", \"torque\": [1, 0, 0]}", 5, "forces[0].body",
     "cannot be used here"},
    {FORCES, "{\"body\": \"ball\", \"torque\": [1, 0, 0], \"series\": \"shak\"}", 5,
     "forces[0].series", "there is no series \"shak\"; did you mean \"shake\"?"},
    {FORCES, "{\"body\": \"ball\", \"point\": [0, 0, 0], \"drag\": -1}", 5, "forces[0].drag",
     "drag is -1 N s/m"},
    {FORCES, "{\"body\": \"ball\", \"torque\": [1, 0, 0], \"frame\": \"local\"}", 5,
     "forces[0].frame", "this version has spatial, carried"},
    {EXCLUDE, "\"ball\"", 5, "collide.exclude[0]", "must be an array of two names of bodies"},
    {EXCLUDE, "[\"ball\", \"cub\"]", 5, "collide.exclude[0][1]", "did you mean \"cube\"?"},
    {EXCLUDE, "[\"ball\", \"ball\"]", 5, "collide.exclude[0]", "two different bodies"},
    {EXCLUDE, "[\"ball\", \"world\"]", 5, "collide.exclude[0][1]", "cannot be used here"},
    {TOP, "\"collide\": {\"exlude\": []}", 2, "collide.exlude", "did you mean \"exclude\"?"},
    {TOP, "\"collide\": {\"exclude\": {}}", 2, "collide.exclude", "an array of pairs of bodies"},

    // numbers no float can hold
    {TOP, "\"duration\": NaN", 2, "duration",
     "NaN is not a JSON number; every number must be finite"},
    {TOP, "\"gravity\": [0, 0, -Infinity]", 2, "gravity", "every number must be finite"},
    {BODIES, "{\"mass\": 1e999, \"inertia\": [1, 1, 1]}", 5, "bodies[4].mass",
     "1e999 is too large"},
    {BODIES, "{\"name\": \"a\", \"name\": \"b\", " MASS "}", 5, "bodies[4]", "is given twice"},
};
#define MISTAKE_COUNT (sizeof mistakes / sizeof mistakes[0])

static void every_mistake_is_told_with_line_place_and_reason(void) {
    check_mistakes(mistakes, (int)MISTAKE_COUNT);
}

static void there_are_at_least_150_mistakes(void) {
    CHECK(MISTAKE_COUNT >= 150);
}

// ---- whole files ----

static void check_refused(const char* text, const char* expected) {
    CnError error;
    CHECK(cn_scene_parse(text, strlen(text), "s.json", &error) == NULL);
    CHECK_STRING(error.message, expected);
}

static void a_file_must_say_which_format_it_has(void) {
    check_refused("{}", "s.json:1: a scene needs the key \"cairn\"");
    check_refused("{\"cairn\": 2}", "s.json:1: cairn: cairn is 2; this version reads format 1");
    check_refused(
        "{\"cairn\": 1.5}",
        "s.json:1: cairn: cairn is 1.5; it must be a whole number from -2147483648 to 2147483647");
    check_refused("[]", "s.json:1: the file is an array; it must be an object");
    check_refused("\"@stack\"",
                  "s.json:1: the file is the string \"@stack\"; it must be an object");
    check_refused("", "s.json:1: the file is empty");
}

static void a_body_that_failed_is_not_missed_by_others(void) {
    const char text[] =
        "{\"cairn\": 1, \"materials\": {\"m\": {\"friction\": -1}},\n"
        "\"bodies\": [{\"name\": \"a\", \"mass\": -1, \"inertia\": [1, 1, 1]},\n"
        "{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1], \"material\": \"m\"}],\n"
        "\"contacts\": [{\"bodies\": [\"a\", \"b\"], \"point\": [0, 0, 0],\n"
        " \"normal\": [0, 0, 1]}],\n"
        "\"forces\": [{\"body\": \"a\", \"torque\": [0, 0, 1]}],\n"
        "\"constraints\": [{\"kind\": \"distance\", \"bodies\": [\"a\", \"b\"],\n"
        " \"point_a\": [0, 0, 0], \"point_b\": [0, 0, 1]}],\n"
        "\"collide\": {\"exclude\": [[\"a\", \"b\"]]}}";
    CnArena arena;
    CnErrorList errors;
    CnSceneProblem items[8];
    char copy[sizeof text];
    memcpy(copy, text, sizeof text);
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, "s.json", items, 8);
    const CnJson* top = cn_json_parse(copy, sizeof text - 1, &arena, &errors);
    CHECK(cn_scene_load(top, "", "s", &errors) == NULL);
    CHECK_INT(errors.count, 2);
    CHECK_STRING(items[0].path, "materials.m.friction");
    CHECK_STRING(items[1].path, "bodies[0].mass");
    cn_arena_destroy(&arena);
}

static void all_mistakes_are_told_in_the_order_of_lines(void) {
    const char text[] = "{\"cairn\": 1,\n\"forces\": [{\"body\": \"x\", \"torque\": [0, 0, 1]}],\n"
                        "\"bodies\": [{\"name\": \"a\"},\n{\"colour\": 1}],\n\"gravty\": 1,\n"
                        "\"step\": {\"dt\": 0, \"theta\": 7},\n\"solver\": {\"tolerance\": 0}}";
    CnArena arena;
    CnErrorList errors;
    CnSceneProblem items[16];
    char copy[sizeof text];
    memcpy(copy, text, sizeof text);
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, "s.json", items, 16);
    const CnJson* top = cn_json_parse(copy, sizeof text - 1, &arena, &errors);
    CHECK(cn_scene_load(top, "", "s", &errors) == NULL);
    const int lines[] = {2, 3, 4, 5, 6, 6, 7};
    CHECK_INT(errors.count, 7);
    for (int i = 0; i < 7; ++i) {
        CHECK_INT(items[i].line, lines[i]);
    }
    cn_arena_destroy(&arena);
}

static void built_in_scenes_refuse_what_they_cannot_be(void) {
    static const struct {
        const char *argument, *message;
    } rows[] = {
        {"@", "@: there is no built-in scene \"@\"; there are @stack"},
        {"@stak", "@stak: there is no built-in scene \"@stak\"; did you mean \"@stack\"?"},
        {"@zeppelin", "there are @stack, @heavy_stack, @spheres, @chain, @ground_chain, @incline"},
        {"@stack:", "@stack:: size is \"\"; it must be a whole number from 1 to 10000"},
        {"@stack:0", "size is 0; @stack takes 1 to 10000"},
        {"@stack:-3", "size is \"-3\"; it must be a whole number"},
        {"@stack:ten", "size is \"ten\"; it must be a whole number"},
        {"@stack:1e9", "size is \"1e9\"; it must be a whole number"},
        {"@stack:1000000000", "size is 1000000000; @stack takes 1 to 10000"},
        {"@stack:99999999999999999999", "takes 1 to 10000"},
        {"@spheres:1000000000", "@spheres takes 1 to 100000"},
        {"@bounce:101", "@bounce takes 0 to 100"},
        {"@incline:9000", "@incline takes 0 to 8900"},
        {"@kapla:2001", "@kapla takes 1 to 2000"},
        {"@ground_chain:0", "@ground_chain takes 1 to 10000"},
        {"@grasp:1", "@grasp takes 2 to 1000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        CnError error;
        CHECK(cn_open_scene(rows[i].argument, &error) == NULL);
        CHECK_CONTAINS(error.message, rows[i].message);
        CHECK_INT(error.status, CN_INVALID);
    }
}

// What a file cannot say: counts of arrays that are not there.
static void meshes_of_programs_are_refused_before_their_arrays_are_read(void) {
    static const CnVec3 corners[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    static const int triangle[1][3] = {{0, 1, 2}};
    static const struct {
        int triangle_count;
        const int (*triangles)[3];
        const CnVec3* points;
        const char* words;
    } rows[] = {
        {5, NULL, corners, "triangle_count is 5 but triangles is NULL"},
        {2000000000, triangle, NULL, "a mesh has 2000000000 triangles; it may have 1 to"},
        {2000000000, triangle, corners, "a mesh has 2000000000 triangles; it may have 1 to"},
        {-1, triangle, corners, "a mesh has -1 triangles; it may have 1 to"},
        {1, triangle, NULL, "point_count is 3 but points is NULL"},
    };
    CnScene* scene = cn_scene_create("s", NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        CnError error = {0};
        CnShapeDef shape = cn_shape_def_default(CN_SHAPE_MESH);
        CnBodyDef body = cn_body_def_default();
        shape.points = rows[i].points;
        shape.point_count = 3;
        shape.triangles = rows[i].triangles;
        shape.triangle_count = rows[i].triangle_count;
        body.type = CN_BODY_STATIC;
        body.shapes = &shape;
        body.shape_count = 1;
        CHECK_INT(cn_scene_add_body(scene, &body, &error).index, 0);
        CHECK_INT(error.status, CN_INVALID);
        CHECK_CONTAINS(error.message, rows[i].words);
    }
    cn_scene_destroy(scene);
}

TEST_MAIN("misuse/scene", TEST(every_mistake_is_told_with_line_place_and_reason),
          TEST(there_are_at_least_150_mistakes), TEST(a_file_must_say_which_format_it_has),
          TEST(a_body_that_failed_is_not_missed_by_others),
          TEST(all_mistakes_are_told_in_the_order_of_lines),
          TEST(meshes_of_programs_are_refused_before_their_arrays_are_read),
          TEST(built_in_scenes_refuse_what_they_cannot_be))
