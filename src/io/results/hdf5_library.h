// The HDF5 library, loaded when a file of its kind is first asked for: it depends on so much that loading it takes
// longer than a small run.
#pragma once

#include <hdf5.h>

namespace bricard {

// clang-format finds no end with a list of macros.
// clang-format off
#define BRICARD_HDF5_FUNCTIONS(F) \
  F(H5open) F(H5dont_atexit) F(H5Eset_auto2) F(H5Fcreate) F(H5Fflush) F(H5Fclose) F(H5Pcreate) \
  F(H5Pclose) F(H5Pset_libver_bounds) F(H5Pset_file_locking) F(H5Pset_chunk) F(H5Pset_shuffle) \
  F(H5Pset_deflate) F(H5Pset_virtual) F(H5Screate) F(H5Screate_simple) F(H5Sselect_hyperslab) \
  F(H5Sclose) F(H5Tcopy) F(H5Tset_size) F(H5Tset_cset) F(H5Tset_strpad) F(H5Tclose) F(H5Dcreate2) \
  F(H5Dset_extent) F(H5Dget_space) F(H5Dwrite) F(H5Dclose) F(H5Acreate2) F(H5Awrite) F(H5Aclose)
// clang-format on

struct Hdf5Library {
#define BRICARD_HDF5_MEMBER(name) decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
  BRICARD_HDF5_FUNCTIONS(BRICARD_HDF5_MEMBER)
#undef BRICARD_HDF5_MEMBER
  // What macros of the header stand for.
  hid_t text = H5I_INVALID_HID, number = H5I_INVALID_HID, stored_number = H5I_INVALID_HID, mark = H5I_INVALID_HID;
  hid_t file_access = H5I_INVALID_HID, dataset_creation = H5I_INVALID_HID;
};

/// Throws InputError if the library cannot be loaded.
const Hdf5Library& hdf5();

}  // namespace bricard
