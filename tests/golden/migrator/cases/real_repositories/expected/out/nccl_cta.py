import torch.distributed as dist
import torch_npu
opts = torch_npu._C._distributed_c10d.ProcessGroupHCCL.Options()
opts.config.cta_policy = dist.ProcessGroupNCCL.NCCL_CTA_POLICY_ZERO
opts.config.max_ctas = 8
dist.init_process_group("hccl", pg_options=opts)
