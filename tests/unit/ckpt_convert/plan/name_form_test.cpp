#include <doctest/doctest.h>

#include "ckpt_convert/plan/name_form.h"

using ckpt::NameForm;

TEST_CASE("name form: the layer is found among the numbers of a name") {
    NameForm plain("embedding.weight");
    CHECK_FALSE(plain.has_layer());
    CHECK(plain.match("embedding.weight") == 0);
    CHECK_FALSE(plain.match("embedding.weight2").has_value());
    CHECK_FALSE(plain.match("embedding").has_value());
    NameForm layer("decoder.layers.{local_layer}.norm");
    CHECK(layer.match("decoder.layers.17.norm") == 17);
    for (const char* other : {"decoder.layers..norm", "decoder.layers.x.norm", "decoder.layers.1.norms",
                              "decoder.layers.1", "decoder.layers.-1.norm", "decoder.layers.99999999999.norm"}) {
        CAPTURE(other);
        CHECK_FALSE(layer.match(other).has_value());
    }
    CHECK(layer.has_layer());
    NameForm counted("decoder.layers.{nth}.norm");
    CHECK(counted.match("decoder.layers.17.norm") == 0);
    CHECK_FALSE(counted.has_layer());
    NameForm expert("layers.{local_layer}.experts.fc1.weight{local_expert}");
    CHECK(expert.match("layers.3.experts.fc1.weight12") == 3);
    CHECK_FALSE(expert.match("layers.3.experts.fc1.weight").has_value());
    CHECK(NameForm("experts.{expert}.of.{layer}").match("experts.5.of.2") == 2);
}
