# The libFuzzer targets: a program for each tests/fuzz/NAME_fuzzer.cpp (preset `fuzz`; ./run check fuzz).
file(GLOB fuzzer_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/*_fuzzer.cpp)
add_custom_target(fuzzers)
foreach(file ${fuzzer_files})
  get_filename_component(name ${file} NAME_WE)
  string(REPLACE "_" "-" name ${name})
  add_executable(${name} ${file})
  target_link_libraries(${name} PRIVATE flamingo_config flamingo_link flamingo_wire flamingo_crypto)
  target_compile_options(${name} PRIVATE ${FLAMINGO_WARNINGS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers ${name})
endforeach()

# The frozen plans by another compiler than what the rest is built with: executors of one group plan alone.
flamingo_sources(schedulers FOLDERS actors/executor/schedulers)
set(golden ${CMAKE_SOURCE_DIR}/tests/golden)
add_executable(golden-plans ${golden}/plans_test.cpp ${golden}/hex_file.cpp ${CMAKE_SOURCE_DIR}/tests/main.cpp
  ${schedulers})
target_link_libraries(golden-plans PRIVATE flamingo_crypto flamingo_wire)
target_compile_definitions(golden-plans PRIVATE FLAMINGO_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
add_dependencies(fuzzers golden-plans)
