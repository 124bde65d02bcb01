#include "pgcoord/utc_time.hpp"

#include <array>
#include <cstdio>

#include "pgcoord/error.hpp"

namespace pgcoord {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;

constexpr sys_days first_day = std::chrono::year{1} / 1 / 1;
constexpr sys_days day_after_last = std::chrono::year{10000} / 1 / 1;

bool printable(UtcTime time) { return time >= first_day && time < day_after_last; }

/// Reads from the front of a text; -1 where something else stands there.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool at(std::string_view choices) const {
    return !rest_.empty() && choices.find(rest_.front()) != std::string_view::npos;
  }
  [[nodiscard]] bool at_digit() const { return at("0123456789"); }

  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  bool skip(char c) {
    if (!at({&c, 1})) return false;
    rest_.remove_prefix(1);
    return true;
  }

  int number(int digits) {
    int value = 0;
    for (int i = 0; i < digits; ++i) {
      if (!at_digit()) return -1;
      value = value * 10 + (take() - '0');
    }
    return value;
  }

 private:
  std::string_view rest_;
};

bool within(int value, int low, int high) { return value >= low && value <= high; }

/// After the W.
std::optional<sys_days> read_week(Cursor& cursor, std::chrono::year year, bool extended) {
  const int week = cursor.number(2);
  int weekday = 1;
  if (extended ? cursor.skip('-') : cursor.at_digit()) weekday = cursor.number(1);
  if (!within(week, 1, 53) || !within(weekday, 1, 7)) return std::nullopt;
  const auto first_monday = [](std::chrono::year of) {
    const sys_days fourth = of / 1 / 4;
    return fourth - (std::chrono::weekday{fourth} - std::chrono::Monday);
  };
  const sys_days day = first_monday(year) + days(7 * (week - 1) + weekday - 1);
  if (day >= first_monday(year + std::chrono::years{1})) return std::nullopt;
  return day;
}

std::optional<sys_days> read_date(Cursor& cursor) {
  const int number = cursor.number(4);
  if (!within(number, 1, 9999)) return std::nullopt;
  const std::chrono::year year{number};
  const bool extended = cursor.skip('-');
  if (cursor.skip('W')) return read_week(cursor, year, extended);
  const int month = cursor.number(2);
  if (extended && !cursor.skip('-')) return std::nullopt;
  const int day = cursor.number(2);
  if (!within(month, 1, 12) || day < 1) return std::nullopt;
  const auto date = year / month / day;
  return date.ok() ? std::optional(sys_days(date)) : std::nullopt;
}

std::optional<microseconds> read_fraction(Cursor& cursor) {
  if (!cursor.skip('.') && !cursor.skip(',')) return microseconds(0);
  if (!cursor.at_digit()) return std::nullopt;
  int value = 0;
  for (int digits = 0; digits < 6 || cursor.at_digit(); ++digits) {
    const int digit = cursor.at_digit() ? cursor.number(1) : 0;
    if (digits < 6) value = value * 10 + digit;
  }
  return microseconds(value);
}

std::optional<microseconds> read_clock(Cursor& cursor) {
  const int hour = cursor.number(2);
  const bool extended = cursor.skip(':');
  const int minute = cursor.number(2);
  if (extended && !cursor.skip(':')) return std::nullopt;
  const int second = cursor.number(2);
  const auto fraction = read_fraction(cursor);
  if (!within(hour, 0, 23) || !within(minute, 0, 59) || !within(second, 0, 59) || !fraction)
    return std::nullopt;
  return hours(hour) + minutes(minute) + seconds(second) + *fraction;
}

std::optional<minutes> read_offset(Cursor& cursor) {
  if (cursor.skip('Z')) return minutes(0);
  if (!cursor.at("+-")) return std::nullopt;
  const int sign = cursor.take() == '-' ? -1 : 1;
  const int hour = cursor.number(2);
  const int minute = cursor.skip(':') || cursor.at_digit() ? cursor.number(2) : 0;
  if (!within(hour, 0, 23) || !within(minute, 0, 59)) return std::nullopt;
  return sign * (hours(hour) + minutes(minute));
}

}  // namespace

std::string to_iso_string(UtcTime time) {
  if (!printable(time)) throw Error("22008", "timestamp outside the years 1 to 9999");
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  std::array<char, 64> text{};
  const int length =
      std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                    static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                    static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                    static_cast<int>(clock.seconds().count()));
  std::string result(text.data(), static_cast<std::size_t>(length));
  if (const auto fraction = clock.subseconds().count(); fraction != 0) {
    const auto digits = std::to_string(fraction);
    result += '.' + std::string(6 - digits.size(), '0') + digits;
  }
  return result + "+00:00";
}

std::optional<UtcTime> parse_iso_time(std::string_view text) {
  Cursor cursor(text);
  const auto date = read_date(cursor);
  if (!date || (!cursor.skip('T') && !cursor.skip(' '))) return std::nullopt;
  const auto clock = read_clock(cursor);
  if (!clock) return std::nullopt;
  const auto offset = read_offset(cursor);
  if (!offset || !cursor.at_end()) return std::nullopt;
  const UtcTime time = *date + *clock - *offset;
  return printable(time) ? std::optional(time) : std::nullopt;
}

}  // namespace pgcoord
