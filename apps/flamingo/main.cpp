// flamingo: the one binary.
#include <sys/resource.h>

#include <iostream>

#include "apps/flamingo/commands.hpp"

namespace {

/// Many systems give a process 1024 open files and let it take more: a link is one, and nothing
/// here uses select(), for whose sake the limit is low.
void allow_open_files() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace

int main(int argc, char** argv) {
  allow_open_files();
  const int code = flamingo::commands::run({argv + 1, argv + argc}, {std::cout, std::cerr});
  if (std::cout.flush()) return code;
  std::cerr << "flamingo: the results could not be written to standard output: is its disk full?\n";
  return code == 0 ? 1 : code;
}
