#pragma once

#include <list>
#include <string>

#include "candidate.hpp"

namespace pgcoord::bench {

/// Candidates for one thing, of which one has it. Each round kills the holder and takes the time until the
/// next knows.
class Contest {
 public:
  /// Waits until every one of `size` candidates stands in line.
  Contest(std::string name, int size, Body body) : name_{std::move(name)}, body_{std::move(body)} {
    add();
    queue_.front().wait(Report::Kind::leading);
    for (int i = 1; i < size; ++i) add();
  }

  /// Milliseconds from just before the kill. Afterwards a new candidate stands at the end of the line.
  double round() {
    const std::int64_t begin = queue_.front().kill();
    queue_.pop_front();
    const Report report = queue_.front().wait(Report::Kind::leading);
    add();
    return static_cast<double>(report.at - begin) / 1e6;
  }

 private:
  void add() {
    queue_.emplace_back(name_ + std::to_string(++made_), body_);
    if (made_ > 1) queue_.back().wait(Report::Kind::waiting);
  }

  std::string name_;
  Body body_;
  std::list<Candidate> queue_;  // the holder, then in the order of their turn
  int made_ = 0;
};

}  // namespace pgcoord::bench
