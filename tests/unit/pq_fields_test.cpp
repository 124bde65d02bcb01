// What a field of an answer says, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <stdexcept>

#include "pq/fields.hpp"

namespace pgcoord::detail {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

class PqFields : public testing::Test {
 protected:
  void answer(std::string value) {
    result_.reset(PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK));
    std::string name = "c";
    PGresAttDesc description{};
    description.name = name.data();
    ASSERT_TRUE(PQsetResultAttrs(result_.get(), 1, &description));
    ASSERT_TRUE(PQsetvalue(result_.get(), 0, 0, value.data(), static_cast<int>(value.size())));
  }
  Duration span_of(const std::string& value) {
    answer(value);
    return span(result_.get(), 0, 0, microseconds(1));
  }

  std::unique_ptr<PGresult, decltype(&PQclear)> result_{nullptr, PQclear};
};

TEST_F(PqFields, span_counts_units) {
  EXPECT_EQ(span_of("1500000"), 1500ms);
  EXPECT_EQ(span_of("-3"), Duration(-3us));
}

TEST_F(PqFields, span_is_cut_so_that_it_can_be_added_to_a_time) {
  constexpr auto two_centuries = std::chrono::hours(24 * 73'050);
  EXPECT_EQ(span_of(std::to_string(std::numeric_limits<std::int64_t>::max())), Duration(two_centuries));
  EXPECT_EQ(span_of(std::to_string(std::numeric_limits<std::int64_t>::min())), Duration(-two_centuries));
}

TEST_F(PqFields, numbers_are_whole_and_nothing_else) {
  for (const auto* value : {"", " 1", "1 ", "1.5", "0x10", "9223372036854775808", "+1", "NaN"}) {
    answer(value);
    EXPECT_THROW((void)number(result_.get(), 0, 0), std::invalid_argument) << value;
    EXPECT_THROW((void)span(result_.get(), 0, 0, microseconds(1)), std::invalid_argument) << value;
  }
  answer("-9223372036854775808");
  EXPECT_EQ(number(result_.get(), 0, 0), std::numeric_limits<std::int64_t>::min());
}

TEST_F(PqFields, lists_are_strings_only) {
  answer(R"(["a", "", "\u00e9"])");
  EXPECT_THAT(list(result_.get(), 0, 0), testing::ElementsAre("a", "", "\u00e9"));
  for (const auto* value : {"", "{}", "null", R"(["a", 1])", R"(["a")", R"([["a"]])"}) {
    answer(value);
    EXPECT_THROW((void)list(result_.get(), 0, 0), std::invalid_argument) << value;
  }
}

}  // namespace
}  // namespace pgcoord::detail
