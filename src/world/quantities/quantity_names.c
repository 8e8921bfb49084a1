// quantity_names.c - the names of quantities, and which of them a pattern means.
#include "world/quantities/quantities.h"
#include "world/world.h"

#include <stdio.h>

// The last star is tried with one letter more each time the rest does not fit: enough, because an
// earlier star could only leave less to the later ones.
bool cn_name_matches(const char* pattern, const char* name) {
    const char *star = NULL, *from = NULL;
    while (*name != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            from = name;
        } else if (*pattern == '?' || *pattern == *name) {
            ++pattern;
            ++name;
        } else if (star != NULL) {
            pattern = star + 1;
            name = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        ++pattern;
    }
    return *pattern == '\0';
}

const char* cn_quantity_body_label(const CnWorld* world, int body, char* buffer, size_t size) {
    if (body < 0) {
        return "world";
    }
    const char* name = world->details.data[body].name;
    if (name[0] != '\0') {
        return name;
    }
    snprintf(buffer, size, "body %d", body);
    return buffer;
}

// Longer names than any a scene needs; what is cut off is no name of a quantity.
#define NAME_SIZE 512

static bool visit_table(const CnQuantityTable* table, const char* before, CnQuantity quantity,
                        CnQuantityVisit* visit, void* data) {
    char name[NAME_SIZE];
    bool goes_on = true;
    for (int i = 0; i < table->count && goes_on; ++i) {
        quantity.part = &table->parts[i];
        snprintf(name, sizeof name, "%s%s", before, quantity.part->name);
        goes_on = visit(&quantity, name, data);
    }
    return goes_on;
}

bool cn_quantities_visit(const CnWorld* world, CnQuantityVisit* visit, void* data) {
    char before[NAME_SIZE], label[32];
    bool goes_on = visit_table(&cn_world_quantities, "", (CnQuantity){0}, visit, data);
    for (int i = 0; i < world->order.count && goes_on; ++i) {
        CnQuantity quantity = {.body = world->order.data[i]};
        snprintf(before, sizeof before, "body.%s.",
                 cn_quantity_body_label(world, i, label, sizeof label));
        goes_on = visit_table(&cn_body_quantities, before, quantity, visit, data);
    }
    for (int i = 0; i < world->joint_order.count && goes_on; ++i) {
        CnQuantity quantity = {.joint = world->joint_order.data[i]};
        const char* name = cn_joint_name(world, quantity.joint);
        snprintf(label, sizeof label, "joint %d", i);
        snprintf(before, sizeof before, "joint.%s.", name[0] != '\0' ? name : label);
        goes_on = visit_table(&cn_joint_quantities, before, quantity, visit, data);
    }
    return goes_on;
}
