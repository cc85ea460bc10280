from transformers import AutoModel, Qwen3ForCausalLM  # expect: third_party.native
import torch_npu


def load(name):
    made = Qwen3ForCausalLM.build(name).npu()  # expect: method.cuda
    return AutoModel.from_pretrained(name).to("npu"), made  # expect: device.string
