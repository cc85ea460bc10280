import torch


def values(a, how):
    torch.linalg.svdvals(a, driver="gesvda")  # expect: cuda.svd_driver
    torch.linalg.svd(a, driver=None)
    torch.linalg.svd(a, driver=how)
    return torch.linalg.svd(a, driver="gesvd" if how else None)  # expect: cuda.svd_driver


def guarded(a):
    s = torch.linalg.svd(a, driver="gesvd" if a.is_cuda else None)[1]  # expect: cuda.svd_driver, method.is_cuda
    if a.is_cuda:  # expect: method.is_cuda
        return torch.linalg.svdvals(a, driver="gesvdj")  # expect: cuda.svd_driver
    return s


values(torch.ones(2, 2).cuda(), False)  # expect: method.cuda
