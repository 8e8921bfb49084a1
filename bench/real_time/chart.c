// chart.c - bars of milliseconds per frame, by scene and engine, as a picture (SVG).
#include "chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 760
#define LEFT 120  // of the bars
#define ROOM 500  // for the longest bar
#define ROW 18    // height of a bar and its gap
#define LOWEST -2 // powers of ten at both ends of the axis [ms]
#define HIGHEST 3

void chart_add(Chart* chart, const char* scene, const char* engine, double value) {
    if (chart->count < CHART_BARS) {
        chart->bars[chart->count++] = (ChartBar){scene, engine, value};
    }
}

static double place(double value) {
    double share = (log10(value) - LOWEST) / (HIGHEST - LOWEST);
    return ROOM * fmin(1.0, fmax(0.0, share));
}

bool chart_write(const Chart* chart, const char* path) {
    FILE* file = fopen(path, "w");
    int height = ROW * chart->count + 60;
    if (file == NULL) {
        perror(path);
        return false;
    }
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<text x=\"10\" y=\"18\">CPU time of a frame [ms], logarithmic</text>\n",
            WIDTH, height);
    for (int p = LOWEST; p <= HIGHEST; ++p) {
        double x = LEFT + place(pow(10.0, p));
        fprintf(file,
                "<line x1=\"%.1f\" y1=\"26\" x2=\"%.1f\" y2=\"%d\" stroke=\"#ddd\"/>\n"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                x, x, height - 24, x, height - 8, pow(10.0, p));
    }
    for (int i = 0; i < chart->count; ++i) {
        const ChartBar* bar = &chart->bars[i];
        int y = 30 + ROW * i;
        bool is_own = strcmp(bar->engine, "cairn") == 0;
        fprintf(file,
                "<text x=\"10\" y=\"%d\">%s %s</text>\n"
                "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n"
                "<text x=\"%.1f\" y=\"%d\">%.3g</text>\n",
                y + ROW - 6, bar->scene, bar->engine, LEFT, y, place(bar->value), ROW - 4,
                is_own ? "#2a7" : "#bbb", LEFT + place(bar->value) + 4.0, y + ROW - 6, bar->value);
    }
    fprintf(file, "</svg>\n");
    return fclose(file) == 0;
}
