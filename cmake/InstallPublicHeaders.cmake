# Run by cmake --install, with bankfull_source, bankfull_public_headers and bankfull_include_dir: installs these headers and what
# they include, whatever that is at this moment, and nothing else.
cmake_policy(VERSION 3.25)
set(found "")
set(left ${bankfull_public_headers})
while(left)
  list(POP_FRONT left header)
  if(header IN_LIST found OR NOT EXISTS "${bankfull_source}/${header}") # but what the build generates
    continue()
  endif()
  list(APPEND found "${header}")
  file(STRINGS "${bankfull_source}/${header}" lines REGEX "^#include \"bankfull/")
  list(TRANSFORM lines REPLACE "^#include \"([^\"]+)\".*" "\\1")
  list(APPEND left ${lines})
endwhile()
foreach(header IN LISTS found)
  get_filename_component(folder "${header}" DIRECTORY)
  file(INSTALL "${bankfull_source}/${header}" DESTINATION "${bankfull_include_dir}/${folder}")
endforeach()
