"""CMakeLists.txt beside emitted C++: interface libraries, self-tests for ctest, and what find_package finds."""

ONE_BY_ONE = """\
# Every header here is a library of its own: motionc::<name>, by add_subdirectory, FetchContent or find_package(<name>).
cmake_minimum_required(VERSION 3.15)
project(motionc_headers LANGUAGES CXX)

get_directory_property(inside PARENT_DIRECTORY)
file(GLOB headers RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.hpp")
find_package(Eigen3 QUIET NO_MODULE)
include(GNUInstallDirs)
enable_testing()

foreach(header IN LISTS headers)
  get_filename_component(name "${header}" NAME_WE)
  add_library(${name} INTERFACE)
  add_library(motionc::${name} ALIAS ${name})
  target_compile_features(${name} INTERFACE cxx_std_17)
  target_include_directories(${name} INTERFACE
    "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/motionc>")
  install(FILES "${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/motionc")
  install(TARGETS ${name} EXPORT ${name}Config)
  install(EXPORT ${name}Config NAMESPACE motionc:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/${name}")
  if(NOT inside AND EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${name}_test.cpp")
    add_executable(${name}_test "${name}_test.cpp")
    target_link_libraries(${name}_test PRIVATE ${name})
    if(TARGET Eigen3::Eigen)
      target_link_libraries(${name}_test PRIVATE Eigen3::Eigen)
    endif()
    add_test(NAME ${name} COMMAND ${name}_test)
  endif()
endforeach()
"""

ROBOT = """\
# motionc::@name@, by add_subdirectory, FetchContent or find_package(@name@).
cmake_minimum_required(VERSION 3.15)
project(@name@ LANGUAGES CXX)

get_directory_property(inside PARENT_DIRECTORY)
include(GNUInstallDirs)
enable_testing()

add_library(@name@ INTERFACE)
add_library(motionc::@name@ ALIAS @name@)
target_compile_features(@name@ INTERFACE cxx_std_17)
target_include_directories(@name@ INTERFACE
  "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
install(DIRECTORY include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS @name@ EXPORT @name@Config)
install(EXPORT @name@Config NAMESPACE motionc:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/@name@")

if(NOT inside)
  find_package(Eigen3 QUIET NO_MODULE)
  add_executable(@name@_test @name@_test.cpp)
  target_link_libraries(@name@_test PRIVATE @name@)
  if(TARGET Eigen3::Eigen)
    target_link_libraries(@name@_test PRIVATE Eigen3::Eigen)
  endif()
  add_test(NAME @name@ COMMAND @name@_test)
endif()
"""
