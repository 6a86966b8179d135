# CPack runs this when the files of all packages lie in folders of their own, and before it packs them. Adds
# what Debian wants beside the files that are installed elsewhere too.

# compress(FILE): without its name and time, so that packages that are built twice are equal.
function(compress file)
  execute_process(COMMAND gzip -9 --no-name --force "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The time in SOURCE_DATE_EPOCH, if it is set.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)

# The last line of a changelog has an address, be it an empty one.
set(maintainer "${CPACK_DEBIAN_PACKAGE_MAINTAINER}")
if(NOT maintainer MATCHES "<")
  string(APPEND maintainer " <>")
endif()

foreach(part IN LISTS CPACK_COMPONENTS_ALL)
  set(package "${CPACK_INTERLOCK_${part}_PACKAGE}")
  set(share "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${part}/usr/share")
  set(changelog "${share}/doc/${package}/changelog.Debian")
  file(WRITE "${changelog}" "interlock (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; \
urgency=medium

  * Built by scripts/package; CHANGELOG.md of the sources says what is new.

 -- ${maintainer}  ${date}
")
  compress("${changelog}")

  if(part STREQUAL "program")
    file(COPY_FILE "${CPACK_INTERLOCK_PACKAGING_DIR}/../../CHANGELOG.md" "${share}/doc/${package}/changelog")
    file(CHMOD "${share}/doc/${package}/changelog" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    compress("${share}/doc/${package}/changelog")
    # Without the page of the laboratory its folder is empty.
    if(NOT EXISTS "${share}/interlock/lab.html")
      file(REMOVE_RECURSE "${share}/interlock")
    endif()
    # Where the zsh of Debian looks; others look in site-functions.
    file(RENAME "${share}/zsh/site-functions" "${share}/zsh/vendor-completions")
  endif()

  file(GLOB manuals "${share}/man/man*/*" "${share}/man/*/man*/*")
  foreach(manual IN LISTS manuals)
    if(NOT manual MATCHES "[.]gz$" AND NOT IS_DIRECTORY "${manual}")
      compress("${manual}")
    endif()
  endforeach()

  set(overrides "${CPACK_INTERLOCK_PACKAGING_DIR}/${part}.lintian-overrides")
  if(EXISTS "${overrides}")
    # The tree may be writable by its group, as that of a `git archive`.
    configure_file("${overrides}" "${share}/lintian/overrides/${package}" @ONLY
                   FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  endif()
endforeach()
