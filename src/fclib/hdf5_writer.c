// hdf5_writer.c - makes an HDF5 file of lists in memory and writes it at once.
#define H5_USE_110_API // the names of HDF5 1.10, whichever newer version is installed
#include "fclib/hdf5_writer.h"

#include "base/error.h"
#include "io/text/file.h"
#include <hdf5.h>
#include <string.h>

struct CnHdf5Writer {
    hid_t file;
    hid_t links; // properties: missing groups on a path are created
    CnArena* arena;
    bool failed;
    H5E_auto2_t printer; // HDF5's error handler before, which by default prints
    void* printer_data;
};

CnHdf5Writer* cn_hdf5_writer_open(CnArena* arena) {
    const size_t growth = 1 << 20; // the image in memory grows by this much [bytes]
    CnHdf5Writer* writer = CN_ARENA_NEW(arena, CnHdf5Writer, 1);
    if (writer == NULL) {
        return NULL;
    }
    writer->arena = arena;
    H5Eget_auto2(H5E_DEFAULT, &writer->printer, &writer->printer_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, growth, false);
    writer->file = H5Fcreate("image", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    writer->links = H5Pcreate(H5P_LINK_CREATE);
    writer->failed = writer->file < 0 || H5Pset_create_intermediate_group(writer->links, 1) < 0;
    return writer;
}

static void write_list(CnHdf5Writer* writer, const char* path, hid_t type, hid_t memory_type,
                       hid_t space, const void* values) {
    hid_t set = H5I_INVALID_HID;
    if (!writer->failed) {
        set = H5Dcreate2(writer->file, path, type, space, writer->links, H5P_DEFAULT, H5P_DEFAULT);
    }
    writer->failed = writer->failed || set < 0 ||
                     H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
    if (set >= 0) {
        H5Dclose(set);
    }
    H5Sclose(space);
}

static hid_t line_of(int count) {
    hsize_t size = (hsize_t)count;
    return H5Screate_simple(1, &size, NULL);
}

void cn_hdf5_write_integers(CnHdf5Writer* writer, const char* path, const int* values, int count) {
    write_list(writer, path, H5T_STD_I32LE, H5T_NATIVE_INT, line_of(count), values);
}

void cn_hdf5_write_integer(CnHdf5Writer* writer, const char* path, int value) {
    cn_hdf5_write_integers(writer, path, &value, 1);
}

void cn_hdf5_write_reals(CnHdf5Writer* writer, const char* path, const double* values, int count) {
    write_list(writer, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, line_of(count), values);
}

void cn_hdf5_write_text(CnHdf5Writer* writer, const char* path, const char* text) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    write_list(writer, path, type, type, H5Screate(H5S_SCALAR), text);
    H5Tclose(type);
}

// The file's bytes; NULL if there is no memory for them or an earlier call failed.
static char* take_image(CnHdf5Writer* writer, size_t* length) {
    if (writer->failed || H5Fflush(writer->file, H5F_SCOPE_GLOBAL) < 0) {
        return NULL;
    }
    ssize_t size = H5Fget_file_image(writer->file, NULL, 0);
    char* bytes = size > 0 ? CN_ARENA_NEW(writer->arena, char, size) : NULL;
    *length = (size_t)size;
    return bytes != NULL && H5Fget_file_image(writer->file, bytes, *length) == size ? bytes : NULL;
}

void cn_hdf5_writer_drop(CnHdf5Writer* writer) {
    H5Pclose(writer->links);
    if (writer->file >= 0) {
        H5Fclose(writer->file);
    }
    H5Eset_auto2(H5E_DEFAULT, writer->printer, writer->printer_data);
}

CnStatus cn_hdf5_writer_finish(CnHdf5Writer* writer, const char* path, CnError* error) {
    size_t length = 0;
    char* bytes = take_image(writer, &length);
    cn_hdf5_writer_drop(writer);
    if (bytes == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "%s: HDF5 could not make the file", path);
    }
    return cn_file_write(path, bytes, length, error);
}
