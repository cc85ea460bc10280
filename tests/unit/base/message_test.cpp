#include "base/message.h"

#include <doctest/doctest.h>

using base::Dictionary;
using base::Message;

TEST_CASE("message: values are filled in, and an empty one leaves no blank at the end") {
    CHECK(Message("plain").text() == "plain");
    CHECK(Message("{name} is {to}. {note}", {{"name", "a"}, {"to", "b"}, {"note", {}}}).text() == "a is b.");
    CHECK(Message("{a} and {a}", {{"a", "1"}}).text() == "1 and 1");
    CHECK(Message().text().empty());
    CHECK(Message().empty());
    CHECK(Message("").empty());
}

TEST_CASE("message: what a value holds is not filled in again, and other braces stay") {
    CHECK(Message("{a} {b}", {{"a", "{b}"}, {"b", "{a}"}}).text() == "{b} {a}");
    CHECK(Message("{unknown} { {} {a", {{"a", "1"}}).text() == "{unknown} { {} {a");
}

TEST_CASE("message: several sentences") {
    Message message("One.");
    message.add({"Two {n}.", {{"n", "2"}}});
    message.add({});
    message.add_in_front("Zero:");
    CHECK(message.text() == "Zero: One. Two 2.");
    CHECK(message == Message("Zero: One. Two 2."));
}

TEST_CASE("message: in another language, values too; what is not known stays") {
    const Dictionary chinese{{"{name} is gone. {note}", "{name} 已移除。{note}"},
                             {"Use {to}.", "请使用 {to}。"},
                             {"It is slow.", "速度慢。"},
                             {"place {n}:", "第 {n} 处："}};
    Message message("{name} is gone. {note}", {{"name", "f"}, {"note", Message("Use {to}.", {{"to", "g"}})}});
    CHECK(message.text() == "f is gone. Use g.");
    CHECK(message.text_in(chinese) == "f 已移除。请使用 g。");
    message.add("It is slow.");
    message.add("Not translated.");
    message.add_in_front({"place {n}:", {{"n", "1"}}});
    CHECK(message.text_in(chinese) == "第 1 处：f 已移除。请使用 g。速度慢。Not translated.");
    CHECK(message.text() == "place 1: f is gone. Use g. It is slow. Not translated.");
}
