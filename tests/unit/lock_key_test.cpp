#include "pgcoord/lock_key.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <ostream>
#include <string>

#include "pgcoord/lock_error.hpp"
#include "pgcoord/lock_info.hpp"

namespace {

using namespace std::string_literals;
using namespace std::chrono_literals;
using namespace pgcoord;

struct Vector {
  const char* name;
  std::string key;
  std::int64_t id;
  friend std::ostream& operator<<(std::ostream& out, const Vector& vector) { return out << vector.name; }
};

class LockKeyVector : public testing::TestWithParam<Vector> {};

TEST_P(LockKeyVector, has_the_number_that_other_programs_compute) {
  EXPECT_EQ(lock_key(GetParam().key), GetParam().id);
}

INSTANTIATE_TEST_SUITE_P(
    Reference, LockKeyVector,
    testing::Values(Vector{"V1", "", 7183457195969485844}, Vector{"V2", "a", 5374906597990186442},
                    Vector{"V3", "k1", 7690443832738788232},
                    Vector{"V4", "migration:tenant-abc", 2549018982395383070},
                    Vector{"V5", "cutover:tenant-123", 7696161359070260854},
                    Vector{"V6", "migration:00000000-0000-0000-0000-000000000000", 4826041402961503139},
                    Vector{"V7", "cutover:00000000-0000-0000-0000-000000000000", 1326370806243621539},
                    Vector{"V8", "migration:550e8400-e29b-41d4-a716-446655440000", 7508373195906285641},
                    Vector{"V10", "cutover:550E8400-E29B-41D4-A716-446655440000", 6370104028789832666},
                    Vector{"V11", "cutover:ffffffff-ffff-ffff-ffff-ffffffffffff", 6335426401114264033},
                    Vector{"V12", "dual-write:550e8400-e29b-41d4-a716-446655440000", 8244772734875098025},
                    Vector{"V13", " cutover:550e8400-e29b-41d4-a716-446655440000", 440180501199123569},
                    Vector{"V14", "cutover:550e8400-e29b-41d4-a716-446655440000\n", 2305499089512427064},
                    Vector{"V15", "migration:tenant-\u00e9\u00e0\u00fc", 2347861682513055554},
                    Vector{"V17", "\u9501:\u79df\u6237-\u4e00", 3944293590761612269},
                    Vector{"V19", "a\0b"s, 6463353407833682387},
                    Vector{"V21", "lock:" + std::string(1000, 'a'), 84773542585690681},
                    Vector{"V26", "leader:orders-subscription", 6653766975499297841},
                    Vector{"V28", "test:lock:1", 7969057621508907331},
                    Vector{"V29", "test:exclusion:1", 354666856228965264}),
    [](const auto& info) { return info.param.name; });

TEST(LockKey, begins_as_the_examples_of_the_standard_do) {
  EXPECT_EQ(lock_key("abc"), 0x3a7816bf8f01cfea);
  EXPECT_EQ(lock_key("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), 0x248d6a61d20638b8);
  EXPECT_EQ(lock_key(std::string(1'000'000, 'a')), 0x4dc76e5c9914fb92);
}

TEST(LockKey, T116_same_key_same_id) { EXPECT_EQ(lock_key("orders"), lock_key("orders")); }

TEST(LockKey, T117_different_keys_differ) { EXPECT_NE(lock_key("orders"), lock_key("invoices")); }

TEST(LockKey, T118_ids_are_in_range) {
  for (const auto& key :
       {"orders"s, "lock:" + std::string(1000, 'a'), ""s, "cutover:550e8400-e29b-41d4-a716-446655440000"s}) {
    EXPECT_GE(lock_key(key), 0) << key;
    EXPECT_LE(lock_key(key), std::numeric_limits<std::int64_t>::max()) << key;
  }
}

TEST(LockKey, T119_other_alphabets_give_a_positive_number) { EXPECT_GT(lock_key("\u9501"), 0); }

const std::string uuid = "550e8400-e29b-41d4-a716-446655440000";

TEST(MigrationLockKey, T120_default_operation) { EXPECT_EQ(migration_lock_key(uuid), "migration:" + uuid); }

TEST(MigrationLockKey, T121_cutover) { EXPECT_EQ(migration_lock_key(uuid, "cutover"), "cutover:" + uuid); }

TEST(MigrationLockKey, T122_operation_first_and_one_colon) {
  const auto key = migration_lock_key(uuid, "dual-write");
  EXPECT_EQ(key.rfind("dual-write:", 0), 0U);
  EXPECT_EQ(std::count(key.begin(), key.end(), ':'), 1);
}

TEST(MigrationLockKey, upper_case_is_folded_and_other_words_refused) {
  EXPECT_EQ(migration_lock_key("550E8400-E29B-41D4-A716-446655440000"), "migration:" + uuid);
  for (const auto* wrong :
       {"", "tenant", "550e8400e29b41d4a716446655440000", "550e8400-e29b-41d4-a716-44665544000g"}) {
    EXPECT_THROW(static_cast<void>(migration_lock_key(wrong)), Error) << wrong;
  }
}

TEST(LockInfo, T110_keeps_its_fields) {
  const auto now = std::chrono::system_clock::now();
  const LockInfo info{"k", 7, now, "worker-1"};
  EXPECT_EQ(info.key, "k");
  EXPECT_EQ(info.lock_id, 7);
  EXPECT_EQ(info.acquired_at, now);
  EXPECT_EQ(info.holder_id, "worker-1");
}

TEST(LockInfo, T111_holder_defaults_to_none) {
  EXPECT_EQ((LockInfo{"k", 7, {}, {}}).holder_id, std::nullopt);
}

TEST(LockError, T113_says_key_and_reason) {
  const LockError error(LockFailure::unavailable, "k", {"08006", "Database error: gone", "d", "h"});
  EXPECT_EQ(error.key(), "k");
  EXPECT_EQ(error.timeout(), std::nullopt);
  EXPECT_STREQ(error.what(), "Failed to acquire lock 'k': Database error: gone");
  EXPECT_EQ(error.sqlstate(), "08006");
  EXPECT_EQ(error.detail() + error.hint(), "dh");
}

TEST(LockError, T114_keeps_the_timeout) {
  const LockError error(LockFailure::contended, "k", {"55P03", "Timeout after 0.2s", "", ""}, 200ms);
  EXPECT_EQ(error.timeout(), 200ms);
  EXPECT_EQ(to_string(error.failure()), "contended");
}

TEST(LockError, T115_not_held_says_so) {
  const LockError error(LockFailure::not_held, "k", {"55000", "", "", ""});
  EXPECT_EQ(error.key(), "k");
  EXPECT_STREQ(error.what(), "Lock 'k' is not held by this session");
}

TEST(LockError, T162_is_an_error_of_this_library) {
  const LockError error(LockFailure::lost, "k", {"08006", "gone", "", ""});
  EXPECT_NE(dynamic_cast<const Error*>(&error), nullptr);
}

}  // namespace
