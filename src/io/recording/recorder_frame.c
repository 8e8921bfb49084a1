// recorder_frame.c - the present state of a world as a frame, and its last step's events.
#include "io/recording/recorder.h"

#include "base/error.h"
#include "world/bodies/body_settings.h"
#include "world/contacts/contact_totals.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

static CnStatus fail_memory(CnError* error) {
    return cn_error_set(error, CN_NO_MEMORY, "no memory for a frame of the recording");
}

// ---- names ----

uint32_t cn_recorder_name(CnRecorder* recorder, const char* name) {
    uint64_t key = cn_hash_bytes(CN_HASH_SEED, name, strlen(name));
    int place = name[0] == '\0' ? -1 : cn_map_get(&recorder->names, key);
    if (name[0] == '\0') {
        return 0;
    }
    if (place < 0) {
        if (!cn_map_set(&recorder->names, key, recorder->name_count)) {
            recorder->lost_name = true;
            return 0;
        }
        if (recorder->name_count == recorder->names_written) {
            cn_write_flat_array(&recorder->text, NULL);
        }
        cn_write_text(&recorder->text, NULL, name);
        place = recorder->name_count++;
    }
    return (uint32_t)place + 1;
}

static uint32_t block_name(CnRecorder* recorder) {
    char name[120];
    if (recorder->report.certificate.worst_block < 0 || recorder->steps == 0 ||
        recorder->report.block_count == 0) {
        return 0;
    }
    cn_world_block_name(recorder->world, recorder->report.certificate.worst_block, name,
                        sizeof name);
    return cn_recorder_name(recorder, name);
}

// ---- bodies ----

// docs/recording.md: the least number of a movable body of each island.
static void find_islands(CnRecorder* recorder) {
    const CnWorld* world = recorder->world;
    const CnIslandStore* store = &world->islands;
    int* island = recorder->islands.data;
    for (int i = 0; i < recorder->islands.count; ++i) {
        const CnBody* body = &world->bodies.data[i];
        if (!body->sleep.is_asleep) {
            island[i] = cn_body_is_movable(body) ? i : -1;
        }
    }
    for (int k = 0; k < store->count && recorder->steps > 0; ++k) {
        int least = -1;
        for (int j = store->body_start.data[k]; j < store->body_start.data[k + 1]; ++j) {
            int i = store->body.data[j];
            least = island[i] >= 0 && (least < 0 || i < least) ? i : least;
        }
        for (int j = store->body_start.data[k]; j < store->body_start.data[k + 1]; ++j) {
            int i = store->body.data[j];
            island[i] = island[i] >= 0 ? least : -1;
        }
    }
}

static void set_vec3(double* numbers, CnVec3 v) {
    numbers[0] = v.x;
    numbers[1] = v.y;
    numbers[2] = v.z;
}

// q and -q are the same rotation; the one nearer to that before changes by less.
static void set_rotation(double* numbers, CnQuat q, const double* before) {
    const double parts[4] = {q.w, q.x, q.y, q.z};
    double along = 0.0;
    for (int k = 0; k < 4; ++k) {
        along += before == NULL ? parts[k] * parts[k] : parts[k] * before[k];
    }
    for (int k = 0; k < 4; ++k) {
        numbers[k] = along < 0.0 ? -parts[k] : parts[k];
    }
}

static bool add_bodies(CnRecorder* recorder) {
    const CnWorld* world = recorder->world;
    CnFrameBlock* block = &recorder->block;
    int count = block->body_count, first = block->bodies.count;
    if (!cn_array_reserve(&block->bodies, &block->allocator, first + count)) {
        return false;
    }
    find_islands(recorder);
    for (int i = 0; i < count; ++i) {
        const CnBody* body = &world->bodies.data[i];
        CnFrameBody* frame = &block->bodies.data[first + i];
        CnBodyState state = cn_world_state_of(world, i);
        CnVec3 center = cn_quat_rotate(state.rotation, body->center);
        set_vec3(frame->numbers, cn_vec3_sub(state.center, center));
        set_rotation(frame->numbers + 3, state.rotation,
                     first == 0 ? NULL : block->bodies.data[first - count + i].numbers + 3);
        set_vec3(frame->numbers + 7, state.velocity);
        set_vec3(frame->numbers + 10, state.angular_velocity);
        frame->island = recorder->islands.data[i];
        frame->flags = (uint8_t)((body->sleep.is_asleep ? CN_FLAG_ASLEEP : 0u) |
                                 (body->disabled ? CN_FLAG_DISABLED : 0u));
    }
    block->bodies.count = first + count;
    return true;
}

// ---- joints and contacts ----

static bool add_joints(CnRecorder* recorder) {
    CnFrameBlock* block = &recorder->block;
    for (int i = 0; i < block->joint_count; ++i) {
        CnJointState state;
        CnJointInfo info;
        cn_joint_read(recorder->world, recorder->joints.data[i], &state);
        cn_joint_info(recorder->world, recorder->joints.data[i], &info);
        CnFrameJoint joint = {.numbers = {(float)state.force.x, (float)state.force.y,
                                          (float)state.force.z, (float)state.torque.x,
                                          (float)state.torque.y, (float)state.torque.z},
                              .flags = (uint8_t)((state.broken ? CN_FLAG_BROKEN : 0u) |
                                                 (info.enabled ? 0u : CN_FLAG_DISABLED))};
        if (!cn_array_push(&block->joints, &block->allocator, joint)) {
            return false;
        }
    }
    return true;
}

// As cn_world_contacts() lists them.
static bool add_listed_contacts(CnRecorder* recorder) {
    const CnWorld* world = recorder->world;
    CnContactFrame* gathered = &recorder->block.codes.now;
    int count = cn_world_contacts(world, NULL, 0);
    if (!cn_array_reserve(&recorder->points, &recorder->allocator, count) ||
        !cn_array_reserve(&gathered->contacts, &recorder->allocator, count)) {
        return false;
    }
    cn_world_contacts(world, recorder->points.data, count);
    for (int i = 0; i < count; ++i) {
        gathered->contacts.data[gathered->contacts.count++] =
            cn_contact_load(world, &recorder->points.data[i], recorder->points.data[i].force);
    }
    return true;
}

// The same where the step was one part and nothing sleeps: straight from the manifolds.
static bool add_step_contacts(CnRecorder* recorder) {
    const CnWorld* world = recorder->world;
    CnContactFrame* gathered = &recorder->block.codes.now;
    const CnIntArray* manifolds = &world->step.manifolds;
    for (int i = 0; i < manifolds->count; ++i) {
        int count = cn_manifold_at(&world->pairs, manifolds->data[i])->count;
        if (!cn_array_reserve(&gathered->contacts, &recorder->allocator,
                              gathered->contacts.count + count)) {
            return false;
        }
        cn_manifold_loads(world, manifolds->data[i],
                          gathered->contacts.data + gathered->contacts.count);
        gathered->contacts.count += count;
    }
    return true;
}

static bool add_contacts(CnRecorder* recorder) {
    const CnWorld* world = recorder->world;
    bool is_listed = world->contact_totals.in_use || world->sleeping.bodies > 0;
    recorder->block.codes.now.contacts.count = 0;
    if (recorder->def.contacts && recorder->steps > 0 &&
        !(is_listed ? add_listed_contacts(recorder) : add_step_contacts(recorder))) {
        return false;
    }
    return cn_contact_codes_add(&recorder->block.codes, &recorder->precision);
}

// ---- scalars ----

static CnStatus add_scalars(CnRecorder* recorder, CnError* error) {
    CnFrameBlock* block = &recorder->block;
    CnQuantities* extra = recorder->def.quantities;
    int first = block->scalars.count;
    if (!cn_array_reserve(&block->scalars, &block->allocator, first + block->scalar_count)) {
        return fail_memory(error);
    }
    double* values = block->scalars.data + first;
    CnStatus status =
        cn_quantities_read(recorder->scalars, recorder->world, &recorder->report, values, error);
    if (status == CN_OK && extra != NULL) {
        status = cn_quantities_read(extra, recorder->world, &recorder->report,
                                    values + cn_quantities_count(recorder->scalars), error);
    }
    block->scalars.count = first + block->scalar_count;
    return status;
}

CnStatus cn_recorder_add_frame(CnRecorder* recorder, CnError* error) {
    CnFrameBlock* block = &recorder->block;
    int every = recorder->def.hash_every;
    CnFrameHead head = {
        .time = cn_world_time(recorder->world),
        .step = (uint64_t)recorder->steps,
        .hash = every > 0 && recorder->frames % every == 0 ? cn_world_hash(recorder->world) : 0,
        .worst_name = block_name(recorder),
        .contact_start = (uint32_t)block->codes.sources.count,
    };
    if (!cn_array_push(&block->frames, &block->allocator, head) || !add_bodies(recorder) ||
        !add_joints(recorder) || !add_contacts(recorder) || recorder->lost_name) {
        recorder->is_broken = true;
        return fail_memory(error);
    }
    recorder->frames += 1;
    recorder->is_frame = true;
    CnStatus status = add_scalars(recorder, error);
    recorder->is_broken = status != CN_OK;
    return status;
}

// ---- events ----

static CnEventRow row_of(CnRecorder* recorder, const CnEvent* event) {
    const CnWorld* world = recorder->world;
    bool broke = event->type == CN_EVENT_JOINT_BROKE;
    return (CnEventRow){
        .time = event->time,
        .value = broke ? event->impulse : event->speed,
        .kind = (int32_t)event->type,
        .body_a = cn_world_body_index(world, event->body_a),
        .body_b = cn_world_body_index(world, event->body_b),
        .name = broke ? cn_recorder_name(recorder, cn_joint_name(world, event->joint)) : 0,
    };
}

static bool add_missed(CnRecorder* recorder, int kind, int count, double value, uint32_t name) {
    CnEventRow row = {recorder->report.time, value, kind, -1, -1, name};
    return count == 0 || cn_array_push(&recorder->events, &recorder->allocator, row);
}

CnStatus cn_recorder_add_events(CnRecorder* recorder, CnError* error) {
    const CnStepReport* report = &recorder->report;
    int count = cn_world_events(recorder->world, NULL, 0);
    bool ok = cn_array_reserve(&recorder->latest, &recorder->allocator, count);
    if (ok) {
        cn_world_events(recorder->world, recorder->latest.data, count);
    }
    for (int i = 0; i < count && ok; ++i) {
        CnEventRow row = row_of(recorder, &recorder->latest.data[i]);
        ok = cn_array_push(&recorder->events, &recorder->allocator, row);
    }
    uint32_t block = report->not_converged > 0 ? block_name(recorder) : 0;
    uint32_t pair =
        report->positions.missed > 0 ? cn_recorder_name(recorder, report->positions.pair) : 0;
    ok = ok &&
         add_missed(recorder, CN_RECORDED_NOT_CONVERGED, report->not_converged,
                    report->certificate.worst, block) &&
         add_missed(recorder, CN_RECORDED_POSITIONS_MISSED, report->positions.missed,
                    report->positions.error, pair) &&
         add_missed(recorder, CN_RECORDED_OUT_OF_BUDGET, report->out_of_budget, 0.0, 0);
    return ok && !recorder->lost_name ? CN_OK : fail_memory(error);
}
