#include "migrator/serve/local_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <list>
#include <utility>
#include <vector>

#include "base/format.h"

namespace migrator {
namespace {

using base::ErrorKind;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxConnections = 32;
constexpr auto kRequestTime = std::chrono::seconds(15);
constexpr auto kResponseTime = std::chrono::seconds(60);
constexpr auto kClosingTime = std::chrono::seconds(2);
constexpr int kPollMilliseconds = 500;

volatile std::sig_atomic_t stop_wanted = 0;
void want_stop(int) { stop_wanted = 1; }

// While it lives, SIGINT, SIGTERM and SIGHUP come only where `open()` is waited with.
class StopSignals {
public:
    StopSignals() {
        stop_wanted = 0;
        struct sigaction action {};
        action.sa_handler = want_stop;
        sigset_t both;
        sigemptyset(&both);
        for (std::size_t i = 0; i < kSignals.size(); ++i) {
            sigaddset(&both, kSignals[i]);
            sigaction(kSignals[i], &action, &before_[i]);
        }
        pthread_sigmask(SIG_BLOCK, &both, &open_);
        for (int signal : kSignals) sigdelset(&open_, signal);
    }
    ~StopSignals() {
        pthread_sigmask(SIG_SETMASK, &open_, nullptr);
        for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
    }
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    const sigset_t* open() const { return &open_; }

private:
    static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, kSignals.size()> before_{};
    sigset_t open_{};
};

// One request and its response.
class Connection {
public:
    explicit Connection(int socket) : socket_(socket), deadline_(Clock::now() + kRequestTime) {}
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() { ::close(socket_); }

    pollfd waits_for() const { return {socket_, static_cast<short>(state_ == State::writing ? POLLOUT : POLLIN), 0}; }
    bool is_over() const { return state_ == State::over || Clock::now() > deadline_; }
    bool has_no_request() const { return state_ == State::reading; }

    void go_on(const std::function<HttpResponse(const HttpRequest&)>& answer) {
        if (state_ == State::reading) read(answer);
        if (state_ == State::writing) write();
        if (state_ == State::closing) discard();
    }

private:
    enum class State { reading, writing, closing, over };

    // The number of bytes; 0 when there are none now, and the connection is over when there will be none.
    std::size_t receive(std::array<char, 1 << 16>& chunk) {
        const ssize_t got = ::recv(socket_, chunk.data(), chunk.size(), MSG_DONTWAIT);
        if (got > 0) return static_cast<std::size_t>(got);
        if (got == 0 || (errno != EAGAIN && errno != EINTR)) state_ = State::over;
        return 0;
    }

    void read(const std::function<HttpResponse(const HttpRequest&)>& answer) {
        std::array<char, 1 << 16> chunk;
        const std::size_t got = receive(chunk);
        if (got == 0) return;
        in_.append(chunk.data(), got);
        ReadRequest read = read_request(in_);
        if (read.state == RequestState::incomplete) return;
        out_ = response_bytes(read.state == RequestState::complete ? answer(read.request) : read.response);
        state_ = State::writing;
        deadline_ = Clock::now() + kResponseTime;
    }

    void write() {
        const ssize_t sent = ::send(socket_, out_.data() + sent_, out_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) state_ = State::over;
        if (sent > 0) sent_ += static_cast<std::size_t>(sent);
        if (sent_ < out_.size()) return;
        // Closing with unread bytes would reset the connection before the other side has read the response.
        ::shutdown(socket_, SHUT_WR);
        state_ = State::closing;
        deadline_ = Clock::now() + kClosingTime;
    }

    void discard() {
        std::array<char, 1 << 16> chunk;
        receive(chunk);
    }

    int socket_;
    State state_ = State::reading;
    Clock::time_point deadline_;
    std::string in_;
    std::string out_;
    std::size_t sent_ = 0;
};

void accept_one(int listener, std::list<Connection>& connections) {
    const int socket = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    // Who has connected first and says nothing makes room.
    if (connections.size() >= kMaxConnections) {
        const auto idle = std::find_if(connections.begin(), connections.end(),
                                       [](const Connection& connection) { return connection.has_no_request(); });
        connections.erase(idle == connections.end() ? connections.begin() : idle);
    }
    connections.emplace_back(socket);
}

base::Error system_error(ErrorKind kind, std::string_view what) {
    return {kind, base::format("{}: {}", what, std::strerror(errno)), "", {}};
}

}  // namespace

base::Result<LocalServer> LocalServer::listen(std::uint16_t port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (socket < 0) return tl::unexpected(system_error(ErrorKind::internal, "no socket"));
    LocalServer out(socket, port);
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket, generic, sizeof address) < 0 || ::listen(socket, SOMAXCONN) < 0)
        return tl::unexpected(system_error(
            ErrorKind::usage, base::format("port {} cannot be used; name another with --port, or none", port)));
    socklen_t size = sizeof address;
    if (::getsockname(socket, generic, &size) < 0) return tl::unexpected(system_error(ErrorKind::internal, "no port"));
    out.port_ = ntohs(address.sin_port);
    return out;
}

LocalServer::LocalServer(LocalServer&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), port_(other.port_) {}

LocalServer::~LocalServer() {
    if (socket_ >= 0) ::close(socket_);
}

base::Status LocalServer::run(const std::function<void()>& ready,
                              const std::function<HttpResponse(const HttpRequest&)>& answer) {
    const StopSignals signals;
    ready();
    std::list<Connection> connections;
    while (stop_wanted == 0) {
        std::vector<pollfd> waits{{socket_, POLLIN, 0}};
        for (const Connection& connection : connections) waits.push_back(connection.waits_for());
        const timespec pause{0, kPollMilliseconds * 1000000L};
        if (::ppoll(waits.data(), waits.size(), &pause, signals.open()) < 0 && errno != EINTR)
            return tl::unexpected(system_error(ErrorKind::internal, "cannot wait for requests"));
        std::size_t number = 0;
        for (Connection& connection : connections) {
            if (waits[++number].revents != 0) connection.go_on(answer);
        }
        std::erase_if(connections, [](const Connection& connection) { return connection.is_over(); });
        if (waits[0].revents != 0) accept_one(socket_, connections);
    }
    return {};
}

}  // namespace migrator
