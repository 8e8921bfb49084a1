// render.h - a frame of a recording as a picture.
#pragma once

#include "cairn/recording.h"
#include "render/picture.h"

typedef struct RenderDef {
    int width, height; // [pixels]
    bool has_camera;   // else all that moves is framed
    CnVec3 from, to;   // of the camera [m]
    CnVec3
        direction; // from the scene to the camera, when there is no camera; length does not count
    bool shows_forces;
    bool shows_title; // scene, time and residual
} RenderDef;

RenderDef render_def_default(void); // 1280 x 720

typedef struct Renderer Renderer;

// Looks through the recording once: what to frame, how long arrows are. NULL: no memory, or the
// recording cannot be read.
Renderer* renderer_create(CnRecording* recording, const RenderDef* def, CnError* error);
void renderer_destroy(Renderer* renderer);

// The picture of a frame: rgb [height][width][3], the renderer's until the next call. NULL on
// failure.
const uint8_t* renderer_draw(Renderer* renderer, int frame, CnError* error);
