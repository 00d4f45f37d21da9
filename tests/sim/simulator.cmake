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

# Its broken variants (mutants.txt): the files that hold the broken line are compiled anew, and being
# named before the libraries they stand in for the sound ones.
add_custom_target(flamingo-mutants)
file(STRINGS ${CMAKE_SOURCE_DIR}/tests/sim/mutants.txt mutant_lines REGEX "^[a-z]")
flamingo_sources(mutable_files FOLDERS actors crypto)
foreach(line ${mutant_lines})
  string(REGEX MATCH "^[a-z0-9_]+" mutant "${line}")
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
  flamingo_simulator(flamingo-sim-${mutant} ${broken_files})
  target_compile_options(flamingo-sim-${mutant} PRIVATE -O1 -g0)  # it is built, run and thrown away
  set_target_properties(flamingo-sim-${mutant} PROPERTIES EXCLUDE_FROM_ALL ON)
  target_compile_definitions(flamingo-sim-${mutant} PRIVATE FLAMINGO_MUTANT_${mutant}=1)
  add_dependencies(flamingo-mutants flamingo-sim-${mutant})
endforeach()
