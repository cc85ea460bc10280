// HTTP/1.1 requests and responses, as far as one page on one's own machine needs them. Pure bytes; everything is bounded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace migrator {

inline constexpr std::size_t kMaxHeadBytes = std::size_t{16} << 10;
inline constexpr std::size_t kMaxBodyBytes = std::size_t{32} << 20;

struct HttpRequest {
    std::string method;
    std::string target;                                        // as sent; nothing in it is decoded
    std::vector<std::pair<std::string, std::string>> headers;  // names in small letters
    std::string body;

    // The value of the header; empty when it is not there, or there more than once.
    std::string_view header(std::string_view name) const;
};

struct HttpResponse {
    int status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::string body;
    std::vector<std::pair<std::string, std::string>> headers = {};
};

enum class RequestState { incomplete, complete, refused };

struct ReadRequest {
    RequestState state = RequestState::incomplete;
    HttpRequest request;    // when complete
    HttpResponse response;  // when refused: why
};

// What the bytes that have come so far are. Anything unusual is refused: another version of HTTP, lines that are folded or
// end without CR, two lengths, a transfer encoding, a target that is no path.
ReadRequest read_request(std::string_view bytes);

// With the headers that every response has: not stored, not sniffed, not framed; the connection ends.
std::string response_bytes(const HttpResponse& response);

}  // namespace migrator
