// problem_list.c - the problem files that operands name: files, and what is in folders.
#include "problems/problem_list.h"

#include "problems/problem_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool fail_memory(CnError* error) {
    error->status = CN_NO_MEMORY;
    snprintf(error->message, sizeof error->message, "no memory for a list of problems");
    return false;
}

// folder/name, or name where folder is NULL.
static bool push(ProblemList* list, const char* folder, const char* name, CnError* error) {
    if (list->count == list->capacity) {
        int capacity = 2 * list->capacity + 16;
        char** paths = realloc(list->paths, (size_t)capacity * sizeof *paths);
        if (paths == NULL) {
            return fail_memory(error);
        }
        list->paths = paths;
        list->capacity = capacity;
    }
    size_t size = strlen(name) + (folder != NULL ? strlen(folder) + 1 : 0) + 1;
    char* path = malloc(size);
    if (path == NULL) {
        return fail_memory(error);
    }
    snprintf(path, size, "%s%s%s", folder != NULL ? folder : "", folder != NULL ? "/" : "", name);
    list->paths[list->count++] = path;
    return true;
}

static int compare_paths(const void* a, const void* b) {
    return strcmp(*(char* const*)a, *(char* const*)b);
}

static bool add_folder(ProblemList* list, const char* path, DIR* folder, CnError* error) {
    int first = list->count;
    bool ok = true;
    for (struct dirent* entry = readdir(folder); ok && entry != NULL; entry = readdir(folder)) {
        ok = !problem_file_has_name(entry->d_name) || push(list, path, entry->d_name, error);
    }
    if (ok && list->count == first) {
        error->status = CN_INVALID;
        snprintf(error->message, sizeof error->message, "%s: there is no problem in this folder",
                 path);
        return false;
    }
    if (ok) {
        qsort(list->paths + first, (size_t)(list->count - first), sizeof *list->paths,
              compare_paths);
    }
    return ok;
}

bool problem_list_add(ProblemList* list, const char* operand, CnError* error) {
    struct stat status;
    bool is_folder = stat(operand, &status) == 0 && S_ISDIR(status.st_mode);
    DIR* folder = is_folder ? opendir(operand) : NULL;
    if (folder == NULL) { // whatever it is, opening it will tell
        return push(list, NULL, operand, error);
    }
    bool ok = add_folder(list, operand, folder, error);
    closedir(folder);
    return ok;
}

void problem_list_free(ProblemList* list) {
    for (int i = 0; i < list->count; ++i) {
        free(list->paths[i]);
    }
    free(list->paths);
}
