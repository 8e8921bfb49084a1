// series.c - time series of a world: defs of all kinds become curves.
#include "base/error.h"
#include "world/validate.h"
#include "world/world.h"

#include <string.h>

#define MOST_CORNERS 4 // of a ramp or pulse

// The corners of a kind that is made of straight lines.
typedef struct SeriesCorners {
    int count;
    double times[MOST_CORNERS], values[MOST_CORNERS];
} SeriesCorners;

// A sine has no corners; its one sample shows that the curve exists.
static SeriesCorners sine_corners(const CnSeriesDef* def) {
    const CnSineDef* sine = &def->sine;
    return (SeriesCorners){1, {0.0}, {sine->offset + sine->amplitude * cn_sin(sine->phase)}};
}

static SeriesCorners ramp_corners(const CnSeriesDef* def) {
    const CnRampDef* ramp = &def->ramp;
    return (SeriesCorners){2, {ramp->start, ramp->end}, {ramp->from, ramp->to}};
}

static SeriesCorners pulse_corners(const CnSeriesDef* def) {
    const CnPulseDef* pulse = &def->pulse;
    double top = pulse->start + pulse->rise, fall = top + pulse->width;
    return (SeriesCorners){4,
                           {pulse->start, top, fall, fall + pulse->rise},
                           {pulse->low, pulse->high, pulse->high, pulse->low}};
}

static SeriesCorners (*const corners_of[CN_SERIES_KIND_COUNT])(const CnSeriesDef* def) = {
    [CN_SERIES_SINE] = sine_corners,
    [CN_SERIES_RAMP] = ramp_corners,
    [CN_SERIES_PULSE] = pulse_corners,
};

void cn_series_aim(CnSeries* series) {
    CnCurve* curve = &series->curve;
    size_t count = (size_t)curve->count;
    curve->times = series->samples;
    curve->values = series->samples + count;
    curve->first = series->samples + 2 * count;
    curve->second = series->samples + 3 * count;
}

static void fill(const CnSeriesDef* def, int count, const double* times, const double* values,
                 CnSeries* series) {
    double* samples = series->samples;
    memcpy(samples, times, (size_t)count * sizeof(double));
    memcpy(samples + count, values, (size_t)count * sizeof(double));
    cn_curve_integrate(count, samples, samples + count, samples + 2 * count, samples + 3 * count);
    series->curve = (CnCurve){.count = count};
    if (def->kind == CN_SERIES_SINE) {
        series->curve.sine = (CnSineWave){def->sine.amplitude, def->sine.offset,
                                          2.0 * CN_PI * def->sine.frequency, def->sine.phase};
    } else if (def->kind == CN_SERIES_PULSE) {
        series->curve.period = def->pulse.period;
    }
    cn_series_aim(series);
}

CnSeriesId cn_world_add_series(CnWorld* world, const CnSeriesDef* def, CnError* error) {
    if (cn_validate_series(def, NULL, error) != CN_OK ||
        cn_world_check_idle(world, error) != CN_OK) {
        return (CnSeriesId){0};
    }
    CnSeries* series = NULL;
    SeriesCorners corners = {0};
    bool is_table = def->kind == CN_SERIES_TABLE;
    if (!is_table) {
        corners = corners_of[def->kind](def);
    }
    int count = is_table ? def->count : corners.count;
    char* name = cn_world_copy_name(world, def->name);
    double* samples = cn_allocate(&world->allocator, 4 * (size_t)count, sizeof(double));
    CnPoolId id = {0};
    if (name != NULL && samples != NULL) {
        id = cn_pool_add(&world->series, (void**)&series);
    }
    if (series == NULL) {
        cn_name_free(&world->allocator, name);
        cn_release(&world->allocator, samples);
        cn_error_set(error, CN_NO_MEMORY, "no memory for a series of %d samples", count);
        return (CnSeriesId){0};
    }
    *series = (CnSeries){.name = name, .samples = samples};
    fill(def, count, is_table ? def->times : corners.times, is_table ? def->values : corners.values,
         series);
    return (CnSeriesId){id.index, id.generation};
}

CnStatus cn_world_read_series(const CnWorld* world, CnSeriesId id, double time,
                              CnSeriesReading* reading) {
    const CnSeries* series = cn_pool_get(&world->series, CN_POOL_ID(id));
    *reading = (CnSeriesReading){0};
    if (series == NULL) {
        return CN_STALE;
    }
    if (!isfinite(time)) {
        return CN_INVALID;
    }
    *reading = (CnSeriesReading){
        .value = cn_curve_value(&series->curve, time),
        .derivative = cn_curve_slope(&series->curve, time),
        .integral = cn_curve_integral(&series->curve, time),
        .second_integral = cn_curve_second_integral(&series->curve, time),
    };
    return CN_OK;
}
