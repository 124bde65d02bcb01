#include "tool/peer_watch.hpp"

#include <fmt/format.h>

namespace pgcoord::tool {

namespace {

// The time comes along even if there is no member.
const char* const peers_sql =
    "SELECT date_trunc('milliseconds', at), to_json(at), member_group, instance_id, incarnation, status,"
    " session_pid, shutdown_intent, shutdown_initiated_at,"
    " ceil(extract(epoch FROM time_remaining) * 1000)::bigint, to_json(p)"
    " FROM (SELECT clock_timestamp() OFFSET 0) c (at) LEFT JOIN coord.peers p ON true";

enum Column { at, at_as_json, group, instance, incarnation, status, session, intent, notice, left, json };

PeerRow peer_of(const Grid::Row& row) {
  PeerRow peer;
  peer.group = row[group].value_or("");
  peer.instance = row[instance].value_or("");
  peer.incarnation = row[incarnation].value_or("");
  peer.status = row[status].value_or("");
  peer.has_session = row[session].has_value();
  peer.intent = row[intent];
  peer.notice = row[notice];
  if (row[left]) peer.left = milliseconds(std::stoll(*row[left]));
  peer.json = row[json].value_or("null");
  return peer;
}

std::string seconds(milliseconds time) {
  return fmt::format("{:.1f}", static_cast<double>(time.count()) / 1e3);
}

std::string state(const PeerRow& peer) {
  if (peer.status == "draining") {
    return fmt::format("draining, {} s left ({})", seconds(peer.left.value_or(milliseconds(0))),
                       peer.intent.value_or(""));
  }
  if (peer.status == "terminated")
    return peer.has_session ? "terminated (its time is over)" : "terminated (gone)";
  if (peer.status == "stale") return peer.has_session ? "stale (silent)" : "stale (session gone)";
  return peer.status;
}

std::string news(const PeerChange& change) {
  if (change.event == "current") return state(change.peer) + " (current)";
  if (change.event == "healthy") return "healthy again";
  return change.event == change.peer.status ? state(change.peer) : change.event;
}

}  // namespace

std::string peer_line(const PeerChange& change, const std::string& at) {
  const auto& peer = change.peer;
  const std::string where = peer.group == "default" ? "" : " of " + peer.group;
  return one_line(fmt::format("{}  member {}{}: {}", at, peer.instance, where, news(change))) + "\n";
}

std::string peer_json(const PeerChange& change, const std::string& at_as_json) {
  const std::string previous = change.previous ? '"' + *change.previous + '"' : "null";
  return fmt::format("{{\"event\":\"{}\",\"at\":{},\"previous\":{},\"peer\":{}}}\n", change.event, at_as_json,
                     previous, change.peer.json);
}

std::string peer_tsv(const PeerChange& change, const std::string& at) {
  const auto& peer = change.peer;
  std::optional<std::string> left;
  if (peer.left) left = seconds(*peer.left) + "s";
  const Grid::Row row{at,         std::nullopt,  change.event, change.previous, std::nullopt, std::nullopt,
                      peer.group, peer.instance, peer.status,  peer.intent,     left};
  return tsv_line(row);
}

std::string PeerWatch::look(Database& database) {
  const Grid found = database.query(peers_sql);
  std::vector<PeerRow> peers;
  for (const auto& row : found.rows) {
    if (row[instance]) peers.push_back(peer_of(row));
  }
  std::string lines;
  for (const auto& change : picture_.update(std::move(peers))) {
    const auto& first = found.rows.front();
    switch (output_) {
      case Output::json:
        lines += peer_json(change, first[at_as_json].value_or("null"));
        break;
      case Output::tsv:
        lines += peer_tsv(change, first[at].value_or(""));
        break;
      case Output::table:
        lines += peer_line(change, first[at].value_or(""));
        break;
    }
  }
  return lines;
}

}  // namespace pgcoord::tool
