#include "pgcoord/leader_elector.hpp"

namespace pgcoord {

LeaderElector::~LeaderElector() = default;

}  // namespace pgcoord
