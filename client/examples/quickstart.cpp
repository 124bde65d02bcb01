// quickstart CONNINFO INSTANCE: leads the election once, then hands over.
#include <chrono>
#include <iostream>
#include <thread>

#include "pgcoord/pgcoord.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  pgcoord::SessionOptions options;
  options.conninfo = argv[1];     // several hosts: whichever is read-write
  options.instance_id = argv[2];  // unique among the running copies
  try {
    pgcoord::Session session(options);
    pgcoord::PgLeaderElector elector(session, "nightly-report");
    elector.on_leader_change([](bool leads) { std::cout << (leads ? "leading\n" : "not leading\n"); });
    session.require_ready(std::chrono::seconds(10));

    elector.campaign();  // a standing wish: leads whenever it can
    while (!elector.is_leader()) std::this_thread::sleep_for(std::chrono::milliseconds(50));

    // Every transaction of this term, on any connection:
    // BEGIN; SELECT coord.fence('nightly-report', <token>); …; COMMIT
    if (const auto token = elector.token()) std::cout << "token " << token->value << '\n';
    elector.release();  // the next candidate leads before this returns
  } catch (const pgcoord::Error& error) {
    std::cerr << error.what() << " (" << error.sqlstate() << ")\n";
    return 1;
  }
}
