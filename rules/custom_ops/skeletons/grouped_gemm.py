import torch
from torch import Tensor

SCHEMA = "(Tensor a, Tensor b, Tensor batch_sizes, bool trans_a=False, bool trans_b=False) -> Tensor"


def grouped_gemm(a: Tensor, b: Tensor, batch_sizes: Tensor, trans_a: bool = False, trans_b: bool = False) -> Tensor:
    """Groups of rows of a, as many as batch_sizes says, each times its matrix of b (groups, in, out): (rows, out).

    trans_b: b is (groups, out, in). trans_a: b has rows as a has, and each group of a, transposed, is multiplied by that of b.
    """
    sizes = batch_sizes.tolist()
    groups = a.split(sizes)
    if trans_a:
        return torch.stack([one.T @ other for one, other in zip(groups, b.split(sizes))])
    return torch.cat([one @ (matrix.T if trans_b else matrix) for one, matrix in zip(groups, b)])


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    rows, matrices, others = (torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in ((5, 3), (2, 3, 2), (5, 2)))
    sizes = torch.tensor([2, 3])
    return [(rows, matrices, sizes), (rows, others, sizes, True)]
