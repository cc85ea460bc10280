// NodeKind and Field: the node kinds and roles of tree-sitter-python that the tool knows by name.
#pragma once

#include <cstdint>
#include <string_view>

namespace migrator {

// clang-format off
// X(kind): the grammar's name is the enumerator's name, without a trailing underscore.
#define MIGRATOR_NODE_KINDS(X)                                                                                        \
    X(module) X(block) X(comment) X(line_continuation) X(import_statement) X(import_from_statement)                   \
    X(future_import_statement) X(aliased_import) X(dotted_name) X(relative_import) X(import_prefix)                   \
    X(wildcard_import) X(function_definition) X(class_definition) X(decorated_definition) X(decorator) X(lambda)      \
    X(parameters) X(lambda_parameters) X(default_parameter) X(typed_parameter) X(typed_default_parameter)             \
    X(list_splat_pattern) X(dictionary_splat_pattern) X(keyword_separator) X(positional_separator) X(type)            \
    X(type_parameter) X(type_alias_statement) X(generic_type) X(union_type) X(member_type) X(constrained_type)        \
    X(splat_type) X(expression_statement) X(assignment) X(augmented_assignment) X(named_expression) X(pattern_list)   \
    X(tuple_pattern) X(list_pattern) X(return_statement) X(delete_statement) X(raise_statement) X(pass_statement)     \
    X(break_statement) X(continue_statement) X(global_statement) X(nonlocal_statement) X(exec_statement)              \
    X(print_statement) X(assert_statement) X(if_statement) X(elif_clause) X(else_clause) X(for_statement)             \
    X(while_statement) X(try_statement) X(except_clause) X(finally_clause) X(with_statement) X(with_clause)           \
    X(with_item) X(as_pattern) X(as_pattern_target) X(match_statement) X(case_clause) X(case_pattern)                 \
    X(class_pattern) X(splat_pattern) X(dict_pattern) X(keyword_pattern) X(union_pattern) X(complex_pattern)          \
    X(identifier) X(attribute) X(subscript) X(slice) X(call) X(argument_list) X(keyword_argument) X(list_splat)       \
    X(dictionary_splat) X(parenthesized_list_splat) X(parenthesized_expression) X(unary_operator) X(binary_operator)  \
    X(boolean_operator) X(not_operator) X(comparison_operator) X(conditional_expression) X(await) X(yield) X(list)    \
    X(tuple) X(set) X(dictionary) X(pair) X(list_comprehension) X(set_comprehension) X(dictionary_comprehension)      \
    X(generator_expression) X(for_in_clause) X(if_clause) X(expression_list) X(string) X(string_start)                \
    X(string_content) X(string_end) X(concatenated_string) X(interpolation) X(format_specifier) X(format_expression)  \
    X(type_conversion) X(escape_sequence) X(escape_interpolation) X(integer) X(float_) X(true_) X(false_) X(none)     \
    X(ellipsis) X(chevron)
// clang-format on

enum class NodeKind : std::uint16_t {
    other,  // a named kind not listed above
    token,  // punctuation or a keyword: see its text
    error,
#define X(kind) kind,
    MIGRATOR_NODE_KINDS(X)
#undef X
};

// clang-format off
// Roles of a child in its parent, as the grammar names them.
#define MIGRATOR_FIELDS(X)                                                                                            \
    X(alias) X(alternative) X(argument) X(arguments) X(attribute) X(body) X(cause) X(code) X(condition)               \
    X(consequence) X(definition) X(expression) X(format_specifier) X(function) X(guard) X(key) X(left)                \
    X(module_name) X(name) X(object) X(operator_) X(operators) X(parameters) X(return_type) X(right) X(subject)       \
    X(subscript) X(superclasses) X(type) X(type_conversion) X(type_parameters) X(value)
// clang-format on

enum class Field : std::uint8_t {
    none,
#define X(field) field,
    MIGRATOR_FIELDS(X)
#undef X
};

std::string_view name(NodeKind kind);
std::string_view name(Field field);

}  // namespace migrator
