#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "connection.hpp"
#include "pgcoord/pgcoord.hpp"

namespace pgcoord::test {

/// A fenced row that a server acknowledged.
struct FencedWrite {
  std::string writer;
  std::int64_t number = 0;  ///< counts the tries of that writer
  std::int64_t token = 0;
  Instant sent;  ///< just before COMMIT
  Instant acknowledged;
};

/// One copy of a program: campaigns for the election "x" and, while it leads, writes fenced rows into
/// `written` on a connection of its own, to whichever host of its connection string is read-write.
class FencedProgram {
 public:
  static constexpr const char* table = "CREATE TABLE written (writer text, number bigint, token bigint)";

  FencedProgram(const std::string& name, const std::string& conninfo,
                std::chrono::milliseconds heartbeat_timeout = std::chrono::seconds{3});
  FencedProgram(const FencedProgram&) = delete;
  FencedProgram& operator=(const FencedProgram&) = delete;
  ~FencedProgram();

  Session& session() { return session_; }
  PgLeaderElector& elector() { return elector_; }
  std::vector<FencedWrite> acknowledged() const;

 private:
  void write_while_leading();
  void write(Connection& connection, std::int64_t token);

  const std::string conninfo_;
  std::int64_t number_ = 0;
  mutable std::mutex mutex_;
  std::vector<FencedWrite> acknowledged_;
  std::atomic<bool> stop_{false};
  Session session_;
  PgLeaderElector elector_;
  std::thread thread_;
};

/// Writes that were sent when one under a newer token had been acknowledged already.
std::vector<std::string> overtaken(std::vector<FencedWrite> writes);
/// The same by the server's commit timestamps (track_commit_timestamp) of the rows in `written`.
std::vector<std::string> overtaken_rows(Connection& server);
/// Those that are not in the server's table.
std::vector<FencedWrite> missing(Connection& server, const std::vector<FencedWrite>& writes);

}  // namespace pgcoord::test
