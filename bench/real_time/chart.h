// chart.h - bars of milliseconds per frame, by scene and engine, as a picture (SVG).
#pragma once

#include <stdbool.h>

#define CHART_BARS 32

typedef struct ChartBar {
    const char *scene, *engine;
    double value; // [ms]
} ChartBar;

typedef struct Chart {
    ChartBar bars[CHART_BARS];
    int count;
} Chart;

void chart_add(Chart* chart, const char* scene, const char* engine, double value);
bool chart_write(const Chart* chart, const char* path); // false: said on stderr
