# The simulator: whole validators in virtual time, and the checkers of what must hold.
flamingo_library(flamingo_sim FOLDERS tests/sim LINK flamingo_actors nlohmann_json::nlohmann_json
  EXCLUDE "/tests/sim/main\\.cpp$" "/tests/sim/tests/")
flamingo_tests(sim-tests FOLDERS tests/sim/tests LINK flamingo_sim)

add_library(flamingo_sim_main OBJECT ${CMAKE_SOURCE_DIR}/tests/sim/main.cpp)
target_compile_options(flamingo_sim_main PRIVATE ${FLAMINGO_WARNINGS})
target_link_libraries(flamingo_sim_main PUBLIC flamingo_sim CLI11::CLI11)

function(flamingo_simulator name)
  add_executable(${name} ${ARGN})
  target_compile_options(${name} PRIVATE ${FLAMINGO_WARNINGS})
  target_link_libraries(${name} PRIVATE flamingo_sim_main)
endfunction()
flamingo_simulator(flamingo-sim)

# The program that hunts a mutant with the tests of `program`, which are compiled already.
function(flamingo_hunting_tests name program)
  get_target_property(libraries ${program} LINK_LIBRARIES)
  add_executable(${name} ${ARGN} $<TARGET_OBJECTS:${program}>)
  target_compile_options(${name} PRIVATE ${FLAMINGO_WARNINGS})
  target_link_libraries(${name} PRIVATE ${libraries})
endfunction()

# The broken variants (mutants.txt), each beside the simulator or test program that hunts it: the files
# that hold the broken line are compiled anew, and being named before the libraries they stand in for the
# sound ones.
add_custom_target(flamingo-mutants)
file(STRINGS ${CMAKE_SOURCE_DIR}/tests/sim/mutants.txt mutant_lines REGEX "^[a-z]")
flamingo_sources(mutable_files FOLDERS actors crypto)
foreach(line ${mutant_lines})
  string(REGEX MATCH "^([a-z0-9_]+) +([a-z_-]+)" name_and_hunter "${line}")
  set(mutant ${CMAKE_MATCH_1})
  set(hunter ${CMAKE_MATCH_2})
  set(broken_files)
  foreach(file ${mutable_files})
    file(STRINGS ${file} places REGEX "FLAMINGO_MUTANT_${mutant}$")
    if(places)
      list(APPEND broken_files ${file})
    endif()
  endforeach()
  if(NOT broken_files)
    message(FATAL_ERROR "tests/sim/mutants.txt: nowhere is there a FLAMINGO_MUTANT_${mutant}")
  endif()
  if(hunter MATCHES "-tests$")
    set(program ${hunter}-${mutant})
    flamingo_hunting_tests(${program} ${hunter} ${broken_files})
    add_dependencies(flamingo-mutants ${hunter})  # without the mutant they must pass
  else()
    set(program flamingo-sim-${mutant})
    flamingo_simulator(${program} ${broken_files})
  endif()
  target_compile_options(${program} PRIVATE -O1 -g0)  # it is built, run and thrown away
  set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL ON)
  target_compile_definitions(${program} PRIVATE FLAMINGO_MUTANT_${mutant}=1)
  add_dependencies(flamingo-mutants ${program})
endforeach()
