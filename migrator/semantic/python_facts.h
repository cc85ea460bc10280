// Facts of the Python language that name resolution needs: builtins, operator methods, typing forms.
#pragma once

#include <optional>
#include <string_view>

namespace migrator {

// Names every module has without binding them, such as `print` and `__file__`.
bool is_builtin_name(std::string_view name);

// The method behind an operator: "+" -> "__add__"; nullopt for those without one ("and", "is").
std::optional<std::string_view> operator_method(std::string_view symbol);
// The method asked of the right operand: "+" -> "__radd__".
std::optional<std::string_view> reflected_operator_method(std::string_view symbol);
std::optional<std::string_view> unary_operator_method(std::string_view symbol);

// "typing.Optional": the annotation means its first argument, or nothing.
bool is_annotation_wrapper(std::string_view qualified);
// "typing.Union": the annotation means one of its arguments.
bool is_annotation_union(std::string_view qualified);
// Names that say nothing of a value's class: "typing.Any", "typing.List" ...
bool is_typing_name(std::string_view qualified);

// Functions that give their first argument with some of its own arguments filled in.
bool is_partial(std::string_view qualified);

// Functions whose first parameter is the class although they have no @classmethod.
bool takes_class(std::string_view function);

}  // namespace migrator
