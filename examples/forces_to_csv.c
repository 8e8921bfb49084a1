// forces_to_csv.c - the forces of contacts and joints of a scene over time: forces_to_csv [SCENE].
#include <cairn/cairn.h>
#include <stdio.h>

static const char swing[] = // a crate on the ground that a rope pulls along
    "{\"cairn\": 1, \"duration\": 0.2, \"step\": {\"dt\": 0.01}, \"bodies\": ["
    "{\"name\": \"ground\", \"type\": \"static\", \"shapes\": [{\"type\": \"plane\"}]},"
    "{\"name\": \"crate\", \"position\": [0, 0, 0.5], \"velocity\": [1, 0, 0],"
    " \"shapes\": [{\"type\": \"box\", \"size\": [1, 1, 1]}]}],"
    "\"joints\": [{\"name\": \"rope\", \"type\": \"rope\", \"bodies\": [\"world\", \"crate\"],"
    " \"point\": [-2, 0, 0.5], \"point_b\": [-0.5, 0, 0.5], \"length\": 1.55}]}";

static void write_row(const CnWorld* world, const char* what, const char* on, CnVec3 force) {
    printf("%.4f,%s,%s,%g,%g,%g\n", cn_world_time(world), what, on, force.x, force.y, force.z);
}

static void write_forces(const CnWorld* world) {
    for (int i = 0; i < cn_world_body_count(world); ++i) {
        CnBodyId body = cn_world_body_at(world, i);
        CnContactPoint points[64];
        int count = cn_body_contacts(world, body, points, 64);
        for (int k = 0; k < count && k < 64; ++k) {
            if (points[k].body_b.index == body.index) { // A feels the opposite
                write_row(world, "contact", cn_body_name(world, body), points[k].force);
            }
        }
    }
    for (int i = 0; i < cn_world_joint_count(world); ++i) {
        CnJointState joint;
        CnJointId id = cn_world_joint_at(world, i);
        cn_joint_read(world, id, &joint);
        write_row(world, "joint", cn_joint_name(world, id), joint.force);
    }
}

int main(int argc, char** argv) {
    CnError error = {0};
    CnScene* scene = argc > 1 ? cn_scene_open(argv[1], &error)
                              : cn_scene_parse(swing, sizeof swing - 1, "swing", &error);
    CnWorld* world = scene == NULL ? NULL : cn_scene_build(scene, NULL, &error);
    CnStatus status = world == NULL ? error.status : CN_OK;
    CnSceneSettings settings = {0};
    if (status == CN_OK) {
        settings = cn_scene_settings(scene);
        printf("time,what,on,fx,fy,fz\n");
    }
    while (status == CN_OK && cn_world_time(world) < settings.duration - 0.5 * settings.dt) {
        status = cn_world_step(world, settings.dt, NULL, &error);
        write_forces(world);
    }
    if (status != CN_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    cn_world_destroy(world);
    cn_scene_destroy(scene);
    return status == CN_OK ? 0 : 1;
}
