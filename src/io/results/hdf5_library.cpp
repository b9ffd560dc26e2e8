#include "io/results/hdf5_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "bricard/input_error.h"

namespace bricard {
namespace {

Hdf5Library loaded() {
  void* const library = ::dlopen(BRICARD_HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw InputError(fmt::format("HDF5 files cannot be written: {}", ::dlerror()));
  const auto find = [&](const char* name) {
    void* const found = ::dlsym(library, name);
    if (!found) throw InputError(fmt::format("HDF5 files cannot be written: {} has no {}", BRICARD_HDF5_LIBRARY, name));
    return found;
  };
  Hdf5Library h5;
#define BRICARD_HDF5_FIND(name) h5.name = reinterpret_cast<decltype(h5.name)>(find(#name));
  BRICARD_HDF5_FUNCTIONS(BRICARD_HDF5_FIND)
#undef BRICARD_HDF5_FIND
  // At its end the library would close files that could not be written, and fall over them.
  h5.H5dont_atexit();
  h5.H5open();
  h5.H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  // A program that is linked with the library may have these variables as its own.
  const auto value = [&](const char* name) {
    void* const own = ::dlsym(RTLD_DEFAULT, name);
    return *static_cast<const hid_t*>(own ? own : find(name));
  };
  h5.text = value("H5T_C_S1_g");
  h5.number = value("H5T_NATIVE_DOUBLE_g");
  h5.stored_number = value("H5T_IEEE_F64LE_g");
  h5.mark = value("H5T_NATIVE_SCHAR_g");
  h5.file_access = value("H5P_CLS_FILE_ACCESS_ID_g");
  h5.dataset_creation = value("H5P_CLS_DATASET_CREATE_ID_g");
  return h5;
}

}  // namespace

const Hdf5Library& hdf5() {
  static const Hdf5Library library = loaded();
  return library;
}

}  // namespace bricard
