#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace pgcoord::bench {

inline double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

inline double median(const std::vector<double>& values) { return quantile(values, 0.5); }

/// What a figure is held to.
enum class Target { none, ratio_at_most, ratio_at_least, value_at_most };

inline const char* sign(Target target) {
  switch (target) {
    case Target::ratio_at_most:
      return "ratio<=";
    case Target::ratio_at_least:
      return "ratio>=";
    case Target::value_at_most:
      return "value<=";
    case Target::none:
      break;
  }
  return "";
}

/// One result. A baseline of 0 means that there is none; a ratio of 0 that it is value / baseline, else it
/// may be the median of the ratios of pairs.
struct Figure {
  std::string name;
  std::string unit;
  double value = 0;
  double baseline = 0;
  Target target = Target::none;
  double limit = 0;
  double ratio = 0;
};

/// As a line that tests/bench/run lays out: figure|name|unit|value|baseline|ratio|target|limit.
inline void print(const Figure& figure) {
  const double plain = figure.baseline > 0 ? figure.value / figure.baseline : 0;
  const double ratio = figure.ratio > 0 ? figure.ratio : plain;
  std::printf("figure|%s|%s|%.6g|%.6g|%.6g|%s|%.6g\n", figure.name.c_str(), figure.unit.c_str(), figure.value,
              figure.baseline, ratio, sign(figure.target), figure.limit);
  std::fflush(stdout);
}

/// A line for the reader.
inline void note(const std::string& text) {
  std::printf("note|%s\n", text.c_str());
  std::fflush(stdout);
}

}  // namespace pgcoord::bench
