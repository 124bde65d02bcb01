#include <gtest/gtest.h>

#include "pgcoord/pgcoord.hpp"

TEST(Error, T162_one_exception_class_with_a_sqlstate) {
  const pgcoord::Error error("22023", "invalid name", "detail", "hint");
  const std::runtime_error& base = error;
  EXPECT_STREQ(base.what(), "invalid name");
  EXPECT_EQ(error.sqlstate(), "22023");
}
