// test_file.c - files are read whole, and replaced whole or not at all.
#include "support/test.h"

#include "io/text/file.h"
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIMIT 1000000

static CnArena arena;
static CnErrorList errors;
static char* text;
static size_t length;

static bool read_file(const char* path, size_t limit) {
    cn_arena_destroy(&arena); // of the file before
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, path, NULL, 0);
    return cn_file_read(path, limit, &arena, &text, &length, &errors);
}

// A fresh folder for each case: cases run side by side.
static const char* in_folder(const char* name) {
    static char folder[200], path[300];
    if (folder[0] == 0) {
        snprintf(folder, sizeof folder, "%s/test_file.XXXXXX", TEST_BINARY_DIR);
        CHECK(mkdtemp(folder) != NULL);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void what_is_written_is_read(void) {
    const char* path = in_folder("a");
    CHECK_INT(cn_file_write(path, "one\0two", 7, NULL), CN_OK);
    CHECK(read_file(path, LIMIT));
    CHECK_INT(length, 7);
    CHECK(memcmp(text, "one\0two", 8) == 0); // a null character stands behind the text
}

static void a_pipe_of_unknown_length_is_read_to_its_end(void) {
    char command[400];
    const char* path = in_folder("pipe");
    CHECK_INT(mkfifo(path, 0600), 0);
    snprintf(command, sizeof command, "head -c 300000 /dev/zero | tr '\\0' x > '%s' &", path);
    CHECK_INT(system(command), 0);
    CHECK(read_file(path, LIMIT));
    CHECK_INT(length, 300000);
    CHECK(text[299999] == 'x' && text[300000] == 0);
}

static void files_above_the_limit_are_refused(void) {
    const char* path = in_folder("b");
    CHECK_INT(cn_file_write(path, "12345", 5, NULL), CN_OK);
    CHECK(read_file(path, 5));
    CHECK(!read_file(path, 4));
    CHECK_INT(errors.status, CN_NO_MEMORY);
    CHECK_CONTAINS(errors.first.message, "larger than the limit of 4 bytes");
    CHECK(!read_file("/dev/zero", LIMIT)); // endless, and does not tell its size
    CHECK_INT(errors.status, CN_NO_MEMORY);
    CHECK_CONTAINS(errors.first.message, "larger than the limit of 1000000 bytes");
    CHECK(!read_file("/dev/zero", 4)); // less than the room to begin with
    CHECK_CONTAINS(errors.first.message, "larger than the limit of 4 bytes");
}

static void missing_files_and_folders_are_refused(void) {
    CHECK(!read_file(in_folder("nothing"), LIMIT));
    CHECK_CONTAINS(errors.first.message, "cannot be read: No such file");
    CHECK(!read_file(TEST_BINARY_DIR, LIMIT));
    CHECK_CONTAINS(errors.first.message, "cannot be read: Is a directory");
}

static void an_empty_file_is_an_empty_text(void) {
    const char* path = in_folder("empty");
    CHECK_INT(cn_file_write(path, "", 0, NULL), CN_OK);
    CHECK(read_file(path, LIMIT));
    CHECK_INT(length, 0);
}

static void writing_replaces_and_keeps_permissions(void) {
    struct stat status;
    const char* path = in_folder("c");
    CHECK_INT(cn_file_write(path, "old", 3, NULL), CN_OK);
    CHECK_INT(chmod(path, 0640), 0);
    CHECK_INT(cn_file_write(path, "newer", 5, NULL), CN_OK);
    CHECK(read_file(path, LIMIT));
    CHECK_STRING(text, "newer");
    CHECK_INT(stat(path, &status), 0);
    CHECK_INT(status.st_mode & 0777, 0640);
}

static void a_link_stays_a_link(void) {
    char target[300];
    struct stat status;
    snprintf(target, sizeof target, "%s", in_folder("target"));
    CHECK_INT(cn_file_write(target, "old", 3, NULL), CN_OK);
    const char* link = in_folder("link");
    CHECK_INT(symlink(target, link), 0);
    CHECK_INT(cn_file_write(link, "new", 3, NULL), CN_OK);
    CHECK_INT(lstat(link, &status), 0);
    CHECK(S_ISLNK(status.st_mode));
    CHECK(read_file(target, LIMIT));
    CHECK_STRING(text, "new");
}

static void devices_are_written_to_and_not_replaced(void) {
    struct stat status;
    CHECK_INT(cn_file_write("/dev/null", "x", 1, NULL), CN_OK);
    CHECK_INT(stat("/dev/null", &status), 0);
    CHECK(S_ISCHR(status.st_mode));
}

static void a_failed_write_leaves_nothing_behind(void) {
    CnError error;
    CHECK_INT(cn_file_write(in_folder("no/such/folder"), "x", 1, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "cannot be written: No such file");
    CHECK_INT(cn_file_write(TEST_BINARY_DIR, "x", 1, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "Is a directory");
    char name[300]; // longer than a file name may be
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    CHECK_INT(cn_file_write(name, "x", 1, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "name too long");
}

TEST_MAIN("io/file", TEST(what_is_written_is_read),
          TEST(a_pipe_of_unknown_length_is_read_to_its_end),
          TEST(files_above_the_limit_are_refused), TEST(missing_files_and_folders_are_refused),
          TEST(an_empty_file_is_an_empty_text), TEST(writing_replaces_and_keeps_permissions),
          TEST(a_link_stays_a_link), TEST(devices_are_written_to_and_not_replaced),
          TEST(a_failed_write_leaves_nothing_behind))
