#include "migrator/serve/http_message.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/format.h"
#include "base/lower_case.h"
#include "base/text.h"

namespace migrator {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";

std::string_view reason_of(int status) {
    switch (status) {
        case 200: return "OK";
        case 204: return "No Content";
        case 400: return "Bad Request";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 408: return "Request Timeout";
        case 409: return "Conflict";
        case 411: return "Length Required";
        case 412: return "Precondition Failed";
        case 413: return "Content Too Large";
        case 415: return "Unsupported Media Type";
        case 422: return "Unprocessable Content";
        case 431: return "Request Header Fields Too Large";
        case 501: return "Not Implemented";
        case 505: return "HTTP Version Not Supported";
        default: return "Internal Server Error";
    }
}

ReadRequest refused(int status, std::string why) {
    ReadRequest out;
    out.state = RequestState::refused;
    out.response = {status, HttpResponse{}.type, std::move(why) + "\n"};
    return out;
}

bool is_token(std::string_view text) {
    constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
        return base::is_word_char(c) || kMarks.find(c) != std::string_view::npos;
    });
}

bool is_visible(char c) { return c > 0x20 && c < 0x7f; }

// The line and what follows it; nullopt where a line does not end with CR LF.
std::optional<std::string_view> take_line(std::string_view& rest) {
    const std::size_t end = rest.find("\r\n");
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 2);
    if (line.find_first_of(std::string_view("\r\n\0", 3)) != line.npos) return std::nullopt;
    return line;
}

// Fills method and target; false when the line is none.
bool read_first_line(std::string_view line, HttpRequest& request, std::string_view& version) {
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    if (first == line.npos || first == last) return false;
    request.method = line.substr(0, first);
    request.target = line.substr(first + 1, last - first - 1);
    version = line.substr(last + 1);
    return is_token(request.method) && request.target.starts_with('/') &&
           std::all_of(request.target.begin(), request.target.end(), is_visible);
}

bool read_header(std::string_view line, HttpRequest& request) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos || !is_token(line.substr(0, colon))) return false;
    request.headers.emplace_back(base::lower_case(line.substr(0, colon)),
                                 std::string(base::trimmed(line.substr(colon + 1), base::kBlanks)));
    return true;
}

std::size_t count_of(const HttpRequest& request, std::string_view name) {
    return static_cast<std::size_t>(std::count_if(request.headers.begin(), request.headers.end(),
                                                  [&](const auto& header) { return header.first == name; }));
}

// nullopt when it is no number of bytes.
std::optional<std::size_t> length_of(std::string_view text) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return length;
}

}  // namespace

std::string_view HttpRequest::header(std::string_view name) const {
    if (count_of(*this, name) != 1) return {};
    return std::find_if(headers.begin(), headers.end(), [&](const auto& header) { return header.first == name; })
        ->second;
}

ReadRequest read_request(std::string_view bytes) {
    const std::size_t head_end = bytes.find(kHeadEnd);
    if (std::min(head_end, bytes.size()) > kMaxHeadBytes) return refused(431, "The head of the request is too long.");
    if (head_end == bytes.npos) return {};
    ReadRequest out;
    HttpRequest& request = out.request;
    std::string_view head = bytes.substr(0, head_end);
    std::string_view version;
    const auto first = take_line(head);
    if (!first || !read_first_line(*first, request, version)) return refused(400, "This is not a request of HTTP/1.1.");
    if (version != "HTTP/1.1" && version != "HTTP/1.0") return refused(505, "Only HTTP/1.1 is spoken here.");
    while (!head.empty()) {
        const auto line = take_line(head);
        if (!line || !read_header(*line, request)) return refused(400, "A header is not right.");
    }
    if (count_of(request, "transfer-encoding") > 0) return refused(501, "Send the length instead of chunks.");
    if (count_of(request, "content-length") > 1) return refused(400, "There are two lengths.");
    std::size_t length = 0;
    if (count_of(request, "content-length") == 1) {
        const auto said = length_of(request.header("content-length"));
        if (!said) return refused(400, "The length is not a number of bytes.");
        if (*said > kMaxBodyBytes) return refused(413, "That is more than decisions can be.");
        length = *said;
    } else if (request.method != "GET") {
        return refused(411, "The length is missing.");
    }
    const std::string_view body = bytes.substr(head_end + kHeadEnd.size());
    if (body.size() < length) return {};
    request.body = body.substr(0, length);
    out.state = RequestState::complete;
    return out;
}

std::string response_bytes(const HttpResponse& response) {
    std::string out = base::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n", response.status,
                                   reason_of(response.status), response.type, response.body.size());
    for (const auto& [name, value] : response.headers) out += base::format("{}: {}\r\n", name, value);
    out +=
        "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: "
        "no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\nContent-Security-Policy: frame-ancestors "
        "'none'\r\n\r\n";
    return out + response.body;
}

}  // namespace migrator
