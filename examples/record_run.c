// record_run.c - a run recorded to memory, read back frame by frame.
#include "cairn/cairn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The bytes of a recording; a file would do as well: def.path.
typedef struct Tape {
    unsigned char* bytes;
    size_t size;
} Tape;

static bool append(const void* bytes, size_t size, void* context) {
    Tape* tape = context;
    unsigned char* larger = realloc(tape->bytes, tape->size + size);
    if (larger == NULL) {
        return false;
    }
    memcpy(larger + tape->size, bytes, size);
    tape->bytes = larger;
    tape->size += size;
    return true;
}

static CnScene* make_scene(void) {
    CnScene* scene = cn_scene_create("fall", NULL);
    CnShapeDef ball = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef body = cn_body_def_default();
    ball.radius = 0.1;
    body.name = "ball";
    body.shapes = &ball;
    body.shape_count = 1;
    cn_scene_add_body(scene, &body, NULL);
    return scene;
}

static bool record(const CnScene* scene, Tape* tape) {
    CnError error = {.status = CN_OK};
    CnStepReport report;
    CnWorld* world = cn_scene_build(scene, NULL, &error);
    CnRecorderDef def = cn_recorder_def_default();
    def.output = (CnRecordingOutput){append, tape};
    def.scene = scene;
    CnRecorder* recorder = cn_recorder_create(world, &def, &error);
    for (int i = 0; i < 240; ++i) {
        cn_world_step(world, 1.0 / 240.0, &report, &error);
        cn_recorder_add(recorder, &report, &error);
    }
    bool ok = cn_recorder_close(recorder, &error) == CN_OK;
    cn_world_destroy(world);
    return ok;
}

int main(void) {
    Tape tape = {NULL, 0};
    CnError error;
    CnRecordedFrame frame;
    CnScene* scene = make_scene();
    bool ok = record(scene, &tape);

    CnRecording* recording = cn_recording_open_memory(tape.bytes, tape.size, NULL, 0, &error);
    ok = ok && recording != NULL && cn_recording_read(recording, 60, &frame, &error) == CN_OK;
    if (ok) { // one second at 60 frames per second: 4.905 m of free fall, to half a micron
        double z = frame.bodies[0].pose.position.z;
        printf("%d frames, %zu bytes; after %g s z = %.6f m\n",
               cn_recording_info(recording)->frame_count, tape.size, frame.time, z);
        ok = fabs(z + 4.905) < 1e-6;
    }
    cn_recording_close(recording);
    cn_scene_destroy(scene);
    free(tape.bytes);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
