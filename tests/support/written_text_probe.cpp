// Shows tests/oracle/written_text.py how texts are written: those on standard input, each with a NUL behind it, as lines of bash and
// of YAML, with a NUL behind each as well. A line that is empty: refused.
#include <iostream>
#include <iterator>
#include <string>

#include "ckpt_convert/launch/written_text.h"

int main() {
    const std::string all((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t end = all.find('\0', at);
        const std::string text = all.substr(at, end - at);
        const auto scalar = ckpt::yaml_scalar(text);
        std::cout << "unset NAME; NAME=\"${NAME:-" << ckpt::in_default(text) << "}\"; printf '%s\\0' \"$NAME\"\n"
                  << '\0';
        std::cout << (scalar ? "- " + *scalar + "\n" : "") << '\0';
        at = end + 1;
    }
}
