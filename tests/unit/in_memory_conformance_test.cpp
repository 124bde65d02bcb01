#include "pgcoord/in_memory_leader_elector.hpp"
#include "support/leader_elector_conformance.hpp"

namespace {

using pgcoord::InMemoryLeaderElector;
using pgcoord::LeaderElector;
using pgcoord::SharedLeaderState;

class AloneWorld {
 public:
  LeaderElector& us() { return *us_; }
  LeaderElector* rival() { return nullptr; }

 private:
  std::unique_ptr<InMemoryLeaderElector> us_ = InMemoryLeaderElector::alone("us");
};

class SharedWorld {
 public:
  LeaderElector& us() { return us_; }
  LeaderElector* rival() { return &rival_; }

 private:
  std::shared_ptr<SharedLeaderState> state_ = std::make_shared<SharedLeaderState>();
  InMemoryLeaderElector us_{"us", state_};
  InMemoryLeaderElector rival_{"rival", state_};
};

}  // namespace

namespace pgcoord::test {
INSTANTIATE_TYPED_TEST_SUITE_P(InMemoryAlone, LeaderElectorConformance, AloneWorld);
INSTANTIATE_TYPED_TEST_SUITE_P(InMemoryShared, LeaderElectorConformance, SharedWorld);
}  // namespace pgcoord::test
