#include "pq/hosts.hpp"

#include <algorithm>

#include "pgcoord/error.hpp"
#include "pq/handles.hpp"

namespace pgcoord::detail {

namespace {

constexpr std::size_t longest_application_name = 63;

ConnectParameters parse(const std::string& conninfo) {
  char* error = nullptr;
  const OptionsPointer options(PQconninfoParse(conninfo.c_str(), &error));
  const TextPointer message(error);
  if (!options) {
    std::string text = message ? message.get() : "out of memory";
    while (!text.empty() && text.back() == '\n') text.pop_back();
    throw Error(sqlstate::bad_argument, "invalid option \"conninfo\"", text);
  }
  ConnectParameters parameters;
  for (const auto* option = options.get(); option->keyword; ++option) {
    if (option->val) parameters[option->keyword] = option->val;
  }
  return parameters;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts(1);
  for (const char c : list) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string application_name(const SessionOptions& options) {
  auto name = options.application_name;
  if (name.empty()) name = "pgcoord " + options.instance_id;
  if (name.size() <= longest_application_name) return name;
  auto end = longest_application_name;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return name.substr(0, end);
}

/// What must hold before the first statement: a default of read-only makes a primary look like a
/// standby, and a short statement_timeout would keep us from pinning the rest.
std::string startup_settings(const SessionOptions& options) {
  return "-c default_transaction_read_only=off -c default_transaction_deferrable=off "
         "-c default_transaction_isolation=read\\ committed -c lock_timeout=0 "
         "-c idle_session_timeout=0 -c statement_timeout=" +
         std::to_string(statement_timeout(options));
}

void add_needs(ConnectParameters& parameters, const SessionOptions& options) {
  const auto third = std::chrono::ceil<std::chrono::seconds>(options.heartbeat_timeout / 3);
  parameters["client_encoding"] = "UTF8";
  parameters["application_name"] = application_name(options);
  parameters["target_session_attrs"] = "read-write";
  auto& startup = parameters["options"];
  startup += (startup.empty() ? "" : " ") + startup_settings(options);
  parameters.try_emplace("keepalives", "1");
  parameters.try_emplace("keepalives_idle", std::to_string(third.count()));
  parameters.try_emplace("keepalives_interval", std::to_string(third.count()));
  parameters.try_emplace("keepalives_count", "3");
  parameters.try_emplace("tcp_user_timeout", std::to_string(options.heartbeat_timeout.count()));
}

/// Takes the part for host number `index`; a single value goes for all.
void narrow(ConnectParameters& parameters, const char* keyword, std::size_t index) {
  const auto found = parameters.find(keyword);
  if (found == parameters.end()) return;
  const auto parts = split(found->second);
  if (parts.size() > 1) found->second = parts[std::min(index, parts.size() - 1)];
}

std::size_t count(const ConnectParameters& parameters, const char* keyword) {
  const auto found = parameters.find(keyword);
  return found == parameters.end() ? 1 : split(found->second).size();
}

}  // namespace

std::int64_t statement_timeout(const SessionOptions& options) {
  const auto bound = options.answer_timeout.value_or(options.heartbeat_timeout / 2) * 4 / 5;
  return std::max<std::int64_t>(bound.count(), 1);
}

std::vector<ConnectParameters> hosts_of(const SessionOptions& options) {
  auto all = parse(options.conninfo);
  add_needs(all, options);
  std::vector<ConnectParameters> hosts(std::max(count(all, "host"), count(all, "hostaddr")), all);
  for (std::size_t index = 0; index < hosts.size(); ++index) {
    for (const char* keyword : {"host", "hostaddr", "port"}) narrow(hosts[index], keyword, index);
  }
  return hosts;
}

}  // namespace pgcoord::detail
