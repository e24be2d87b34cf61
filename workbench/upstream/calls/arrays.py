"""Signatures: creating, indexing, joining and shaping tensors."""

from __future__ import annotations

SIGNATURES: dict[str, tuple[str, ...]] = {
    "torch.scalar_tensor": (
        ("(s, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False)"),
    ),
    "torch.arange": (
        (
            "(start=0, end=None, step=1, *, out=None, dtype=None, layout=None, "
            "device=None, pin_memory=False, requires_grad=False)"
        ),
    ),
    "torch.range": (
        (
            "(start, end, step=1, *, dtype=None, layout=None, device=None, "
            "pin_memory=False, requires_grad=False, out: Tensor | None=None)"
        ),
    ),
    "torch.linspace": (
        (
            "(start, end, steps, *, out=None, dtype=None, layout=None, device=None, "
            "pin_memory=False, requires_grad=False)"
        ),
    ),
    "torch.logspace": (
        (
            "(start, end, steps, base=10.0, *, out=None, dtype=None, layout=None, "
            "device=None, pin_memory=False, requires_grad=False)"
        ),
    ),
    "torch.finfo": ("(type=None)",),
    "torch.iinfo": ("(type)",),
    "torch.can_cast": ("(from_, to)",),
    "torch.device": (
        "(device)",
        "(type, index)",
        "(*, type)",
    ),
    "torch.gather": ("(input, dim, index, *, sparse_grad=False, out=None)",),
    "torch.Tensor.gather": ("(dim, index, *, sparse_grad=False) -> Tensor",),
    "torch.index_select": ("(input, dim, index, *, out=None)",),
    "torch.Tensor.index_select": ("(dim, index) -> Tensor",),
    "torch.scatter": ("(input, dim, index, src=None, *, value=None, reduce=None, out=None)",),
    "torch.Tensor.scatter": ("(dim, index, src=None, *, value=None, reduce=None) -> Tensor",),
    "torch.Tensor.scatter_": ("(dim, index, src=None, *, value=None, reduce=None) -> Tensor",),
    "torch.scatter_reduce": (
        "(input, dim, index, src, reduce, *, include_self=True, out: Tensor | None=None)",
    ),
    "torch.Tensor.scatter_reduce": ("(dim, index, src, reduce, *, include_self=True) -> Tensor",),
    "torch.Tensor.scatter_reduce_": ("(dim, index, src, reduce, *, include_self=True) -> Tensor",),
    "torch.index_add": ("(input, dim, index, source, *, alpha=1, out=None)",),
    "torch.Tensor.index_add": ("(dim, index, source, *, alpha=1) -> Tensor",),
    "torch.Tensor.index_add_": ("(dim, index, source, *, alpha=1) -> Tensor",),
    "torch.index_copy": ("(input, dim, index, source, *, out=None)",),
    "torch.Tensor.index_copy": ("(dim, index, source) -> Tensor",),
    "torch.Tensor.index_copy_": ("(dim, index, source) -> Tensor",),
    "torch.index_fill": ("(input, dim, index, value)",),
    "torch.Tensor.index_fill": ("(dim, index, value) -> Tensor",),
    "torch.Tensor.index_fill_": ("(dim, index, value) -> Tensor",),
    "torch.index_put": ("(input, indices, values, accumulate=False)",),
    "torch.Tensor.index_put": ("(indices, values, accumulate=False) -> Tensor",),
    "torch.Tensor.index_put_": ("(indices, values, accumulate=False) -> Tensor",),
    "torch.index_put_": ("(input, indices, values, accumulate=False)",),
    "torch.masked_fill": ("(input, mask, value)",),
    "torch.Tensor.masked_fill": ("(mask, value) -> Tensor",),
    "torch.Tensor.masked_fill_": ("(mask, value) -> Tensor",),
    "torch.masked_select": ("(input, mask, *, out=None)",),
    "torch.Tensor.masked_select": ("(mask) -> Tensor",),
    "torch.masked_scatter": ("(input, mask, source)",),
    "torch.Tensor.masked_scatter": ("(mask, source) -> Tensor",),
    "torch.Tensor.masked_scatter_": ("(mask, source) -> Tensor",),
    "torch.take": ("(input, index, *, out=None)",),
    "torch.Tensor.take": ("(index) -> Tensor",),
    "torch.put": ("(input, index, source, accumulate=False)",),
    "torch.Tensor.put": ("(index, source, accumulate=False) -> Tensor",),
    "torch.Tensor.put_": ("(index, source, accumulate=False) -> Tensor",),
    "torch.take_along_dim": ("(input, indices, dim=None, *, out=None)",),
    "torch.Tensor.take_along_dim": ("(indices, dim=None) -> Tensor",),
    "torch.select_scatter": ("(input, src, dim, index)",),
    "torch.Tensor.select_scatter": ("(src, dim, index) -> Tensor",),
    "torch.slice_scatter": (
        "(input, src, dim=0, start=None, end=None, step=1, *, out: Tensor | None=None)",
    ),
    "torch.Tensor.slice_scatter": ("(src, dim=0, start=None, end=None, step=1) -> Tensor",),
    "torch.diagonal_scatter": ("(input, src, offset=0, dim1=0, dim2=1)",),
    "torch.Tensor.diagonal_scatter": ("(src, offset=0, dim1=0, dim2=1) -> Tensor",),
    "torch.nonzero": ("(input, *, as_tuple=False, out=None)",),
    "torch.Tensor.nonzero": ("(*, as_tuple=False) -> Tensor",),
    "torch.where": ("(condition, input=None, other=None, *, out=None)",),
    "torch.Tensor.where": ("(condition, other)",),
    "torch.tril": ("(input, diagonal=0, *, out=None)",),
    "torch.Tensor.tril": ("(diagonal=0) -> Tensor",),
    "torch.Tensor.tril_": ("(diagonal=0) -> Tensor",),
    "torch.tril_indices": (
        (
            "(row, col, offset=0, *, dtype=None, layout=None, device=None, "
            "pin_memory=False, requires_grad=False)"
        ),
    ),
    "torch.triu": ("(input, diagonal=0, *, out=None)",),
    "torch.Tensor.triu": ("(diagonal=0) -> Tensor",),
    "torch.Tensor.triu_": ("(diagonal=0) -> Tensor",),
    "torch.triu_indices": (
        (
            "(row, col, offset=0, *, dtype=None, layout=None, device=None, "
            "pin_memory=False, requires_grad=False)"
        ),
    ),
    "torch.searchsorted": (
        (
            "(sorted_sequence, input, *, out_int32=False, right=False, side=None, "
            "sorter=None, out: Tensor | None=None)"
        ),
    ),
    "torch.bucketize": (
        "(input, boundaries, *, out_int32=False, right=False, out: Tensor | None=None)",
    ),
    "torch.repeat_interleave": ("(input, repeats=None, dim=None, *, output_size=None)",),
    "torch.Tensor.repeat_interleave": ("(repeats=None, dim=None, *, output_size=None) -> Tensor",),
    "torch.unravel_index": ("(indices, shape)",),
    "torch.cat": ("(tensors, dim=0, *, out=None)",),
    "torch.concat": ("(tensors, dim=0, *, out=None)",),
    "torch.concatenate": ("(tensors, dim=0, *, out=None)",),
    "torch.stack": ("(tensors, dim=0, *, out=None)",),
    "torch.hstack": ("(tensors, *, out=None)",),
    "torch.vstack": ("(tensors, *, out=None)",),
    "torch.dstack": ("(tensors, *, out=None)",),
    "torch.column_stack": ("(tensors, *, out=None)",),
    "torch.row_stack": ("(tensors, *, out=None)",),
    "torch.block_diag": ("(*tensors)",),
    "torch.split_with_sizes": ("(input, split_sizes, dim=0)",),
    "torch.Tensor.split_with_sizes": ("(split_sizes, dim=0) -> Tensor",),
    "torch.unsafe_split": ("(input, split_size, dim=0)",),
    "torch.Tensor.unsafe_split": ("(split_size, dim=0) -> Tensor",),
    "torch.unsafe_split_with_sizes": ("(input, split_sizes, dim=0)",),
    "torch.Tensor.unsafe_split_with_sizes": ("(split_sizes, dim=0) -> Tensor",),
    "torch.chunk": ("(input, chunks, dim=0)",),
    "torch.Tensor.chunk": ("(chunks, dim=0) -> Tensor",),
    "torch.unsafe_chunk": ("(input, chunks, dim=0)",),
    "torch.Tensor.unsafe_chunk": ("(chunks, dim=0) -> Tensor",),
    "torch.unbind": ("(input, dim=0)",),
    "torch.Tensor.unbind": ("(dim=0) -> Tensor",),
    "torch.combinations": ("(input, r=2, with_replacement=False)",),
    "torch.cartesian_prod": ("(*tensors)",),
    "torch.meshgrid": ("(*tensors, indexing=None)",),
    "torch.randint": (
        (
            "(low=0, high=None, size=None, *, generator=None, out=None, dtype=None, "
            "layout=None, device=None, requires_grad=False, pin_memory=False)"
        ),
    ),
    "torch.randint_like": (
        (
            "(input, low=0, high=None, *, generator=None, dtype=None, layout=None, "
            "device=None, requires_grad=False, pin_memory=False, memory_format=None)"
        ),
    ),
    "torch.normal": (
        (
            "(mean, std=1.0, size=None, *, generator=None, out=None, dtype=None, "
            "layout=None, device=None, requires_grad=False, pin_memory=False)"
        ),
    ),
    "torch.multinomial": ("(input, num_samples, replacement=False, *, generator=None, out=None)",),
    "torch.Tensor.multinomial": ("(num_samples, replacement=False, *, generator=None) -> Tensor",),
    "torch.bernoulli": ("(input, p=None, *, generator=None, out: Tensor | None=None)",),
    "torch.Tensor.bernoulli": ("(p=None, *, generator=None)",),
    "torch.poisson": ("(input, generator=None)",),
    "torch.binomial": ("(count, prob)",),
    "torch.Tensor.normal_": ("(mean=0.0, std=1.0, *, generator=None)",),
    "torch.Tensor.uniform_": ("(from_=0.0, to=1.0, *, generator=None)",),
    "torch.Tensor.exponential_": ("(lambd=1.0, *, generator=None)",),
    "torch.Tensor.cauchy_": ("(median=0.0, sigma=1.0, *, generator=None)",),
    "torch.Tensor.log_normal_": ("(mean=1.0, std=2.0, *, generator=None)",),
    "torch.Tensor.bernoulli_": ("(p=0.5, *, generator=None)",),
    "torch.Tensor.geometric_": ("(p)",),
    "torch.Tensor.random_": ("(from_=0, to=None)",),
    "torch.random.manual_seed": ("(seed)",),
    "torch.random.fork_rng": ("(devices=None, enabled=True)",),
    "torch.Tensor.view": ("(*size, **options)",),
    "torch.Tensor.reshape": ("(*shape, **options)",),
    "torch.reshape": ("(input, shape)",),
    "torch.Tensor.permute": ("(*sizes, dims=None, implicit=False)",),
    "torch.Tensor.expand": ("(*sizes, size=None, implicit=False)",),
    "torch.Tensor.repeat": ("(*sizes, repeats=None, implicit=False)",),
    "torch.broadcast_to": ("(input, size)",),
    "torch.Tensor.broadcast_to": ("(size) -> Tensor",),
    "torch.Tensor.tile": ("(*sizes, dims=None)",),
    "torch.squeeze": ("(input, dim=None)",),
    "torch.Tensor.squeeze": ("(dim=None) -> Tensor",),
    "torch.Tensor.squeeze_": ("(dim=None) -> Tensor",),
    "torch.flatten": ("(input, start_dim=0, end_dim=-1)",),
    "torch.Tensor.flatten": ("(start_dim=0, end_dim=-1) -> Tensor",),
    "torch.unflatten": ("(input, dim, sizes)",),
    "torch.Tensor.unflatten": ("(dim, sizes) -> Tensor",),
    "torch.roll": ("(input, shifts, dims=None)",),
    "torch.Tensor.roll": ("(shifts, dims=None) -> Tensor",),
    "torch.rot90": ("(input, k=1, dims=(0, 1))",),
    "torch.Tensor.rot90": ("(k=1, dims=(0, 1)) -> Tensor",),
    "torch.atleast_1d": ("(*tensors)",),
    "torch.atleast_2d": ("(*tensors)",),
    "torch.atleast_3d": ("(*tensors)",),
    "torch.diagonal": ("(input, offset=0, dim1=0, dim2=1)",),
    "torch.Tensor.diagonal": ("(offset=0, dim1=0, dim2=1) -> Tensor",),
    "torch.Tensor.unfold": ("(dimension, size, step) -> Tensor",),
    "torch.as_strided": ("(input, size, stride, storage_offset=None)",),
    "torch.Tensor.as_strided": ("(size, stride, storage_offset=None) -> Tensor",),
    "torch.narrow": ("(input, dim, start, length)",),
    "torch.Tensor.narrow": ("(dim, start, length) -> Tensor",),
    "torch.narrow_copy": ("(input, dim, start, length, *, out: Tensor | None=None)",),
    "torch.Tensor.narrow_copy": ("(dim, start, length) -> Tensor",),
    "torch.select": ("(input, dim, index)",),
    "torch.Tensor.select": ("(dim, index) -> Tensor",),
    "torch.broadcast_tensors": ("(*tensors)",),
    "torch.broadcast_shapes": ("(*shapes)",),
    "torch.einsum": ("(equation, *operands)",),
    "torch.transpose": ("(input, dim0, dim1)",),
    "torch.Tensor.transpose": ("(dim0, dim1) -> Tensor",),
    "torch.Tensor.transpose_": ("(dim0, dim1) -> Tensor",),
    "torch.swapaxes": ("(input, axis0, axis1)",),
    "torch.Tensor.swapaxes": ("(axis0, axis1) -> Tensor",),
    "torch.Tensor.swapaxes_": ("(axis0, axis1) -> Tensor",),
    "torch.swapdims": ("(input, dim0, dim1)",),
    "torch.Tensor.swapdims": ("(dim0, dim1) -> Tensor",),
    "torch.Tensor.swapdims_": ("(dim0, dim1) -> Tensor",),
    "torch.movedim": ("(input, source, destination)",),
    "torch.Tensor.movedim": ("(source, destination) -> Tensor",),
    "torch.moveaxis": ("(input, source, destination)",),
    "torch.Tensor.moveaxis": ("(source, destination) -> Tensor",),
    "torch.flip": ("(input, dims)",),
    "torch.Tensor.flip": ("(*places, dims=None)",),
}
