#pragma once

#include "integration/tool.hpp"
#include "pgcoord/lock_key.hpp"

namespace pgcoord::test {

/// Says who it is, and has a child in its group and one that fled to a session of its own.
inline const char* const lock_family =
    "echo pid=$$; sleep 1000 & echo child=$!; (setsid sh -c 'echo daemon=$$; exec sleep 1000' &); wait; wait";

/// A lock of its own for each test.
class ToolLockTest : public ToolTest {
 protected:
  static std::string key() {
    return std::string("lock of ") + testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  /// pgcoord lock, for `sh -c script`.
  static Tool lock(const std::string& script, const Words& options = {}) {
    Words words{"lock", "-d", server().conninfo()};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {key(), "--", "sh", "-c", script});
    return run(words);
  }
  /// One whose command runs until it is told to end.
  static Tool holder(const Words& options = {}) {
    auto tool = lock("echo ready; exec sleep 1000", options);
    EXPECT_TRUE(says(tool, "ready"));
    return tool;
  }
  static Tool family(const Words& options = {}) {
    auto tool = lock(lock_family, options);
    EXPECT_TRUE(says(tool, "daemon=") && says(tool, "child="));
    return tool;
  }
  static void expect_family_gone(const Tool& tool, std::chrono::milliseconds bound = 0ms) {
    for (const char* label : {"pid=", "child=", "daemon="}) {
      EXPECT_TRUE(gone(number_after(tool, label), bound)) << label;
    }
  }

  /// A script that looks first, as the next holder, whether any of that family is left.
  static std::string checking(const Tool& family) {
    std::string script = "for p in";
    for (const char* label : {"pid=", "child=", "daemon="}) {
      script += " " + std::to_string(number_after(family, label));
    }
    return script + "; do if kill -0 $p 2>/dev/null; then echo left=$p; fi; done; echo checked";
  }

  static int holders() { return count("granted"); }
  static int waiters() { return count("NOT granted"); }
  static bool queued(int how_many = 1) {
    return wait_until([&] { return waiters() == how_many; });
  }
  static int backend() {
    return std::stoi(
        connect().value("SELECT pid FROM pg_locks WHERE granted AND " + of_key(), number()).value());
  }
  static void terminate_backend() {
    connect().exec("SELECT pg_terminate_backend($1)", {std::to_string(backend())});
  }
  /// Of tools that hold or wait for locks.
  static int sessions() {
    return std::stoi(
        connect()
            .value("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'pgcoord lock %'")
            .value());
  }

 private:
  static std::string of_key() {
    return "locktype = 'advisory' AND objsubid = 1 AND (classid::bigint << 32 | objid::bigint) = $1::bigint";
  }
  static Words number() { return {std::to_string(lock_key(key()))}; }
  static int count(const std::string& which) {
    return std::stoi(connect()
                         .value("SELECT count(*) FROM pg_locks WHERE " + which + " AND " + of_key(), number())
                         .value());
  }
};

}  // namespace pgcoord::test
