from transformers import AutoModel, Qwen3ForCausalLM  # expect: third_party.native


def load(name):
    made = Qwen3ForCausalLM.build(name).cuda()  # expect: method.cuda
    return AutoModel.from_pretrained(name).to("cuda"), made  # expect: device.string
