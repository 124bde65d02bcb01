#include "fenced_program.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace pgcoord::test {
namespace {

constexpr std::chrono::milliseconds pause{3};

SessionOptions options_of(const std::string& name, const std::string& conninfo,
                          std::chrono::milliseconds heartbeat_timeout) {
  SessionOptions options;
  options.conninfo = conninfo;
  options.instance_id = name;
  options.heartbeat_timeout = heartbeat_timeout;
  return options;
}

std::string line_of(const std::string& writer, const std::string& number, const std::string& token) {
  return "number " + number + " of " + writer + " under " + token;
}

}  // namespace

FencedProgram::FencedProgram(const std::string& name, const std::string& conninfo,
                             std::chrono::milliseconds heartbeat_timeout)
    : conninfo_(conninfo + " target_session_attrs=read-write connect_timeout=2"),
      session_(options_of(name, conninfo, heartbeat_timeout)),
      elector_(session_, "x") {
  elector_.campaign();
  thread_ = std::thread([this] { write_while_leading(); });
}

FencedProgram::~FencedProgram() {
  stop_ = true;
  thread_.join();
}

void FencedProgram::write_while_leading() {
  std::optional<Connection> connection;
  for (; !stop_; std::this_thread::sleep_for(pause)) {
    const auto token = elector_.token();
    if (!token) continue;
    try {
      if (!connection) connection.emplace(conninfo_);
      write(*connection, token->value);
    } catch (const std::exception&) {  // fenced off, or the server went away: whether it committed is unknown
      connection.reset();
    }
  }
}

void FencedProgram::write(Connection& connection, std::int64_t token) {
  FencedWrite done{session_.instance_id(), ++number_, token, {}, {}};
  connection.exec("BEGIN");
  connection.exec("SELECT coord.fence('x', $1::bigint)", {std::to_string(token)});
  connection.exec("INSERT INTO written VALUES ($1, $2::bigint, $3::bigint)",
                  {done.writer, std::to_string(number_), std::to_string(token)});
  done.sent = BootClock::now();
  connection.exec("COMMIT");
  done.acknowledged = BootClock::now();
  const std::lock_guard lock(mutex_);
  acknowledged_.push_back(std::move(done));
}

std::vector<FencedWrite> FencedProgram::acknowledged() const {
  const std::lock_guard lock(mutex_);
  return acknowledged_;
}

std::vector<std::string> overtaken(std::vector<FencedWrite> writes) {
  std::sort(writes.begin(), writes.end(),
            [](const auto& a, const auto& b) { return a.acknowledged < b.acknowledged; });
  std::vector<std::int64_t> highest;  // of the writes up to here
  for (const auto& write : writes)
    highest.push_back(std::max(write.token, highest.empty() ? 0 : highest.back()));
  std::vector<std::string> faults;
  for (const auto& write : writes) {
    const auto later =
        std::lower_bound(writes.begin(), writes.end(), write.sent,
                         [](const auto& other, Instant sent) { return other.acknowledged < sent; });
    if (later == writes.begin()) continue;
    if (highest[static_cast<std::size_t>(later - writes.begin()) - 1] <= write.token) continue;
    faults.push_back(line_of(write.writer, std::to_string(write.number), std::to_string(write.token)));
  }
  return faults;
}

std::vector<std::string> overtaken_rows(Connection& server) {
  std::vector<std::string> faults;
  for (const auto& row : server.exec("SELECT writer, number, token FROM (SELECT *,"
                                     " max(token) OVER (ORDER BY pg_xact_commit_timestamp(xmin)) AS highest"
                                     " FROM written) AS w WHERE token < highest"))
    faults.push_back(line_of(row[0].value(), row[1].value(), row[2].value()));
  return faults;
}

std::vector<FencedWrite> missing(Connection& server, const std::vector<FencedWrite>& writes) {
  std::set<std::pair<std::string, std::string>> there;
  for (const auto& row : server.exec("SELECT writer, number FROM written"))
    there.emplace(row[0].value(), row[1].value());
  std::vector<FencedWrite> lost;
  for (const auto& write : writes)
    if (!there.contains({write.writer, std::to_string(write.number)})) lost.push_back(write);
  return lost;
}

}  // namespace pgcoord::test
