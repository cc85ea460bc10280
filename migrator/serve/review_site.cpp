#include "migrator/serve/review_site.h"

#include "base/format.h"
#include "base/printable.h"
#include "base/sha256.h"
#include "base/write_file.h"
#include "migrator/report/report.h"
#include "migrator/review/accepted.h"
#include "migrator/review/decisions.h"

namespace migrator {
namespace {

constexpr std::string_view kDecisionsName = "decisions.json";
constexpr std::string_view kNoDecisions = "{\"schema\": \"migrator-decisions/1\", \"decisions\": []}\n";
constexpr std::string_view kJsonType = "application/json";

HttpResponse refusal(int status, std::string why) { return {status, HttpResponse{}.type, std::move(why) + "\n"}; }

HttpResponse not_allowed(const char* allowed) {
    HttpResponse out = refusal(405, "There is no such method here.");
    out.headers.emplace_back("Allow", allowed);
    return out;
}

std::string tag_of(std::string_view content) { return "\"" + base::sha256_hex(content) + "\""; }

// Takes as long for every text of the same length.
bool is_same(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
    return difference == 0;
}

base::Result<ApplyRequest> apply_request(std::string_view text) {
    TRY_ASSIGN(const base::JsonDocument document, base::parse_json(text, "apply"));
    return base::read_json<ApplyRequest>({document, document.root, {}, base::ErrorKind::bad_input});
}

base::Status check_decisions(std::string_view text, const base::Path& path, const SavedReport& report) {
    TRY_ASSIGN(const Decisions decisions, Decisions::parse(text, path));
    return check_named(report, decisions);
}

}  // namespace

base::Result<ReviewSite> ReviewSite::open(base::FileSystem& fs, const base::Path& report,
                                          const base::DataStore& templates) {
    ReviewSite out(fs);
    TRY_ASSIGN(out.report_, read_report(fs, report));
    out.decisions_ = base::join(base::parent(report), kDecisionsName);
    TRY_ASSIGN(const std::string text, base::read_file(fs, report));
    report_page([&](const base::TextSink& json) { json(text); }, templates, PageKind::served,
                [&](std::string_view part) { out.page_ += part; });
    TRY_ASSIGN(const std::string saved, out.saved());
    TRY(check_decisions(saved, out.decisions_, out.report_));
    return out;
}

void ReviewSite::apply_with(base::Path project, ApplySaved apply) {
    project_ = std::move(project);
    apply_ = std::move(apply);
}

void ReviewSite::listen_as(std::string host, std::string token) {
    host_ = std::move(host);
    token_ = std::move(token);
}

// Another page that is open in the browser must not get through: neither under a name of its own that leads to this machine
// (Host), nor by requests from its origin.
bool ReviewSite::is_from_here(const HttpRequest& request) const {
    if (request.header("host") != host_) return false;
    for (const auto& [name, value] : request.headers) {
        if (name == "origin" && value != "http://" + host_) return false;
    }
    return true;
}

HttpResponse ReviewSite::answer(const HttpRequest& request) const {
    if (!is_from_here(request)) return refusal(403, base::format("Only http://{} is served.", host_));
    const std::string_view target = request.target;
    const std::size_t end = std::min(target.find('/', 1), target.size());
    if (!is_same(target.substr(1, end - 1), token_))
        return refusal(403, "The address needs the token that `migrator serve` has printed.");
    const std::string_view name = target.substr(end);
    if (name == "/") {
        if (request.method != "GET") return not_allowed("GET");
        return {200, "text/html; charset=utf-8", page_};
    }
    if (name == "/project.json") {
        if (request.method != "GET") return not_allowed("GET");
        base::JsonWriter json;
        base::InJson<ServedProject>::write(json, {report_.file, decisions_, project_});
        return {200, std::string(kJsonType), std::move(json).take()};
    }
    if (name == "/apply") return request.method == "POST" ? apply_saved(request) : not_allowed("POST");
    if (name != "/" + std::string(kDecisionsName)) return refusal(404, "There is nothing of this name.");
    if (request.method == "GET") return read_decisions();
    if (request.method == "PUT") return write_decisions(request);
    return not_allowed("GET, PUT");
}

base::Result<std::string> ReviewSite::saved() const {
    if (!fs_->exists(decisions_)) return std::string(kNoDecisions);
    return base::read_file(*fs_, decisions_, kMaxBodyBytes);
}

HttpResponse ReviewSite::read_decisions() const {
    const auto text = saved();
    if (!text) return refusal(500, text.error().text());
    return {200, std::string(kJsonType), *text, {{"ETag", tag_of(*text)}}};
}

// Why the request is not about the decisions that are saved.
std::optional<HttpResponse> ReviewSite::refusal_of(const HttpRequest& request) const {
    if (request.header("content-type") != kJsonType) return refusal(415, "The content must be application/json.");
    const auto now = saved();
    if (!now) return refusal(500, now.error().text());
    if (request.header("if-match") != tag_of(*now))
        return refusal(412, "decisions.json was changed elsewhere; load the page again.");
    return std::nullopt;
}

HttpResponse ReviewSite::apply_saved(const HttpRequest& request) const {
    if (auto refused = refusal_of(request)) return *refused;
    const auto wanted = apply_request(request.body);
    if (!wanted) return refusal(422, wanted.error().text());
    if (project_.empty() || wanted->project != project_)
        return refusal(409, base::show("The sources are those of {}, and not of {}.", project_, wanted->project));
    const auto done = apply_(*wanted);
    return done ? HttpResponse{200, HttpResponse{}.type, *done} : refusal(422, done.error().text());
}

HttpResponse ReviewSite::write_decisions(const HttpRequest& request) const {
    if (auto refused = refusal_of(request)) return *refused;
    if (const auto right = check_decisions(request.body, decisions_, report_); !right)
        return refusal(422, right.error().text());
    // A link of this name is replaced and not followed.
    if (const auto written = base::write_file(*fs_, decisions_, request.body); !written)
        return refusal(500, written.error().text());
    return {204, std::string(kJsonType), "", {{"ETag", tag_of(request.body)}}};
}

}  // namespace migrator
