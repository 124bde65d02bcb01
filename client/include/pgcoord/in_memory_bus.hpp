#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "pgcoord/callback_list.hpp"
#include "pgcoord/export.hpp"

namespace pgcoord {

/// Carries messages between coordinators of one process, for tests and single-process programs.
///
/// Messages of one topic are told in the order of publish(), on the publisher's thread; while another
/// thread is telling that topic, that one tells these too. Nothing is kept for who subscribes later. Any
/// thread may call anything, handlers too; one that throws does not keep the next from running.
class PGCOORD_EXPORT InMemoryBus {
 public:
  using Handler = std::function<void(const std::string& payload)>;

  /// `on_error` hears of exceptions that handlers let out.
  explicit InMemoryBus(CallbackErrorHandler on_error = {});
  InMemoryBus(const InMemoryBus&) = delete;
  InMemoryBus& operator=(const InMemoryBus&) = delete;
  ~InMemoryBus();

  /// A subscription is named by its topic and id.
  CallbackId subscribe(std::string_view topic, Handler handler);
  /// False if there is no such subscription (any more).
  bool unsubscribe(std::string_view topic, CallbackId id);
  void publish(std::string_view topic, std::string payload);

 private:
  using Handlers = CallbackList<std::string>;
  Handlers& handlers_of(std::string_view topic);

  const CallbackErrorHandler on_error_;
  std::mutex mutex_;  // guards the map; the lists stay where they are
  std::map<std::string, std::unique_ptr<Handlers>, std::less<>> topics_;
};

}  // namespace pgcoord
