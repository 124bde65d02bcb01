// second_transport FOLDER: three workers coordinate over datagram sockets in FOLDER, without PostgreSQL. One
// stops, and the leader gives its work to another.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "pgcoord/in_memory_leader_elector.hpp"
#include "pgcoord/message_error.hpp"
#include "pgcoord/topics.hpp"
#include "pgcoord/work_redistribution_coordinator.hpp"

namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) throw std::runtime_error("path too long: " + path);
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

/// One datagram is a topic, a line end, and the message.
class Socket {
 public:
  explicit Socket(const std::string& path) : path_(path), descriptor_(socket(AF_UNIX, SOCK_DGRAM, 0)) {
    unlink(path_.c_str());
    const auto address = address_of(path_);
    if (bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
      throw std::runtime_error("cannot bind " + path_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    close(descriptor_);
    unlink(path_.c_str());
  }

  void send(const std::string& path, std::string_view topic, const std::string& payload) const {
    const std::string datagram = std::string(topic) + '\n' + payload;
    const auto address = address_of(path);
    sendto(descriptor_, datagram.data(), datagram.size(), 0, reinterpret_cast<const sockaddr*>(&address),
           sizeof(address));  // lost ones are made up for by the next heartbeat
  }

  /// Everything that has arrived.
  template <typename Take>
  void receive(Take take) const {
    std::vector<char> buffer(65536);
    for (;;) {
      const auto length = recv(descriptor_, buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (length < 0) return;
      const std::string_view datagram(buffer.data(), static_cast<std::size_t>(length));
      const auto end = datagram.find('\n');
      if (end != std::string_view::npos) take(datagram.substr(0, end), datagram.substr(end + 1));
    }
  }

 private:
  const std::string path_;
  const int descriptor_;
};

class Worker {
 public:
  Worker(const std::string& folder, const std::string& name, std::vector<std::string> work,
         pgcoord::LeaderElector* elector = nullptr)
      : folder_(folder), work_(std::move(work)), coordinator_(name, elector), socket_(folder + "/" + name) {
    coordinator_.on_work_assignment([this](const pgcoord::WorkAssignment& assignment) {
      for (const auto& subscription : assignment.subscriptions) {
        std::cout << coordinator_.instance_id() << " takes " << subscription << '\n';
        work_.push_back(subscription);
      }
    });
  }

  pgcoord::WorkRedistributionCoordinator& coordinator() { return coordinator_; }

  void publish(std::string_view topic, const std::string& payload) const {
    for (const char* name : {"ann", "bob", "cid"}) socket_.send(folder_ + "/" + name, topic, payload);
  }
  void beat() { publish(pgcoord::heartbeat_topic, coordinator_.create_heartbeat(work_).to_json()); }
  void stop() {
    const auto notice =
        coordinator_.create_shutdown_notification(pgcoord::ShutdownIntent::maintenance, work_);
    publish(pgcoord::shutdown_notifications_topic, notice.to_json());
  }
  void listen() {
    socket_.receive([this](std::string_view topic, std::string_view payload) {
      try {
        coordinator_.handle_message(topic, payload);
      } catch (const pgcoord::MessageError& error) {
        std::cerr << error.what() << '\n';  // this one only; the next is read
      }
    });
  }

 private:
  const std::string folder_;
  std::vector<std::string> work_;
  pgcoord::WorkRedistributionCoordinator coordinator_;
  const Socket socket_;
};

void run(const std::string& folder) {
  const auto elector = pgcoord::InMemoryLeaderElector::alone("ann");
  elector->try_acquire();
  Worker ann(folder, "ann", {"invoices"}, elector.get());
  Worker bob(folder, "bob", {"orders", "mail"});
  Worker cid(folder, "cid", {"mail"});
  const auto everyone = {&ann, &bob, &cid};
  for (auto* worker : everyone) worker->beat();
  bob.stop();
  ann.listen();
  std::cout << "ann sees " << ann.coordinator().healthy_peer_count() << " healthy, "
            << ann.coordinator().draining_peers().size() << " draining\n";
  for (const auto& [peer, left] : ann.coordinator().get_orphaned_subscriptions())  // mail is still run by cid
    ann.publish(pgcoord::work_assignment_topic,
                ann.coordinator().create_work_assignment("cid", left.subscriptions).to_json());
  cid.listen();
  cid.beat();
  ann.listen();
  std::cout << "orphans: " << ann.coordinator().get_orphaned_subscriptions().size() << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  try {
    run(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
