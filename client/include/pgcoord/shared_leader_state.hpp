#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "pgcoord/callback_list.hpp"
#include "pgcoord/export.hpp"
#include "pgcoord/leadership.hpp"

namespace pgcoord {

/// The role that several InMemoryLeaderElectors of one process contend for. It knows which elector
/// holds it, not only by what name, so that two electors of one name still exclude each other.
/// Any thread may call anything.
class PGCOORD_EXPORT SharedLeaderState {
 public:
  SharedLeaderState() = default;
  SharedLeaderState(const SharedLeaderState&) = delete;
  SharedLeaderState& operator=(const SharedLeaderState&) = delete;

  [[nodiscard]] std::optional<std::string> current_leader() const;

  /// A leader that is none of the electors. Whoever led is told that it no longer does.
  void set_current_leader(std::string name);

  /// Nobody leads. Whoever led is told that it no longer does.
  void clear();

 private:
  friend class InMemoryLeaderElector;

  /// One elector's place; the holder is told apart by its address.
  struct Seat {
    std::string identity;
    CallbackErrorHandler on_callback_error;
    CallbackList<bool> callbacks;
  };
  using SeatPointer = std::shared_ptr<Seat>;

  bool take(const SeatPointer& seat);
  bool vacate(const SeatPointer& seat);
  [[nodiscard]] bool held_by(const Seat* seat) const;
  [[nodiscard]] std::optional<Token> token_of(const Seat* seat) const;
  void replace(std::optional<std::string> name);

  mutable std::mutex mutex_;  // guards everything below; never held while a callback runs
  std::optional<std::string> leader_;
  SeatPointer holder_;
  Token token_;
};

}  // namespace pgcoord
