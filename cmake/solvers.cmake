# What the library is made of. Headers that its own headers need: Eigen.
find_package(Eigen3 3.4 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(SUNDIALS REQUIRED COMPONENTS cvode ida kinsol nvecserial sunlinsolklu)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)
# Loaded when a file of its kind is asked for (io/results/hdf5_library.h), by the name that its versions have in common.
find_library(HDF5_SERIAL NAMES hdf5_serial hdf5 HINTS ${HDF5_LIBRARY_DIRS} REQUIRED NO_CACHE)
file(REAL_PATH ${HDF5_SERIAL} hdf5_file)
string(REGEX MATCH "lib[^/]*[.]so[.][0-9]+" hdf5_name ${hdf5_file})
find_path(SUITESPARSE_INCLUDE SuiteSparseQR.hpp PATH_SUFFIXES suitesparse REQUIRED NO_CACHE)
set(bricard_solvers SUNDIALS::cvode SUNDIALS::ida SUNDIALS::kinsol SUNDIALS::nvecserial SUNDIALS::sunlinsolklu klu amd
  btf colamd spqr cholmod suitesparseconfig lapacke openblas)

# The command takes solvers as archives where there are (Debian's): loading them takes longer than a small run.
find_library(METIS NAMES metis libmetis.so.5 NO_CACHE)
set(bricard_archives)
foreach(name sundials_cvode sundials_ida sundials_kinsol sundials_nvecserial sundials_sunlinsolklu
        sundials_sunmatrixsparse sundials_generic spqr cholmod klu btf camd ccolamd colamd amd suitesparseconfig lapacke
        openblas)
  unset(archive)
  find_library(archive NAMES lib${name}.a NO_CACHE)
  list(APPEND bricard_archives ${archive})
endforeach()
# OpenBLAS is made with the compiler of Fortran, whose library is beside GCC's own.
set(gnu_compiler ${CMAKE_CXX_COMPILER})
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(gnu_compiler g++)
endif()
execute_process(COMMAND ${gnu_compiler} -print-file-name=libgfortran.so OUTPUT_VARIABLE gfortran OUTPUT_STRIP_TRAILING_WHITESPACE)
if(METIS AND IS_ABSOLUTE "${gfortran}" AND NOT "${bricard_archives}" MATCHES "NOTFOUND")
  # The archives are not made for programs that may be loaded anywhere.
  list(APPEND bricard_archives ${METIS} gomp ${gfortran} m -no-pie)
else()
  set(bricard_archives ${bricard_solvers})
endif()
