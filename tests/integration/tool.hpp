#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "support/process.hpp"
#include "support/server.hpp"
#include "support/wait.hpp"

namespace pgcoord::test {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

/// A server with the extension for the suite, and an election of its own for each test. Tools that still run
/// at the end of a test are killed.
class ToolTest : public testing::Test {
 public:
  static void SetUpTestSuite() {
    server_ = std::make_unique<Server>();
    server_->install();
  }
  static void TearDownTestSuite() { server_.reset(); }

 protected:
  using Tool = std::unique_ptr<Child>;

  static Server& server() { return *server_; }
  static Connection connect() { return server_->connect(); }
  static std::string program() {
    const char* path = std::getenv("PGCOORD_TOOL");
    return path ? path : "PGCOORD_TOOL is not set";
  }
  static std::string election() {
    return std::string("election of ") + testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  static Tool run(const Words& words, const Environment& extra = {}) {
    Words all{program()};
    all.insert(all.end(), words.begin(), words.end());
    return std::make_unique<Child>(all, extra);
  }
  /// pgcoord elect, with a short timeout, for `sh -c script`.
  static Tool elect(const std::string& id, const std::string& script, const Words& options = {}) {
    Words words{"elect", election(), "-d", server_->conninfo(), "--id", id, "--timeout", "3s"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "sh", "-c", script});
    return run(words);
  }

  static Tool look(const std::string& what, Words words = {}) {
    words.insert(words.begin(), {what, "-d", server().conninfo()});
    return run(words);
  }
  static std::string shown(const std::string& what, const Words& words = {}) {
    const auto tool = look(what, words);
    EXPECT_EQ(exit_code(tool), 0) << tool->err();
    return tool->out();
  }
  static Connection member(const std::string& id, const std::string& group = "default") {
    Connection session = connect();
    session.exec("SELECT coord.join($1, $2)", {id, group});
    return session;
  }

  static bool says(const Tool& tool, const std::string& text, std::chrono::milliseconds bound = 20s) {
    const bool said = wait_until([&] { return tool->out().find(text) != std::string::npos; }, bound);
    EXPECT_TRUE(said) << text << "\nout: " << tool->out() << "\nerr: " << tool->err();
    return said;
  }
  /// The number that follows the last `label` in what the tool's command wrote.
  static long long number_after(const Tool& tool, const std::string& label) {
    const std::string out = tool->out();
    const std::size_t place = out.rfind(label);
    return place == std::string::npos ? -1 : std::atoll(out.c_str() + place + label.size());
  }
  static int exit_code(const Tool& tool, std::chrono::milliseconds bound = 20s) {
    const auto ending = tool->wait(bound);
    EXPECT_TRUE(ending && ending->code)
        << (ending ? "ended by a signal" : "still runs") << "\nerr: " << tool->err();
    return ending ? ending->code.value_or(-2) : -1;
  }
  static bool gone(long long pid, std::chrono::milliseconds bound = 10s) {
    return wait_until([&] { return !process_alive(static_cast<pid_t>(pid)); }, bound);
  }
  static bool queued(const std::string& id) {
    Connection session = connect();
    return wait_until([&] {
      return session.value("SELECT count(*) FROM coord.candidates WHERE election = $1 AND instance_id = $2",
                           {election(), id}) == "1";
    });
  }
  static Value leader() {
    Connection session = connect();
    const Rows rows = session.exec("SELECT leader FROM coord.leader($1)", {election()});
    return rows.empty() ? Value{} : rows[0][0];
  }
  static int leader_pid() {
    return std::stoi(connect()
                         .value("SELECT leader_pid FROM coord.elections WHERE election = $1", {election()})
                         .value_or("0"));
  }

 private:
  static inline std::unique_ptr<Server> server_;
};

}  // namespace pgcoord::test
