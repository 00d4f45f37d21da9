// flamingo: the one binary.
#include <iostream>

#include "apps/flamingo/commands.hpp"

int main(int argc, char** argv) {
  return flamingo::commands::run({argv + 1, argv + argc}, {std::cout, std::cerr});
}
