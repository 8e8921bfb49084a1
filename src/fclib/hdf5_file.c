// hdf5_file.c - reads lists of numbers from an untrusted HDF5 file.
#define H5_USE_110_API // the names of HDF5 1.10, whichever newer version is installed
#include "fclib/hdf5_file.h"

#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Deflate compresses at most 1032 bytes to one, so a compressed list is at most this many times as
// long as its file. Other lists are not compressed.
#define LARGEST_COMPRESSION 1032

#define PATH_SIZE 128 // FCLib's paths are a third of it
#define MESSAGE_SIZE 240

struct CnHdf5 {
    hid_t file;
    size_t length; // of the file [bytes]
    CnArena* arena;
    CnErrorList* errors;
    H5E_auto2_t printer; // HDF5's error handler before, which by default prints
    void* printer_data;
};

CnArena* cn_hdf5_arena(CnHdf5* file) {
    return file->arena;
}

bool cn_hdf5_report_error(CnHdf5* file, const char* path, const char* format, ...) {
    char message[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return cn_report_error(file->errors, CN_INVALID, 0, path, "%s", message);
}

bool cn_hdf5_report_no_memory(CnHdf5* file) {
    return cn_report_no_memory(file->errors);
}

// ---- opening ----

// HDF5 gets the bytes as a file in memory: whatever they contain, no other file is touched.
static hid_t open_image(const char* bytes, size_t length) {
    const size_t growth = 1 << 16; // [bytes]; of no effect on a file that is only read
    hid_t file = H5I_INVALID_HID;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    char* image = (char*)bytes; // HDF5 copies what it is not allowed to change
    if (H5Pset_fapl_core(access, growth, false) >= 0 &&
        H5Pset_file_image(access, image, length) >= 0) {
        file = H5Fopen("image", H5F_ACC_RDONLY, access);
    }
    H5Pclose(access);
    return file;
}

CnHdf5* cn_hdf5_open(const char* bytes, size_t length, CnArena* arena, CnErrorList* errors) {
    CnHdf5* file = CN_ARENA_NEW(arena, CnHdf5, 1);
    if (file == NULL) {
        cn_report_no_memory(errors);
        return NULL;
    }
    *file = (CnHdf5){.length = length, .arena = arena, .errors = errors};
    H5Eget_auto2(H5E_DEFAULT, &file->printer, &file->printer_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    file->file = open_image(bytes, length);
    if (file->file < 0) {
        cn_hdf5_close(file);
        cn_report_error(
            errors, CN_INVALID, 0, "",
            "begins like an HDF5 file, but cannot be opened as one; it may be cut short");
        return NULL;
    }
    return file;
}

void cn_hdf5_close(CnHdf5* file) {
    if (file != NULL) {
        if (file->file >= 0) {
            H5Fclose(file->file);
        }
        H5Eset_auto2(H5E_DEFAULT, file->printer, file->printer_data);
    }
}

// ---- finding ----

typedef enum Presence { ABSENT, FOREIGN, PRESENT } Presence;

// Checks every link on the path, because HDF5 follows links to other files.
static Presence look_up(CnHdf5* file, const char* path) {
    char part[PATH_SIZE];
    for (const char* end = strchr(path + 1, '/');; end = strchr(end + 1, '/')) {
        size_t length = end != NULL ? (size_t)(end - path) : strlen(path);
        if (length >= sizeof part) {
            return ABSENT;
        }
        memcpy(part, path, length);
        part[length] = 0;
        H5L_info_t link;
        if (H5Lexists(file->file, part, H5P_DEFAULT) <= 0 ||
            H5Lget_info(file->file, part, &link, H5P_DEFAULT) < 0) {
            return ABSENT;
        }
        if (link.type != H5L_TYPE_HARD) {
            return FOREIGN;
        }
        if (end == NULL) {
            return PRESENT;
        }
    }
}

bool cn_hdf5_has(CnHdf5* file, const char* path) {
    return look_up(file, path) != ABSENT;
}

// ---- reading ----

// A list whose size is known and that is not read yet.
typedef struct OpenDataset {
    hid_t set;
    int count;
} OpenDataset;

static bool check_storage(CnHdf5* file, const char* path, hid_t set, size_t bytes) {
    hid_t creation = H5Dget_create_plist(set);
    H5D_layout_t layout = H5Pget_layout(creation);
    bool elsewhere = layout == H5D_VIRTUAL || H5Pget_external_count(creation) != 0;
    H5Pclose(creation);
    if (elsewhere) {
        return cn_hdf5_report_error(file, path, "is kept in another file, which is not read");
    }
    size_t most = layout == H5D_CHUNKED ? LARGEST_COMPRESSION * file->length : file->length;
    if (bytes > most || (bytes > 0 && H5Dget_storage_size(set) == 0)) {
        return cn_hdf5_report_error(file, path, "claims %zu bytes that the file does not hold",
                                    bytes);
    }
    return true;
}

static bool check_extent(CnHdf5* file, const char* path, hid_t set, size_t type_size, int* count) {
    hid_t space = H5Dget_space(set);
    H5S_class_t kind = H5Sget_simple_extent_type(space);
    int rank = H5Sget_simple_extent_ndims(space);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    if ((kind != H5S_SIMPLE && kind != H5S_SCALAR) || rank > 1 || points < 0) {
        return cn_hdf5_report_error(file, path, "must be a list of numbers, of one dimension");
    }
    if (points > CN_HDF5_MAX_COUNT) {
        return cn_hdf5_report_error(file, path, "has %lld entries; the limit is %d",
                                    (long long)points, CN_HDF5_MAX_COUNT);
    }
    *count = (int)points;
    return check_storage(file, path, set, (size_t)points * type_size);
}

static bool check_list(CnHdf5* file, const char* path, H5T_class_t wanted, const char* name,
                       OpenDataset* list) {
    hid_t type = H5Dget_type(list->set);
    H5T_class_t kind = H5Tget_class(type);
    size_t size = H5Tget_size(type);
    H5Tclose(type);
    if (kind != wanted) {
        return cn_hdf5_report_error(file, path, "must hold %s", name);
    }
    return check_extent(file, path, list->set, size, &list->count);
}

// The caller closes list->set if this is true.
static bool open_list(CnHdf5* file, const char* path, H5T_class_t wanted, const char* name,
                      OpenDataset* list) {
    Presence presence = look_up(file, path);
    if (presence != PRESENT) {
        return cn_hdf5_report_error(
            file, path,
            presence == ABSENT ? "is missing" : "is a link elsewhere, which is not followed");
    }
    list->set = H5Dopen2(file->file, path, H5P_DEFAULT);
    if (list->set < 0) {
        return cn_hdf5_report_error(file, path, "must be a list of numbers");
    }
    bool ok = check_list(file, path, wanted, name, list);
    if (!ok) {
        H5Dclose(list->set);
    }
    return ok;
}

// All values of a list, converted to a type of `size` bytes. NULL after an error was reported.
static void* read_list(CnHdf5* file, const char* path, const OpenDataset* list, hid_t type,
                       size_t size) {
    void* values = cn_arena_allocate(file->arena, (size_t)list->count, size);
    if (values == NULL) {
        cn_hdf5_report_no_memory(file);
    } else if (list->count > 0 &&
               H5Dread(list->set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        cn_hdf5_report_error(file, path, "cannot be read");
        values = NULL;
    }
    return values;
}

bool cn_hdf5_read_integers(CnHdf5* file, const char* path, int** values, int* count) {
    OpenDataset list;
    if (!open_list(file, path, H5T_INTEGER, "integers", &list)) {
        return false;
    }
    // Conversion to a narrower type would clip silently.
    int64_t* wide = read_list(file, path, &list, H5T_NATIVE_INT64, sizeof *wide);
    H5Dclose(list.set);
    *count = list.count;
    *values = CN_ARENA_NEW(file->arena, int, list.count);
    if (wide == NULL) {
        return false;
    }
    if (*values == NULL) {
        return cn_hdf5_report_no_memory(file);
    }
    for (int i = 0; i < list.count; ++i) {
        if (wide[i] < INT_MIN || wide[i] > INT_MAX) {
            return cn_hdf5_report_error(file, path, "entry %d is %lld; it must fit 32 bits", i,
                                        (long long)wide[i]);
        }
        (*values)[i] = (int)wide[i];
    }
    return true;
}

bool cn_hdf5_read_integer(CnHdf5* file, const char* path, int* value) {
    int* values;
    int count;
    if (!cn_hdf5_read_integers(file, path, &values, &count)) {
        return false;
    }
    if (count != 1) {
        return cn_hdf5_report_error(file, path, "has %d entries; it must be one number", count);
    }
    *value = values[0];
    return true;
}

bool cn_hdf5_read_reals(CnHdf5* file, const char* path, double** values, int* count) {
    OpenDataset list;
    if (!open_list(file, path, H5T_FLOAT, "floating-point numbers", &list)) {
        return false;
    }
    *values = read_list(file, path, &list, H5T_NATIVE_DOUBLE, sizeof **values);
    *count = list.count;
    H5Dclose(list.set);
    for (int i = 0; *values != NULL && i < list.count; ++i) {
        if (!isfinite((*values)[i])) {
            return cn_hdf5_report_error(file, path, "entry %d is %g; it must be finite", i,
                                        (*values)[i]);
        }
    }
    return *values != NULL;
}
