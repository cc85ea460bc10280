// Pages made of a template with marks, and how they name what a browser may run in them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/data_store.h"
#include "base/result.h"

namespace base {

// The template of this path below templates/. Fails with rule_data when it is missing.
Result<std::string_view> template_text(const DataStore& templates, std::string_view path);

// A text of the user's, as it stands in a page: shown as it is, never markup.
std::string page_text(std::string_view text);

// What stands in the template in front of a mark "{{name}}", the value, and so on: values are not searched for marks. Every mark must
// have a value.
std::string filled_page(std::string_view text, const std::map<std::string, std::string>& values);

// How a content security policy names a script or style that stands in its page.
std::string policy_hash(std::string_view text);

}  // namespace base
