#pragma once

#include <libpq-fe.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "candidate.hpp"
#include "support/connection.hpp"

namespace pgcoord::bench {

/// A prepared statement that each of the first `sessions` sessions sends once in every period, evenly spread
/// over it. Its parameter, if it has one, is a number that is never the same twice.
struct Course {
  std::string name;
  std::string sql;
  int sessions = 0;
  std::chrono::nanoseconds period = std::chrono::seconds{1};
  bool numbered = false;
  std::vector<double> times{};  ///< milliseconds from when one was due until its answer was there
  std::int64_t number = 0;      ///< of the last one
};

/// Moves sessions on by one thread, to the nanosecond that the machine allows. A statement that is due while
/// its session waits for an answer is sent after that, and its time counts from when it was due.
class Drive {
 public:
  Drive(std::deque<test::Connection>& sessions, std::vector<Course>& courses)
      : courses_{courses}, events_{epoll_create1(EPOLL_CLOEXEC)}, alarm_{new_alarm()} {
    for (test::Connection& session : sessions) {
      watch(PQsocket(session.native()), ships_.size());
      ships_.push_back({session.native(), {}});
    }
    watch(alarm_.get(), ships_.size());
    legs_.assign(courses.size(), {monotonic_now(), 0});
  }

  /// Until `enough` holds, which is asked about a thousand times a second; then for the answers, for 30 s at
  /// most.
  void run(const std::function<bool()>& enough) {
    while (!enough()) {
      const std::int64_t now = monotonic_now();
      for (std::size_t i = 0; i < courses_.size(); ++i)
        while (due(i) <= now) order(i);
      std::int64_t next = now + std::int64_t{20'000'000};
      for (std::size_t i = 0; i < courses_.size(); ++i) next = std::min(next, due(i));
      wait_until(next);
    }
    const std::int64_t end = monotonic_now() + std::int64_t{30'000'000'000};
    while (waiting_ > 0) {
      if (monotonic_now() > end) throw std::runtime_error{"statements are not answered"};
      wait_until(monotonic_now() + std::int64_t{20'000'000});
    }
  }

 private:
  struct Order {
    std::size_t course;
    std::int64_t number;
    std::int64_t due;
  };
  struct Ship {
    PGconn* connection;
    std::deque<Order> orders;  // the first one is under way
  };
  struct Leg {
    std::int64_t begin;
    std::int64_t made;
  };

  static int new_alarm() { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK); }

  void watch(int fd, std::size_t place) {
    epoll_event event{EPOLLIN, {.u64 = place}};
    if (epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &event) != 0) throw std::runtime_error{"no epoll"};
  }

  // Courses are shifted against each other, so that they do not all meet in the same session.
  std::int64_t due(std::size_t i) const {
    const Course& course = courses_[i];
    const std::int64_t step = course.period.count() / course.sessions;
    const auto shift = static_cast<std::int64_t>(i) * step / static_cast<std::int64_t>(courses_.size());
    return legs_[i].begin + shift + legs_[i].made * step;
  }

  void order(std::size_t i) {
    const Course& course = courses_[i];
    const auto size = static_cast<std::size_t>(course.sessions);
    const std::size_t place = static_cast<std::size_t>(legs_[i].made) + i * size / courses_.size();
    Ship& ship = ships_[place % size];
    ship.orders.push_back({i, ++courses_[i].number, due(i)});
    ++legs_[i].made;
    ++waiting_;
    if (ship.orders.size() == 1) send(ship);
  }

  void send(const Ship& ship) {
    const Order& order = ship.orders.front();
    const Course& course = courses_[order.course];
    const std::string number = std::to_string(order.number % 1'000'000'000);
    const char* const values[] = {number.c_str()};
    if (PQsendQueryPrepared(ship.connection, course.name.c_str(), course.numbered ? 1 : 0, values, nullptr,
                            nullptr, 0) == 0)
      throw std::runtime_error{PQerrorMessage(ship.connection)};
  }

  void wait_until(std::int64_t time) {
    itimerspec alarm{};
    alarm.it_value = {time / 1'000'000'000, time % 1'000'000'000};
    timerfd_settime(alarm_.get(), TFD_TIMER_ABSTIME, &alarm, nullptr);
    std::array<epoll_event, 64> found{};
    const int count = epoll_wait(events_.get(), found.data(), static_cast<int>(found.size()), 100);
    for (int i = 0; i < count; ++i)
      if (const std::size_t place = found[static_cast<std::size_t>(i)].data.u64; place < ships_.size())
        receive(ships_[place]);
  }

  void receive(Ship& ship) {
    if (PQconsumeInput(ship.connection) == 0) throw std::runtime_error{PQerrorMessage(ship.connection)};
    if (ship.orders.empty() || PQisBusy(ship.connection) != 0) return;
    while (const Result result{PQgetResult(ship.connection)}) {
      if (PQresultStatus(result.get()) != PGRES_TUPLES_OK)
        throw std::runtime_error{PQresultErrorMessage(result.get())};
      if (PQisBusy(ship.connection) != 0) return;
    }
    const Order order = ship.orders.front();
    ship.orders.pop_front();
    --waiting_;
    courses_[order.course].times.push_back(static_cast<double>(monotonic_now() - order.due) / 1e6);
    if (!ship.orders.empty()) send(ship);
  }

  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  using Result = std::unique_ptr<PGresult, Clear>;

  std::vector<Course>& courses_;
  std::deque<Ship> ships_;
  std::vector<Leg> legs_;
  std::int64_t waiting_ = 0;  // orders without an answer
  test::Descriptor events_;
  test::Descriptor alarm_;
};

}  // namespace pgcoord::bench
