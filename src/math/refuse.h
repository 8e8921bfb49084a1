// refuse.h - error messages for invalid members of a def: a sentence and the name of the field.
//
// For functions that have `const char** field` and `CnError* error` among their parameters.
#pragma once

#include "base/error.h"
#include "base/guard.h"
#include "cairn/math.h"

// Rotations may be this far from unit length before they are refused: they are normalised anyway,
// and this is what seven printed digits lose.
#define CN_UNIT_TOLERANCE 1e-6

static inline CnStatus cn_refuse_field(const char** field, const char* name) {
    if (field != NULL) {
        *field = name;
    }
    return CN_INVALID;
}

#define REFUSE(name, ...)                                                                          \
    do {                                                                                           \
        cn_error_set(error, CN_INVALID, __VA_ARGS__);                                              \
        return cn_refuse_field(field, (name));                                                     \
    } while (0)

#define REQUIRE_GUARD(def, function)                                                               \
    do {                                                                                           \
        if ((def)->guard != CN_DEF_GUARD) {                                                        \
            REFUSE("guard", "the def was not made by " function "()");                             \
        }                                                                                          \
    } while (0)

#define REQUIRE_FINITE_VECTOR(vector, name)                                                        \
    do {                                                                                           \
        if (!cn_vec3_is_finite(vector)) {                                                          \
            REFUSE((name), "%s is (%g, %g, %g); every part must be a finite number", (name),       \
                   (vector).x, (vector).y, (vector).z);                                            \
        }                                                                                          \
    } while (0)

#define REQUIRE_FINITE(value, name, unit)                                                          \
    do {                                                                                           \
        if (!isfinite(value)) {                                                                    \
            REFUSE((name), "%s is %g%s; it must be a finite number", (name), (value), (unit));     \
        }                                                                                          \
    } while (0)

// The negations catch NaN.
#define REQUIRE_RANGE(value, low, high, name, unit)                                                \
    do {                                                                                           \
        if (!((value) >= (low) && (value) <= (high))) {                                            \
            REFUSE((name), "%s is %g%s; it must be in [%g, %g]", (name), (double)(value), (unit),  \
                   (double)(low), (double)(high));                                                 \
        }                                                                                          \
    } while (0)

#define REQUIRE_POSITIVE(value, name, unit)                                                        \
    do {                                                                                           \
        if (!((value) > 0.0 && isfinite(value))) {                                                 \
            REFUSE((name), "%s is %g%s; it must be positive and finite", (name), (value), (unit)); \
        }                                                                                          \
    } while (0)

#define REQUIRE_NOT_NEGATIVE(value, name, unit)                                                    \
    do {                                                                                           \
        if (!((value) >= 0.0 && isfinite(value))) {                                                \
            REFUSE((name), "%s is %g%s; it must be zero or positive, and finite", (name), (value), \
                   (unit));                                                                        \
        }                                                                                          \
    } while (0)

#define REQUIRE_UNIT_VECTOR(vector, name)                                                          \
    do {                                                                                           \
        double vector_length = cn_vec3_length(vector);                                             \
        if (!(fabs(vector_length - 1.0) <= CN_UNIT_TOLERANCE)) {                                   \
            REFUSE((name), "%s has length %g; it must be a unit vector", (name), vector_length);   \
        }                                                                                          \
    } while (0)

#define REQUIRE_UNIT_QUATERNION(rotation, name)                                                    \
    do {                                                                                           \
        double quaternion_length = cn_quat_length(rotation);                                       \
        if (!(fabs(quaternion_length - 1.0) <= CN_UNIT_TOLERANCE)) {                               \
            REFUSE((name), "the quaternion has length %g; it must be a unit quaternion",           \
                   quaternion_length);                                                             \
        }                                                                                          \
    } while (0)
