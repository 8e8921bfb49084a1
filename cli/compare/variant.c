// variant.c - one way to run a scene, written as "solver=pgs,iterations=20,bodies.block.mass=2".
#include "compare/variant.h"

#include "run/scene_options.h"

#include <stdlib.h>
#include <string.h>

// Runs of different length cannot be compared; changes of the scene are written as their paths.
static bool is_key(const Option* option) {
    static const char* const others[] = {"duration", "attribution", "set"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        if (strcmp(option->name, others[i]) == 0) {
            return false;
        }
    }
    return true;
}

// Keys of scene files have underscores where options have dashes.
static void normalise(char* key) {
    for (char* letter = key; *letter != '\0'; ++letter) {
        *letter = *letter == '_' ? '-' : *letter;
    }
}

static bool set_option(SceneOverrides* overrides, const char* origin, char* key, const char* value,
                       const Console* console) {
    Option all[SCENE_OPTION_COUNT], keys[SCENE_OPTION_COUNT];
    int count = 0;
    scene_options(overrides, all);
    for (int i = 0; i < SCENE_OPTION_COUNT; ++i) {
        if (is_key(&all[i])) {
            keys[count++] = all[i];
        }
    }
    if (strcmp(key, "duration") == 0) {
        console_error(console, "%sall variants have the same duration: give it as --duration",
                      origin);
        return false;
    }
    normalise(key);
    return options_set(console, origin, keys, count,
                       strcmp(key, "iterations") == 0 ? "max-iterations" : key, value);
}

static bool take_change(TextList* changes, const char* origin, const char* word,
                        const Console* console) {
    if (changes->count == MAX_LIST_WORDS) {
        console_error(console, "%sat most %d values can be changed", origin, MAX_LIST_WORDS);
        return false;
    }
    changes->words[changes->count++] = word;
    return true;
}

// "key=value" in place of its own letters.
static bool take_word(Variant* variant, const char* origin, char* word, const Console* console) {
    size_t length = strcspn(word, "=");
    if (length == 0 || word[length] == '\0' || word[length + 1] == '\0') {
        console_error(console, "%s\"%s\" is not of the form key=value", origin, word);
        return false;
    }
    if (memchr(word, '.', length) != NULL || memchr(word, '[', length) != NULL) {
        return take_change(&variant->overrides.changes, origin, word, console);
    }
    word[length] = '\0';
    return set_option(&variant->overrides, origin, word, word + length + 1, console);
}

// The comma that ends a word, or the end: commas inside of brackets and quotes belong to a value.
static char* word_end(char* word) {
    int depth = 0;
    bool is_quoted = false;
    for (; *word != '\0'; ++word) {
        is_quoted = is_quoted != (*word == '"');
        depth += is_quoted ? 0 : (strchr("[{", *word) != NULL) - (strchr("]}", *word) != NULL);
        if (*word == ',' && depth <= 0 && !is_quoted) {
            break;
        }
    }
    return word;
}

bool variant_parse(Variant* variant, const char* text, const SceneOverrides* base,
                   const Console* console) {
    char origin[120];
    *variant = (Variant){.name = text, .words = strdup(text), .overrides = *base};
    if (variant->words == NULL) {
        console_error(console, "no memory for variants");
        return false;
    }
    snprintf(origin, sizeof origin, "--with \"%.90s\": ", text);
    bool ok = true;
    for (char *word = variant->words, *next = word; ok && next != NULL; word = next) {
        char* end = word_end(word);
        next = *end == ',' ? end + 1 : NULL;
        *end = '\0';
        word += strspn(word, " ");
        ok = take_word(variant, origin, word, console);
    }
    return ok;
}

void variant_free(Variant* variant) {
    free(variant->words);
    variant->words = NULL;
}
