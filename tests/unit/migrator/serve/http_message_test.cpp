#include "migrator/serve/http_message.h"

#include <doctest/doctest.h>

using namespace migrator;

namespace {

// The status of a refusal, 200 for a whole request, 0 while bytes are missing.
int status_of(const std::string& bytes) {
    const ReadRequest read = read_request(bytes);
    if (read.state == RequestState::incomplete) return 0;
    return read.state == RequestState::complete ? 200 : read.response.status;
}

}  // namespace

TEST_CASE("http: a request, byte by byte") {
    const std::string whole = "PUT /t/decisions.json HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Length: 3\r\n\r\nabc";
    for (std::size_t size = 0; size < whole.size(); ++size) CHECK(status_of(whole.substr(0, size)) == 0);
    const ReadRequest read = read_request(whole + "rest");
    REQUIRE(read.state == RequestState::complete);
    CHECK(read.request.method == "PUT");
    CHECK(read.request.target == "/t/decisions.json");
    CHECK(read.request.header("host") == "127.0.0.1:1");
    CHECK(read.request.body == "abc");
    CHECK(read_request("GET / HTTP/1.1\r\n\r\n").request.body.empty());
}

TEST_CASE("http: what is unusual is refused") {
    const std::string get = "GET / HTTP/1.1\r\n";
    const std::string put = "PUT / HTTP/1.1\r\n";
    CHECK(status_of("\r\n\r\n") == 400);
    CHECK(status_of("GET\r\n\r\n") == 400);
    CHECK(status_of("GET /\r\n\r\n") == 400);
    CHECK(status_of("GET  HTTP/1.1\r\n\r\n") == 400);
    CHECK(status_of("G(T / HTTP/1.1\r\n\r\n") == 400);
    CHECK(status_of("GET http://evil/ HTTP/1.1\r\n\r\n") == 400);
    CHECK(status_of("GET /a b HTTP/1.1\r\n\r\n") == 400);
    CHECK(status_of("GET /\xC3\xA4 HTTP/1.1\r\n\r\n") == 400);
    CHECK(status_of("GET / HTTP/2\r\n\r\n") == 505);
    CHECK(status_of(std::string("GET /\0 HTTP/1.1\r\n\r\n", 20)) == 400);
    CHECK(status_of(get + "Host : a\r\n\r\n") == 400);
    CHECK(status_of(get + "Host: a\r\n folded\r\n\r\n") == 400);
    CHECK(status_of(get + "Host: a\nX: b\r\n\r\n") == 400);
    CHECK(status_of(get + "no colon\r\n\r\n") == 400);
    CHECK(status_of(get + "Transfer-Encoding: chunked\r\n\r\n") == 501);
    CHECK(status_of(put + "\r\n") == 411);
    CHECK(status_of(put + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab") == 400);
    CHECK(status_of(put + "Content-Length: -1\r\n\r\n") == 400);
    CHECK(status_of(put + "Content-Length: 1x\r\n\r\n") == 400);
    CHECK(status_of(put + "Content-Length: 99999999999999999999\r\n\r\n") == 400);
    CHECK(status_of(put + "Content-Length: 33554433\r\n\r\n") == 413);
    CHECK(status_of(get + "X: " + std::string(kMaxHeadBytes, 'a')) == 431);
    CHECK(status_of(std::string(kMaxHeadBytes + 1, 'a')) == 431);
}

TEST_CASE("http: a header that is there twice has no value") {
    const ReadRequest read = read_request("GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n");
    REQUIRE(read.state == RequestState::complete);
    CHECK(read.request.header("host").empty());
}

TEST_CASE("http: every response ends the connection and is stored nowhere") {
    const std::string text = response_bytes({404, "text/plain", "none\n", {{"ETag", "\"1\""}}});
    CHECK(
        text.starts_with("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nETag: \"1\"\r\n"));
    CHECK(text.find("\r\nConnection: close\r\nCache-Control: no-store\r\n") != std::string::npos);
    CHECK(text.ends_with("\r\n\r\nnone\n"));
}
