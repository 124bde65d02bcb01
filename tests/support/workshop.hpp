#pragma once

#include <filesystem>
#include <string>

#include "process.hpp"

namespace pgcoord::test {

/// The one temporary folder of this process, and how to find PostgreSQL. A guardian process waits for this
/// process to end, however it does; then it stops every server that still runs in the folder, and removes it.
class Workshop {
 public:
  static Workshop& instance();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  ~Workshop();

  std::filesystem::path new_folder(const std::string& kind);
  /// A data folder that initdb made once, to be copied.
  const std::filesystem::path& cluster_template();
  /// Full path of initdb, pg_ctl, …
  std::string program(const std::string& name) const;
  /// Lines for postgresql.conf that make the staged extension known.
  std::string extension_settings() const;

 private:
  Workshop();
  void start_guardian();

  std::filesystem::path root_;
  std::filesystem::path template_;
  std::filesystem::path programs_;
  Descriptor lifeline_;
  pid_t guardian_ = -1;
  int folders_ = 0;
};

}  // namespace pgcoord::test
