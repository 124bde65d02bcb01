#include "tool/connect.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <regex>
#include <sstream>
#include <string_view>
#include <vector>

#include "pgcoord/error.hpp"

namespace pgcoord::tool {

namespace {

constexpr Duration longest_explanation = std::chrono::seconds(3);

// What the connection string says itself comes later, and wins.
class Parameters {
 public:
  explicit Parameters(const Access& access) : conninfo_(access.conninfo) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(access.connect_timeout).count();
    timeout_ = std::to_string(std::max<std::int64_t>(seconds, 2));  // libpq's least
    values_ = {timeout_.c_str(), "pgcoord", "20000", "UTF8", conninfo_.c_str(), nullptr};
  }
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  const char* const* keywords() const { return keywords_.data(); }
  const char* const* values() const { return values_.data(); }

 private:
  const std::string conninfo_;
  std::string timeout_;
  std::array<const char*, 6> values_{};
  static constexpr std::array<const char*, 6> keywords_{"connect_timeout",  "fallback_application_name",
                                                        "tcp_user_timeout", "client_encoding",
                                                        "dbname",           nullptr};
};

/// Each value of the option, of which lists have several.
std::vector<std::string> values_of(PGconn* connection, std::string_view keyword) {
  std::vector<std::string> values;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(PQconninfo(connection),
                                                                             PQconninfoFree);
  for (const auto* option = options.get(); option && option->keyword; ++option) {
    if (option->keyword != keyword || !option->val) continue;
    std::istringstream list(option->val);
    for (std::string value; std::getline(list, value, ',');) values.push_back(value);
  }
  return values;
}

bool has_several_hosts(PGconn* connection) {
  return values_of(connection, "host").size() > 1 || values_of(connection, "hostaddr").size() > 1;
}

// libpq looks at these only when it connects, and then tells them from an unreachable server by words alone.
bool has_bad_port(PGconn* connection) {
  const auto ports = values_of(connection, "port");
  return std::any_of(ports.begin(), ports.end(), [](const std::string& port) {
    return port.find_first_not_of("0123456789 ") != std::string::npos;
  });
}

/// False if it is still undecided then.
bool await(PGconn* connection, Instant until) {
  auto wanted = PGRES_POLLING_WRITING;
  while (wanted == PGRES_POLLING_READING || wanted == PGRES_POLLING_WRITING) {
    const auto left = std::chrono::ceil<milliseconds>(until - BootClock::now()).count();
    pollfd entry{PQsocket(connection), static_cast<short>(wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT),
                 0};
    if (left <= 0 || poll(&entry, 1, static_cast<int>(left)) <= 0) return false;
    wanted = PQconnectPoll(connection);
  }
  return true;
}

}  // namespace

Failure failure_in(const std::string& verbose) {
  static const std::regex code("(^|  )([0-9A-Z]{5}): ");
  static const std::regex place("\n[^\n]*, [^\n]*\\.c:[0-9]+");
  Failure failure{std::string(sqlstate::cannot_connect), std::regex_replace(verbose, place, ""), "", ""};
  std::smatch found;
  if (std::regex_search(failure.message, found, code)) {
    failure.sqlstate = found[2];
    failure.message = found.prefix().str() + found[1].str() + found.suffix().str();
  }
  return failure;
}

Failure explain(const Access& access, const std::string& given, Duration most) {
  Failure unknown{std::string(sqlstate::cannot_connect), given, "", ""};
  const Parameters parameters(access);
  const ConnectionPointer connection(PQconnectStartParams(parameters.keywords(), parameters.values(), 1));
  if (!connection || has_several_hosts(connection.get())) return unknown;
  if (PQstatus(connection.get()) == CONNECTION_BAD) {
    const bool bad = has_bad_port(connection.get()) ||
                     PQpingParams(parameters.keywords(), parameters.values(), 1) == PQPING_NO_ATTEMPT;
    return bad ? Failure{std::string(sqlstate::bad_argument), given, "", ""} : unknown;
  }
  PQsetErrorVerbosity(connection.get(), PQERRORS_VERBOSE);
  const bool decided = await(connection.get(), BootClock::now() + most);
  if (!decided || PQstatus(connection.get()) == CONNECTION_OK) return unknown;
  if (PQconnectionNeedsPassword(connection.get()) != 0) return {"28P01", given, "", ""};
  return failure_in(PQerrorMessage(connection.get()));
}

ConnectionPointer connect(const Access& access) {
  const Parameters parameters(access);
  ConnectionPointer connection(PQconnectdbParams(parameters.keywords(), parameters.values(), 1));
  if (PQstatus(connection.get()) == CONNECTION_OK) {
    // libpq would write the server's notices on standard error as they are.
    PQsetNoticeReceiver(
        connection.get(), [](void*, const PGresult*) {}, nullptr);
    return connection;
  }
  const Failure failure = explain(access, PQerrorMessage(connection.get()), longest_explanation);
  throw Error(failure.sqlstate, failure.message);
}

}  // namespace pgcoord::tool
