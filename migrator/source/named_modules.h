// The names of modules and files in a text, as far as they can be told without parsing it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace migrator {

struct NamedModule {
    std::string name;      // "pkg.model.Net": a module, or what it holds
    std::size_t dots = 0;  // in front of it: "from ..pkg import x" has 2
};

// Every name in the import statements of Python code, also of code in a text or a notebook.
void for_each_import(std::string_view code, const std::function<void(const NamedModule&)>& call);

// Every longest run of characters that paths have: "data/vocab.txt", "pkg.model.Net". `is_quoted`: nothing else is in its quotes.
void for_each_path(std::string_view text, const std::function<void(std::string_view path, bool is_quoted)>& call);

}  // namespace migrator
