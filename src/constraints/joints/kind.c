// kind.c - whether a function table, and the data given to one of ours, make sense.
#include "constraints/joints/kind.h"

#include "base/error.h"
#include "base/guard.h"
#include "math/refuse.h"

#include <string.h>

CnConstraintDef cn_constraint_def_default(void) {
    return (CnConstraintDef){.keep = cn_keeping_default(), .guard = CN_DEF_GUARD};
}

CnKeeping cn_keeping_default(void) {
    return (CnKeeping){.alpha = 10.0, .beta = 10.0};
}

CnStatus cn_keeping_validate(const CnKeeping* keep, const char** field, CnError* error) {
    REQUIRE_NOT_NEGATIVE(keep->compliance, "compliance", " m/N");
    REQUIRE_NOT_NEGATIVE(keep->compliance_turn, "compliance_turn", " rad/(N m)");
    REQUIRE_NOT_NEGATIVE(keep->alpha, "alpha", " 1/s^2");
    REQUIRE_NOT_NEGATIVE(keep->beta, "beta", " 1/s");
    return CN_OK;
}

CnStatus cn_constraint_kind_validate(const CnConstraintKind* kind, CnError* error) {
    if (kind == NULL) {
        return cn_error_set(error, CN_INVALID, "a constraint needs a kind; it is NULL");
    }
    if (kind->name == NULL) {
        return cn_error_set(error, CN_INVALID, "a constraint kind needs a name; it is NULL");
    }
    if (kind->body_count < 1 || kind->body_count > 2) {
        return cn_error_set(error, CN_INVALID,
                            "constraint kind \"%s\" has body_count %d; it must be 1 or 2",
                            kind->name, kind->body_count);
    }
    if (kind->dimension < 1 || kind->dimension > CN_MAX_ROWS) {
        return cn_error_set(error, CN_INVALID,
                            "constraint kind \"%s\" has dimension %d; it must be 1 to %d",
                            kind->name, kind->dimension, CN_MAX_ROWS);
    }
    if (kind->coordinates != CN_COORDINATES_VELOCITY && kind->coordinates != CN_COORDINATES_POSE) {
        return cn_error_set(error, CN_INVALID,
                            "constraint kind \"%s\" has coordinates %d; there are no such ones",
                            kind->name, (int)kind->coordinates);
    }
    if (kind->evaluate == NULL || kind->jacobian == NULL) {
        return cn_error_set(error, CN_INVALID, "constraint kind \"%s\" has no function %s",
                            kind->name, kind->evaluate == NULL ? "evaluate" : "jacobian");
    }
    if (kind->softness != NULL && kind->force_bounds == NULL) {
        return cn_error_set(error, CN_INVALID,
                            "constraint kind \"%s\" has softness but no force_bounds", kind->name);
    }
    if (kind->force != NULL && kind->force_bounds != NULL) {
        return cn_error_set(error, CN_INVALID,
                            "constraint kind \"%s\" has both force and force_bounds: a given force "
                            "has no bounds",
                            kind->name);
    }
    return CN_OK;
}

typedef enum MemberType { POINT, LENGTH } MemberType;

typedef struct Member {
    const char* name; // NULL ends a list
    MemberType type;
    size_t offset;
} Member;

#define MAX_MEMBERS 4

static const struct OwnKind {
    const CnConstraintKind* (*kind)(void);
    size_t data_size;
    Member members[MAX_MEMBERS];
} own_kinds[] = {
    {cn_distance_kind,
     sizeof(CnDistanceData),
     {{"point_a", POINT, offsetof(CnDistanceData, point_a)},
      {"point_b", POINT, offsetof(CnDistanceData, point_b)},
      {"length", LENGTH, offsetof(CnDistanceData, length)}}},
    {cn_anchor_distance_kind,
     sizeof(CnAnchorDistanceData),
     {{"point_a", POINT, offsetof(CnAnchorDistanceData, point_a)},
      {"anchor", POINT, offsetof(CnAnchorDistanceData, anchor)},
      {"length", LENGTH, offsetof(CnAnchorDistanceData, length)}}},
    {cn_pin_kind,
     sizeof(CnPinData),
     {{"point_a", POINT, offsetof(CnPinData, point_a)},
      {"anchor", POINT, offsetof(CnPinData, anchor)}}},
};

static CnStatus validate_member(const Member* member, const void* data, CnError* error) {
    const char* place = (const char*)data + member->offset;
    double parts[3] = {0.0};

    memcpy(parts, place, member->type == POINT ? sizeof(CnVec3) : sizeof(double));
    if (member->type == POINT && !cn_vec3_is_finite(cn_vec3(parts[0], parts[1], parts[2]))) {
        return cn_error_set(error, CN_INVALID,
                            "%s is (%g, %g, %g); every part must be a finite number", member->name,
                            parts[0], parts[1], parts[2]);
    }
    if (member->type == LENGTH && !(isfinite(parts[0]) && parts[0] > 0.0)) {
        return cn_error_set(error, CN_INVALID, "%s is %g m; it must be positive", member->name,
                            parts[0]);
    }
    return CN_OK;
}

static CnStatus validate_own(const struct OwnKind* own, const void* data, size_t size,
                             const char** field, CnError* error) {
    const char* wrong = "data";
    CnStatus status = CN_OK;

    if (data == NULL || size != own->data_size) {
        status = cn_error_set(error, CN_INVALID,
                              "constraint kind \"%s\" needs %zu bytes of data; it was given %zu",
                              own->kind()->name, own->data_size, data == NULL ? 0 : size);
    }
    for (int i = 0; status == CN_OK && i < MAX_MEMBERS && own->members[i].name != NULL; ++i) {
        wrong = own->members[i].name;
        status = validate_member(&own->members[i], data, error);
    }
    if (status != CN_OK && field != NULL) {
        *field = wrong;
    }
    return status;
}

CnStatus cn_constraint_data_validate(const CnConstraintKind* kind, const void* data, size_t size,
                                     const char** field, CnError* error) {
    for (size_t i = 0; i < sizeof own_kinds / sizeof own_kinds[0]; ++i) {
        if (kind == own_kinds[i].kind()) {
            return validate_own(&own_kinds[i], data, size, field, error);
        }
    }
    return CN_OK;
}
