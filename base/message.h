// Message: sentences with values, so that what is said can be said in another language as well.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace base {

// English sentences, with their {values}, and what they are in another language.
using Dictionary = std::map<std::string, std::string, std::less<>>;

class Message {
public:
    struct Value;

    Message() = default;
    // Implicit, as most messages are one sentence without values.
    Message(std::string_view sentence);
    Message(const std::string& sentence);
    Message(const char* sentence);
    // {name} in the sentence stands for the value of that name.
    Message(std::string_view sentence, std::vector<Value> values);

    // One more sentence, or several; a blank comes between.
    void add(const Message& more);
    void add_in_front(const Message& more);

    bool empty() const { return sentences_.empty(); }
    std::string text() const { return text_in({}); }
    // A sentence or value that the dictionary lacks stays as it is.
    std::string text_in(const Dictionary& dictionary) const;
    bool operator==(const Message& other) const { return text() == other.text(); }

private:
    struct Sentence;
    std::vector<Sentence> sentences_;
};

struct Message::Value {
    std::string name;
    Message value;
};

struct Message::Sentence {
    std::string pattern;
    std::vector<Value> values;
};

}  // namespace base
