// belt_and_hooks.c - a conveyor belt, and a platform that lets through what comes from below.
#include <cairn/cairn.h>
#include <stdio.h>

static CnBodyId add_box(CnWorld* world, CnBodyType type, CnVec3 position, CnVec3 size,
                        CnMaterialId material, CnError* error) {
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    box.size = size;
    CnBodyDef def = cn_body_def_default();
    def.type = type;
    def.position = position;
    def.material = material;
    def.shapes = &box;
    def.shape_count = 1;
    return cn_world_add_body(world, &def, error);
}

// One way: what moves up against the platform passes. `data` is the platform.
static bool lets_meet(const CnWorld* world, const CnContactPoint* point, void* data) {
    const CnBodyId* platform = data;
    (void)world;
    if (point->body_a.index == platform->index) {
        return point->velocity.z <= 0.0; // of B against A
    }
    return point->body_b.index != platform->index || point->velocity.z >= 0.0;
}

// Impulses of the last step as a guess: friction starts cold where a contact is new.
static double trusts(const CnWorld* world, const CnWarmStartRow* row, void* data) {
    const int* young = data;
    bool is_tangent = row->channel == CN_CHANNEL_TANGENT_1 || row->channel == CN_CHANNEL_TANGENT_2;
    (void)world;
    return is_tangent && row->age < *young ? 0.0 : row->factor; // else as without the function
}

static CnVec3 place_of(const CnWorld* world, CnBodyId body) {
    CnTransform pose = {0};
    cn_body_pose(world, body, &pose);
    return pose.position;
}

int main(void) {
    CnError error = {0};
    CnBodyId platform = {0};
    int young = 3; // steps
    CnWorldDef def = cn_world_def_default();
    def.contact_hooks.filter = lets_meet;
    def.contact_hooks.data = &platform;
    def.warm_start_hook = (CnWarmStartHook){trusts, &young};
    CnWorld* world = cn_world_create(&def, &error);

    CnMaterialDef rubber = cn_material_def_default();
    rubber.surface_velocity = cn_vec3(2.0, 0.0, 0.0); // of the belt's surface [m/s]
    CnMaterialId belt = cn_world_add_material(world, &rubber, &error), plain = {0};
    add_box(world, CN_BODY_STATIC, cn_vec3(0.0, 0.0, -0.05), cn_vec3(40.0, 1.0, 0.1), belt, &error);
    platform = add_box(world, CN_BODY_STATIC, cn_vec3(0.0, 5.0, 1.0), cn_vec3(1.0, 1.0, 0.1), plain,
                       &error);
    CnVec3 size = cn_vec3(0.2, 0.2, 0.2);
    CnBodyId parcel = add_box(world, CN_BODY_DYNAMIC, cn_vec3(0.0, 0.0, 0.1), size, plain, &error);
    CnBodyId jumper = add_box(world, CN_BODY_DYNAMIC, cn_vec3(0.0, 5.0, 0.5), size, plain, &error);
    CnMassProperties mass = {0};
    cn_body_mass_properties(world, jumper, &mass);
    CnVec3 jump = cn_vec3(0.0, 0.0, 5.0 * mass.mass); // to 5 m/s
    cn_body_apply_impulse(world, jumper, jump, place_of(world, jumper), &error);

    CnStatus status = error.status;
    for (int i = 0; i < 2000 && status == CN_OK; ++i) {
        status = cn_world_step(world, 1e-3, NULL, &error);
    }
    printf("the parcel has come %.3f m, the jumper stands at %.3f m\n", place_of(world, parcel).x,
           place_of(world, jumper).z);
    if (status != CN_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    cn_world_destroy(world);
    return status == CN_OK ? 0 : 1;
}
