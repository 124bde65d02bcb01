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

/// One result, as a line that tests/bench/run lays out: name, unit, value, baseline, limit of value /
/// baseline.
/// "<=" wants a ratio of at most the limit, ">=" of at least. A baseline of 0 compares the value itself.
struct Figure {
  std::string name;
  std::string unit;
  double value = 0;
  double baseline = 0;
  std::string relation = "<=";
  double limit = 0;
};

inline void print(const Figure& figure) {
  std::printf("figure|%s|%s|%.6g|%.6g|%s|%.6g\n", figure.name.c_str(), figure.unit.c_str(), figure.value,
              figure.baseline, figure.relation.c_str(), figure.limit);
  std::fflush(stdout);
}

/// A line for the reader.
inline void note(const std::string& text) {
  std::printf("note|%s\n", text.c_str());
  std::fflush(stdout);
}

}  // namespace pgcoord::bench
