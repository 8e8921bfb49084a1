// table_file.c - rows of numbers in a file: CSV, or NumPy's .npy and .npz.
//
// CSV: RFC 4180 with a head of "name [unit]". .npy: one table whose fields are called so. .npz: an
// archive with one array per column under its name, and the arrays `names` and `units`.
// numpy.org/doc/stable/reference/generated/numpy.lib.format.html has the layout.
#include "run/table_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct TableFormat {
    const char* ending;
    bool (*begin)(TableFile* table);
    bool (*add)(TableFile* table, const double* row);
    bool (*end)(TableFile* table);
};

// ---- CSV ----

// With quotes where the text has what separates.
static void put_csv_text(FILE* file, const char* name, const char* unit) {
    bool quoted = strpbrk(name, ",\"\r\n") != NULL;
    if (quoted) {
        fputc('"', file);
    }
    for (; *name != '\0'; ++name) {
        fputs(*name == '"' ? "\"\"" : (char[]){*name, '\0'}, file);
    }
    fprintf(file, " [%s]%s", unit, quoted ? "\"" : "");
}

static bool csv_begin(TableFile* table) {
    for (int i = 0; i < table->count; ++i) {
        if (i > 0) {
            fputc(',', table->file);
        }
        put_csv_text(table->file, table->columns[i].name, table->columns[i].unit);
    }
    fputs("\r\n", table->file);
    return !ferror(table->file);
}

static bool csv_add(TableFile* table, const double* row) {
    for (int i = 0; i < table->count; ++i) {
        fprintf(table->file, "%s%.17g", i > 0 ? "," : "", row[i]);
    }
    fputs("\r\n", table->file);
    return !ferror(table->file);
}

static bool nothing(TableFile* table) {
    (void)table;
    return true;
}

// ---- .npy ----

// Text that grows; failed when memory ran out.
typedef struct Text {
    char* data;
    size_t size, capacity;
    bool failed;
} Text;

static void text_put(Text* text, const void* data, size_t size) {
    if (text->size + size + 1 > text->capacity) {
        size_t capacity = 2 * text->capacity + size + 1024;
        char* larger = text->failed ? NULL : realloc(text->data, capacity);
        if (larger == NULL) {
            text->failed = true;
            return;
        }
        text->data = larger;
        text->capacity = capacity;
    }
    memcpy(text->data + text->size, data, size);
    text->size += size;
}

static void text_say(Text* text, const char* words) {
    text_put(text, words, strlen(words));
}

// As a Python string.
static void text_quote(Text* text, const char* words) {
    for (; *words != '\0'; ++words) {
        if (*words == '\'' || *words == '\\') {
            text_say(text, "\\");
        }
        text_put(text, words, 1);
    }
}

#define NPY_MAGIC "\x93NUMPY\x03" // version 3.0: its header is UTF-8
#define NPY_PREFIX 12             // magic, version, length of the header [bytes]
#define NPY_ALIGNMENT 64

// `descr` as Python writes it. rows are padded to 20 digits, so that the header can be written
// again when they are known.
static void npy_header(Text* out, const char* descr, int64_t rows) {
    Text header = {0};
    char shape[64];
    snprintf(shape, sizeof shape, ", 'fortran_order': False, 'shape': (%20lld,), }",
             (long long)rows);
    text_say(&header, "{'descr': ");
    text_say(&header, descr);
    text_say(&header, shape);
    while ((NPY_PREFIX + header.size + 1) % NPY_ALIGNMENT != 0) {
        text_say(&header, " ");
    }
    text_say(&header, "\n");
    uint32_t length = (uint32_t)header.size;
    text_put(out, NPY_MAGIC, 7);
    text_put(out, "\0", 1);
    text_put(out, &length, sizeof length);
    text_put(out, header.data, header.size);
    out->failed = out->failed || header.failed;
    free(header.data);
}

static bool npy_put_header(TableFile* table) {
    Text descr = {0}, out = {0};
    text_say(&descr, "[");
    for (int i = 0; i < table->count; ++i) {
        text_say(&descr, i > 0 ? ", ('" : "('");
        text_quote(&descr, table->columns[i].name);
        text_say(&descr, " [");
        text_quote(&descr, table->columns[i].unit);
        text_say(&descr, "]', '<f8')");
    }
    text_say(&descr, "]");
    text_put(&descr, "", 1);
    if (!descr.failed) {
        npy_header(&out, descr.data, table->rows);
    }
    bool ok =
        !descr.failed && !out.failed && fwrite(out.data, 1, out.size, table->file) == out.size;
    free(descr.data);
    free(out.data);
    return ok;
}

static bool npy_add(TableFile* table, const double* row) {
    size_t count = (size_t)table->count;
    return fwrite(row, sizeof *row, count, table->file) == count;
}

static bool npy_end(TableFile* table) {
    return fseek(table->file, 0, SEEK_SET) == 0 && npy_put_header(table);
}

// ---- .npz ----

static bool npz_add(TableFile* table, const double* row) {
    size_t count = (size_t)table->count;
    if (table->rows == table->capacity) {
        int64_t capacity = 2 * table->capacity + 256;
        double* larger = realloc(table->table, (size_t)capacity * count * sizeof *larger);
        if (larger == NULL) {
            errno = ENOMEM;
            return false;
        }
        table->table = larger;
        table->capacity = capacity;
    }
    memcpy(table->table + (size_t)table->rows * count, row, count * sizeof *row);
    return true;
}

static void put_u16(Text* text, unsigned value) {
    const unsigned char bytes[2] = {(unsigned char)(value & 0xFFu), (unsigned char)(value >> 8)};
    text_put(text, bytes, sizeof bytes);
}

static void put_u32(Text* text, uint32_t value) {
    put_u16(text, value & 0xFFFFu);
    put_u16(text, value >> 16);
}

// A zip archive of files that are stored as they are.
typedef struct Zip {
    FILE* file;
    Text directory;
    uint32_t entries;
    uint64_t offset; // bytes written
} Zip;

#define ZIP_LIMIT 0xFFFFFFFFu // of sizes and offsets, without the later extension
#define ZIP_MOST_ENTRIES 0xFFFFu
#define ZIP_VERSION 20u
#define ZIP_UTF8 0x0800u
#define ZIP_DATE 0x0021u // 1 January 1980: the same bytes every time

// What the entry's own header and the directory have in common.
static void put_entry(Text* text, uint32_t crc, uint32_t size, const char* name) {
    put_u16(text, ZIP_VERSION);
    put_u16(text, ZIP_UTF8);
    put_u16(text, 0); // stored
    put_u16(text, 0);
    put_u16(text, ZIP_DATE);
    put_u32(text, crc);
    put_u32(text, size);
    put_u32(text, size);
    put_u16(text, (unsigned)strlen(name));
    put_u16(text, 0); // no extra field
}

static bool zip_add(Zip* zip, const char* name, const Text* content) {
    Text header = {0};
    if (content->failed || content->size > ZIP_LIMIT ||
        zip->offset + content->size > ZIP_LIMIT - 4096 || zip->entries == ZIP_MOST_ENTRIES ||
        strlen(name) > 60000) {
        errno = content->failed ? ENOMEM : EFBIG;
        return false;
    }
    uint32_t crc = (uint32_t)crc32(0, (const Bytef*)content->data, (uInt)content->size);
    put_u32(&header, 0x04034B50u);
    put_entry(&header, crc, (uint32_t)content->size, name);
    text_say(&header, name);
    put_u32(&zip->directory, 0x02014B50u);
    put_u16(&zip->directory, ZIP_VERSION);
    put_entry(&zip->directory, crc, (uint32_t)content->size, name);
    put_u16(&zip->directory, 0); // comment
    put_u16(&zip->directory, 0); // disk
    put_u16(&zip->directory, 0);
    put_u32(&zip->directory, 0);
    put_u32(&zip->directory, (uint32_t)zip->offset);
    text_say(&zip->directory, name);
    bool ok = !header.failed && fwrite(header.data, 1, header.size, zip->file) == header.size &&
              fwrite(content->data, 1, content->size, zip->file) == content->size;
    zip->offset += header.size + content->size;
    zip->entries += 1;
    free(header.data);
    return ok;
}

static bool zip_end(Zip* zip) {
    Text end = {0};
    put_u32(&end, 0x06054B50u);
    put_u32(&end, 0);
    put_u16(&end, zip->entries);
    put_u16(&end, zip->entries);
    put_u32(&end, (uint32_t)zip->directory.size);
    put_u32(&end, (uint32_t)zip->offset);
    put_u16(&end, 0);
    bool ok =
        !end.failed && !zip->directory.failed &&
        fwrite(zip->directory.data, 1, zip->directory.size, zip->file) == zip->directory.size &&
        fwrite(end.data, 1, end.size, zip->file) == end.size;
    free(end.data);
    free(zip->directory.data);
    return ok;
}

// One character of UTF-8 as a number; *text moves on. Bytes that are no UTF-8 stand for themselves.
static uint32_t next_character(const char** text) {
    const unsigned char* at = (const unsigned char*)*text;
    int more = at[0] >= 0xF0 ? 3 : at[0] >= 0xE0 ? 2 : at[0] >= 0xC0 ? 1 : 0;
    uint32_t value = more == 0 ? at[0] : at[0] & (0x3Fu >> more);
    for (int i = 1; i <= more; ++i) {
        if ((at[i] & 0xC0u) != 0x80u) {
            *text += 1;
            return at[0];
        }
        value = value << 6 | (at[i] & 0x3Fu);
    }
    *text += 1 + more;
    return value;
}

// An array of texts, as NumPy has them: all as long as the longest, in UTF-32.
static bool npz_add_texts(Zip* zip, const char* name, const TableFile* table, bool units) {
    Text out = {0};
    char descr[32];
    size_t longest = 1;
    for (int i = 0; i < table->count; ++i) {
        size_t length = strlen(units ? table->columns[i].unit : table->columns[i].name);
        longest = length > longest ? length : longest;
    }
    snprintf(descr, sizeof descr, "'<U%zu'", longest);
    npy_header(&out, descr, table->count);
    for (int i = 0; i < table->count; ++i) {
        const char* at = units ? table->columns[i].unit : table->columns[i].name;
        for (size_t k = 0; k < longest; ++k) {
            uint32_t character = *at == '\0' ? 0 : next_character(&at);
            text_put(&out, &character, sizeof character);
        }
    }
    bool ok = zip_add(zip, name, &out);
    free(out.data);
    return ok;
}

static bool npz_add_column(Zip* zip, const TableFile* table, int column) {
    Text out = {0}, name = {0};
    npy_header(&out, "'<f8'", table->rows);
    for (int64_t i = 0; i < table->rows; ++i) {
        text_put(&out, &table->table[(size_t)i * (size_t)table->count + (size_t)column],
                 sizeof(double));
    }
    text_say(&name, table->columns[column].name);
    text_say(&name, ".npy");
    text_put(&name, "", 1);
    bool ok = !name.failed && zip_add(zip, name.data, &out);
    free(out.data);
    free(name.data);
    return ok;
}

static bool npz_end(TableFile* table) {
    Zip zip = {.file = table->file};
    bool ok = true;
    for (int i = 0; i < table->count && ok; ++i) {
        ok = npz_add_column(&zip, table, i);
    }
    ok = ok && npz_add_texts(&zip, "names.npy", table, false) &&
         npz_add_texts(&zip, "units.npy", table, true);
    return zip_end(&zip) && ok;
}

// ---- the table of formats ----

static const TableFormat formats[] = {
    {".csv", csv_begin, csv_add, nothing},
    {".npy", npy_put_header, npy_add, npy_end},
    {".npz", nothing, npz_add, npz_end},
};
#define FORMAT_COUNT ((int)(sizeof formats / sizeof formats[0]))

static const TableFormat* find_format(const char* path) {
    size_t length = strlen(path);
    for (int i = 0; i < FORMAT_COUNT; ++i) {
        size_t ending = strlen(formats[i].ending);
        if (length > ending && strcmp(path + length - ending, formats[i].ending) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

bool table_file_knows(const char* path) {
    return find_format(path) != NULL;
}

static bool fail(const TableFile* table, CnError* error) {
    if (error != NULL) {
        error->status = errno == ENOMEM ? CN_NO_MEMORY : CN_INVALID;
        snprintf(error->message, sizeof error->message, "%s: cannot be written: %s", table->path,
                 strerror(errno));
    }
    return false;
}

bool table_file_open(TableFile* table, const char* path, const CnQuantityInfo* columns, int count,
                     CnError* error) {
    *table = (TableFile){.path = path, .columns = columns, .count = count};
    const TableFormat* format = find_format(path);
    if (format == NULL) {
        error->status = CN_INVALID;
        snprintf(error->message, sizeof error->message,
                 "%s: the ending must be .csv, .npy or .npz, which says how it is written", path);
        return false;
    }
    table->file = fopen(path, "wb");
    if (table->file == NULL) {
        return fail(table, error);
    }
    table->format = format;
    return format->begin(table) || fail(table, error);
}

bool table_file_add(TableFile* table, const double* row, CnError* error) {
    if (!table->format->add(table, row)) {
        return fail(table, error);
    }
    table->rows += 1;
    return true;
}

bool table_file_close(TableFile* table, CnError* error) {
    bool ok = true;
    if (table->format != NULL) {
        ok = table->format->end(table);
        ok = fclose(table->file) == 0 && ok;
        ok = ok || fail(table, error);
    }
    free(table->table);
    *table = (TableFile){0};
    return ok;
}
