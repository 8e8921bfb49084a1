// fclib.h - frictional contact problems in the HDF5 files of FCLib, from a library of its own.
//
//     cc program.c $(pkg-config --cflags --libs cairn_hdf5)      CMake: cairn::hdf5
//
// libcairn_hdf5 is there so that only programs that ask for these files load HDF5; cairn/cairn.h
// does not include this header. HDF5 keeps state for the whole process: call from one thread at a
// time, unless it was built to be safe there (Debian's is). docs/problem-file.md.
#pragma once

#include "cairn/problem.h"

// A problem from an FCLib file, or from one of Cairn's own: its first bytes tell which. "-" is
// standard input. NULL after an error.
CN_API CnOwnedProblem* cn_fclib_load(const char* path, CnError* error);

// The problem as an FCLib file, whatever its name, and the answer to it when solution is not NULL.
// The file appears when it is complete. CN_UNSUPPORTED: FCLib holds contacts and equalities only.
CN_API CnStatus cn_fclib_save(const CnProblem* problem, const CnSolution* solution,
                              const char* path, CnError* error);
