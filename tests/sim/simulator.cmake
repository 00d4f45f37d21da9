# The simulator: whole validators in virtual time, and the checkers of what must hold.
flamingo_library(flamingo_sim FOLDERS tests/sim LINK flamingo_actors
  EXCLUDE "/tests/sim/main\\.cpp$" "/tests/sim/tests/")
flamingo_tests(sim-tests FOLDERS tests/sim/tests LINK flamingo_sim)
