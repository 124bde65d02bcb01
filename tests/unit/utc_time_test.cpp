#include "pgcoord/utc_time.hpp"

#include <gtest/gtest.h>

#include "pgcoord/error.hpp"

namespace {

using namespace std::chrono_literals;
using pgcoord::parse_iso_time;
using pgcoord::to_iso_string;
using pgcoord::UtcTime;

constexpr UtcTime new_year = std::chrono::sys_days(std::chrono::year{2025} / 1 / 1);

TEST(UtcTime, is_written_with_an_offset_and_six_digits_or_none) {
  EXPECT_EQ(to_iso_string(new_year), "2025-01-01T00:00:00+00:00");
  EXPECT_EQ(to_iso_string(new_year + 5us), "2025-01-01T00:00:00.000005+00:00");
  EXPECT_EQ(to_iso_string(new_year + 120ms), "2025-01-01T00:00:00.120000+00:00");
  EXPECT_EQ(to_iso_string(UtcTime{-1us}), "1969-12-31T23:59:59.999999+00:00");
  EXPECT_EQ(to_iso_string(UtcTime{std::chrono::sys_days(std::chrono::year{9} / 2 / 28)}),
            "0009-02-28T00:00:00+00:00");
}

TEST(UtcTime, written_and_read_again_is_the_same) {
  for (const auto span :
       {0us, 1us, 999'999us, 86'399'999'999us, 31'536'000'000'000us, -62'000'000'000'000'000us})
    EXPECT_EQ(parse_iso_time(to_iso_string(new_year + span)), new_year + span) << span.count();
}

TEST(UtcTime, reads_every_form_of_the_reference_that_has_an_offset) {
  for (const char* text :
       {"2025-01-01T00:00:00+00:00", "2025-01-01T00:00:00Z", "2025-01-01T00:00:00+0000",
        "2025-01-01T00:00:00-00", "2025-01-01 00:00:00+00:00", "20250101T000000Z", "20250101T000000+0000",
        "2025-01-01T02:30:00+02:30", "2024-12-31T18:00:00-06:00", "2025-W01-3T00:00:00Z", "2025W013T000000Z",
        "2025-01-01T00:00:00.0Z", "2025-01-01T00:00:00.0000009Z"})
    EXPECT_EQ(parse_iso_time(text), new_year) << text;
  EXPECT_EQ(parse_iso_time("2025-01-01T00:00:00,5Z"), new_year + 500ms);
  EXPECT_EQ(parse_iso_time("2025-01-01T00:00:00.1234567Z"), new_year + 123456us);
  EXPECT_EQ(parse_iso_time("2020-W53-7T00:00:00Z"),
            UtcTime{std::chrono::sys_days(std::chrono::year{2021} / 1 / 3)});
  EXPECT_EQ(parse_iso_time("2024-02-29T00:00:00Z"),
            UtcTime{std::chrono::sys_days(std::chrono::year{2024} / 2 / 29)});
}

TEST(UtcTime, W33_an_offset_less_time_is_none) {
  for (const char* text : {"2025-01-01T00:00:00", "20250101T000000", "2025-01-01", "2025-01-01T00:00:00.5",
                           "2025-01-01 00:00:00", "2025-W01"})
    EXPECT_FALSE(parse_iso_time(text)) << text;
}

TEST(UtcTime, anything_else_is_none) {
  for (const char* text : {"",
                           "T",
                           "now",
                           "2025",
                           "2025-01-01T24:00:00Z",
                           "2025-01-01T23:60:00Z",
                           "2025-01-01T23:59:60Z",
                           "2025-02-29T00:00:00Z",
                           "2025-13-01T00:00:00Z",
                           "2025-00-01T00:00:00Z",
                           "2025-01-00T00:00:00Z",
                           "2025-01-32T00:00:00Z",
                           "0000-01-01T00:00:00Z",
                           "2025-01-01T00:00:00+24:00",
                           "2025-01-01T00:00:00+00:60",
                           "2025-01-01T00:00:00+0",
                           "2025-01-01T00:00:00+00:0",
                           "2025-01-01T00:00:00+00:",
                           "2025-01-01T00:00:00.Z",
                           "2025-01-01T00:00:00ZZ",
                           "2025-01-01T00:00:00Z ",
                           " 2025-01-01T00:00:00Z",
                           "2025-01-01T00:00Z",
                           "2025-0101T00:00:00Z",
                           "2025-01-01T00:0000Z",
                           "-2025-01-01T00:00:00Z",
                           "2025-W54-1T00:00:00Z",
                           "2025-W53-1T00:00:00Z",
                           "2025-W01-8T00:00:00Z",
                           "2025-W00-1T00:00:00Z",
                           "2025-01-01x00:00:00Z",
                           "0001-01-01T00:00:00+01:00",
                           "9999-12-31T23:59:59-00:01",
                           "2025-01-01T00:00:00+-1:00"})
    EXPECT_FALSE(parse_iso_time(text)) << text;
}

TEST(UtcTime, a_year_that_cannot_be_written_is_refused) {
  EXPECT_THROW((void)to_iso_string(std::chrono::sys_days(std::chrono::year{10000} / 1 / 1)), pgcoord::Error);
  EXPECT_THROW((void)to_iso_string(UtcTime::min()), pgcoord::Error);
  EXPECT_THROW((void)to_iso_string(UtcTime::max()), pgcoord::Error);
}

}  // namespace
