// fclib.h - frictional contact problems in the HDF5 files of FCLib, from a library of its own.
//
//     cc program.c $(pkg-config --cflags --libs cairn_hdf5)      CMake: cairn::hdf5
//
// libcairn_hdf5 is a separate library so that only programs that use these files load HDF5;
// cairn/cairn.h does not include this header. HDF5 has global state: call from one thread at a
// time, unless it was built thread-safe (Debian's is). docs/problem-file.md.
#pragma once

#include "cairn/problem.h"

// Loads a problem from an FCLib file, or from one in Cairn's own format: the first bytes tell
// which. "-" is standard input. NULL after an error.
CN_API CnOwnedProblem* cn_fclib_load(const char* path, CnError* error);

// Saves the problem as an FCLib file, whatever its name, with the solution if that is not NULL. The
// file appears when it is complete. CN_UNSUPPORTED: FCLib has contacts and equalities only.
CN_API CnStatus cn_fclib_save(const CnProblem* problem, const CnSolution* solution,
                              const char* path, CnError* error);
