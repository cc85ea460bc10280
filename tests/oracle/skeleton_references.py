"""What the fallbacks of rules/custom_ops/skeletons compute, once more: loops over numbers, written from the operators' definitions.

REFERENCES: name of the fallback -> (function of the same arguments, list of arguments).
"""

import math

import torch

torch.manual_seed(7)


def randn(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def pixel(image, y, x):
    """One number of (H, W) by bilinear interpolation, with zeros around."""
    total, (height, width) = 0.0, image.shape
    for row in (math.floor(y), math.floor(y) + 1):
        for column in (math.floor(x), math.floor(x) + 1):
            if 0 <= row < height and 0 <= column < width:
                total += image[row, column].item() * (1 - abs(y - row)) * (1 - abs(x - column))
    return total


def ms_deform_attn(value, shapes, starts, locations, weights):
    batch, _, heads, size = value.shape
    _, queries, _, levels, points, _ = locations.shape
    out = torch.zeros(batch, queries, heads, size, dtype=torch.float64)
    for n, q, m, level, p, d in torch.cartesian_prod(*map(torch.arange, (batch, queries, heads, levels, points, size))).tolist():
        height, width = shapes[level].tolist()
        start = starts[level].item()
        image = value[n, start:start + height * width, m, d].view(height, width)
        x, y = locations[n, q, m, level, p].tolist()
        out[n, q, m, d] += weights[n, q, m, level, p] * pixel(image, y * height - 0.5, x * width - 0.5)
    return out.view(batch, queries, heads * size)


def deform_conv2d(image, offset, weight, stride, padding, dilation, bias=None, mask=None):
    batch, channels, _, _ = image.shape
    filters, per_group, kernel_height, kernel_width = weight.shape
    points = kernel_height * kernel_width
    groups, offset_groups = channels // per_group, offset.shape[1] // (2 * points)
    out = torch.zeros(batch, filters, *offset.shape[2:], dtype=torch.float64)
    for n, f, i, j in torch.cartesian_prod(*map(torch.arange, out.shape)).tolist():
        for c in range(per_group):
            channel = f // (filters // groups) * per_group + c
            offset_group = channel // (channels // offset_groups)
            for point in range(points):
                row, column = divmod(point, kernel_width)
                at = (offset_group * points + point) * 2
                y = i * stride[0] - padding[0] + row * dilation[0] + offset[n, at, i, j].item()
                x = j * stride[1] - padding[1] + column * dilation[1] + offset[n, at + 1, i, j].item()
                factor = 1 if mask is None else mask[n, offset_group * points + point, i, j]
                out[n, f, i, j] += weight[f, c, row, column] * factor * pixel(image[n, channel], y, x)
    return out if bias is None else out + bias[:, None, None]


def upfirdn2d(x, f, upx, upy, downx, downy, padx0, padx1, pady0, pady1, flip=False, gain=1.0):
    batch, channels, height, width = x.shape
    wide = torch.zeros(batch, channels, height * upy, width * upx, dtype=torch.float64)
    wide[:, :, ::upy, ::upx] = x
    rows, columns = f.shape
    out_height = (wide.shape[2] + pady0 + pady1 - rows) // downy + 1
    out_width = (wide.shape[3] + padx0 + padx1 - columns) // downx + 1
    out = torch.zeros(batch, channels, out_height, out_width, dtype=torch.float64)
    for i, j, r, c in torch.cartesian_prod(*map(torch.arange, (out_height, out_width, rows, columns))).tolist():
        y, x_ = i * downy + r - pady0, j * downx + c - padx0
        if 0 <= y < wide.shape[2] and 0 <= x_ < wide.shape[3]:
            tap = f[r, c] if flip else f[rows - 1 - r, columns - 1 - c]
            out[:, :, i, j] += wide[:, :, y, x_] * tap * gain
    return out


def bias_act(x, b=None, dim=1, act="linear", alpha=0.2, gain=1.0, clamp=-1.0):
    functions = {"linear": lambda v: v, "relu": lambda v: max(v, 0.0), "lrelu": lambda v: v if v > 0 else alpha * v,
                 "swish": lambda v: v / (1 + math.exp(-v)), "softplus": lambda v: math.log1p(math.exp(v)), "tanh": math.tanh}
    out = torch.zeros_like(x)
    for at in torch.cartesian_prod(*map(torch.arange, x.shape)).tolist():
        v = functions[act](x[tuple(at)].item() + (0 if b is None else b[at[dim]].item())) * gain
        out[tuple(at)] = min(max(v, -clamp), clamp) if clamp >= 0 else v
    return out


def nms(boxes, scores, threshold):
    kept = []
    for i in sorted(range(len(boxes)), key=lambda i: -scores[i].item()):
        def overlap(a, b):
            width = max(0, min(a[2], b[2]) - max(a[0], b[0]))
            height = max(0, min(a[3], b[3]) - max(a[1], b[1]))
            area = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1])
            return width * height / (area - width * height)
        if all(overlap(boxes[i].tolist(), boxes[j].tolist()) <= threshold for j in kept):
            kept.append(i)
    return torch.tensor(kept)


def roi_align(image, rois, out_height, out_width, scale=1.0, ratio=0, aligned=True):
    def at(plane, y, x):
        height, width = plane.shape
        if not (-1 <= y <= height and -1 <= x <= width):
            return 0.0
        return pixel(plane, min(max(y, 0), height - 1), min(max(x, 0), width - 1))
    out = torch.zeros(len(rois), image.shape[1], out_height, out_width, dtype=torch.float64)
    for k, (n, *box) in enumerate(rois.tolist()):
        x1, y1, x2, y2 = (v * scale - (0.5 if aligned else 0) for v in box)
        width, height = x2 - x1, y2 - y1
        if not aligned:
            width, height = max(width, 1), max(height, 1)
        rows = ratio if ratio > 0 else max(1, math.ceil(height / out_height))
        columns = ratio if ratio > 0 else max(1, math.ceil(width / out_width))
        for c, i, j in torch.cartesian_prod(*map(torch.arange, out.shape[1:])).tolist():
            samples = [at(image[int(n), c], y1 + (i + (r + 0.5) / rows) * height / out_height,
                          x1 + (j + (s + 0.5) / columns) * width / out_width) for r in range(rows) for s in range(columns)]
            out[k, c, i, j] = sum(samples) / len(samples)
    return out


def selective_scan(u, delta, A, B, C, D=None, z=None, delta_bias=None, delta_softplus=False):
    batch, channels, length = u.shape
    out = torch.zeros_like(u)
    for n in range(batch):
        for d in range(channels):
            for state in range(A.shape[1]):
                h = 0.0
                for i in range(length):
                    step = delta[n, d, i].item() + (0 if delta_bias is None else delta_bias[d].item())
                    step = math.log1p(math.exp(step)) if delta_softplus else step
                    def entry(x):
                        return (x[d, state] if x.dim() == 2 else x[n, state, i] if x.dim() == 3
                                else x[n, d * x.shape[1] // channels, state, i]).item()
                    h = math.exp(step * A[d, state].item()) * h + step * entry(B) * u[n, d, i].item()
                    out[n, d, i] += h * entry(C)
    out = out if D is None else out + u * D[:, None]
    return out if z is None else out * z / (1 + torch.exp(-z))


def causal_conv1d(x, weight, bias=None, silu=False):
    out = torch.zeros_like(x)
    for n, d, i in torch.cartesian_prod(*map(torch.arange, x.shape)).tolist():
        v = 0 if bias is None else bias[d].item()
        for w in range(weight.shape[1]):
            at = i - (weight.shape[1] - 1 - w)
            v += weight[d, w].item() * x[n, d, at].item() if at >= 0 else 0
        out[n, d, i] = v / (1 + math.exp(-v)) if silu else v
    return out


def rotary_embedding(x, cos, sin, interleaved=False):
    out = x.clone()
    half = cos.shape[1]
    for s in range(x.shape[1]):
        for i in range(half):
            a, b = (2 * i, 2 * i + 1) if interleaved else (i, i + half)
            turned = torch.complex(x[:, s, :, a], x[:, s, :, b]) * torch.complex(cos[s, i], sin[s, i])
            out[:, s, :, a], out[:, s, :, b] = turned.real, turned.imag
    return out


def scaled_masked_softmax(x, mask=None, scale=1.0, causal=False):
    out = torch.zeros_like(x)
    left_out = torch.zeros(x.shape, dtype=torch.bool) if mask is None else mask.expand(x.shape)
    queries, keys = x.shape[-2:]
    for at in torch.cartesian_prod(*map(torch.arange, x.shape[:-1])).tolist():
        seen = [k for k in range(keys) if not left_out[(*at, k)] and not (causal and k > at[-1] + keys - queries)]
        powers = {k: math.exp(x[(*at, k)].item() * scale) for k in seen}
        for k in seen:
            out[(*at, k)] = powers[k] / sum(powers.values())
    return out


def flash_attention(q, k, v, scale=None, causal=False):
    batch, queries, heads, size = q.shape
    out = torch.zeros(batch, queries, heads, v.shape[-1], dtype=torch.float64)
    scale = size ** -0.5 if scale is None else scale
    for n, i, h in torch.cartesian_prod(*map(torch.arange, (batch, queries, heads))).tolist():
        of = h // (heads // k.shape[2])
        seen = [j for j in range(k.shape[1]) if not causal or j <= i + k.shape[1] - queries]
        powers = [math.exp(q[n, i, h].dot(k[n, j, of]).item() * scale) for j in seen]
        for power, j in zip(powers, seen):
            out[n, i, h] += power / sum(powers) * v[n, j, of]
    return out


def layer_norm(x, weight=None, bias=None, epsilon=1e-5):
    out = (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + epsilon) ** 0.5
    out = out if weight is None else out * weight
    return out if bias is None else out + bias


def furthest_point_sampling(points, count):
    out = []
    for cloud in points.tolist():
        chosen = [0]
        while len(chosen) < count:
            chosen.append(max(range(len(cloud)), key=lambda i: min(math.dist(cloud[i], cloud[j]) for j in chosen)))
        out.append(chosen)
    return torch.tensor(out)


def ball_query(low, high, count, xyz, centers):
    out = []
    for cloud, middles in zip(xyz.tolist(), centers.tolist()):
        rows = []
        for middle in middles:
            distances = [math.dist(point, middle) for point in cloud]
            found = [i for i, far in enumerate(distances) if far == 0 or low <= far < high][:count]
            rows.append(found + [found[0] if found else 0] * (count - len(found)))
        out.append(rows)
    return torch.tensor(out)


def chamfer_distance(a, b):
    def nearest(points, others):
        far = [[min((math.dist(p, o) ** 2, i) for i, o in enumerate(cloud)) for p in mine] for mine, cloud in zip(points, others)]
        return torch.tensor([[d for d, _ in row] for row in far], dtype=torch.float64), torch.tensor([[i for _, i in row] for row in far])
    there, back = nearest(a.tolist(), b.tolist()), nearest(b.tolist(), a.tolist())
    return there[0], back[0], there[1], back[1]


def three_nn(target, source):
    far = [[sorted((math.dist(p, o), i) for i, o in enumerate(cloud))[:3] for p in mine]
           for mine, cloud in zip(target.tolist(), source.tolist())]
    return (torch.tensor([[[d for d, _ in three] for three in row] for row in far], dtype=torch.float64),
            torch.tensor([[[i for _, i in three] for three in row] for row in far]))


def correlation(first, second, reach, stride=1):
    batch, channels, height, width = first.shape
    steps = [s * stride for s in range(-(reach // stride), reach // stride + 1)]
    out = torch.zeros(batch, len(steps) ** 2, height, width, dtype=torch.float64)
    for d, (dy, dx) in enumerate((dy, dx) for dy in steps for dx in steps):
        for y in range(height):
            for x in range(width):
                if 0 <= y + dy < height and 0 <= x + dx < width:
                    out[:, d, y, x] = (first[:, :, y, x] * second[:, :, y + dy, x + dx]).sum(1) / channels
    return out


def sigmoid_focal_loss(scores, target, weight=None, gamma=2.0, alpha=0.25):
    out = torch.zeros_like(scores)
    for n, c in torch.cartesian_prod(*map(torch.arange, scores.shape)).tolist():
        p = 1 / (1 + math.exp(-scores[n, c].item()))
        hit = target[n].item() == c
        factor = 1 if weight is None else weight[min(target[n].item(), scores.shape[1] - 1)].item()
        out[n, c] = factor * (-alpha * (1 - p) ** gamma * math.log(p) if hit
                              else -(1 - alpha) * p ** gamma * math.log(1 - p))
    return out


def psamask(kind, mask, rows, columns):
    batch, _, height, width = mask.shape
    out = torch.zeros(batch, height * width, height, width, dtype=torch.float64)
    for h, w, r, c in torch.cartesian_prod(*map(torch.arange, (height, width, rows, columns))).tolist():
        y, x = h + r - (rows - 1) // 2, w + c - (columns - 1) // 2
        if 0 <= y < height and 0 <= x < width:
            if kind == 0:
                out[:, y * width + x, h, w] = mask[:, r * columns + c, h, w]
            else:
                out[:, h * width + w, y, x] = mask[:, r * columns + c, h, w]
    return out


def knn(k, xyz, centers):
    far = [[sorted((math.dist(p, o) ** 2, i) for i, o in enumerate(cloud))[:k] for p in mine]
           for mine, cloud in zip(centers.tolist(), xyz.tolist())]
    return (torch.tensor([[[d for d, _ in near] for near in row] for row in far], dtype=torch.float64),
            torch.tensor([[[i for _, i in near] for near in row] for row in far]))


def polygon(box):
    x, y, width, height, angle = box
    cosine, sine = math.cos(angle), math.sin(angle)
    return [(x + a * width / 2 * cosine - b * height / 2 * sine, y + a * width / 2 * sine + b * height / 2 * cosine)
            for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1))]


def area(points):
    return abs(sum(p[0] * q[1] - p[1] * q[0] for p, q in zip(points, points[1:] + points[:1]))) / 2


def clipped(points, box):
    """What of a polygon lies in a box: side for side, as Sutherland and Hodgman do."""
    corners = polygon(box)
    for start, end in zip(corners, corners[1:] + corners[:1]):
        def side(p):
            return (end[0] - start[0]) * (p[1] - start[1]) - (end[1] - start[1]) * (p[0] - start[0])
        kept = []
        for p, q in zip(points, points[1:] + points[:1]):
            if side(p) >= 0:
                kept.append(p)
            if (side(p) >= 0) != (side(q) >= 0):
                t = side(p) / (side(p) - side(q))
                kept.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
        points = kept
    return points


def box_iou_rotated(first, second, mode=0, aligned=False):
    def overlap(a, b):
        common = area(clipped(polygon(a), b))
        return common / (a[2] * a[3] if mode == 1 else a[2] * a[3] + b[2] * b[3] - common)
    a, b = first.tolist(), second.tolist()
    rows = [overlap(*both) for both in zip(a, b)] if aligned else [[overlap(one, other) for other in b] for one in a]
    return torch.tensor(rows, dtype=torch.float64)


def voxel_of(point, size, around):
    place = [math.floor((p - low) / s) for p, low, s in zip(point, around, size)]
    grid = [round((high - low) / s) for low, high, s in zip(around, around[3:], size)]
    return tuple(place[::-1]) if all(0 <= at < count for at, count in zip(place, grid)) else None


def dynamic_voxelize(points, size, around):
    return torch.tensor([voxel_of(p, size, around) or (-1, -1, -1) for p in points.tolist()], dtype=torch.int32)


def hard_voxelize(points, size, around, most_points, most_voxels):
    voxels = {}
    for i, p in enumerate(points.tolist()):
        place = voxel_of(p, size, around)
        if place is not None and (place in voxels or len(voxels) < most_voxels):
            voxels.setdefault(place, []).append(i)
    out = torch.zeros(len(voxels), most_points, points.shape[1], dtype=torch.float64)
    for v, inside in enumerate(voxels.values()):
        for k, i in enumerate(inside[:most_points]):
            out[v, k] = points[i]
    return (out, torch.tensor(list(voxels), dtype=torch.int32).view(-1, 3),
            torch.tensor([min(len(inside), most_points) for inside in voxels.values()], dtype=torch.int32))


def grouped_gemm(a, b, sizes, trans_a=False, trans_b=False):
    out, start = [], 0
    for i, size in enumerate(sizes.tolist()):
        rows = range(start, start + size)
        if trans_a:
            out.append(sum((torch.outer(a[r], b[r]) for r in rows), torch.zeros(a.shape[1], b.shape[1], dtype=torch.float64)))
        else:
            out += [sum(a[r, k] * (b[i, :, k] if trans_b else b[i, k]) for k in range(a.shape[1])) for r in rows]
        start += size
    return torch.stack(out)


def picked(features, indices, weight=None):
    out = torch.stack([features[n][:, indices[n]] for n in range(len(features))])
    return out if weight is None else (out * weight[:, None]).sum(-1)


_corners = torch.rand(12, 2, dtype=torch.float64) * 4
_boxes = torch.cat((_corners, _corners + 0.5 + 3 * torch.rand(12, 2, dtype=torch.float64)), 1)
_rois = torch.tensor([[0, 0.2, 0.1, 3.3, 5.2], [1, -3.0, -2.0, 8.0, 9.0], [1, 2.0, 2.0, 2.2, 2.1]], dtype=torch.float64)
_mask = torch.rand(2, 1, 3, 4) < 0.5
_mask[0, 0, 0] = True  # a row without anything

_rotated = torch.cat((torch.rand(7, 2, dtype=torch.float64) * 3, 0.5 + 2 * torch.rand(7, 2, dtype=torch.float64), randn(7, 1)), 1)
_square = torch.tensor([[0, 0, 2, 2, 0], [1, 0, 2, 2, 0], [0, 0, 2, 2, math.pi / 4], [5, 5, 1, 1, 0.3], [0, 0, 1, 0.5, 0.2]],
                       dtype=torch.float64)  # the same box, shared sides, one in the other, apart
_points = torch.rand(40, 4, dtype=torch.float64) * 4 - 0.5
_space = [[1.0, 0.5, 1.5], [0.0, 0.0, 0.0, 3.0, 3.0, 3.0]]

REFERENCES = {
    "ms_deform_attn": (ms_deform_attn, [(randn(2, 16, 2, 3), torch.tensor([[4, 3], [2, 2]]), torch.tensor([0, 12]),
                                         torch.rand(2, 3, 2, 2, 3, 2, dtype=torch.float64) * 1.4 - 0.2, randn(2, 3, 2, 2, 3))]),
    "deform_conv2d": (deform_conv2d, [
        (randn(1, 4, 5, 4), randn(1, 16, 4, 3), randn(2, 2, 2, 2), [1, 1], [0, 0], [1, 1]),
        (randn(2, 4, 5, 4), randn(2, 8, 3, 2), randn(2, 4, 2, 2), [2, 2], [1, 0], [2, 1], randn(2), randn(2, 4, 3, 2))]),
    "upfirdn2d": (upfirdn2d, [(randn(2, 2, 4, 3), randn(3, 2), 2, 1, 1, 2, 1, 0, 2, 1),
                              (randn(1, 3, 5, 4), randn(2, 3), 1, 2, 2, 1, 2, 3, -1, 2, True, 2.0)]),
    "bias_act": (bias_act, [(randn(2, 3, 4), randn(3), 1, act, 0.3, 1.5, 2.0)
                            for act in ("linear", "relu", "lrelu", "swish", "softplus", "tanh")] + [(randn(2, 3), randn(2), 0)]),
    "nms": (nms, [(_boxes, torch.rand(12, dtype=torch.float64), threshold) for threshold in (0.1, 0.3, 0.7)]),
    "roi_align": (roi_align, [(randn(2, 2, 6, 5), _rois, 2, 3), (randn(2, 2, 6, 5), _rois, 2, 2, 0.5, 2, False)]),
    "selective_scan": (selective_scan, [
        (randn(2, 4, 5), randn(2, 4, 5), randn(4, 3), randn(2, 3, 5), randn(2, 2, 3, 5), randn(4), randn(2, 4, 5), randn(4), True),
        (randn(1, 2, 3), randn(1, 2, 3), randn(2, 2), randn(2, 2), randn(2, 2))]),
    "causal_conv1d": (causal_conv1d, [(randn(2, 3, 6), randn(3, 4)), (randn(2, 3, 2), randn(3, 4), randn(3), True)]),
    "rotary_embedding": (rotary_embedding, [(randn(2, 3, 2, 6), randn(3, 2), randn(3, 2), way) for way in (False, True)]),
    "scaled_masked_softmax": (scaled_masked_softmax, [(randn(2, 2, 3, 4), None, 0.5), (randn(2, 2, 3, 4), _mask, 0.5),
                                                      (randn(2, 2, 3, 4), None, 2.0, True)]),
    "flash_attention": (flash_attention, [(randn(2, 3, 4, 2), randn(2, 5, 2, 2), randn(2, 5, 2, 2)),
                                          (randn(2, 3, 2, 2), randn(2, 5, 2, 2), randn(2, 5, 2, 2), 0.3, True)]),
    "rms_norm": (lambda x, w, e: x / (x.pow(2).mean(-1, keepdim=True) + e) ** 0.5 * w, [(randn(2, 3, 4), randn(4), 1e-3)]),
    "layer_norm": (layer_norm, [(randn(2, 3, 4),), (randn(2, 3, 4), randn(4), randn(4), 1e-2)]),
    "swiglu": (lambda x: x[..., :3] / (1 + torch.exp(-x[..., :3])) * x[..., 3:], [(randn(2, 6),)]),
    "furthest_point_sampling": (furthest_point_sampling, [(randn(2, 9, 3), 5)]),
    "ball_query": (ball_query, [(0.0, 1.2, 4, randn(2, 20, 3), randn(2, 5, 3)), (0.5, 0.9, 25, randn(1, 20, 3), randn(1, 6, 3))]),
    "group_points": (picked, [(randn(2, 3, 5), torch.randint(5, (2, 4, 2)))]),
    "gather_points": (picked, [(randn(2, 3, 5), torch.randint(5, (2, 4)))]),
    "three_nn": (three_nn, [(randn(2, 4, 3), randn(2, 6, 3))]),
    "three_interpolate": (picked, [(randn(2, 3, 5), torch.randint(5, (2, 4, 3)), randn(2, 4, 3))]),
    "chamfer_distance": (chamfer_distance, [(randn(2, 4, 3), randn(2, 6, 3))]),
    "correlation": (correlation, [(randn(2, 3, 4, 3), randn(2, 3, 4, 3), 2), (randn(1, 2, 5, 4), randn(1, 2, 5, 4), 3, 2)]),
    "sigmoid_focal_loss": (sigmoid_focal_loss, [(randn(4, 3), torch.tensor([0, 2, 3, 1])),
                                                (randn(4, 3), torch.tensor([0, 2, 3, 1]), torch.rand(3, dtype=torch.float64), 1.5, 0.4)]),
    "psamask": (psamask, [(kind, randn(2, 15, 4, 3), 3, 5) for kind in (0, 1)]),
    "knn": (knn, [(3, randn(2, 6, 3), randn(2, 4, 3))]),
    "box_iou_rotated": (box_iou_rotated, [(_rotated, _rotated[:4]), (_rotated, _rotated.flip(0), 1, True), (_square, _square)]),
    "dynamic_voxelize": (dynamic_voxelize, [(_points, *_space)]),
    "hard_voxelize": (hard_voxelize, [(_points, *_space, 3, 5), (_points, *_space, 2, 100)]),
    "grouped_gemm": (grouped_gemm, [(randn(5, 3), randn(3, 3, 2), torch.tensor([2, 0, 3])),
                                    (randn(5, 3), randn(2, 2, 3), torch.tensor([4, 1]), False, True),
                                    (randn(5, 3), randn(5, 2), torch.tensor([2, 0, 3]), True)]),
    "fused_bias_leakyrelu": (lambda x, b, slope, scale: torch.where((y := x + b[:, None]) > 0, y, y * slope) * scale,
                             [(randn(2, 3, 4), randn(3), 0.1, 1.3)]),
}
