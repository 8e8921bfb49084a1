// validate_series.c - whether the def of a series makes sense by itself.
#include "base/error.h"
#include "math/refuse.h"
#include "world/validate.h"

static CnStatus validate_table(const CnSeriesDef* def, const char** field, CnError* error) {
    if (def->count < 1 || def->times == NULL || def->values == NULL) {
        REFUSE("times", "a series needs at least one time and one value");
    }
    for (int i = 0; i < def->count; ++i) {
        if (!isfinite(def->times[i])) {
            REFUSE("times", "times[%d] is %g; it must be a finite number", i, def->times[i]);
        }
        if (!isfinite(def->values[i])) {
            REFUSE("values", "values[%d] is %g; it must be a finite number", i, def->values[i]);
        }
        if (i > 0 && !(def->times[i] > def->times[i - 1])) {
            REFUSE("times", "times[%d] is %g s, not after times[%d], which is %g s", i,
                   def->times[i], i - 1, def->times[i - 1]);
        }
    }
    return CN_OK;
}

static CnStatus validate_sine(const CnSeriesDef* def, const char** field, CnError* error) {
    const CnSineDef* sine = &def->sine;
    REQUIRE_FINITE(sine->amplitude, "sine.amplitude", "");
    REQUIRE_FINITE(sine->offset, "sine.offset", "");
    REQUIRE_FINITE(sine->phase, "sine.phase", " rad");
    REQUIRE_POSITIVE(sine->frequency, "sine.frequency", " 1/s");
    return CN_OK;
}

static CnStatus validate_ramp(const CnSeriesDef* def, const char** field, CnError* error) {
    const CnRampDef* ramp = &def->ramp;
    REQUIRE_FINITE(ramp->from, "ramp.from", "");
    REQUIRE_FINITE(ramp->to, "ramp.to", "");
    REQUIRE_FINITE(ramp->start, "ramp.start", " s");
    REQUIRE_FINITE(ramp->end, "ramp.end", " s");
    if (!(ramp->end > ramp->start)) {
        REFUSE("ramp.end", "ramp.end is %g s; it must be after ramp.start, %g s", ramp->end,
               ramp->start);
    }
    return CN_OK;
}

static CnStatus validate_pulse(const CnSeriesDef* def, const char** field, CnError* error) {
    const CnPulseDef* pulse = &def->pulse;
    double length = pulse->width + 2.0 * pulse->rise;
    REQUIRE_FINITE(pulse->low, "pulse.low", "");
    REQUIRE_FINITE(pulse->high, "pulse.high", "");
    REQUIRE_FINITE(pulse->start, "pulse.start", " s");
    REQUIRE_NOT_NEGATIVE(pulse->width, "pulse.width", " s");
    REQUIRE_NOT_NEGATIVE(pulse->rise, "pulse.rise", " s");
    REQUIRE_NOT_NEGATIVE(pulse->period, "pulse.period", " s");
    if (!(pulse->start + length > pulse->start)) {
        REFUSE("pulse.width", "the pulse lasts %g s from %g s; give it a width or a rise", length,
               pulse->start);
    }
    if (pulse->period > 0.0 && pulse->period < length) {
        REFUSE("pulse.period",
               "pulse.period is %g s; it must be 0 or at least %g s, the length of "
               "a pulse",
               pulse->period, length);
    }
    return CN_OK;
}

CnStatus cn_validate_series(const CnSeriesDef* def, const char** field, CnError* error) {
    static CnStatus (*const validators[CN_SERIES_KIND_COUNT])(const CnSeriesDef*, const char**,
                                                              CnError*) = {
        [CN_SERIES_TABLE] = validate_table,
        [CN_SERIES_SINE] = validate_sine,
        [CN_SERIES_RAMP] = validate_ramp,
        [CN_SERIES_PULSE] = validate_pulse,
    };
    if ((int)def->kind < 0 || def->kind >= CN_SERIES_KIND_COUNT) {
        REFUSE("kind", "the kind of a series is %d; it must be a CnSeriesKind", (int)def->kind);
    }
    return validators[def->kind](def, field, error);
}
