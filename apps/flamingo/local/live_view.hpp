// A picture of a few lines that is drawn again and again over itself in a terminal.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

namespace flamingo::local {

struct terminal_size {
  std::size_t columns = 80, rows = 24;
};

/// That of the terminal behind a file descriptor; 80 by 24 if it does not tell.
terminal_size size_of_terminal(int descriptor);

/// Cuts lines that a terminal would wrap, and those that would scroll out of it: the cursor cannot
/// be moved back over either. @param text whole lines, in UTF-8.
std::string fitted(const std::string& text, const terminal_size& into);

class live_view {
public:
  explicit live_view(std::ostream& to) : to_(to) {}

  /// Over the picture before, if nothing else was written since.
  void draw(const std::string& text, const terminal_size& into);
  /// Something else is about to be written: the next picture comes below it.
  void leave() { drawn_lines_ = 0; }

private:
  std::ostream& to_;
  std::size_t drawn_lines_ = 0;
};

}  // namespace flamingo::local
