// run_outputs.c - what a run writes while it goes on: events, a recording, a log, a problem.
#include "run/run_outputs.h"

#include "problems/problem_file.h"
#include "recording/codec.h"
#include "run/files.h"

#define DEFAULT_FRAME_RATE 60.0 // [1/s]: what a screen shows

OutputOptions output_options_none(void) {
    return (OutputOptions){.frame_rate = DEFAULT_FRAME_RATE};
}

RunOutputs run_outputs_none(void) {
    return (RunOutputs){.events = {.file = -1}};
}

static bool open_recorder(RunOutputs* outputs, const OutputOptions* options, const LiveScene* live,
                          CnError* error) {
    CnRecorderDef def = cn_recorder_def_default();
    if (options->record == NULL) {
        return true;
    }
    if (options->quantities != NULL) {
        outputs->quantities = cn_quantities_create(live->world, options->quantities, error);
        if (outputs->quantities == NULL) {
            return false;
        }
    }
    def.path = options->record;
    def.scene = live->scene;
    def.with_state = options->with_state;
    def.frame_rate = options->frame_rate;
    def.dt = live->settings.dt;
    def.duration = live->settings.duration;
    def.quantities = outputs->quantities;
    def.hash_every = FRAMES_PER_HASH;
    def.codec = codec_for_writing();
    outputs->recorder = cn_recorder_create(live->world, &def, error);
    return outputs->recorder != NULL;
}

bool run_outputs_open(RunOutputs* outputs, const OutputOptions* options, const LiveScene* live,
                      CnError* error) {
    outputs->dump = options->dump;
    outputs->watch = options->watch;
    return check_writable(options->dump.path, error) &&
           run_log_open(&outputs->log, options->log, options->quantities, options->log_every,
                        live->world, error) &&
           open_recorder(outputs, options, live, error) &&
           event_file_open(&outputs->events, options->events, error);
}

static bool write_problem(const RunOutputs* outputs, const CnWorld* world, CnError* error) {
    return outputs->steps != outputs->dump.step ||
           problem_file_save(cn_world_problem(world), NULL, outputs->dump.path, error) == CN_OK;
}

bool run_outputs_add(RunOutputs* outputs, const CnWorld* world, const CnStepReport* report,
                     CnError* error) {
    outputs->steps += 1;
    return event_file_add(&outputs->events, world, error) &&
           run_log_add(&outputs->log, report, error) &&
           (outputs->recorder == NULL ||
            cn_recorder_add(outputs->recorder, report, error) == CN_OK) &&
           (outputs->watch.look == NULL ||
            outputs->watch.look(outputs->watch.context, world, outputs->steps, error)) &&
           write_problem(outputs, world, error);
}

bool run_outputs_close(RunOutputs* outputs, CnError* error) {
    bool ok = event_file_close(&outputs->events, error);
    ok = run_log_close(&outputs->log, ok ? error : NULL) && ok;
    ok = cn_recorder_close(outputs->recorder, ok ? error : NULL) == CN_OK && ok;
    cn_quantities_destroy(outputs->quantities);
    *outputs = run_outputs_none();
    return ok;
}
