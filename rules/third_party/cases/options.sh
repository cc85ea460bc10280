python train.py --use_8bit_adam # expect: third_party.bnb_option
python train.py --optim paged_adamw_8bit # expect: third_party.bnb_option
python train.py --optim adamw_torch # ok: third_party.bnb_option
python train.py --load_in_8bit True # expect: third_party.int8_setting
python train.py --load_in_4bit True # ok: third_party.int8_setting
python train.py --enable_xformers_memory_efficient_attention # expect: third_party.xformers_option
python train.py --attention sdpa # ok: third_party.xformers_option
pip install -e TransformerEngineNPU # ok: third_party.two_engines
pip install git+https://github.com/NVIDIA/TransformerEngine.git@stable # expect: third_party.two_engines
torchrun pretrain_gpt.py --bf16 --fp8-format hybrid # expect: third_party.megatron_fp8
