"""Custom operators of the detector: compiled ones where they are built, the same in PyTorch where not."""

import torch
from torch.cuda.amp import custom_bwd, custom_fwd

try:
    import _detection_C as _C
except ImportError:
    _C = None


def box_iou(a, b):
    area_a = (a[:, 2] - a[:, 0]).clamp(min=0) * (a[:, 3] - a[:, 1]).clamp(min=0)
    area_b = (b[:, 2] - b[:, 0]).clamp(min=0) * (b[:, 3] - b[:, 1]).clamp(min=0)
    wh = (torch.min(a[:, None, 2:], b[None, :, 2:]) - torch.max(a[:, None, :2], b[None, :, :2])).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    return inter / (area_a[:, None] + area_b[None] - inter + 1e-6)


def nms(boxes, scores, threshold):
    if _C is not None and boxes.is_cuda:
        return _C.nms(boxes, scores, threshold)
    order, keep = scores.sort(descending=True)[1], []
    while order.numel() > 0:
        keep.append(order[0])
        if order.numel() == 1:
            break
        iou = box_iou(boxes[order[:1]], boxes[order[1:]])[0]
        order = order[1:][iou <= threshold]
    return torch.stack(keep) if keep else boxes.new_zeros((0,), dtype=torch.long)


class SigmoidFocalLoss(torch.autograd.Function):
    @staticmethod
    @custom_fwd(cast_inputs=torch.float32)
    def forward(ctx, logits, targets, gamma, alpha):
        p = torch.sigmoid(logits)
        ce = torch.nn.functional.binary_cross_entropy_with_logits(logits, targets, reduction="none")
        p_t = p * targets + (1 - p) * (1 - targets)
        weight = (alpha * targets + (1 - alpha) * (1 - targets)) * (1 - p_t) ** gamma
        ctx.save_for_backward(p, targets, weight)
        return (weight * ce).sum()

    @staticmethod
    @custom_bwd
    def backward(ctx, grad):
        p, targets, weight = ctx.saved_tensors
        return grad * weight * (p - targets), None, None, None
