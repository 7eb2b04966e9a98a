# Generates epilogue headers as part of a build:
#
#   find_package(evtgen CONFIG REQUIRED)   # cmake -Devtgen_DIR=$(evtgen --cmake-dir) ...
#   evtgen_add_epilogue(TARGET my_kernel SPEC my_epilogue.py)
#
# TARGET     a target that includes the headers; for a new name, an interface library is created to link with
# SPEC       spec files, Python or JSON
# DEPENDS    more files that the specs read, such as modules they import
# OUTPUT     include root to write into; default evtgen/TARGET in the build directory
# NAMESPACE, FUSION_DIR   as for evtgen build; Catlass v1.6 and later needs Catlass::Epilogue::Evt and
#            catlass/epilogue/evt, since it has a fusion directory of its own
#
# The headers are written again when a spec, a file in DEPENDS or evtgen itself changes, and only those that differ.

# A virtual environment keeps its programs five directories above this one.
find_program(EVTGEN_EXECUTABLE evtgen HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../../../bin"
             DOC "The evtgen command")
if(NOT EVTGEN_EXECUTABLE)
    set(evtgen_FOUND FALSE)
    set(evtgen_NOT_FOUND_MESSAGE "the evtgen command is not on the PATH; give -DEVTGEN_EXECUTABLE=/path/to/evtgen")
    return()
endif()

set(_EVTGEN_PACKAGE "${CMAKE_CURRENT_LIST_DIR}/..")

function(evtgen_add_epilogue)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;OUTPUT;NAMESPACE;FUSION_DIR" "SPEC;DEPENDS")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_TARGET OR NOT arg_SPEC)
        message(FATAL_ERROR "usage: evtgen_add_epilogue(TARGET name SPEC file... [DEPENDS file...] [OUTPUT dir] "
                            "[NAMESPACE ns] [FUSION_DIR dir]), not: ${ARGV}")
    endif()
    set(specs)
    foreach(spec IN LISTS arg_SPEC)
        get_filename_component(path "${spec}" ABSOLUTE)
        if(NOT EXISTS "${path}")
            message(FATAL_ERROR "evtgen_add_epilogue: there is no spec ${path}")
        endif()
        list(APPEND specs "${path}")
    endforeach()
    set(more)
    foreach(file IN LISTS arg_DEPENDS)
        get_filename_component(path "${file}" ABSOLUTE)
        list(APPEND more "${path}")
    endforeach()
    if(arg_OUTPUT)
        get_filename_component(output "${arg_OUTPUT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
    else()
        set(output "${CMAKE_CURRENT_BINARY_DIR}/evtgen/${arg_TARGET}")
    endif()
    set(options)
    if(arg_NAMESPACE)
        list(APPEND options --namespace "${arg_NAMESPACE}")
    endif()
    if(arg_FUSION_DIR)
        list(APPEND options --fusion-dir "${arg_FUSION_DIR}")
    endif()

    # An installed package contains the templates; in a checkout they are beside it.
    file(GLOB_RECURSE self CONFIGURE_DEPENDS "${_EVTGEN_PACKAGE}/*.py" "${_EVTGEN_PACKAGE}/templates/*.j2"
         "${_EVTGEN_PACKAGE}/../templates/*.j2")
    set(stamp "${CMAKE_CURRENT_BINARY_DIR}/evtgen/${arg_TARGET}.stamp")
    add_custom_command(
        OUTPUT "${stamp}"
        COMMAND "${EVTGEN_EXECUTABLE}" build ${specs} -o "${output}" ${options}
        COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
        DEPENDS ${specs} ${more} ${self}
        COMMENT "Generating the epilogue headers of ${arg_TARGET}"
        VERBATIM)
    add_custom_target(${arg_TARGET}_evtgen DEPENDS "${stamp}")

    if(TARGET ${arg_TARGET})
        get_target_property(type ${arg_TARGET} TYPE)
    else()
        add_library(${arg_TARGET} INTERFACE)
        set(type INTERFACE_LIBRARY)
    endif()
    if(type STREQUAL "INTERFACE_LIBRARY")
        target_include_directories(${arg_TARGET} INTERFACE "${output}")
    else()
        target_include_directories(${arg_TARGET} PRIVATE "${output}")
    endif()
    add_dependencies(${arg_TARGET} ${arg_TARGET}_evtgen)
endfunction()
