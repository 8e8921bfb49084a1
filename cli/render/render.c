// render.c - a frame of a recording as a picture.
#include "render/render.h"

#include "render/raster.h"
#include "render/solids.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HALF_TANGENT 0.364 // of the camera's angle from top to bottom: 40 degrees
#define FORCE_LENGTH 0.2   // of a typical force, as a share of the scene's radius
#define FORCE_TIMES 10     // times of the run that typical forces are taken from
#define MOST_FORCES 4096   // per time that are looked at

struct Renderer {
    RenderDef def;
    CnRecording* recording;
    const CnRecordingInfo* info;
    Picture picture;
    uint8_t* rgb;
    Solid* solids;      // one per shape   [shape_count]
    CnVec3 center;      // of what is framed [m]
    double radius;      // [m]
    double force_scale; // [N] per metre of an arrow; 0: nothing to show
};

RenderDef render_def_default(void) {
    return (RenderDef){.width = 1280,
                       .height = 720,
                       .direction = {0.75, -1.25, 0.62},
                       .shows_forces = true,
                       .shows_title = true};
}

static bool fail(CnError* error, const char* sentence) {
    error->status = CN_NO_MEMORY;
    snprintf(error->message, sizeof error->message, "%s", sentence);
    return false;
}

// ---- what there is to see ----

typedef struct Box {
    CnVec3 low, high; // of a box around it; low > high: empty
} Box;

static void grow(Box* box, CnVec3 p) {
    box->low = cn_vec3(fmin(box->low.x, p.x), fmin(box->low.y, p.y), fmin(box->low.z, p.z));
    box->high = cn_vec3(fmax(box->high.x, p.x), fmax(box->high.y, p.y), fmax(box->high.z, p.z));
}

static CnTransform place_of(const CnRecordedFrame* frame, const CnRecordedShape* shape) {
    CnTransform body = frame->bodies[shape->body].pose;
    return (CnTransform){cn_transform_point(body, shape->pose.position),
                         cn_quat_multiply(body.rotation, shape->pose.rotation)};
}

static double size_of(const Box* box) {
    return box->low.x > box->high.x ? 0.0 : cn_vec3_length(cn_vec3_sub(box->high, box->low));
}

static void add_bodies(const Renderer* renderer, const CnRecordedFrame* frame, bool is_moving,
                       Box* box) {
    for (int i = 0; i < renderer->info->shape_count; ++i) {
        const CnRecordedShape* shape = &renderer->info->shapes[i];
        bool moves = renderer->info->bodies[shape->body].type != CN_BODY_STATIC;
        CnTransform place = place_of(frame, shape);
        for (int k = 0; moves == is_moving && k < 3 * renderer->solids[i].triangle_count; ++k) {
            grow(box, cn_transform_point(place, renderer->solids[i].corners[k].place));
        }
    }
}

// Moving bodies at three times of the run, and fixed ones that are not much larger than these.
static bool measure(Renderer* renderer, CnError* error) {
    const CnVec3 most = {INFINITY, INFINITY, INFINITY};
    Box moving = {most, cn_vec3_negate(most)}, fixed = moving;
    int last = renderer->info->frame_count - 1;
    for (int i = 0; i < 3; ++i) {
        CnRecordedFrame frame;
        if (cn_recording_read(renderer->recording, i * last / 2, &frame, error) != CN_OK) {
            return false;
        }
        add_bodies(renderer, &frame, true, &moving);
        if (i == 0) {
            add_bodies(renderer, &frame, false, &fixed);
        }
    }
    if (size_of(&moving) == 0.0) {
        moving = fixed;
    } else if (size_of(&fixed) > 0.0 && size_of(&fixed) < 2.5 * size_of(&moving)) {
        grow(&moving, fixed.low);
        grow(&moving, fixed.high);
    }
    bool is_empty = size_of(&moving) == 0.0;
    renderer->radius = is_empty ? 1.0 : 0.5 * size_of(&moving);
    renderer->center = is_empty ? cn_vec3(0.0, 0.0, 0.0)
                                : cn_vec3_scale(0.5, cn_vec3_add(moving.low, moving.high));
    return true;
}

static int compare_numbers(const void* a, const void* b) {
    double p = *(const double*)a, q = *(const double*)b;
    return (p > q) - (p < q);
}

static double length_of(const float v[3]) {
    double x = (double)v[0], y = (double)v[1], z = (double)v[2];
    return sqrt(x * x + y * y + z * z);
}

// The largest of 1, 2, 5 times a power of ten that is not above the value.
static double round_down(double value) {
    double power = 1.0;
    while (power > value) {
        power *= 0.1;
    }
    while (power * 10.0 <= value) {
        power *= 10.0;
    }
    return value >= 5.0 * power ? 5.0 * power : value >= 2.0 * power ? 2.0 * power : power;
}

// The 95th percentile of the contact forces of the run is FORCE_LENGTH of the radius long.
static bool choose_force_scale(Renderer* renderer, CnError* error) {
    double* sizes = malloc(FORCE_TIMES * MOST_FORCES * sizeof *sizes);
    int count = 0;
    for (int i = 0; sizes != NULL && i < FORCE_TIMES; ++i) {
        CnRecordedFrame frame;
        int index = (2 * i + 1) * renderer->info->frame_count / (2 * FORCE_TIMES);
        if (cn_recording_read(renderer->recording, index, &frame, error) != CN_OK) {
            free(sizes);
            return false;
        }
        for (int k = 0; k < frame.contact_count && k < MOST_FORCES; ++k) {
            double size = length_of(frame.contacts[k].force);
            if (size > 0.0) {
                sizes[count++] = size;
            }
        }
    }
    if (sizes == NULL) {
        return fail(error, "no memory for the picture");
    }
    qsort(sizes, (size_t)count, sizeof *sizes, compare_numbers);
    renderer->force_scale =
        count == 0
            ? 0.0
            : round_down(1.5 * sizes[(int)(0.95 * count)] / (FORCE_LENGTH * renderer->radius));
    free(sizes);
    return true;
}

// ---- making ----

static bool make_solids(Renderer* renderer, CnError* error) {
    const CnRecordingInfo* info = renderer->info;
    bool ok = true;
    renderer->solids = calloc((size_t)info->shape_count + 1, sizeof *renderer->solids);
    for (int i = 0; renderer->solids != NULL && i < info->shape_count; ++i) {
        const CnRecordedShape* shape = &info->shapes[i];
        renderer->solids[i] =
            solid_of_shape(shape, shape->mesh < 0 ? NULL : &info->meshes[shape->mesh]);
        ok = ok && !renderer->solids[i].is_full;
    }
    return (renderer->solids != NULL && ok) || fail(error, "no memory for the picture");
}

Renderer* renderer_create(CnRecording* recording, const RenderDef* def, CnError* error) {
    Renderer* renderer = calloc(1, sizeof *renderer);
    if (renderer == NULL) {
        fail(error, "no memory for the picture");
        return NULL;
    }
    renderer->def = *def;
    renderer->recording = recording;
    renderer->info = cn_recording_info(recording);
    renderer->rgb = malloc(3 * (size_t)def->width * (size_t)def->height);
    bool ok =
        (picture_create(&renderer->picture, def->width, def->height) && renderer->rgb != NULL) ||
        fail(error, "no memory for the picture");
    if (!ok || !make_solids(renderer, error) || !measure(renderer, error) ||
        !choose_force_scale(renderer, error)) {
        renderer_destroy(renderer);
        return NULL;
    }
    return renderer;
}

void renderer_destroy(Renderer* renderer) {
    if (renderer == NULL) {
        return;
    }
    for (int i = 0; renderer->solids != NULL && i < renderer->info->shape_count; ++i) {
        solid_free(&renderer->solids[i]);
    }
    free(renderer->solids);
    free(renderer->rgb);
    picture_destroy(&renderer->picture);
    free(renderer);
}

// ---- drawing ----

// As in the viewer: Okabe and Ito's colours, muted.
static Tint body_tint(const CnRecordedBody* body, int index) {
    static const Tint tints[] = {
        {0.29f, 0.56f, 0.74f}, {0.85f, 0.57f, 0.24f}, {0.31f, 0.65f, 0.52f}, {0.79f, 0.41f, 0.30f},
        {0.55f, 0.72f, 0.84f}, {0.73f, 0.50f, 0.64f}, {0.85f, 0.79f, 0.38f}, {0.44f, 0.50f, 0.71f}};
    static const Tint fixed = {0.60f, 0.64f, 0.67f};
    return body->type == CN_BODY_STATIC ? fixed
                                        : tints[(size_t)index % (sizeof tints / sizeof tints[0])];
}

static Corner place_corner(CnTransform place, Corner corner) {
    return (Corner){cn_transform_point(place, corner.place),
                    cn_quat_rotate(place.rotation, corner.normal)};
}

static void draw_solid(const Drawing* drawing, const Solid* solid, CnTransform place, Tint tint) {
    const Tint line = {0.10f, 0.12f, 0.14f};
    for (int t = 0; t < solid->triangle_count; ++t) {
        Corner corners[3];
        for (int i = 0; i < 3; ++i) {
            corners[i] = place_corner(place, solid->corners[3 * t + i]);
        }
        draw_triangle(drawing, corners, tint);
    }
    for (int e = 0; e < solid->edge_count; ++e) {
        draw_line(drawing, cn_transform_point(place, solid->edges[e][0]),
                  cn_transform_point(place, solid->edges[e][1]), 2.0, tint_mix(tint, line, 0.7f));
    }
}

static void cast_shadow(Light* light, const Solid* solid, CnTransform place) {
    for (int t = 0; t < solid->triangle_count; ++t) {
        CnVec3 corners[3];
        for (int i = 0; i < 3; ++i) {
            corners[i] = cn_transform_point(place, solid->corners[3 * t + i].place);
        }
        light_add(light, corners);
    }
}

static GridPlane plane_at(const Renderer* renderer, CnVec3 point, CnVec3 normal) {
    CnVec3 other = fabs(normal.x) < 0.7 ? cn_vec3(1.0, 0.0, 0.0) : cn_vec3(0.0, 1.0, 0.0);
    CnVec3 along = cn_vec3_normalize(cn_vec3_cross(normal, other));
    return (GridPlane){point,
                       normal,
                       cn_vec3_cross(along, normal),
                       along,
                       round_down(renderer->radius / 3.0),
                       12.0 * renderer->radius};
}

static void draw_planes(const Renderer* renderer, const Drawing* drawing,
                        const CnRecordedFrame* frame) {
    const Tint line = {0.17f, 0.23f, 0.27f};
    for (int i = 0; i < renderer->info->shape_count; ++i) {
        const CnRecordedShape* shape = &renderer->info->shapes[i];
        if (shape->type == CN_SHAPE_PLANE) {
            CnTransform place = place_of(frame, shape);
            GridPlane plane =
                plane_at(renderer, place.position,
                         cn_vec3_normalize(cn_quat_rotate(place.rotation, shape->normal)));
            draw_plane(drawing, &plane, line);
        }
    }
}

static void draw_forces(const Renderer* renderer, const Drawing* drawing,
                        const CnRecordedFrame* frame) {
    const Tint red = {0.75f, 0.16f, 0.11f};
    const CnTransform here = {.rotation = {1.0, 0.0, 0.0, 0.0}};
    for (int i = 0; renderer->force_scale > 0.0 && i < frame->contact_count; ++i) {
        const float *f = frame->contacts[i].force, *p = frame->contacts[i].point;
        double scale = 1.0 / renderer->force_scale;
        CnVec3 vector = cn_vec3_scale(scale, cn_vec3((double)f[0], (double)f[1], (double)f[2]));
        if (cn_vec3_length(vector) > 2e-3 * renderer->radius) {
            Solid arrow = solid_arrow(cn_vec3((double)p[0], (double)p[1], (double)p[2]), vector,
                                      0.006 * renderer->radius);
            draw_solid(drawing, &arrow, here, red);
            solid_free(&arrow);
        }
    }
}

static CnVec3 anchor(const CnRecordedFrame* frame, int body, CnVec3 point) {
    return body < 0 ? point : cn_transform_point(frame->bodies[body].pose, point);
}

// Ropes, rods and springs: a line from one body to the other. Other joints have both ends at one
// place.
static void draw_joints(const Renderer* renderer, const Drawing* drawing,
                        const CnRecordedFrame* frame) {
    const Tint violet = {0.42f, 0.24f, 0.60f};
    for (int i = 0; i < renderer->info->joint_count; ++i) {
        const CnRecordedJoint* joint = &renderer->info->joints[i];
        if (!frame->joints[i].broken && !frame->joints[i].disabled) {
            draw_line(drawing, anchor(frame, joint->body_a, joint->point_a),
                      anchor(frame, joint->body_b, joint->point_b), 3.0, violet);
        }
    }
}

static void write_title(Renderer* renderer, const CnRecordedFrame* frame) {
    const CnRecordingInfo* info = renderer->info;
    char text[200];
    double residual = 0.0;
    for (int i = 0; i < info->scalar_count; ++i) {
        residual =
            strcmp(info->scalars[i].name, "residual.worst") == 0 ? frame->scalars[i] : residual;
    }
    int used = snprintf(text, sizeof text, "%s  t %.3f s  residual %.1e m/s", info->scene_name,
                        frame->time, residual);
    if (renderer->def.shows_forces && renderer->force_scale > 0.0 && used > 0 &&
        (size_t)used < sizeof text) {
        snprintf(text + used, sizeof text - (size_t)used, "  arrows: 1 m = %g N",
                 renderer->force_scale);
    }
    int size = renderer->def.width >= 900 ? 2 : 1;
    picture_text(renderer->rgb, renderer->def.width, renderer->def.height, 8 * size, 8 * size, size,
                 text);
}

static Camera choose_camera(const Renderer* renderer) {
    const RenderDef* def = &renderer->def;
    if (def->has_camera) {
        return camera_look(def->from, def->to, HALF_TANGENT, &renderer->picture);
    }
    double narrow = fmin(1.0, (double)def->width / def->height) * HALF_TANGENT;
    double distance = renderer->radius * sqrt(1.0 + narrow * narrow) / narrow; // radius / sine
    CnVec3 direction = cn_vec3_normalize(def->direction);
    return camera_look(cn_vec3_add_scaled(renderer->center, 0.9 * distance, direction),
                       renderer->center, HALF_TANGENT, &renderer->picture);
}

static void draw_all(Renderer* renderer, const CnRecordedFrame* frame, Light* light) {
    const CnRecordingInfo* info = renderer->info;
    Drawing drawing = {&renderer->picture, choose_camera(renderer), light};
    for (int i = 0; i < info->shape_count; ++i) {
        cast_shadow(light, &renderer->solids[i], place_of(frame, &info->shapes[i]));
    }
    picture_clear(&renderer->picture, (Tint){0.93f, 0.945f, 0.957f}, (Tint){0.83f, 0.855f, 0.878f});
    for (int i = 0; i < info->shape_count; ++i) {
        const CnRecordedShape* shape = &info->shapes[i];
        draw_solid(&drawing, &renderer->solids[i], place_of(frame, shape),
                   body_tint(&info->bodies[shape->body], shape->body));
    }
    draw_joints(renderer, &drawing, frame);
    if (renderer->def.shows_forces) {
        draw_forces(renderer, &drawing, frame);
    }
    draw_planes(renderer, &drawing, frame);
    picture_reduce(&renderer->picture, renderer->rgb);
    if (renderer->def.shows_title) {
        write_title(renderer, frame);
    }
}

const uint8_t* renderer_draw(Renderer* renderer, int index, CnError* error) {
    CnRecordedFrame frame;
    Light light;
    if (cn_recording_read(renderer->recording, index, &frame, error) != CN_OK) {
        return NULL;
    }
    if (!light_create(&light, renderer->center, 1.6 * renderer->radius)) {
        fail(error, "no memory for the shadow");
        return NULL;
    }
    draw_all(renderer, &frame, &light);
    light_destroy(&light);
    return renderer->rgb;
}
