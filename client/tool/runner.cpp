#include "tool/runner.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "tool/say.hpp"

namespace pgcoord::tool {

void Runner::wait(int bell, std::optional<Instant> until) const {
  int most = -1;
  if (until) {
    const auto left = std::chrono::ceil<milliseconds>(*until - BootClock::now());
    most = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
  }
  std::array<pollfd, 2> ready{pollfd{signals_.descriptor(), POLLIN, 0}, pollfd{bell, POLLIN, 0}};
  poll(ready.data(), ready.size(), most);
}

bool Runner::start(CommandLine line, Instant kill_at) {
  line.mask = signals_.original_mask();
  line.grace = grace_;
  try {
    command_ = std::make_unique<Command>(line, kill_at);
    return true;
  } catch (const std::system_error& error) {
    say(error.what());
    return false;
  }
}

std::optional<int> Runner::take_end() {
  const auto code = command_ ? command_->ended() : std::nullopt;
  if (code) command_.reset();
  return code;
}

void Runner::carry_out(const KillAt& order) {
  if (command_) command_->kill_at(order.when);
}

void Runner::carry_out(const Forward& order) {
  if (command_) command_->forward(order.signal);
}

void Runner::carry_out(const Note& order) const {
  if (order.from <= talk_) say(order.text);
}

}  // namespace pgcoord::tool
