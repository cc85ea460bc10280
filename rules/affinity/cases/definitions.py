from torch import nn


class Focus(nn.Module):  # expect: affinity.class_focus
    def __init__(self, c1, c2, k=1, s=1, p=None, g=1, act=True):
        super().__init__()

    def forward(self, x):
        return x


class DropPath(nn.Module):  # expect: affinity.class_drop_path
    def __init__(self, drop_prob: float = 0.0):
        super().__init__()

    def forward(self, x):
        return x


class FairseqDropout(nn.Module):  # expect: affinity.class_fairseq_dropout
    def __init__(self, p, module_name=None):
        super().__init__()

    def forward(self, x, inplace: bool = False):
        return x


class PSROIPool(nn.Module):  # expect: affinity.class_psroi_pool
    def __init__(self, pooled_height, pooled_width, spatial_scale, group_size, output_dim):
        super().__init__()

    def forward(self, features, rois):
        return features


class ROIAlign(nn.Module):  # expect: affinity.class_roi_align
    def __init__(self, output_size, spatial_scale, sampling_ratio, aligned=True):
        super().__init__()

    def forward(self, input, rois):
        return input


class ModulatedDeformConv2dFunction:  # expect: affinity.class_deform_conv
    @staticmethod
    def forward(ctx, input, offset, mask, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, deform_groups=1):
        return input


class MultiheadAttention(nn.Module):  # expect: affinity.class_fairseq_attention
    def __init__(self, embed_dim, num_heads, kdim=None, vdim=None, dropout=0.0, bias=True, add_bias_kv=False,
                 add_zero_attn=False, self_attention=False, encoder_decoder_attention=False, q_noise=0.0,
                 qn_block_size=8):
        super().__init__()

    def forward(self, query, key, value, key_padding_mask=None, incremental_state=None, need_weights=True,
                static_kv=False, attn_mask=None, before_softmax=False, need_head_weights=False):
        return query


class LabelSmoothingCrossEntropy(nn.Module):  # expect: affinity.class_label_smoothing
    def __init__(self, smoothing=0.1):
        super().__init__()


class data_prefetcher:  # expect: affinity.class_prefetcher
    def __init__(self, loader):
        self.loader = loader


class Coder:
    def encode(self, bboxes, gt_bboxes, stride):  # expect: affinity.function_bbox_encode
        return bboxes

    def decode(self, bboxes, pred_bboxes, stride):  # expect: affinity.function_bbox_decode
        return bboxes

    def single_level_responsible_flags(self, featmap_size, gt_bboxes, stride, num_base_anchors, device="cpu"):  # expect: affinity.function_responsible_flags
        return gt_bboxes


class Text:
    def encode(self, text):  # ok: affinity.function_bbox_encode
        return text.encode()


def multiclass_nms(multi_bboxes, multi_scores, score_thr, nms_cfg, max_num=-1, score_factors=None, return_inds=False):  # expect: affinity.function_multiclass_nms
    return multi_bboxes


def fast_nms(multi_bboxes, multi_scores, multi_coeffs, score_thr, iou_thr, top_k, max_num=-1):  # expect: affinity.function_fast_nms
    return multi_bboxes


def channel_shuffle(x, groups):  # expect: affinity.function_channel_shuffle
    return x


def channel_shuffle_of(x, number, groups):  # ok: affinity.function_channel_shuffle
    return x
