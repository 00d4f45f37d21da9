// The neighbours that all get the same: a shell's list of those it was introduced to.
#pragma once

#include <algorithm>
#include <vector>

namespace flamingo::runtime {

/// Takes note of a neighbour. It is introduced again whenever some process of the validator was
/// away, and must be in the list once: a second entry would double all that it is sent. The newer
/// handle counts, as an equal one from before a broken connection leads nowhere.
template <class Handle>
void meet(std::vector<Handle>& known, const Handle& x) {
  const auto same = std::find(known.begin(), known.end(), x);
  if (same == known.end())
    known.push_back(x);
  else
    *same = x;
}

}  // namespace flamingo::runtime
