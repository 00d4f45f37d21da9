#include "apps/flamingo/local/live_view.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <ostream>
#include <string_view>

namespace flamingo::local {

namespace {

/// The first `columns` characters; a byte that continues one takes no column.
std::string_view cut(std::string_view line, std::size_t columns) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool continues = (static_cast<unsigned char>(line[i]) & 0xc0) == 0x80;
    if (!continues && ++seen > columns) return line.substr(0, i);
  }
  return line;
}

}  // namespace

terminal_size size_of_terminal(int descriptor) {
  terminal_size out;
  winsize told{};
  if (::ioctl(descriptor, TIOCGWINSZ, &told) != 0) return out;
  if (told.ws_col > 0) out.columns = told.ws_col;
  if (told.ws_row > 0) out.rows = told.ws_row;
  return out;
}

std::string fitted(const std::string& text, const terminal_size& into) {
  // A line that fills its last column wraps in some terminals; the last row is the cursor's.
  const std::size_t columns = std::max<std::size_t>(into.columns, 2) - 1,
                    rows = std::max<std::size_t>(into.rows, 3) - 1;
  std::string out;
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  const std::size_t shown = lines > rows ? rows - 1 : lines;
  std::size_t at = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto end = text.find('\n', at);
    out += cut(std::string_view(text).substr(at, end - at), columns);
    out += '\n';
    at = end + 1;
  }
  if (shown < lines)
    out += std::string(cut(fmt::format("and {} more lines", lines - shown), columns)) + "\n";
  return out;
}

void live_view::draw(const std::string& text, const terminal_size& into) {
  const auto picture = fitted(text, into);
  if (drawn_lines_ > 0) to_ << fmt::format("\033[{}A\033[J", drawn_lines_);
  to_ << picture << std::flush;
  drawn_lines_ = static_cast<std::size_t>(std::count(picture.begin(), picture.end(), '\n'));
}

}  // namespace flamingo::local
