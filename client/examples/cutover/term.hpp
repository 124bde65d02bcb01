#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace cutover {

/// Our turn to write where a tenant's events go. Ends with the object.
class Term {
 public:
  virtual ~Term() = default;
  /// For coord.fence(): a write under an older one is refused.
  [[nodiscard]] virtual std::int64_t token() const = 0;
};

/// Begins a term of that election; null if the term before has not ended.
using BeginTerm = std::function<std::unique_ptr<Term>(const std::string& election)>;

}  // namespace cutover
