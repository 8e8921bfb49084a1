// spelling.c - edit distance between short words.
#include "cairn/base.h"

#include <string.h>

#define MAX_LETTERS 48 // longer words are never near anything: no name of ours is half as long

static int lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

// Optimal string alignment. d(i, j) is the distance between the first i letters of a and the first
// j of b; only three rows of the table are ever looked at.
static int edit_distance(const char* a, int a_length, const char* b, int b_length) {
    int rows[3][MAX_LETTERS + 1];
    int *above_last = rows[0], *last = rows[1], *now = rows[2];

    for (int j = 0; j <= b_length; ++j) {
        last[j] = j;
        above_last[j] = 0;
    }
    for (int i = 1; i <= a_length; ++i) {
        now[0] = i;
        for (int j = 1; j <= b_length; ++j) {
            int replaced = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
            now[j] = smaller(last[j - 1] + replaced, smaller(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) { // two neighbours swapped
                now[j] = smaller(now[j], above_last[j - 2] + 1);
            }
        }
        int* free_row = above_last;
        above_last = last;
        last = now;
        now = free_row;
    }
    return last[b_length];
}

const char* cn_nearest_name(const char* word, const char* const* names, int count) {
    size_t word_length = strlen(word);
    const char* nearest = NULL;
    int nearest_distance = MAX_LETTERS;

    for (int i = 0; i < count && word_length <= MAX_LETTERS; ++i) {
        size_t name_length = strlen(names[i]);
        if (name_length > MAX_LETTERS) {
            continue;
        }
        int longer = (int)(word_length > name_length ? word_length : name_length);
        int limit = longer < 6 ? 1 : longer / 3;
        int distance = edit_distance(word, (int)word_length, names[i], (int)name_length);
        if (distance <= limit && distance < nearest_distance) {
            nearest = names[i];
            nearest_distance = distance;
        }
    }
    return nearest;
}
