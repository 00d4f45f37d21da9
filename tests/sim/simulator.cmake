# The simulator: whole validators in virtual time, and the checkers of what must hold.
flamingo_library(flamingo_sim FOLDERS tests/sim
  LINK flamingo_actors CLI11::CLI11 nlohmann_json::nlohmann_json
  EXCLUDE "/tests/sim/main\\.cpp$" "/tests/sim/tests/")
add_executable(flamingo-sim ${CMAKE_SOURCE_DIR}/tests/sim/main.cpp)
target_compile_options(flamingo-sim PRIVATE ${FLAMINGO_WARNINGS})
target_link_libraries(flamingo-sim PRIVATE flamingo_sim)
flamingo_tests(sim-tests FOLDERS tests/sim/tests LINK flamingo_sim)
