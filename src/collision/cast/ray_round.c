// ray_round.c - lines through round shapes.
//
// Each quadratic equation is solved about the point of the line nearest to the centre: the distance
// to that point and half the chord are computed separately. So a ray that starts far away loses no
// digits beyond those its origin lacks.
#include "collision/cast/ray_chord.h"

// Half the chord of a circle. r^2 - h^2 is computed as (r - h)(r + h) so that grazing lines keep
// their digits. Negative if the line passes outside, at a height h > r.
static double half_chord(double radius, double height) {
    double square = (radius - height) * (radius + height);
    return square < 0.0 ? -1.0 : sqrt(square);
}

static bool ball_chord(CnVec3 center, double radius, const CnLine* line, CnChord* chord) {
    CnVec3 start = cn_vec3_sub(line->origin, center);
    double middle = -cn_vec3_dot(start, line->direction);
    CnVec3 nearest = cn_vec3_add_scaled(start, middle, line->direction);
    double half = half_chord(radius, cn_vec3_length(nearest));
    if (half < 0.0) {
        return false;
    }
    *chord = (CnChord){
        .enter = middle - half,
        .leave = middle + half,
        .normal = cn_vec3_normalize(cn_vec3_add_scaled(nearest, -half, line->direction)),
    };
    return true;
}

bool cn_chord_sphere(const CnShape* shape, const CnLine* line, CnChord* chord) {
    return ball_chord(cn_vec3(0.0, 0.0, 0.0), shape->radius, line, chord);
}

// An infinite cylinder about z, projected along z: a circle, and a line of direction (x, y) on
// which the ray moves at slope < 1. The height of the line over the centre comes from a cross
// product, because the nearest point may be very far away when the line is nearly parallel to z.
static bool tube_chord(double radius, const CnLine* line, CnChord* chord) {
    CnVec3 o = line->origin, d = line->direction;
    double largest = fmax(fabs(d.x), fabs(d.y));
    *chord = cn_chord_all();
    if (largest == 0.0) { // along the axis: all in or all out
        return o.x * o.x + o.y * o.y <= radius * radius;
    }
    double x = d.x / largest, y = d.y / largest; // squares of tiny slopes would underflow
    double scale = sqrt(x * x + y * y);
    x /= scale;
    y /= scale;
    double slope = scale * largest;
    double height = o.x * y - o.y * x;
    double half = half_chord(radius, fabs(height));
    if (half < 0.0) {
        return false;
    }
    double middle = -(o.x * x + o.y * y);
    chord->enter = (middle - half) / slope;
    chord->leave = (middle + half) / slope;
    chord->normal = cn_vec3_normalize(cn_vec3(height * y - half * x, -height * x - half * y, 0.0));
    return true;
}

static bool clip_ends(double half_length, const CnLine* line, CnChord* chord) {
    return cn_chord_clip_slab(chord, line, cn_vec3(0.0, 0.0, 1.0), half_length);
}

bool cn_chord_cylinder(const CnShape* shape, const CnLine* line, CnChord* chord) {
    return tube_chord(shape->radius, line, chord) && clip_ends(shape->half_length, line, chord);
}

// A capsule is a tube and two balls. It is convex, so its chord goes from the first entry into a
// part to the last exit from one. The normal points away from the axis in all three parts.
bool cn_chord_capsule(const CnShape* shape, const CnLine* line, CnChord* chord) {
    CnChord parts[3];
    double half_length = shape->half_length;
    CnVec3 tip = cn_vec3(0.0, 0.0, half_length);
    const bool is_hit[3] = {
        ball_chord(tip, shape->radius, line, &parts[0]),
        ball_chord(cn_vec3_negate(tip), shape->radius, line, &parts[1]),
        tube_chord(shape->radius, line, &parts[2]) && clip_ends(half_length, line, &parts[2]),
    };
    *chord = (CnChord){.enter = INFINITY, .leave = -INFINITY};
    for (int i = 0; i < 3; ++i) {
        if (is_hit[i]) {
            chord->enter = fmin(chord->enter, parts[i].enter);
            chord->leave = fmax(chord->leave, parts[i].leave);
        }
    }
    CnVec3 point = cn_vec3_add_scaled(line->origin, chord->enter, line->direction);
    point.z -= fmax(-half_length, fmin(half_length, point.z));
    chord->normal = cn_vec3_normalize(point);
    return chord->enter <= chord->leave;
}
