# How every target of ours is compiled.
include(GNUInstallDirs)

set(bankfull_arch_flag "")
if(BANKFULL_NATIVE)
  set(bankfull_arch_flag "-march=native")
elseif(BANKFULL_ARCH)
  set(bankfull_arch_flag "-march=${BANKFULL_ARCH}")
endif()

# x86-64-v2, -v3 or -v4 where that is what we compile for: g++'s builtins tell whether a processor has it.
set(bankfull_processor_level "")
if(NOT BANKFULL_NATIVE AND BANKFULL_ARCH MATCHES "^x86-64-v[234]$" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(bankfull_processor_level "${BANKFULL_ARCH}")
endif()

# bankfull_runs_here(<variable>): whether what we compile runs on the machine that compiles it.
function(bankfull_runs_here variable)
  if(CMAKE_CROSSCOMPILING)
    set(runs "${CMAKE_CROSSCOMPILING_EMULATOR}")
  elseif(BANKFULL_NATIVE OR NOT BANKFULL_ARCH)
    set(runs TRUE)
  elseif(bankfull_processor_level)
    include(CheckCXXSourceRuns)
    set(check "bankfull_processor_is_${bankfull_processor_level}")
    string(MAKE_C_IDENTIFIER "${check}" check)
    set(CMAKE_REQUIRED_QUIET ON)
    check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"${bankfull_processor_level}\") ? 0 : 1; }" ${check})
    set(runs "${${check}}")
  else()
    set(runs FALSE)
  endif()
  if(runs)
    set(${variable} TRUE PARENT_SCOPE)
  else()
    set(${variable} FALSE PARENT_SCOPE)
  endif()
endfunction()

# Designated initialisers leave members at their defaults on purpose.
set(bankfull_warnings -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wno-missing-field-initializers)
if(BANKFULL_WERROR)
  list(APPEND bankfull_warnings -Werror)
endif()

# Schedules must agree bit for bit, so the compiler may neither contract nor reassociate:
# where a fused multiply-add is wanted the source says std::fma.
set(bankfull_cxx_flags ${bankfull_arch_flag} -ffp-contract=off -fno-math-errno -fno-trapping-math)

# g++ 12.2 deletes live stores after interprocedural mod/ref analysis: tests/workloads/himeno/point_test.cpp
# then reads weights that were never written (found in this code base; clean under the sanitizers and at -O2).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND bankfull_cxx_flags -fno-ipa-modref)
endif()

# What travels does not name the folder where it was built, as assertions and launches of kernels name their sources.
set(bankfull_path_flag "")
if(BANKFULL_PACKAGES OR BANKFULL_STATIC_DEPS)
  set(bankfull_path_flag "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")
endif()

# For those who use the library: loops of theirs for the processor that the library is compiled for, or the one that compiles
# them. Their sums may be contracted. The last flag is the compiler's defect above.
set(bankfull_users_arch_flag "${bankfull_arch_flag}")
if(NOT bankfull_users_arch_flag)
  set(bankfull_users_arch_flag -march=native)
endif()
add_library(bankfull_native INTERFACE)
add_library(bankfull::native ALIAS bankfull_native)
set_target_properties(bankfull_native PROPERTIES EXPORT_NAME native)
set(bankfull_users_flags ${bankfull_users_arch_flag} -fno-math-errno -fno-trapping-math)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND bankfull_users_flags $<$<CXX_COMPILER_ID:GNU>:-fno-ipa-modref>)
endif()
target_compile_options(bankfull_native INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:${bankfull_users_flags}>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${bankfull_users_arch_flag},-fno-math-errno,-fno-trapping-math>)

# bankfull_layer(<layer> SOURCES ... [CUDA_SOURCES ...] DEPENDS ...): one library target a layer.
function(bankfull_layer layer)
  cmake_parse_arguments(arg "" "" "SOURCES;CUDA_SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  set(target bankfull_${layer})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(bankfull::${layer} ALIAS ${target})
  if(bankfull_cuda_enabled)
    target_sources(${target} PRIVATE ${arg_CUDA_SOURCES})
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${layer})
  target_link_libraries(${target} PUBLIC ${arg_DEPENDS} PRIVATE ${arg_PRIVATE_DEPENDS})
  bankfull_compile_options(${target})
endfunction()

function(bankfull_compile_options target)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # CMake 3.25 applies CXX_STANDARD to CUDA too, of which it knows no C++20: say it as a flag, unless whoever uses the library
  # asks for at least as much.
  foreach(language IN ITEMS CXX CUDA)
    set(asked "$<IN_LIST:$<TARGET_PROPERTY:${language}_STANDARD>,20;23;26>")
    target_compile_options(${target} PUBLIC "$<$<AND:$<COMPILE_LANGUAGE:${language}>,$<NOT:${asked}>>:-std=c++20>")
  endforeach()
  # Functions of views are constexpr, and kernels call them.
  target_compile_options(${target} INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>")
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:${bankfull_warnings}>
    $<$<COMPILE_LANGUAGE:CXX>:${bankfull_cxx_flags}>
    $<$<COMPILE_LANGUAGE:CXX>:${bankfull_path_flag}>)
  # Templates of our headers depend on the registers: a program must see them as the installed library does.
  if(bankfull_arch_flag)
    target_compile_options(${target} INTERFACE
      $<INSTALL_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:${bankfull_arch_flag}>>)
  endif()
  if(bankfull_cuda_enabled)
    string(REPLACE ";" "," cuda_host_flags "${bankfull_warnings};${bankfull_cxx_flags}")
    set(cuda_flags --fmad=false --expt-relaxed-constexpr)
    if(BANKFULL_WERROR)
      list(APPEND cuda_flags --Werror=all-warnings)
    endif()
    # CMake 3.25 knows no CUDA C++20 and passes nothing for it.
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 ${cuda_flags} -Xcompiler=${cuda_host_flags}>)
  endif()
  if(bankfull_cuda_enabled AND bankfull_path_flag)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${bankfull_path_flag}>")
  endif()
  if(BANKFULL_SANITIZE)
    # A null pointer's access ends with AddressSanitizer's report anyway; these two checks stand at every access
    # and double the time to compile.
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${BANKFULL_SANITIZE} -fno-sanitize=null,vptr -fno-omit-frame-pointer
                                -fno-sanitize-recover=all>)
    target_link_options(${target} PUBLIC -fsanitize=${BANKFULL_SANITIZE})
  endif()
endfunction()

# Lets a target's kernels use instructions that only code for Hopper alone may have (sm_90a; see
# core/exec/register_share.cuh). PTX, from which later GPUs' code is made, stays without them.
function(bankfull_use_instructions_of_hopper target)
  if(NOT bankfull_cuda_enabled)
    return()
  endif()
  set(architectures ${CMAKE_CUDA_ARCHITECTURES})
  list(TRANSFORM architectures REPLACE "^native$" "${CMAKE_CUDA_ARCHITECTURES_NATIVE}")
  list(TRANSFORM architectures REPLACE "^90-real$" "90a-real")
  list(TRANSFORM architectures REPLACE "^90$" "90a-real;90-virtual")
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
endfunction()

# The headers of both families of MPI libraries, for a program that opens either at run time.
function(bankfull_find_mpi_headers)
  set(arch "${CMAKE_LIBRARY_ARCHITECTURE}")
  find_path(BANKFULL_OPEN_MPI_INCLUDE_DIR mpi-ext.h
    PATHS "/usr/lib/${arch}/openmpi/include" PATH_SUFFIXES openmpi openmpi-x86_64
    DOC "The folder of Open MPI's mpi.h")
  find_path(BANKFULL_MPICH_INCLUDE_DIR mpi.h
    PATHS "/usr/include/${arch}/mpich" "/usr/lib/${arch}/mpich/include" PATH_SUFFIXES mpich mpich-x86_64
    NO_DEFAULT_PATH DOC "The folder of MPICH's mpi.h")
  if(NOT BANKFULL_OPEN_MPI_INCLUDE_DIR OR NOT BANKFULL_MPICH_INCLUDE_DIR)
    message(FATAL_ERROR "BANKFULL_MPI=DYNAMIC needs the headers of Open MPI and of MPICH (scripts/install-deps --mpich): "
      "BANKFULL_OPEN_MPI_INCLUDE_DIR and BANKFULL_MPICH_INCLUDE_DIR name their folders")
  endif()
endfunction()

# What is compiled against one implementation of MPI, whose header is in `include_dir`, and opens its library at run time.
function(bankfull_mpi_shim implementation include_dir)
  set(target bankfull_${implementation}_shim)
  add_library(${target} OBJECT comm/opened_mpi/${implementation}.cpp)
  target_include_directories(${target} SYSTEM PRIVATE "${include_dir}")
  target_compile_definitions(${target} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  bankfull_compile_options(${target})
  target_sources(bankfull_core PRIVATE $<TARGET_OBJECTS:${target}>)
endfunction()

function(bankfull_find_mpi)
  set(bankfull_mpi_enabled FALSE PARENT_SCOPE)
  if(BANKFULL_MPI STREQUAL "OFF")
    return()
  endif()
  if(BANKFULL_MPI STREQUAL "DYNAMIC")
    bankfull_find_mpi_headers()
    find_program(MPIEXEC_EXECUTABLE mpiexec) # for the tests
    set(MPIEXEC_NUMPROC_FLAG -n CACHE STRING "Option of mpiexec for the number of ranks")
    set(bankfull_mpi_enabled TRUE PARENT_SCOPE)
    return()
  endif()
  # Only the C interface is used; MPI::MPI_CXX would bring the removed C++ bindings.
  enable_language(C)
  if(BANKFULL_MPI STREQUAL "ON")
    find_package(MPI REQUIRED COMPONENTS C)
  else()
    find_package(MPI QUIET COMPONENTS C)
  endif()
  set(bankfull_mpi_enabled ${MPI_C_FOUND} PARENT_SCOPE)
endfunction()

# Headers only, which no header of ours includes: whoever uses an installed bankfull needs none.
function(bankfull_find_eigen)
  set(bankfull_eigen_enabled FALSE PARENT_SCOPE)
  set(bankfull_eigen_why_not "" PARENT_SCOPE)
  if(BANKFULL_EIGEN STREQUAL "OFF")
    set(bankfull_eigen_why_not "it was configured with BANKFULL_EIGEN=OFF" PARENT_SCOPE)
    return()
  endif()
  if(BANKFULL_EIGEN STREQUAL "ON")
    find_package(Eigen3 3.4 REQUIRED NO_MODULE)
  else()
    find_package(Eigen3 3.4 QUIET NO_MODULE)
  endif()
  if(Eigen3_FOUND)
    get_target_property(include_dir Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
    set(bankfull_eigen_include_dir "${include_dir}" PARENT_SCOPE)
    set(bankfull_eigen_enabled TRUE PARENT_SCOPE)
  else()
    set(bankfull_eigen_why_not "no Eigen 3.4 was found when it was built" PARENT_SCOPE)
  endif()
endfunction()

# Hdf5::C; static where the binary must travel alone. 1.10.7 is the first that can be told not to lock files.
function(bankfull_find_hdf5)
  set(bankfull_hdf5_enabled FALSE PARENT_SCOPE)
  set(bankfull_hdf5_why_not "" PARENT_SCOPE)
  if(BANKFULL_HDF5 STREQUAL "OFF")
    set(bankfull_hdf5_why_not "it was configured with BANKFULL_HDF5=OFF" PARENT_SCOPE)
    return()
  endif()
  if(BANKFULL_STATIC_DEPS)
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  endif()
  if(BANKFULL_HDF5 STREQUAL "ON")
    find_package(Hdf5C 1.10.7 REQUIRED)
  else()
    find_package(Hdf5C 1.10.7 QUIET)
  endif()
  if(Hdf5C_FOUND)
    find_package(ZLIB REQUIRED) # which HDF5 and libpng bring
    set_target_properties(Hdf5::C ZLIB::ZLIB PROPERTIES IMPORTED_GLOBAL TRUE)
    set(bankfull_hdf5_enabled TRUE PARENT_SCOPE)
    set(bankfull_hdf5_version "${Hdf5C_VERSION}" PARENT_SCOPE)
  else()
    set(bankfull_hdf5_why_not "no HDF5 1.10.7 or newer was found when it was built" PARENT_SCOPE)
  endif()
endfunction()

# OpenMP::OpenMP_CXX; GNU's library static where the binary must travel alone.
function(bankfull_find_openmp)
  if(BANKFULL_STATIC_DEPS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libgomp.a
      OUTPUT_VARIABLE archive OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(IS_ABSOLUTE "${archive}")
      set(OpenMP_gomp_LIBRARY "${archive}" CACHE FILEPATH "GNU's OpenMP library")
    endif()
  endif()
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  set_target_properties(OpenMP::OpenMP_CXX PROPERTIES IMPORTED_GLOBAL TRUE)
endfunction()

# PNG::PNG; static where the binary must travel alone.
function(bankfull_find_png)
  if(BANKFULL_STATIC_DEPS)
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  endif()
  find_package(PNG REQUIRED)
  set_target_properties(PNG::PNG PROPERTIES IMPORTED_GLOBAL TRUE)
endfunction()

# The header stb_truetype.h, which one source compiles.
function(bankfull_find_stb)
  set(bankfull_stb_enabled FALSE PARENT_SCOPE)
  if(BANKFULL_STB STREQUAL "OFF")
    return()
  endif()
  find_path(bankfull_stb_include_dir stb/stb_truetype.h)
  mark_as_advanced(bankfull_stb_include_dir)
  if(bankfull_stb_include_dir)
    set(bankfull_stb_enabled TRUE PARENT_SCOPE)
  elseif(BANKFULL_STB STREQUAL "ON")
    message(FATAL_ERROR "BANKFULL_STB=ON, but there is no stb/stb_truetype.h: install libstb-dev")
  endif()
endfunction()

# bankfull_toml: the headers of toml++, whose functions are compiled once, in a source that defines
# TOML_IMPLEMENTATION.
function(bankfull_find_toml)
  find_path(bankfull_toml_include_dir toml++/toml.h REQUIRED)
  mark_as_advanced(bankfull_toml_include_dir)
  add_library(bankfull_toml INTERFACE)
  target_include_directories(bankfull_toml SYSTEM INTERFACE "${bankfull_toml_include_dir}")
  target_compile_definitions(bankfull_toml INTERFACE TOML_HEADER_ONLY=0)
endfunction()
