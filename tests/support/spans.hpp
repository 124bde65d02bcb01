#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pgcoord/tracer.hpp"

namespace pgcoord::test {

/// What became of one span.
struct SeenSpan {
  std::string name;
  std::map<std::string, TraceValue> attributes;
  std::string error;
  bool ended = false;
};

/// Keeps every span.
class SpanRecorder final : public Tracer {
 public:
  std::unique_ptr<Span> start_span(std::string_view name, const TraceAttributes& attributes) override {
    const std::lock_guard lock(store_->mutex);
    store_->spans.push_back({std::string(name), {}, {}, false});
    for (const auto& [key, value] : attributes) store_->spans.back().attributes[std::string(key)] = value;
    return std::make_unique<Recorded>(store_, store_->spans.size() - 1);
  }

  std::vector<SeenSpan> named(std::string_view name) const {
    const std::lock_guard lock(store_->mutex);
    std::vector<SeenSpan> found;
    std::copy_if(store_->spans.begin(), store_->spans.end(), std::back_inserter(found),
                 [&](const SeenSpan& span) { return span.name == name; });
    return found;
  }

 private:
  struct Store {
    std::mutex mutex;
    std::vector<SeenSpan> spans;
  };
  class Recorded final : public Span {
   public:
    Recorded(std::shared_ptr<Store> store, std::size_t number) : store_(std::move(store)), number_(number) {}
    ~Recorded() override {
      const std::lock_guard lock(store_->mutex);
      store_->spans[number_].ended = true;
    }
    void set_attribute(std::string_view name, const TraceValue& value) override {
      const std::lock_guard lock(store_->mutex);
      store_->spans[number_].attributes[std::string(name)] = value;
    }
    void set_error(std::string_view description) override {
      const std::lock_guard lock(store_->mutex);
      store_->spans[number_].error = description;
    }

   private:
    std::shared_ptr<Store> store_;
    std::size_t number_;
  };
  std::shared_ptr<Store> store_ = std::make_shared<Store>();
};

}  // namespace pgcoord::test
