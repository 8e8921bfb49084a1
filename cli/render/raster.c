// raster.c - triangles, lines and the ground into a picture: shaded, with one soft shadow.
#include "render/raster.h"

#include <math.h>
#include <stdlib.h>

#define NEAR 1e-3     // least share of the distance to the target that is drawn
#define MAP_SIZE 1536 // of the shadow [samples across]
#define SOFTNESS 2    // samples around one that its shadow is the mean of
#define SHADOW_BIAS                                                                                \
    4e-3 // share of the radius by which a face must lie behind another to be in its shadow

// ---- camera ----

Camera camera_look(CnVec3 from, CnVec3 to, double half_tangent, const Picture* picture) {
    CnVec3 ahead = cn_vec3_normalize(cn_vec3_sub(to, from));
    CnVec3 up = fabs(ahead.z) < 0.9999 ? cn_vec3(0.0, 0.0, 1.0) : cn_vec3(0.0, 1.0, 0.0);
    CnVec3 right = cn_vec3_normalize(cn_vec3_cross(ahead, up));
    return (Camera){from,          right,        cn_vec3_cross(ahead, right), ahead, half_tangent,
                    picture->wide, picture->high};
}

typedef struct Seen {
    double x, y, distance; // [samples], [samples], along the view [m]
} Seen;

static CnVec3 to_view(const Camera* camera, CnVec3 place) {
    CnVec3 d = cn_vec3_sub(place, camera->eye);
    return cn_vec3(cn_vec3_dot(d, camera->right), cn_vec3_dot(d, camera->down),
                   cn_vec3_dot(d, camera->ahead));
}

static Seen project(const Camera* camera, CnVec3 view) {
    double scale = 0.5 * camera->high / (camera->focus * view.z);
    return (Seen){0.5 * camera->wide + scale * view.x, 0.5 * camera->high + scale * view.y, view.z};
}

// ---- light ----

bool light_create(Light* light, CnVec3 center, double radius) {
    CnVec3 toward = cn_vec3_normalize(cn_vec3(-0.45, -0.6, 1.0));
    CnVec3 across = cn_vec3_normalize(cn_vec3_cross(cn_vec3(0.0, 0.0, 1.0), toward));
    *light = (Light){toward,
                     across,
                     cn_vec3_cross(toward, across),
                     center,
                     radius,
                     MAP_SIZE,
                     malloc((size_t)MAP_SIZE * MAP_SIZE * sizeof(float))};
    for (size_t i = 0; light->depth != NULL && i < (size_t)MAP_SIZE * MAP_SIZE; ++i) {
        light->depth[i] = -INFINITY;
    }
    return light->depth != NULL;
}

void light_destroy(Light* light) {
    free(light->depth);
    *light = (Light){0};
}

static Seen seen_from_light(const Light* light, CnVec3 place) {
    CnVec3 d = cn_vec3_sub(place, light->center);
    double scale = 0.5 * light->size / light->radius;
    return (Seen){0.5 * light->size + scale * cn_vec3_dot(d, light->across),
                  0.5 * light->size + scale * cn_vec3_dot(d, light->up),
                  cn_vec3_dot(d, light->toward)};
}

// ---- triangles on a raster ----

static double side(Seen a, Seen b, double x, double y) {
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

typedef struct Extent {
    int x0, x1, y0, y1; // samples, the last one included
} Extent;

static int clamp_to(double value, int most) {
    return value < 0.0 ? 0 : value > most ? most : (int)value;
}

static Extent extent_of(const Seen s[3], int wide, int high) {
    return (Extent){clamp_to(fmin(s[0].x, fmin(s[1].x, s[2].x)), wide),
                    clamp_to(fmax(s[0].x, fmax(s[1].x, s[2].x)), wide - 1),
                    clamp_to(fmin(s[0].y, fmin(s[1].y, s[2].y)), high),
                    clamp_to(fmax(s[0].y, fmax(s[1].y, s[2].y)), high - 1)};
}

// Weights of the corners at the middle of a sample; false outside.
static bool weigh(const Seen s[3], double area, int x, int y, double weight[3]) {
    double px = x + 0.5, py = y + 0.5;
    weight[0] = side(s[1], s[2], px, py) / area;
    weight[1] = side(s[2], s[0], px, py) / area;
    weight[2] = 1.0 - weight[0] - weight[1];
    return weight[0] >= 0.0 && weight[1] >= 0.0 && weight[2] >= 0.0;
}

void light_add(Light* light, const CnVec3 corners[3]) {
    Seen s[3];
    double weight[3];
    for (int i = 0; i < 3; ++i) {
        s[i] = seen_from_light(light, corners[i]);
    }
    double area = side(s[0], s[1], s[2].x, s[2].y);
    Extent extent = extent_of(s, light->size, light->size);
    for (int y = extent.y0; area != 0.0 && y <= extent.y1; ++y) {
        for (int x = extent.x0; x <= extent.x1; ++x) {
            float* depth = &light->depth[(size_t)y * (size_t)light->size + (size_t)x];
            if (weigh(s, area, x, y, weight)) {
                double distance = weight[0] * s[0].distance + weight[1] * s[1].distance +
                                  weight[2] * s[2].distance;
                *depth = fmaxf(*depth, (float)distance);
            }
        }
    }
}

double light_share(const Light* light, CnVec3 place) {
    Seen seen = seen_from_light(light, place);
    double limit = seen.distance + SHADOW_BIAS * light->radius;
    int lit = 0, count = 0;
    for (int dy = -SOFTNESS; dy <= SOFTNESS; ++dy) {
        for (int dx = -SOFTNESS; dx <= SOFTNESS; ++dx, ++count) {
            double x = floor(seen.x) + dx, y = floor(seen.y) + dy;
            bool is_inside = x >= 0.0 && y >= 0.0 && x < light->size && y < light->size;
            lit += !is_inside ||
                   (double)light->depth[(size_t)y * (size_t)light->size + (size_t)x] <= limit;
        }
    }
    return (double)lit / count;
}

// ---- shading ----

// Sky light by how much the face looks up, sunlight by how much it looks to the light.
static Tint shade(const Light* light, CnVec3 place, CnVec3 normal, Tint tint) {
    double sun = fmax(cn_vec3_dot(normal, light->toward), 0.0);
    double share = sun > 0.0 ? light_share(light, place) : 0.0;
    double sky = 0.50 + 0.16 * normal.z;
    float bright = (float)fmin(sky + 0.58 * sun * share, 1.25);
    return (Tint){tint.r * bright, tint.g * bright, tint.b * bright};
}

typedef struct SeenCorner {
    CnVec3 view, place, normal;
} SeenCorner;

static SeenCorner corner_between(SeenCorner a, SeenCorner b, double share) {
    return (SeenCorner){cn_vec3_add_scaled(a.view, share, cn_vec3_sub(b.view, a.view)),
                        cn_vec3_add_scaled(a.place, share, cn_vec3_sub(b.place, a.place)),
                        cn_vec3_add_scaled(a.normal, share, cn_vec3_sub(b.normal, a.normal))};
}

static double near_plane(const Drawing* drawing) {
    return NEAR * drawing->light->radius;
}

// What of a triangle lies ahead of the near plane: 0, 3 or 4 corners.
static int clip(const SeenCorner in[3], double near, SeenCorner out[4]) {
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        const SeenCorner *a = &in[i], *b = &in[(i + 1) % 3];
        if (a->view.z >= near) {
            out[count++] = *a;
        }
        if ((a->view.z >= near) != (b->view.z >= near)) {
            out[count++] = corner_between(*a, *b, (near - a->view.z) / (b->view.z - a->view.z));
        }
    }
    return count;
}

// Weights on the screen become weights in space: each divided by its distance.
static void fill(const Drawing* drawing, const SeenCorner corners[3], Tint tint) {
    Picture* picture = drawing->picture;
    Seen s[3];
    for (int i = 0; i < 3; ++i) {
        s[i] = project(&drawing->camera, corners[i].view);
    }
    double area = side(s[0], s[1], s[2].x, s[2].y), w[3];
    Extent extent = extent_of(s, picture->wide, picture->high);
    for (int y = extent.y0; area != 0.0 && y <= extent.y1; ++y) {
        for (int x = extent.x0; x <= extent.x1; ++x) {
            if (!weigh(s, area, x, y, w)) {
                continue;
            }
            size_t at = (size_t)y * (size_t)picture->wide + (size_t)x;
            double distance =
                1.0 / (w[0] / s[0].distance + w[1] / s[1].distance + w[2] / s[2].distance);
            if ((float)distance >= picture->depth[at]) {
                continue;
            }
            CnVec3 place = {0}, normal = {0};
            for (int i = 0; i < 3; ++i) {
                double share = w[i] * distance / s[i].distance;
                place = cn_vec3_add_scaled(place, share, corners[i].place);
                normal = cn_vec3_add_scaled(normal, share, corners[i].normal);
            }
            picture->depth[at] = (float)distance;
            picture->tint[at] = shade(drawing->light, place, cn_vec3_normalize(normal), tint);
        }
    }
}

// Faces that look away are turned to the viewer, so that open surfaces are lit on both sides.
void draw_triangle(const Drawing* drawing, const Corner corners[3], Tint tint) {
    SeenCorner in[3], out[4];
    CnVec3 face = cn_vec3_cross(cn_vec3_sub(corners[1].place, corners[0].place),
                                cn_vec3_sub(corners[2].place, corners[0].place));
    double sign =
        cn_vec3_dot(face, cn_vec3_sub(drawing->camera.eye, corners[0].place)) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; ++i) {
        in[i] = (SeenCorner){to_view(&drawing->camera, corners[i].place), corners[i].place,
                             cn_vec3_scale(sign, corners[i].normal)};
    }
    int count = clip(in, near_plane(drawing), out);
    for (int i = 2; i < count; ++i) {
        fill(drawing, (const SeenCorner[3]){out[0], out[i - 1], out[i]}, tint);
    }
}

// ---- lines ----

void draw_line(const Drawing* drawing, CnVec3 from, CnVec3 to, double width, Tint tint) {
    const double ahead = 0.997; // of its distance, so that it is in front of the faces it bounds
    Picture* picture = drawing->picture;
    CnVec3 a = to_view(&drawing->camera, from), b = to_view(&drawing->camera, to);
    double near = near_plane(drawing);
    if (a.z < near || b.z < near) {
        return;
    }
    Seen s = project(&drawing->camera, a), e = project(&drawing->camera, b);
    double length = sqrt((e.x - s.x) * (e.x - s.x) + (e.y - s.y) * (e.y - s.y));
    int steps = (int)fmin(ceil(length), 4.0 * picture->wide);
    for (int i = 0; i <= steps; ++i) {
        double share = steps == 0 ? 0.0 : (double)i / steps;
        double distance =
            ahead / ((1.0 - share) / s.distance + share / e.distance); // linear in its inverse
        int x0 = (int)floor(s.x + share * (e.x - s.x) - 0.5 * (width - 1.0));
        int y0 = (int)floor(s.y + share * (e.y - s.y) - 0.5 * (width - 1.0));
        for (int k = 0; k < (int)(width * width); ++k) {
            int x = x0 + k % (int)width, y = y0 + k / (int)width;
            if (x >= 0 && y >= 0 && x < picture->wide && y < picture->high) {
                size_t at = (size_t)y * (size_t)picture->wide + (size_t)x;
                if ((float)distance <= picture->depth[at]) {
                    picture->depth[at] = (float)distance;
                    picture->tint[at] = tint;
                }
            }
        }
    }
}

// ---- the ground ----

// How much of a sample of this footprint [m] is line: lines are a sample wide, and vanish where
// they would be closer than two samples.
static double line_share(double place, double cell, double footprint) {
    double nearest = fabs(place / cell - nearbyint(place / cell)) * cell;
    double share = fmax(0.0, 1.0 - nearest / fmax(footprint, 1e-12));
    return share * fmax(0.0, 1.0 - 3.0 * footprint / cell);
}

static void draw_plane_sample(const Drawing* drawing, const GridPlane* plane, Tint line, int x,
                              int y) {
    const Camera* camera = &drawing->camera;
    Picture* picture = drawing->picture;
    size_t at = (size_t)y * (size_t)picture->wide + (size_t)x;
    double scale = 2.0 * camera->focus / camera->high;
    CnVec3 ray = cn_vec3_add_scaled(
        cn_vec3_add_scaled(camera->ahead, (x + 0.5 - 0.5 * camera->wide) * scale, camera->right),
        (y + 0.5 - 0.5 * camera->high) * scale, camera->down);
    double fall = cn_vec3_dot(ray, plane->normal);
    double distance = cn_vec3_dot(cn_vec3_sub(plane->point, camera->eye), plane->normal) / fall;
    if (fall == 0.0 || !(distance > 0.0) || (float)distance >= picture->depth[at]) {
        return;
    }
    CnVec3 place = cn_vec3_add_scaled(camera->eye, distance, ray);
    CnVec3 local = cn_vec3_sub(place, plane->point);
    double far = cn_vec3_length(cn_vec3_sub(place, drawing->light->center)) / plane->reach;
    double fade = fmin(fmax(1.5 - 1.5 * far, 0.0), 1.0);
    double footprint = distance * scale / fmax(fabs(fall) / cn_vec3_length(ray), 0.05);
    double u = cn_vec3_dot(local, plane->across), v = cn_vec3_dot(local, plane->along);
    double fine =
        fmax(line_share(u, plane->cell, footprint), line_share(v, plane->cell, footprint));
    double coarse = fmax(line_share(u, 10.0 * plane->cell, footprint),
                         line_share(v, 10.0 * plane->cell, footprint));
    double dark = 0.30 * (1.0 - light_share(drawing->light, place));
    Tint tint = tint_mix(picture->tint[at], (Tint){0.05f, 0.07f, 0.09f}, (float)dark);
    picture->tint[at] = tint_mix(tint, line, (float)(fade * fmax(0.22 * fine, 0.45 * coarse)));
    picture->depth[at] = (float)distance;
}

void draw_plane(const Drawing* drawing, const GridPlane* plane, Tint line) {
    for (int y = 0; y < drawing->picture->high; ++y) {
        for (int x = 0; x < drawing->picture->wide; ++x) {
            draw_plane_sample(drawing, plane, line, x, y);
        }
    }
}
