#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "candidate.hpp"
#include "drive.hpp"
#include "support/connection.hpp"

namespace pgcoord::bench {

/// Many connections of one process, all moved by one thread. Whatever fails throws, with the server's words.
class Fleet {
 public:
  /// Opens them, one after another.
  Fleet(const std::string& conninfo, int size) {
    for (int i = 0; i < size; ++i) sessions_.emplace_back(conninfo);
  }

  /// One statement on each from `first` to before `end`, few at once: transactions that notify commit one
  /// after another, and do not wait long for each other. `sql` is asked for each session's.
  void all(std::size_t first, std::size_t end, const std::function<std::string(std::size_t)>& sql) {
    constexpr std::size_t at_once = 10;
    for (std::size_t i = first; i < end + at_once; ++i) {
      if (i >= first + at_once) sessions_[i - at_once].finish();
      if (i < end) sessions_[i].send(sql(i));
    }
  }
  void all(const std::string& sql) {
    all(0, sessions_.size(), [&sql](std::size_t) { return sql; });
  }

  /// Makes members of them all, some after others, so that nobody falls silent meanwhile, and has them send
  /// the courses for a while, so that nothing is new any more.
  void join(const std::string& timeout, const std::vector<Course>& courses) {
    constexpr std::size_t step = 50;
    for (std::size_t first = 0; first < sessions_.size(); first += step) {
      const std::size_t end = std::min(first + step, sessions_.size());
      all(first, end, [&timeout](std::size_t number) {
        return "SELECT coord.join('member" + std::to_string(number) + "', heartbeat_timeout => '" + timeout +
               "')";
      });
      std::vector<Course> early{courses.front()};
      early.front().sessions = static_cast<int>(end);
      early.front().period = std::chrono::milliseconds{250};
      drive(early, 0.3);
    }
    std::vector<Course> settling = courses;
    drive(settling, 1.5);
  }

  /// Prepares what the courses send.
  void prepare(const std::vector<Course>& courses) {
    for (const Course& course : courses) all("PREPARE " + course.name + " AS " + course.sql);
  }

  /// Sends what the courses say until `enough` holds, then waits for the answers.
  void drive(std::vector<Course>& courses, const std::function<bool()>& enough) {
    Drive{sessions_, courses}.run(enough);
  }
  void drive(std::vector<Course>& courses, double seconds) {
    const std::int64_t end = monotonic_now() + static_cast<std::int64_t>(seconds * 1e9);
    drive(courses, [end] { return monotonic_now() >= end; });
  }

 private:
  std::deque<test::Connection> sessions_;
};

}  // namespace pgcoord::bench
