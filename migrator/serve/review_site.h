// ReviewSite: what a browser sees of a report: its page, the decisions, which are kept in a file beside it, and how to apply them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/data_store.h"
#include "base/file_system.h"
#include "base/record.h"
#include "migrator/review/saved_report.h"
#include "migrator/serve/http_message.h"

namespace migrator {

// What the page says of the run that applies: the paths as a person types them, and the project as it is known to the system.
struct ServedProject {
    base::Path report;
    base::Path decisions;
    base::Path project;
};
constexpr auto record_of(const ServedProject*) {
    using S = ServedProject;
    return base::record("served_project", "what is served",
                        base::field("report", &S::report, "the report.json").always(),
                        base::field("decisions", &S::decisions, "the decisions.json").always(),
                        base::field("project", &S::project, "the directory of the sources").always());
}

// Names the tree that it is about, so that a page that was left open changes no other.
struct ApplyRequest {
    base::Path project;
    std::optional<base::Path> output;  // none: the project itself is changed
};
constexpr auto record_of(const ApplyRequest*) {
    using A = ApplyRequest;
    return base::record("apply_request", "what is to be applied",
                        base::field("project", &A::project, "the directory of the sources").always(),
                        base::field("output", &A::output, "the directory of the copy; without it: in place"));
}
// Applies the saved decisions; what it has done, for people.
using ApplySaved = std::function<base::Result<std::string>(const ApplyRequest&)>;

// Answers only who names the host that it has and knows the token, which is the first part of every path:
//
//   GET /TOKEN/                  the page
//   GET /TOKEN/decisions.json    the decisions, with an ETag
//   PUT /TOKEN/decisions.json    the same, when If-Match is that ETag and the decisions are right
//   GET /TOKEN/project.json      a ServedProject
//   POST /TOKEN/apply            an ApplyRequest, when If-Match is the ETag of the decisions that are saved
//
// Nothing else is written than the decisions, and what is applied.
class ReviewSite {
public:
    // Fails with bad_input when the report, or a decisions.json that is beside it, cannot be used.
    static base::Result<ReviewSite> open(base::FileSystem& fs, const base::Path& report,
                                         const base::DataStore& templates);
    const SavedReport& report() const { return report_; }

    // `host`: "127.0.0.1:PORT". `token`: letters and digits.
    void listen_as(std::string host, std::string token);
    // `project`: with an empty path nothing can be applied.
    void apply_with(base::Path project, ApplySaved apply);
    HttpResponse answer(const HttpRequest& request) const;

    const base::Path& decisions() const { return decisions_; }

private:
    explicit ReviewSite(base::FileSystem& fs) : fs_(&fs) {}

    bool is_from_here(const HttpRequest& request) const;
    HttpResponse read_decisions() const;
    HttpResponse write_decisions(const HttpRequest& request) const;
    std::optional<HttpResponse> refusal_of(const HttpRequest& request) const;
    HttpResponse apply_saved(const HttpRequest& request) const;
    base::Result<std::string> saved() const;

    base::FileSystem* fs_;
    SavedReport report_;
    base::Path decisions_;
    base::Path project_;
    ApplySaved apply_;
    std::string page_;
    std::string host_;
    std::string token_;
};

}  // namespace migrator
