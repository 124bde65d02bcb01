#include "pgcoord/work_assignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pgcoord/message_error.hpp"

namespace {

using namespace pgcoord;
using testing::ElementsAre;

constexpr UtcTime new_year = std::chrono::sys_days(std::chrono::year{2025} / 1 / 1);

WorkAssignment example() {
  WorkAssignment assignment;
  assignment.target_instance_id = "worker-2";
  assignment.subscriptions = {"orders"};
  assignment.source_instance_id = "worker-1";
  assignment.assigned_at = new_year;
  assignment.priority = -4;
  return assignment;
}

const std::string document =
    R"({"target_instance_id":"worker-2","subscriptions":["orders"],"source_instance_id":"worker-1",)"
    R"("assigned_at":"2025-01-01T00:00:00+00:00","priority":-4})";

TEST(WorkAssignment, T55_constructor_fields) {
  const auto assignment = example();
  EXPECT_EQ(assignment.target_instance_id, "worker-2");
  EXPECT_THAT(assignment.subscriptions, ElementsAre("orders"));
  EXPECT_EQ(assignment.source_instance_id, "worker-1");
  EXPECT_EQ(assignment.assigned_at, new_year);
  EXPECT_EQ(assignment.priority, -4);
  EXPECT_EQ(WorkAssignment{}.priority, 0);
}

TEST(WorkAssignment, T56_document_is_the_reference_s) { EXPECT_EQ(example().to_json(), document); }

TEST(WorkAssignment, T57_reads_a_document) {
  EXPECT_EQ(WorkAssignment::from_json(document), example());
  const auto sparse = WorkAssignment::from_json(
      R"({"target_instance_id":"b","subscriptions":[],"source_instance_id":"a","assigned_at":"2025-01-01T00:00:00Z"})");
  EXPECT_EQ(sparse.priority, 0);
  EXPECT_TRUE(sparse.subscriptions.empty());
}

TEST(WorkAssignment, T58_round_trip_keeps_everything) {
  auto assignment = example();
  EXPECT_EQ(WorkAssignment::from_json(assignment.to_json()), assignment);
  assignment.target_incarnation = 3;
  assignment.assignment_id = 9;
  assignment.election = "billing";
  assignment.token = (std::int64_t{1} << 40) + 5;
  EXPECT_EQ(WorkAssignment::from_json(assignment.to_json()), assignment);
}

TEST(WorkAssignment, a_truncated_one_may_lack_its_list) {
  const std::string head =
      R"({"target_instance_id":"b","source_instance_id":"a","assigned_at":"2025-01-01T00:00:00Z")";
  EXPECT_TRUE(WorkAssignment::from_json(head + R"(,"truncated":true})").truncated);
  EXPECT_THROW((void)WorkAssignment::from_json(head + "}"), MessageError);
  EXPECT_THROW((void)WorkAssignment::from_json(head + R"(,"truncated":false})"), MessageError);
}

}  // namespace
