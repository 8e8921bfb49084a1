// hdf5_writer.h - makes an HDF5 file of lists in memory and writes it at once.
//
// Failures are remembered; finish returns them. HDF5 has global state: see hdf5_file.h.
#pragma once

#include "base/arena.h"

typedef struct CnHdf5Writer CnHdf5Writer;

// From the arena; NULL: no memory.
CnHdf5Writer* cn_hdf5_writer_open(CnArena* arena);

// Paths are absolute; missing groups on them are created.
void cn_hdf5_write_integers(CnHdf5Writer* writer, const char* path, const int* values, int count);
void cn_hdf5_write_integer(CnHdf5Writer* writer, const char* path, int value);
void cn_hdf5_write_reals(CnHdf5Writer* writer, const char* path, const double* values, int count);
void cn_hdf5_write_text(CnHdf5Writer* writer, const char* path, const char* text);

// Closes the writer without writing a file.
void cn_hdf5_writer_drop(CnHdf5Writer* writer);

// Closes the writer and writes the file if all calls succeeded.
CnStatus cn_hdf5_writer_finish(CnHdf5Writer* writer, const char* path, CnError* error);
