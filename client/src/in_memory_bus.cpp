#include "pgcoord/in_memory_bus.hpp"

#include <utility>

namespace pgcoord {

InMemoryBus::InMemoryBus(CallbackErrorHandler on_error) : on_error_(std::move(on_error)) {}

InMemoryBus::~InMemoryBus() = default;

InMemoryBus::Handlers& InMemoryBus::handlers_of(std::string_view topic) {
  const std::lock_guard lock(mutex_);
  auto found = topics_.find(topic);
  if (found == topics_.end()) found = topics_.emplace(topic, std::make_unique<Handlers>()).first;
  return *found->second;
}

CallbackId InMemoryBus::subscribe(std::string_view topic, Handler handler) {
  return handlers_of(topic).add(std::move(handler));
}

bool InMemoryBus::unsubscribe(std::string_view topic, CallbackId id) { return handlers_of(topic).remove(id); }

void InMemoryBus::publish(std::string_view topic, std::string payload) {
  auto& handlers = handlers_of(topic);
  handlers.post(std::move(payload));
  handlers.deliver(on_error_);
}

}  // namespace pgcoord
