// run_attribution.c - momentum and energy by channel, summed up over a run.
#include "run/run_attribution.h"

#include "cairn/joint.h"

#include <stdlib.h>
#include <string.h>

// What entries of a run are told apart by: contacts of two bodies count together, and so do all
// parts of a joint.
static CnAttribution sum_of(const CnAttribution* entry) {
    CnAttribution sum = *entry;
    sum.island = CN_ALL_ISLANDS;
    sum.shape_a = sum.shape_b = (CnShapeId){0};
    if (sum.joint.index != 0) {
        sum.constraint = (CnConstraintId){0};
    }
    return sum;
}

static int compare_ids(const uint32_t a[2], const uint32_t b[2]) {
    int i = a[0] == b[0];
    return a[i] < b[i] ? -1 : a[i] > b[i];
}

// 0: the same pair, contact, joint or constraint.
static int compare_owners(const CnAttribution* a, const CnAttribution* b) {
    const uint32_t ids[][2][2] = {
        {{a->joint.index, a->joint.generation}, {b->joint.index, b->joint.generation}},
        {{a->constraint.index, a->constraint.generation},
         {b->constraint.index, b->constraint.generation}},
        {{a->contact.index, a->contact.generation}, {b->contact.index, b->contact.generation}},
        {{a->body_a.index, a->body_a.generation}, {b->body_a.index, b->body_a.generation}},
        {{a->body_b.index, a->body_b.generation}, {b->body_b.index, b->body_b.generation}},
    };
    int order = 0;
    for (size_t i = 0; order == 0 && i < sizeof ids / sizeof ids[0]; ++i) {
        order = compare_ids(ids[i][0], ids[i][1]);
    }
    return order;
}

static int compare(const CnAttribution* a, const CnAttribution* b) {
    int order = compare_owners(a, b);
    return order != 0 ? order : (int)a->channel - (int)b->channel;
}

static bool reserve(CnAttribution** entries, int* capacity, int count) {
    if (count <= *capacity) {
        return true;
    }
    int wanted = count > 2 * *capacity ? count : 2 * *capacity;
    CnAttribution* grown = realloc(*entries, (size_t)wanted * sizeof *grown);
    if (grown != NULL) {
        *entries = grown;
        *capacity = wanted;
    }
    return grown != NULL;
}

static bool add_entry(RunAttribution* attribution, const CnAttribution* entry) {
    CnAttribution sum = sum_of(entry);
    int low = 0, high = attribution->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (compare(&attribution->sums[middle], &sum) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < attribution->count && compare(&attribution->sums[low], &sum) == 0) {
        CnChannelShare shares[CN_CHANNEL_COUNT] = {{0}};
        shares[sum.channel] = attribution->sums[low].share;
        cn_attribution_sum(&sum, 1, CN_ALL_ISLANDS, shares);
        attribution->sums[low].share = shares[sum.channel];
        return true;
    }
    if (!reserve(&attribution->sums, &attribution->capacity, attribution->count + 1)) {
        return false;
    }
    memmove(&attribution->sums[low + 1], &attribution->sums[low],
            (size_t)(attribution->count - low) * sizeof sum);
    attribution->sums[low] = sum;
    ++attribution->count;
    return true;
}

void run_attribution_add(RunAttribution* attribution, const CnWorld* world,
                         const CnStepReport* report) {
    CnChannelShare totals[CN_CHANNEL_COUNT] = {{0}};
    int count = cn_world_attribution(world, NULL, 0);
    attribution->is_kept = count >= 0;
    if (!attribution->is_kept || attribution->lacks_memory) {
        return;
    }
    bool ok = reserve(&attribution->last, &attribution->last_capacity, count);
    if (ok) {
        attribution->last_count = cn_world_attribution(world, attribution->last, count);
        cn_attribution_sum(attribution->last, count, CN_ALL_ISLANDS, totals);
        attribution->error = fmax(attribution->error, cn_attribution_error(totals, report));
    }
    for (int i = 0; ok && i < count; ++i) {
        ok = add_entry(attribution, &attribution->last[i]);
    }
    attribution->lacks_memory = !ok;
}

static void write_share(JsonOut* json, CnChannel channel, const CnChannelShare* share) {
    json_begin_object(json, NULL);
    json_text(json, "channel", cn_channel_name(channel));
    json_real(json, "work", share->work);
    json_real(json, "angular_work", share->angular_work);
    json_real(json, "impulse", share->impulse);
    json_vec3(json, "linear_external", share->linear_external);
    json_vec3(json, "angular_external", share->angular_external);
    json_vec3(json, "linear_internal", share->linear_internal);
    json_vec3(json, "angular_internal", share->angular_internal);
    json_end(json);
}

// Those of an island, or of all entries; channels without rows are left out.
static void write_channels(JsonOut* json, const CnAttribution* entries, int count, int island) {
    CnChannelShare totals[CN_CHANNEL_COUNT] = {{0}};
    bool is_there[CN_CHANNEL_COUNT] = {false};
    cn_attribution_sum(entries, count, island, totals);
    for (int i = 0; i < count; ++i) {
        if (island == CN_ALL_ISLANDS || entries[i].island == island) {
            is_there[entries[i].channel] = true;
        }
    }
    json_begin_array(json, "channels");
    for (int i = 0; i < CN_CHANNEL_COUNT; ++i) {
        if (is_there[i]) {
            write_share(json, (CnChannel)i, &totals[i]);
        }
    }
    json_end(json);
}

static void write_body(JsonOut* json, const CnWorld* world, CnBodyId body) {
    json_text(json, NULL, body.index == 0 ? "world" : cn_body_name(world, body));
}

static void write_owner(JsonOut* json, const CnWorld* world, const CnAttribution* entries,
                        int count) {
    CnConstraintInfo info = {.name = ""};
    json_begin_object(json, NULL);
    if (entries->joint.index != 0) {
        json_text(json, "joint", cn_joint_name(world, entries->joint));
    } else if (cn_constraint_info(world, entries->constraint, &info) == CN_OK) {
        json_text(json, "constraint", info.name);
    }
    json_begin_array(json, "bodies");
    write_body(json, world, entries->body_a);
    write_body(json, world, entries->body_b);
    json_end(json);
    write_channels(json, entries, count, CN_ALL_ISLANDS);
    json_end(json);
}

// Contacts, or all others.
static void write_owners(const RunAttribution* attribution, const CnWorld* world, bool contacts,
                         JsonOut* json) {
    json_begin_array(json, contacts ? "pairs" : "constraints");
    for (int begin = 0, end; begin < attribution->count; begin = end) {
        const CnAttribution* first = &attribution->sums[begin];
        for (end = begin + 1;
             end < attribution->count && compare_owners(first, &attribution->sums[end]) == 0;) {
            ++end;
        }
        bool is_contact = first->joint.index == 0 && first->constraint.index == 0;
        if (is_contact == contacts) {
            write_owner(json, world, first, end - begin);
        }
    }
    json_end(json);
}

static void write_islands(const RunAttribution* attribution, JsonOut* json) {
    int islands = 0;
    for (int i = 0; i < attribution->last_count; ++i) {
        islands =
            attribution->last[i].island >= islands ? attribution->last[i].island + 1 : islands;
    }
    json_begin_array(json, "islands");
    for (int i = 0; i < islands; ++i) {
        json_begin_object(json, NULL);
        json_integer(json, "island", i);
        write_channels(json, attribution->last, attribution->last_count, i);
        json_end(json);
    }
    json_end(json);
}

void run_attribution_write(const RunAttribution* attribution, const CnWorld* world, JsonOut* json) {
    if (!attribution->is_kept) {
        return;
    }
    if (attribution->lacks_memory) {
        json_null(json, "attribution");
        return;
    }
    json_begin_object(json, "attribution");
    json_real(json, "error", attribution->error);
    write_channels(json, attribution->sums, attribution->count, CN_ALL_ISLANDS);
    write_owners(attribution, world, true, json);
    write_owners(attribution, world, false, json);
    write_islands(attribution, json);
    json_end(json);
}

void run_attribution_release(RunAttribution* attribution) {
    free(attribution->sums);
    free(attribution->last);
    *attribution = (RunAttribution){0};
}
