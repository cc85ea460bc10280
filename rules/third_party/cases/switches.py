import bitsandbytes as bnb  # expect: third_party.ascend_fork
from tensordict.nn import CudaGraphModule, TensorDictModule
from diffusers import UNet2DConditionModel  # expect: third_party.native
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, TrainingArguments, pipeline  # expect: third_party.native

optimizer = bnb.optim.AdamW8bit([])  # expect: third_party.bnb_optimizer
layer = bnb.nn.Linear4bit(1, 1)  # ok: third_party.bnb_optimizer
config = BitsAndBytesConfig(load_in_4bit=True)  # expect: third_party.bnb_quantization
AutoModelForCausalLM.from_pretrained("x", load_in_8bit=True)  # expect: third_party.bnb_load_in_8bit
AutoModelForCausalLM.from_pretrained("x", load_in_8bit=False)  # ok: third_party.bnb_load_in_8bit
AutoModelForCausalLM.from_pretrained("x", load_in_4bit=True)  # expect: third_party.bnb_load_in_4bit
AutoModelForCausalLM.from_pretrained("x", device_map={"": 0})  # expect: third_party.device_map_number
AutoModelForCausalLM.from_pretrained("x", device_map="auto")  # ok: third_party.device_map_number
AutoModelForCausalLM.from_pretrained("x", attn_implementation="flash_attention_2")  # expect: third_party.flash_attention_2
AutoModelForCausalLM.from_pretrained("x", attn_implementation="sdpa")  # ok: third_party.flash_attention_2
pipeline("text-generation", device=0)  # expect: third_party.device_number
pipeline("text-generation", device="cpu")  # ok: third_party.device_number
TrainingArguments("out", optim="paged_adamw_8bit")  # expect: third_party.bnb_trainer_optimizer
TrainingArguments("out", optim="adamw_torch")  # ok: third_party.bnb_trainer_optimizer
TrainingArguments("out", torch_compile=True)  # expect: third_party.trainer_compile
TrainingArguments("out", torch_compile=False)  # ok: third_party.trainer_compile
TrainingArguments("out", half_precision_backend="cuda_amp")  # expect: third_party.trainer_half_precision
TrainingArguments("out", half_precision_backend="auto")  # ok: third_party.trainer_half_precision
unet = UNet2DConditionModel.from_pretrained("x")
unet.enable_xformers_memory_efficient_attention()  # expect: third_party.xformers_attention
unet.enable_gradient_checkpointing()  # ok: third_party.xformers_attention
update = CudaGraphModule(print)  # expect: third_party.cuda_graph_module
update = TensorDictModule(print)  # ok: third_party.cuda_graph_module
