#include "pgcoord/lock_manager.hpp"

namespace pgcoord {

LockManager::~LockManager() = default;

}  // namespace pgcoord
