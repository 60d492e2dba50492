# bankfull_package_version(<source folder> <version> <revision>): sets bankfull_package_version, the version of a Debian package from
# these sources, and bankfull_package_epoch, the time of their commit (empty: unknown). A commit that is no release sorts behind the
# release of its version, or before it where that is still to come.
function(bankfull_package_version source version revision)
  set(epoch "")
  set(is_release FALSE)
  set(released_in_changelog FALSE)
  file(STRINGS "${source}/CHANGELOG.md" section REGEX "^## \\[${version}\\]")
  if(section)
    set(released_in_changelog TRUE)
  endif()
  if(EXISTS "${source}/.git" AND NOT revision STREQUAL "unknown")
    find_package(Git QUIET REQUIRED)
    execute_process(COMMAND "${GIT_EXECUTABLE}" log -1 --format=%ct WORKING_DIRECTORY "${source}"
      OUTPUT_VARIABLE epoch OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND "${GIT_EXECUTABLE}" tag --points-at HEAD --list "v${version}" WORKING_DIRECTORY "${source}"
      OUTPUT_VARIABLE tag OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    if(tag)
      set(is_release TRUE)
    endif()
  elseif(NOT revision STREQUAL "unknown")
    # git archive gives its files the time of the commit. It knows no tag: what has a section of its own is a release.
    file(TIMESTAMP "${source}/cmake/archived-revision.txt" epoch "%s" UTC)
    set(is_release ${released_in_changelog})
  endif()
  if(epoch AND NOT is_release)
    set(ENV{SOURCE_DATE_EPOCH} ${epoch})
    string(TIMESTAMP day "%Y%m%d" UTC)
    string(REGEX MATCH "[0-9a-f]+(-dirty)?$" hash "${revision}") # behind the tag that git describe names
    string(SUBSTRING "${hash}" 0 9 hash)
    if(released_in_changelog)
      string(APPEND version "+git${day}.${hash}")
    else()
      string(APPEND version "~git${day}.${hash}")
    endif()
  endif()
  set(bankfull_package_version "${version}" PARENT_SCOPE)
  set(bankfull_package_epoch "${epoch}" PARENT_SCOPE)
endfunction()
