#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "fuzz/messages.hpp"

// The fuzzer's corpus, and mutations of it that are the same at every run, for machines without the fuzzer.

namespace {

using Random = std::mt19937;

std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(PGCOORD_FUZZ_CORPUS))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

std::size_t below(std::size_t limit, Random& random) { return random() % (limit + 1); }

void mutate(std::string& text, const std::string& other, Random& random) {
  const auto at = below(text.size(), random);
  switch (random() % 5) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(random());
      break;
    case 1:
      text.erase(at, below(20, random));
      break;
    case 2:
      text.insert(at, 1, R"({}[]",:0-9eTZ+\)"[random() % 15]);
      break;
    case 3:
      text.insert(at, other, below(other.size(), random), below(20, random));
      break;
    default:
      text = text.substr(0, at) + other.substr(below(other.size(), random));
  }
}

TEST(FuzzCorpus, holds_messages_and_what_is_none) {
  int messages = 0;
  const auto texts = corpus();
  for (const auto& text : texts) messages += pgcoord::fuzz::read_as_any(text);
  EXPECT_GE(messages, 8);
  EXPECT_GE(static_cast<int>(texts.size()) - messages, 8);
}

TEST(FuzzCorpus, mutations_are_messages_or_refused) {
  const auto texts = corpus();
  ASSERT_FALSE(texts.empty());
  Random random(20250101);
  int messages = 0;
  for (int round = 0; round < 6000; ++round) {
    auto text = texts[random() % texts.size()];
    for (auto mutations = 1 + random() % 3; mutations > 0; --mutations)
      mutate(text, texts[random() % texts.size()], random);
    messages += pgcoord::fuzz::read_as_any(text);
  }
  EXPECT_GT(messages, 100) << "mutations that are still messages";
  EXPECT_LT(messages, 5900);
}

}  // namespace
