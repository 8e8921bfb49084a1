// fclib_writer.c - writes HDF5 files, valid or invalid, for tests of the reader.
#define H5_USE_110_API
#include "support/problems/fclib_writer.h"

#include "support/test.h"
#include <hdf5.h>
#include <stdio.h>

FclibWriter fclib_create(const char* path) {
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(file >= 0);
    return file;
}

void fclib_close(FclibWriter file) {
    CHECK(H5Fclose(file) >= 0);
}

// Creates a list; takes the place of one that is there. The creation properties are closed.
static hid_t create_list(FclibWriter file, const char* path, hid_t type, hid_t space,
                         hid_t creation) {
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t set = H5Dcreate2(file, path, type, space, links, creation, H5P_DEFAULT);
    CHECK(set >= 0);
    H5Pclose(links);
    H5Sclose(space);
    if (creation != H5P_DEFAULT) {
        H5Pclose(creation);
    }
    return set;
}

static void write_list(FclibWriter file, const char* path, hid_t type, hid_t memory_type,
                       hid_t space, const void* values) {
    hid_t set = create_list(file, path, type, space, H5P_DEFAULT);
    CHECK(H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
}

static hid_t line_of(int64_t count) {
    hsize_t size = (hsize_t)count;
    return H5Screate_simple(1, &size, NULL);
}

void fclib_integers(FclibWriter file, const char* path, const int* values, int count) {
    write_list(file, path, H5T_STD_I32LE, H5T_NATIVE_INT, line_of(count), values);
}

void fclib_integer(FclibWriter file, const char* path, int value) {
    fclib_integers(file, path, &value, 1);
}

void fclib_reals(FclibWriter file, const char* path, const double* values, int count) {
    write_list(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, line_of(count), values);
}

void fclib_floats(FclibWriter file, const char* path, const float* values, int count) {
    write_list(file, path, H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, line_of(count), values);
}

void fclib_long(FclibWriter file, const char* path, int64_t value) {
    write_list(file, path, H5T_STD_I64LE, H5T_NATIVE_INT64, line_of(1), &value);
}

void fclib_text(FclibWriter file, const char* path, const char* text) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    write_list(file, path, type, type, H5Screate(H5S_SCALAR), text);
    H5Tclose(type);
}

void fclib_table(FclibWriter file, const char* path, const double* values, int rows, int columns) {
    hsize_t sizes[2] = {(hsize_t)rows, (hsize_t)columns};
    write_list(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, H5Screate_simple(2, sizes, NULL),
               values);
}

void fclib_scalar(FclibWriter file, const char* path, int value) {
    write_list(file, path, H5T_STD_I16BE, H5T_NATIVE_INT, H5Screate(H5S_SCALAR), &value);
}

void fclib_unwritten(FclibWriter file, const char* path, int64_t count) {
    H5Dclose(create_list(file, path, H5T_IEEE_F64LE, line_of(count), H5P_DEFAULT));
}

void fclib_compressed(FclibWriter file, const char* path, const double* values, int count) {
    hsize_t chunk = (hsize_t)count;
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &chunk);
    H5Pset_deflate(creation, 6);
    hid_t set = create_list(file, path, H5T_IEEE_F64LE, line_of(count), creation);
    CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
}

void fclib_external(FclibWriter file, const char* path, int count) {
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(creation, "/dev/zero", 0, (hsize_t)count * sizeof(double));
    H5Dclose(create_list(file, path, H5T_IEEE_F64LE, line_of(count), creation));
}

void fclib_group(FclibWriter file, const char* path) {
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t group = H5Gcreate2(file, path, links, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(group >= 0);
    H5Gclose(group);
    H5Pclose(links);
}

void fclib_remove(FclibWriter file, const char* path) {
    CHECK(H5Ldelete(file, path, H5P_DEFAULT) >= 0);
}

void fclib_link_outside(FclibWriter file, const char* path, const char* other_file,
                        const char* other_path) {
    CHECK(H5Lcreate_external(other_file, other_path, file, path, H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

void fclib_triplets(FclibWriter file, const char* group, int rows, int columns, int count,
                    const int* row, const int* column, const double* value) {
    char path[200];
    const struct {
        const char* name;
        int value;
    } sizes[] = {{"m", rows}, {"n", columns}, {"nz", count}, {"nzmax", count}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        snprintf(path, sizeof path, "%s/%s", group, sizes[i].name);
        fclib_integer(file, path, sizes[i].value);
    }
    snprintf(path, sizeof path, "%s/i", group);
    fclib_integers(file, path, row, count);
    snprintf(path, sizeof path, "%s/p", group);
    fclib_integers(file, path, column, count);
    snprintf(path, sizeof path, "%s/x", group);
    fclib_reals(file, path, value, count);
}
