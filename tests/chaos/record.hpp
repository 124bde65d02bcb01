#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "pgcoord/time.hpp"

namespace pgcoord::chaos {

/// One thing that somebody knows of a run. Times are this machine's time since boot in nanoseconds, whoever
/// took them; a time that is not used is 0. A history is a file of these, one JSON object a line.
struct Record {
  /// grant: by the server's journal, `what` is the election, committed at `from`; no `who`: nobody leads.
  /// claim: a client said is_leader() under `token` at some time before `from`, and at some after `until`.
  /// write: a fenced transaction as its client saw it, begun at `from`, over at `until`.
  /// row: a write as the server has it, committed at `from`.
  /// lock: `what` is the key; taken before `from`; `until` is before it was given back, 0 while it is held.
  /// fault: `what` was done, to `who` or to everybody, and mended at `until`; "behind": grants and rows of
  /// that time are unknown, the standby that was promoted had not got them.
  std::string kind;
  std::string what;
  std::string who;
  /// Tells the lives of one member apart.
  std::int64_t process = 0;
  std::int64_t token = 0;
  /// Of a write.
  std::int64_t number = 0;
  std::int64_t from = 0;
  std::int64_t until = 0;
  /// Of a write: committed, refused, unknown.
  std::string outcome;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Record, kind, what, who, process, token, number, from, until, outcome)

using History = std::vector<Record>;

/// The time that records are in.
inline std::int64_t now() { return BootClock::now().time_since_epoch().count(); }

/// Throws std::runtime_error. A last line that is cut, by a process that was killed, is left out.
inline History read_history(const std::filesystem::path& file) {
  std::ifstream input(file);
  if (!input) throw std::runtime_error("cannot read " + file.string());
  History history;
  for (std::string line; std::getline(input, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_discarded()) history.push_back(json.get<Record>());
  }
  return history;
}

inline void write_history(const std::filesystem::path& file, const History& history) {
  std::ofstream output(file);
  for (const auto& record : history) output << nlohmann::json(record).dump() << '\n';
}

}  // namespace pgcoord::chaos
