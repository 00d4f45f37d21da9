# Tests with real processes: each starts its own networks, so one runs at a time. Names stand here
# in full so that demands.py finds them.
set(in_system ${CMAKE_COMMAND} -E chdir ${CMAKE_SOURCE_DIR}/tests/system ${Python3_EXECUTABLE})
set(system_tests)

# The binary as it is, but that it crashes where FLAMINGO_CRASH says: its own definition of the fault
# point stands before the library's.
add_executable(flamingo-with-faults ${CMAKE_SOURCE_DIR}/apps/flamingo/main.cpp
  ${CMAKE_SOURCE_DIR}/tests/system/fault_point.cpp)
target_link_libraries(flamingo-with-faults PRIVATE flamingo_commands)
target_compile_options(flamingo-with-faults PRIVATE ${FLAMINGO_WARNINGS})
add_executable(change-state ${CMAKE_SOURCE_DIR}/tests/system/change_state.cpp)
target_link_libraries(change-state PRIVATE flamingo_actors)
target_compile_options(change-state PRIVATE ${FLAMINGO_WARNINGS})

add_test(NAME "system: a payment is executed and an overdraft says why and exits with 1"
  COMMAND ${in_system} network_test.py NetworkTest.test_payment)
list(APPEND system_tests "system: a payment is executed and an overdraft says why and exits with 1")
add_test(NAME "system: paying on a stopped network is one line and exit code 1 in time"
  COMMAND ${in_system} network_test.py NetworkTest.test_stopped_network)
list(APPEND system_tests "system: paying on a stopped network is one line and exit code 1 in time")
add_test(NAME "system: payments go on with one validator down, and it comes back"
  COMMAND ${in_system} network_test.py NetworkTest.test_one_validator_down)
list(APPEND system_tests "system: payments go on with one validator down, and it comes back")
add_test(NAME "system: after a clean stop of all validators nothing is forgotten"
  COMMAND ${in_system} network_test.py NetworkTest.test_restart_of_all)
list(APPEND system_tests "system: after a clean stop of all validators nothing is forgotten")
add_test(NAME "system: SIGTERM under load ends a validator cleanly within 5 s"
  COMMAND ${in_system} network_test.py NetworkTest.test_sigterm_under_load)
list(APPEND system_tests "system: SIGTERM under load ends a validator cleanly within 5 s")
add_test(NAME "system: load that commits nothing exits with 1"
  COMMAND ${in_system} network_test.py NetworkTest.test_load_without_network)
list(APPEND system_tests "system: load that commits nothing exits with 1")
add_test(NAME "system: a wrong key or store is refused at start with both values"
  COMMAND ${in_system} network_test.py NetworkTest.test_refused_starts)
list(APPEND system_tests "system: a wrong key or store is refused at start with both values")
add_test(NAME "system: files of another network are told as such at once by each command"
  COMMAND ${in_system} network_test.py NetworkTest.test_other_network)
list(APPEND system_tests "system: files of another network are told as such at once by each command")
add_test(NAME "system: an init that is interrupted leaves no network and is done again"
  COMMAND ${in_system} network_test.py NetworkTest.test_interrupted_init)
list(APPEND system_tests "system: an init that is interrupted leaves no network and is done again")
add_test(NAME "system: results that cannot be written are an error"
  COMMAND ${in_system} network_test.py NetworkTest.test_lost_output)
list(APPEND system_tests "system: results that cannot be written are an error")
add_test(NAME "system: a busy port is one line that names it"
  COMMAND ${in_system} network_test.py NetworkTest.test_busy_ports)
list(APPEND system_tests "system: a busy port is one line that names it")
add_test(NAME "system: every line of a json log is json"
  COMMAND ${in_system} network_test.py NetworkTest.test_json_log)
list(APPEND system_tests "system: every line of a json log is json")
add_test(NAME "system: a process takes as many open files as it is allowed"
  COMMAND ${in_system} network_test.py NetworkTest.test_open_files)
list(APPEND system_tests "system: a process takes as many open files as it is allowed")
add_test(NAME "system: the roles of one validator run in several processes"
  COMMAND ${in_system} roles_test.py RolesTest.test_plain)
list(APPEND system_tests "system: the roles of one validator run in several processes")
add_test(NAME "system: a validator that lost its store comes back from a checkpoint under load"
  COMMAND ${in_system} joining_test.py JoiningTest.test_lost_store)
list(APPEND system_tests "system: a validator that lost its store comes back from a checkpoint under load")
add_test(NAME "system: strangers at every door, ten thousand connects among them, disturb nobody"
  COMMAND ${in_system} attackers_test.py AttackersTest.test_attackers)
list(APPEND system_tests
  "system: strangers at every door, ten thousand connects among them, disturb nobody")
add_test(NAME "system: a validator that crashes around any sync of any table comes back and nothing is lost"
  COMMAND ${in_system} fault_points_test.py FaultPointsTest.test_fault_points)
list(APPEND system_tests
  "system: a validator that crashes around any sync of any table comes back and nothing is lost")
add_test(NAME "system: a validator with another state finds out, says so, and goes on voting"
  COMMAND ${in_system} divergence_test.py DivergenceTest.test_divergence)
list(APPEND system_tests
  "system: a validator with another state finds out, says so, and goes on voting")
add_test(NAME "system: a full disk ends a validator in one line, and with space it goes on"
  COMMAND ${in_system} full_disk_test.py FullDiskTest.test_full_disk)
list(APPEND system_tests "system: a full disk ends a validator in one line, and with space it goes on")
add_test(NAME "system: a flood is told that it is one, memory stays bounded and nothing is lost"
  COMMAND ${in_system} overload_test.py OverloadTest.test_overload)
list(APPEND system_tests
  "system: a flood is told that it is one, memory stays bounded and nothing is lost")
add_test(NAME "system: where no validator may be faulty none may lose its store"
  COMMAND ${in_system} joining_test.py JoiningTest.test_lost_store_of_a_small_network)
list(APPEND system_tests "system: where no validator may be faulty none may lose its store")
add_test(NAME "system: the roles of one validator run in several processes over TLS"
  COMMAND ${in_system} roles_test.py RolesTest.test_tls)
list(APPEND system_tests "system: the roles of one validator run in several processes over TLS")
add_test(NAME "system: strangers learn nothing from a validator's processes and disturb nobody"
  COMMAND ${in_system} roles_test.py RolesTest.test_strangers)
list(APPEND system_tests
  "system: strangers learn nothing from a validator's processes and disturb nobody")
add_test(NAME "system: a process without a certificate of the validator's authority is not let in"
  COMMAND ${in_system} roles_test.py RolesTest.test_strange_process)
list(APPEND system_tests
  "system: a process without a certificate of the validator's authority is not let in")
add_test(NAME "system: Prometheus scrapes every role of every validator"
  COMMAND ${in_system} network_test.py NetworkTest.test_prometheus)
list(APPEND system_tests "system: Prometheus scrapes every role of every validator")
add_test(NAME "system: docs/metrics.md has every series that is served and no other"
  COMMAND ${in_system} metrics_test.py MetricsTest.test_page)
list(APPEND system_tests "system: docs/metrics.md has every series that is served and no other")
add_test(NAME "system: idle strangers at /metrics are dropped within seconds and stop no scrape"
  COMMAND ${in_system} metrics_test.py MetricsTest.test_strangers)
list(APPEND system_tests
  "system: idle strangers at /metrics are dropped within seconds and stop no scrape")
add_test(NAME "system: a local network executes its load, loses nothing and agrees"
  COMMAND ${in_system} local_test.py LocalTest.test_counts)
list(APPEND system_tests "system: a local network executes its load, loses nothing and agrees")
add_test(NAME "system: killed, cut and stopped validators come back, nothing is lost or applied twice"
  COMMAND ${in_system} local_test.py LocalTest.test_chaos)
list(APPEND system_tests
  "system: killed, cut and stopped validators come back, nothing is lost or applied twice")
add_test(NAME "system: two local networks run side by side"
  COMMAND ${in_system} local_test.py LocalTest.test_side_by_side)
list(APPEND system_tests "system: two local networks run side by side")
add_test(NAME "system: Ctrl-C or a hang-up ends a local run early, tells what ran and leaves no files"
  COMMAND ${in_system} local_test.py LocalTest.test_stopped)
list(APPEND system_tests
  "system: Ctrl-C or a hang-up ends a local run early, tells what ran and leaves no files")
add_test(NAME "system: the bare preset and a skewed load work"
  COMMAND ${in_system} local_test.py LocalTest.test_bare)
list(APPEND system_tests "system: the bare preset and a skewed load work")
add_test(NAME "system: wrong use of local is one line and exit code 2"
  COMMAND ${in_system} local_test.py LocalTest.test_usage)
list(APPEND system_tests "system: wrong use of local is one line and exit code 2")

set(environment "FLAMINGO=$<TARGET_FILE:flamingo>" "CHANGE_STATE=$<TARGET_FILE:change-state>"
  "FLAMINGO_WITH_FAULTS=$<TARGET_FILE:flamingo-with-faults>")
set_tests_properties(${system_tests} PROPERTIES ENVIRONMENT "${environment}"
  RESOURCE_LOCK "system" TIMEOUT 300 LABELS "system" SKIP_RETURN_CODE 77)
