#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <variant>
#include <vector>

#include "tool/orders.hpp"

namespace pgcoord::tool {

using namespace std::chrono_literals;

/// What the suites of both supervisors share: a clock of their own, and orders as short words.
class ToolOrders : public testing::Test {
 protected:
  static Instant at(double seconds) {
    return Instant(1'000s) + Duration(static_cast<std::int64_t>(seconds * 1e9));
  }
  Instant now() const { return at(seconds_); }

  /// Notes are kept apart, those for everybody.
  template <typename Orders, typename Word>
  std::vector<std::string> words_of(const Orders& orders, Word word) {
    std::vector<std::string> words;
    for (const auto& order : orders) {
      if (const auto* note = std::get_if<Note>(&order)) {
        if (note->from < Talk::verbose) notes_.push_back(note->text);
      } else {
        words.push_back(word(order));
      }
    }
    return words;
  }
  static std::string time(Duration span) {
    std::string text = std::to_string(std::chrono::duration<double>(span).count());
    text.erase(text.find_last_not_of('0') + 1);
    return text.back() == '.' ? text.substr(0, text.size() - 1) : text;
  }
  static std::string time(Instant when) { return time(when - at(0)); }

  std::vector<std::string> notes_;
  double seconds_ = 0;
};

}  // namespace pgcoord::tool
