# The laboratory as a page, which `interlock lab` serves. scripts/lab builds it, often after the program:
# so it need not be there when this is configured, and is installed if it is there then. The program
# looks for it in one place, seen from its own folder, which is the same in the build tree as in the
# installation.
include(GNUInstallDirs)

set(INTERLOCK_LAB_PAGE "${PROJECT_SOURCE_DIR}/build/lab.html"
    CACHE FILEPATH "The page of the laboratory, as scripts/lab builds it")
if(NOT INTERLOCK_LAB_PAGE STREQUAL "${PROJECT_SOURCE_DIR}/build/lab.html" AND NOT EXISTS "${INTERLOCK_LAB_PAGE}")
  message(FATAL_ERROR "INTERLOCK_LAB_PAGE: there is no file ${INTERLOCK_LAB_PAGE}: build it by scripts/lab FILE")
endif()

file(RELATIVE_PATH INTERLOCK_LAB_PAGE_FROM_PROGRAM "${CMAKE_INSTALL_FULL_BINDIR}"
     "${CMAKE_INSTALL_FULL_DATADIR}/interlock/lab.html")

# A folder of data far from that of programs (/opt/NAME/bin and /usr/share) has no place in the build
# tree.
if(CMAKE_RUNTIME_OUTPUT_DIRECTORY AND NOT INTERLOCK_LAB_PAGE_FROM_PROGRAM MATCHES "^[.][.]/[.][.]/")
  cmake_path(SET link NORMALIZE "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${INTERLOCK_LAB_PAGE_FROM_PROGRAM}")
  cmake_path(GET link PARENT_PATH folder)
  file(MAKE_DIRECTORY "${folder}")
  file(CREATE_LINK "${INTERLOCK_LAB_PAGE}" "${link}" SYMBOLIC)
endif()

if(INTERLOCK_INSTALL)
  # Without the page, the program says how to get one.
  install(FILES "${INTERLOCK_LAB_PAGE}" DESTINATION "${CMAKE_INSTALL_DATADIR}/interlock" RENAME lab.html
          OPTIONAL)
endif()
