#include <doctest/doctest.h>

#include <algorithm>

#include "base/format.h"
#include "ckpt_convert/plan/registration_order.h"

using ckpt::RegistrationOrder;

namespace {

// The names sorted by what was learnt.
std::string sorted(const RegistrationOrder& order, std::vector<std::string> names) {
    std::sort(names.begin(), names.end(), [&](const auto& a, const auto& b) {
        REQUIRE(order.place(a));
        REQUIRE(order.place(b));
        return *order.place(a) < *order.place(b);
    });
    return base::joined(names, " ");
}

}  // namespace

TEST_CASE("registration order: names of other layers and experts follow what was seen of one") {
    RegistrationOrder order;
    order.learn({"embedding.weight", "decoder.layers.0.proj.weight", "decoder.layers.0.qkv.weight",
                 "decoder.layers.0.qkv.bias", "decoder.layers.0.experts.0.fc1.weight",
                 "decoder.layers.0.experts.0.fc2.weight", "decoder.layers.0.experts.1.fc1.weight"});
    CHECK(sorted(order, {"decoder.layers.10.qkv.weight", "decoder.layers.9.experts.2.fc1.weight",
                         "decoder.layers.9.experts.1.fc2.weight", "decoder.layers.9.proj.weight",
                         "decoder.layers.9.experts.1.fc1.weight", "decoder.layers.9.qkv.bias"}) ==
          "decoder.layers.9.proj.weight decoder.layers.9.qkv.bias decoder.layers.9.experts.1.fc1.weight "
          "decoder.layers.9.experts.1.fc2.weight decoder.layers.9.experts.2.fc1.weight decoder.layers.10.qkv.weight");
    CHECK_FALSE(order.place("decoder.layers.0.norm.weight"));
    CHECK_FALSE(order.place("head.weight"));
}

TEST_CASE("registration order: what ranks hold in part is put together") {
    RegistrationOrder order;
    order.learn({"decoder.layers.0.a", "decoder.layers.0.c", "decoder.layers.1.a", "decoder.layers.1.b"});
    order.learn({"embedding.weight", "decoder.layers.0.b", "decoder.layers.0.c"});
    order.learn({"decoder.layers.0.c", "decoder.norm.weight", "head.weight"});
    CHECK(sorted(order, {"head.weight", "decoder.norm.weight", "decoder.layers.0.c", "decoder.layers.0.b",
                         "decoder.layers.0.a", "embedding.weight"}) ==
          "embedding.weight decoder.layers.0.a decoder.layers.0.b decoder.layers.0.c decoder.norm.weight head.weight");
}

TEST_CASE("registration order: grouped weights count upwards within their module") {
    RegistrationOrder order;
    order.learn({"mlp.fc1.weight0", "mlp.fc1.weight1", "mlp.fc2.weight0", "mlp.fc2.weight1"});
    CHECK(sorted(order, {"mlp.fc2.weight3", "mlp.fc1.weight10", "mlp.fc1.weight9"}) ==
          "mlp.fc1.weight9 mlp.fc1.weight10 mlp.fc2.weight3");
}
