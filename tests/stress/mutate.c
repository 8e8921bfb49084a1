// mutate.c - kept inputs of a fuzz target, spoilt at random.
//
//     mutate_KIND FOLDER SEED COUNT [SECONDS]
//
// Bytes are flipped, cut, doubled and joined with those of another file, numbers made hostile. What
// must hold is what the fuzz target promises; a broken promise aborts, and the seed is told.
#include "../fuzz/fuzz.h"
#include "dice.h"
#include "stress.h"

#include <dirent.h>
#include <stdio.h>

enum {
    MOST_FILES = 300,
    LONGEST_FILE = 1 << 16, // [bytes]
};

typedef struct Input {
    uint8_t* bytes; // [size]
    size_t size;
} Input;

static Input corpus[MOST_FILES];
static int corpus_count;

static void load(const char* path) {
    static uint8_t bytes[LONGEST_FILE];
    FILE* file = fopen(path, "rb");
    size_t size = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);
    if (file != NULL) {
        fclose(file);
    }
    Input* input = &corpus[corpus_count];
    input->bytes = malloc(size + 1);
    if (size == 0 || input->bytes == NULL) {
        free(input->bytes);
        return;
    }
    memcpy(input->bytes, bytes, size);
    input->size = size;
    corpus_count += 1;
}

// All files below a folder, sorted by name: readdir()'s order differs between machines, and a seed
// must mean the same everywhere.
static void load_folder(const char* path) {
    struct dirent** entries;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        char file[4096];
        snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && corpus_count < MOST_FILES) {
            load(file); // nothing, if it is a folder
            load_folder(file);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

// ---- spoiling ----

typedef struct Draft {
    uint8_t bytes[4 * LONGEST_FILE];
    size_t size;
} Draft;

static size_t place_in(Dice* dice, const Draft* draft) {
    return draft->size == 0 ? 0 : (size_t)dice_below(dice, (int)draft->size);
}

// Puts bytes in place of `removed` ones, as far as there is room.
static void replace(Draft* draft, size_t at, size_t removed, const void* bytes, size_t size) {
    removed = removed < draft->size - at ? removed : draft->size - at;
    if (draft->size - removed + size > sizeof draft->bytes) {
        return;
    }
    memmove(draft->bytes + at + size, draft->bytes + at + removed, draft->size - at - removed);
    memcpy(draft->bytes + at, bytes, size);
    draft->size = draft->size - removed + size;
}

static bool is_number(uint8_t byte) {
    return (byte >= '0' && byte <= '9') || byte == '.' || byte == '-' || byte == 'e';
}

static void spoil_number(Dice* dice, Draft* draft) {
    static const char* const hostile[] = {
        "0",    "-1",   "1e308", "1e999", "1e-320", "-0.0",  "1e20",  "nan",   "inf",   "null",
        "[]",   "1e5",  "1e3",   "0.001", "2",      "3",     "1",     "0.999", "1e-12", "1e75",
        "true", "1e-6", "10",    "0.5",   "{}",     "65536", "-1e-9", "7"};
    size_t at = place_in(dice, draft), end = at;
    while (at < draft->size && !is_number(draft->bytes[at])) {
        at += 1;
    }
    for (end = at; end < draft->size && is_number(draft->bytes[end]);) {
        end += 1;
    }
    const char* text = hostile[dice_below(dice, (int)(sizeof hostile / sizeof hostile[0]))];
    replace(draft, at < draft->size ? at : draft->size, end - at, text, strlen(text));
}

static void spoil(Dice* dice, Draft* draft) {
    static uint8_t part[LONGEST_FILE];
    size_t at = place_in(dice, draft), size = (size_t)(1 + dice_below(dice, 40));
    const Input* other = &corpus[dice_below(dice, corpus_count)];
    size_t start = (size_t)dice_below(dice, (int)other->size);
    uint8_t byte = (uint8_t)dice_below(dice, 256);
    switch (dice_below(dice, 6)) {
    case 0: // another byte
        replace(draft, at, 1, &byte, 1);
        break;
    case 1: // a piece less
        replace(draft, at, size, "", 0);
        break;
    case 2: // a piece twice
        size = size < draft->size - at ? size : draft->size - at;
        memcpy(part, draft->bytes + at, size);
        replace(draft, at, 0, part, size);
        break;
    case 3: // a piece of another file
        size = size < other->size - start ? size : other->size - start;
        replace(draft, at, size, other->bytes + start, size);
        break;
    case 4: // the end is missing
        draft->size = dice_chance(dice, 0.2) ? at : draft->size;
        break;
    default:
        spoil_number(dice, draft);
    }
}

static int run_seed(uint64_t seed) {
    static Draft draft;
    Dice dice = dice_of_operation(seed, 0, 0.0);
    const Input* input = &corpus[dice_below(&dice, corpus_count)];
    memcpy(draft.bytes, input->bytes, input->size);
    draft.size = input->size;
    bool numbers_only = dice_chance(&dice, 0.5); // so that more of them are read to the end
    for (int i = 1 + dice_below(&dice, 6); i > 0; --i) {
        numbers_only ? spoil_number(&dice, &draft) : spoil(&dice, &draft);
    }
    uint8_t* exact = malloc(draft.size + 1); // so that a sanitizer sees a read past the end
    if (exact == NULL) {
        return 1;
    }
    memcpy(exact + 1, draft.bytes, draft.size);
    LLVMFuzzerTestOneInput(exact + 1, draft.size);
    free(exact);
    return 0;
}

int main(int argc, char** argv) {
    if (argc > 1) {
        load_folder(argv[1]);
    }
    if (corpus_count == 0) {
        fputs("usage: mutate_KIND FOLDER SEED COUNT [SECONDS]\n", stderr);
        return 2;
    }
    int result = stress_main(argc - 1, argv + 1, run_seed);
    for (int i = 0; i < corpus_count; ++i) {
        free(corpus[i].bytes);
    }
    return result;
}
