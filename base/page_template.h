// Pages made of a template with marks, and how they name what a browser may run in them.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace base {

// What stands in the template in front of a mark "{{name}}", the value, and so on: values are not searched for marks. Every mark must
// have a value.
std::string filled_page(std::string_view text, const std::map<std::string, std::string>& values);

// How a content security policy names a script or style that stands in its page.
std::string policy_hash(std::string_view text);

}  // namespace base
