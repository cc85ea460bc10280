def divide_between_processes(loader):
    """The same loader, of which each process sees its own part of the samples."""
    from torch.utils.data import BatchSampler, DataLoader, IterableDataset, RandomSampler, SequentialSampler

    if not isinstance(loader, DataLoader) or type(loader).__iter__ is not DataLoader.__iter__:
        raise TypeError(f"{type(loader).__name__} is not a DataLoader: divide its samples between the processes yourself")
    if isinstance(loader.dataset, IterableDataset):
        raise TypeError("no sampler can divide an iterable data set: divide it by rank in its __iter__")
    old = loader.sampler
    shuffles = type(old) is RandomSampler and not old.replacement and len(old) == len(loader.dataset)
    own_batches = loader.batch_sampler is not None and type(loader.batch_sampler) is not BatchSampler
    if own_batches or not (shuffles or type(old) is SequentialSampler):
        raise TypeError("the loader has a sampler of its own, which must divide the samples itself")
    names = ["batch_size", "num_workers", "collate_fn", "pin_memory", "pin_memory_device", "timeout", "worker_init_fn", "generator"]
    if loader.batch_size is not None:
        names.append("drop_last")
    if loader.num_workers:
        names += ["multiprocessing_context", "prefetch_factor", "persistent_workers"]
    options = {name: getattr(loader, name) for name in names if hasattr(loader, name)}
    sampler = torch.utils.data.distributed.DistributedSampler(loader.dataset, shuffle=shuffles, drop_last=loader.drop_last)
    return DataLoader(loader.dataset, sampler=sampler, **options)


