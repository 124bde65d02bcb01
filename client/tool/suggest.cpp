#include "tool/suggest.hpp"

#include <algorithm>

namespace pgcoord::tool {

namespace {

std::string_view without_dashes(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  return word;
}

/// How many letters were left out, added, changed, or swapped with the next.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

constexpr std::size_t longest_word = 40;

}  // namespace

std::optional<std::string> closest(std::string_view word, const std::vector<std::string>& known) {
  const auto bare = without_dashes(word);
  if (bare.empty() || bare.size() > longest_word) return std::nullopt;
  std::optional<std::string> best;
  std::size_t least = std::max<std::size_t>(1, bare.size() / 3) + 1;
  for (const auto& candidate : known) {
    const auto name = without_dashes(candidate);
    const bool begun = bare.size() >= 3 && name.starts_with(bare);
    const std::size_t far = begun ? 1 : distance(bare, name);
    if (far >= least || far >= name.size()) continue;
    least = far;
    best = candidate;
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const auto meant = closest(word, known);
  return meant ? "; did you mean " + *meant + "?" : "";
}

}  // namespace pgcoord::tool
