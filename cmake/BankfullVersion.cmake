# Build facts that every result carries: version, revision, compilers, flags.
find_package(Git QUIET)
set(bankfull_git_revision "unknown")
if(Git_FOUND AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
  execute_process(COMMAND "${GIT_EXECUTABLE}" describe --always --dirty --abbrev=12
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE bankfull_git_revision
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT bankfull_git_revision)
    set(bankfull_git_revision "unknown")
  endif()
  # A new commit or checkout must refresh the revision.
  foreach(head HEAD logs/HEAD)
    if(EXISTS "${PROJECT_SOURCE_DIR}/.git/${head}")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/.git/${head}")
    endif()
  endforeach()
else()
  # In a source archive git has written the revision there.
  file(STRINGS "${PROJECT_SOURCE_DIR}/cmake/archived-revision.txt" archived_revision LIMIT_COUNT 1)
  if(archived_revision MATCHES "^[0-9a-f]+$")
    string(SUBSTRING "${archived_revision}" 0 12 bankfull_git_revision)
  endif()
endif()
