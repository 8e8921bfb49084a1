// spinning_rod.c - how well each rotation update keeps the energy of a thin rod that tumbles.
#include <cairn/cairn.h>
#include <math.h>
#include <stdio.h>

#define STEPS 240

// In free flight energy can change only by what integration makes; the ledger says how much.
static double energy_made(CnRotationUpdate update, CnStatus* status, CnError* error) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, 0.0);
    def.step.rotation = update;
    CnWorld* world = cn_world_create(&def, error);
    CnShapeDef rod = cn_shape_def_default(CN_SHAPE_BOX);
    rod.size = cn_vec3(0.01, 0.02, 2.0);
    CnBodyDef body = cn_body_def_default();
    body.shapes = &rod;
    body.shape_count = 1;
    body.angular_velocity = cn_vec3(20.0, 6.0, 10.0); // [rad/s]
    cn_world_add_body(world, &body, error);
    double start = cn_world_energy(world), booked = 0.0;
    *status = CN_OK;
    for (int i = 0; i < STEPS && *status == CN_OK; ++i) {
        CnStepReport report;
        *status = cn_world_step(world, 1.0 / STEPS, &report, error);
        if (*status == CN_OK) {
            booked += report.energy.work[CN_WORK_INTEGRATION];
        }
    }
    double made = cn_world_energy(world) - start;
    printf("%-14s energy %+.3e of the start, booked %+.3e: %s\n", cn_rotation_update_name(update),
           made / start, booked / start, *status == CN_OK ? "all steps made" : error->message);
    cn_world_destroy(world);
    return fabs(made / start);
}

int main(void) {
    double of_exact = 1.0;
    for (int i = 0; i < CN_ROTATION_COUNT; ++i) {
        CnError error = {0};
        CnStatus status;
        double made = energy_made((CnRotationUpdate)i, &status, &error);
        if (i == CN_ROTATION_EXACT && status == CN_OK) {
            of_exact = made;
        }
    }
    return of_exact < 1e-12 ? 0 : 1; // round-off of 240 steps
}
