#pragma once

#include <poll.h>

#include <list>
#include <stdexcept>
#include <string>
#include <vector>

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

  /// Milliseconds from just before the kill. Afterwards a new candidate stands at the end of the line;
  /// `between` runs before it comes.
  double round(const std::function<void()>& between = {}) {
    const std::int64_t begin = queue_.front().kill();
    queue_.pop_front();
    const auto next = first_to_report();
    const Report report = next->wait(Report::Kind::leading);
    queue_.splice(queue_.begin(), queue_, next);
    if (between) between();
    add();
    return static_cast<double>(report.at - begin) / 1e6;
  }

 private:
  void add() {
    queue_.emplace_back(name_ + std::to_string(++made_), body_);
    if (made_ > 1) queue_.back().wait(Report::Kind::waiting);
  }

  // Not always the one at the front: an election that is busy may change hands out of turn.
  std::list<Candidate>::iterator first_to_report() {
    std::vector<pollfd> pipes;
    for (const Candidate& candidate : queue_) pipes.push_back({candidate.fd(), POLLIN, 0});
    if (poll(pipes.data(), pipes.size(), 20'000) < 1) throw std::runtime_error{"nobody leads"};
    auto found = queue_.begin();
    for (const pollfd& pipe : pipes) {
      if (pipe.revents != 0) break;
      ++found;
    }
    return found;
  }

  std::string name_;
  Body body_;
  std::list<Candidate> queue_;  // the holder, then about in the order of their turn
  int made_ = 0;
};

}  // namespace pgcoord::bench
