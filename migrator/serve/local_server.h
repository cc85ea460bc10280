// LocalServer: HTTP for the person at this machine: 127.0.0.1 alone, a request per connection, everything bounded.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "migrator/serve/http_message.h"

namespace migrator {

class LocalServer {
public:
    // `port` 0: one that is free. Fails with usage when the port is taken.
    static base::Result<LocalServer> listen(std::uint16_t port);
    LocalServer(LocalServer&& other) noexcept;
    LocalServer& operator=(LocalServer&&) = delete;
    ~LocalServer();

    std::uint16_t port() const { return port_; }

    // Answers requests, one after the other, until SIGINT or SIGTERM. Who is slow waits, and nobody waits for them.
    // `ready`: called when from then on a signal ends it in order.
    base::Status run(const std::function<void()>& ready, const std::function<HttpResponse(const HttpRequest&)>& answer);

private:
    LocalServer(int socket, std::uint16_t port) : socket_(socket), port_(port) {}

    int socket_;
    std::uint16_t port_;
};

}  // namespace migrator
