import torch
import torch.nn.functional as F

x = torch.ones(4)
seen = torch.unique(x)  # expect: advice.dynamic_shape
rows = x.nonzero()  # expect: advice.dynamic_shape
wide = F.one_hot(x.long())  # expect: advice.one_hot_width
fixed = F.one_hot(x.long(), 10)  # ok: advice.one_hot_width
turned = torch.view_as_complex(x.reshape(2, 2))  # expect: advice.complex
