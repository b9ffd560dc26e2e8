# At installation: copies the headers of src/ that bricard/extend.h and bricard/testing.h name, and what these include, to
# ${destination}. They are found anew each time, so that no list can be out of date.
cmake_policy(VERSION 3.22)  # scripts of installations have none
set(todo joints/row_builder.h forces/force_element.h formulations/formulation.h formulations/dense_equations.h
  integrators/integrator.h integrators/explicit/explicit_runge_kutta.h ../include/bricard/testing.h)
set(found "")
while(todo)
  list(POP_FRONT todo header)
  if(header MATCHES "^bricard/" OR header IN_LIST found)
    continue()
  endif()
  list(APPEND found ${header})
  file(STRINGS ${source}/src/${header} lines REGEX "^#include \"")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
    list(APPEND todo ${included})
  endforeach()
endwhile()
list(FILTER found EXCLUDE REGEX "^[.][.]")
foreach(header IN LISTS found)
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL ${source}/src/${header} DESTINATION ${destination}/${folder})
endforeach()
