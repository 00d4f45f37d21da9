# Tests with real processes: each starts its own networks, on ports that are free. Names stand here in full so
# that demands.py finds them.

# The binary as it is, but that it crashes where FLAMINGO_CRASH says: its own definition of the fault
# point stands before the library's.
add_executable(flamingo-with-faults ${CMAKE_SOURCE_DIR}/apps/flamingo/main.cpp
  ${CMAKE_SOURCE_DIR}/tests/system/fault_point.cpp)
target_link_libraries(flamingo-with-faults PRIVATE flamingo_commands)
target_compile_options(flamingo-with-faults PRIVATE ${FLAMINGO_WARNINGS})
add_executable(change-state ${CMAKE_SOURCE_DIR}/tests/system/change_state.cpp)
target_link_libraries(change-state PRIVATE flamingo_actors)
target_compile_options(change-state PRIVATE ${FLAMINGO_WARNINGS})
add_executable(flood ${CMAKE_SOURCE_DIR}/tests/system/flood.cpp)
target_link_libraries(flood PRIVATE flamingo_config)
target_compile_options(flood PRIVATE ${FLAMINGO_WARNINGS})

set(system_environment "FLAMINGO=$<TARGET_FILE:flamingo>" "CHANGE_STATE=$<TARGET_FILE:change-state>"
  "FLOOD=$<TARGET_FILE:flood>" "FLAMINGO_WITH_FAULTS=$<TARGET_FILE:flamingo-with-faults>")

# A case of a file beside this one. ALONE: it measures, and needs the machine for itself (its two cores).
# LOAD: another test may run beside it, but none with a load of its own.
function(system_test name file case)
  cmake_parse_arguments(ARG "ALONE;LOAD" "" "" ${ARGN})
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E chdir ${CMAKE_SOURCE_DIR}/tests/system
    ${Python3_EXECUTABLE} ${file} ${case})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${system_environment}" TIMEOUT 300
    LABELS "system" SKIP_RETURN_CODE 77)
  if(ARG_ALONE)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  elseif(ARG_LOAD)  # the longest row of tests that wait for each other: begun first
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK load COST 100)
  endif()
endfunction()

system_test("system: a payment is executed and an overdraft says why and exits with 1"
  network_test.py NetworkTest.test_payment)
system_test("system: paying on a stopped network is one line and exit code 1 in time"
  network_test.py NetworkTest.test_stopped_network)
system_test("system: payments go on with one validator down, and it comes back"
  network_test.py NetworkTest.test_one_validator_down)
system_test("system: after a clean stop of all validators nothing is forgotten"
  network_test.py NetworkTest.test_restart_of_all)
system_test("system: SIGTERM under load ends a validator cleanly within 5 s"
  network_test.py NetworkTest.test_sigterm_under_load)
system_test("system: load that commits nothing exits with 1"
  network_test.py NetworkTest.test_load_without_network)
system_test("system: a wrong key or store is refused at start with both values"
  network_test.py NetworkTest.test_refused_starts)
system_test("system: files of another network are told as such at once by each command"
  network_test.py NetworkTest.test_other_network)
system_test("system: an init that is interrupted leaves no network and is done again"
  network_test.py NetworkTest.test_interrupted_init)
system_test("system: results that cannot be written are an error"
  network_test.py NetworkTest.test_lost_output)
system_test("system: a busy port is one line that names it"
  network_test.py NetworkTest.test_busy_ports)
system_test("system: with more than f validators down the others idle, and go on when one is back"
  idle_test.py IdleTest.test_idle LOAD)
system_test("system: every line of a json log is json"
  network_test.py NetworkTest.test_json_log)
system_test("system: a process takes as many open files as it is allowed"
  network_test.py NetworkTest.test_open_files)
system_test("system: the roles of one validator run in several processes"
  roles_test.py RolesTest.test_plain)
system_test("system: a validator that lost its store comes back from a checkpoint under load"
  joining_test.py JoiningTest.test_lost_store LOAD)
system_test("system: strangers at every door, ten thousand connects among them, disturb nobody"
  attackers_test.py AttackersTest.test_attackers ALONE)
system_test("system: a validator that crashes around any sync of any table comes back and nothing is lost"
  fault_points_test.py FaultPointsTest.test_fault_points LOAD)
system_test("system: a validator with another state finds out, says so, and goes on voting"
  divergence_test.py DivergenceTest.test_divergence)
system_test("system: a full disk ends a validator in one line, and with space it goes on"
  full_disk_test.py FullDiskTest.test_full_disk)
system_test("system: a flood is told that it is one, memory stays bounded and nothing is lost"
  overload_test.py OverloadTest.test_overload ALONE)
system_test("system: a flood of bad signatures less than doubles the other clients' p99"
  floods_test.py FloodsTest.test_signature_flood ALONE)
system_test("system: a flood of sync requests less than doubles the other clients' p99"
  floods_test.py FloodsTest.test_sync_flood ALONE)
system_test("system: where no validator may be faulty none may lose its store"
  joining_test.py JoiningTest.test_lost_store_of_a_small_network)
system_test("system: the roles of one validator run in several processes over TLS"
  roles_test.py RolesTest.test_tls)
system_test("system: strangers learn nothing from a validator's processes and disturb nobody"
  roles_test.py RolesTest.test_strangers)
system_test("system: a process without a certificate of the validator's authority is not let in"
  roles_test.py RolesTest.test_strange_process)
system_test("system: executors come, go and are killed with their hosts under load, and states stay equal"
  executors_test.py ExecutorsTest.test_scaling_under_load LOAD)
system_test("system: executors are added and removed under load, and all states stay equal"
  executors_test.py ExecutorsTest.test_scaling_in_one_process LOAD)
system_test("system: wrong use of executors is one line each"
  executors_test.py ExecutorsTest.test_mistakes)
system_test("system: Prometheus scrapes every role of every validator"
  network_test.py NetworkTest.test_prometheus)
system_test("system: docs/metrics.md has every series that is served and no other"
  metrics_test.py MetricsTest.test_page)
system_test("system: idle strangers at /metrics are dropped within seconds and stop no scrape"
  metrics_test.py MetricsTest.test_strangers)
system_test("system: a local network executes its load, loses nothing and agrees"
  local_test.py LocalTest.test_counts ALONE)
system_test("system: killed, cut and stopped validators come back, nothing is lost or applied twice"
  local_test.py LocalTest.test_chaos LOAD)
system_test("system: two local networks run side by side"
  local_test.py LocalTest.test_side_by_side LOAD)
system_test("system: Ctrl-C or a hang-up ends a local run early, tells what ran and leaves no files"
  local_test.py LocalTest.test_stopped LOAD)
system_test("system: the bare preset and a skewed load work"
  local_test.py LocalTest.test_bare LOAD)
system_test("system: wrong use of local is one line and exit code 2"
  local_test.py LocalTest.test_usage)
