import bitsandbytes as bnb  # expect: third_party.ascend_fork
from torchao.optim import AdamW8bit  # expect: third_party.unknown

a = AdamW8bit([])  # expect: third_party.torchao_optimizer
b = bnb.optim.AdamW([])  # expect: third_party.bnb_plain_optimizer
c = bnb.nn.Linear8bitLt(1, 1)  # expect: third_party.bnb_int8
d = bnb.nn.Linear4bit(1, 1)  # ok: third_party.bnb_int8
