"""The memory of tensors, and tensors viewed as another class."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.Tensor.storage": (
        "x.storage().tolist(), x[1].storage().size(), x.t().storage().nbytes()",
        "s = x.storage()\nr = len(s), s[2], list(s), s.dtype\ns = None",
        "x.storage().data_ptr() == x.data_ptr(), x[1:].storage().data_ptr() == x.data_ptr()",
        "t = x.clone()\nt[1].storage()[0] = 9.0\nr = t",
    ),
    "torch.Tensor.untyped_storage": (
        ("x.untyped_storage().size(), len(i[0].untyped_storage()), d.untyped_storage().nbytes()"),
        "a[1].untyped_storage().data_ptr() == a.untyped_storage().data_ptr()",
        "n.untyped_storage().tolist()",
    ),
    "torch.TypedStorage.__getitem__": ("s = n.storage()\nr = s[1]\ns = None",),
    "torch.TypedStorage.__len__": ("s = n.storage()\nr = len(s)\ns = None",),
    "torch.TypedStorage.data_ptr": ("s = n.storage()\nr = s.data_ptr() == n.data_ptr()\ns = None",),
    **alike(
        "torch.TypedStorage",
        "element_size nbytes size tolist",
        "s = n.storage()\nr = s.{name}()\ns = None",
    ),
    "torch.TypedStorage.__iter__": ("s = n.storage()\nr = list(s)\ns = None",),
    "torch.TypedStorage.dtype": ("s = n.storage()\nr = s.dtype\ns = None",),
    "torch.TypedStorage.fill_": ("s = n.storage()\nr = len(s.fill_(4)), n.clone()\ns = None",),
    "torch.TypedStorage.__setitem__": (
        "s = n.storage()\nr = s.__setitem__(0, 5), n.clone()\ns = None",
    ),
    "torch.TypedStorage.untyped": ("s = n.storage()\nr = s.untyped().size()\ns = None",),
    "torch.StorageBase.__getitem__": ("s = n.untyped_storage()\nr = s[1]\ns = None",),
    "torch.StorageBase.__len__": ("s = n.untyped_storage()\nr = len(s)\ns = None",),
    **dict.fromkeys(
        ("torch.StorageBase.data_ptr", "torch.storage._StorageBase.data_ptr"),
        ("s = n.untyped_storage()\nr = s.data_ptr() == n.data_ptr()\ns = None",),
    ),
    **alike(
        "torch",
        "StorageBase.element_size StorageBase.nbytes "
        "storage._StorageBase.element_size storage._StorageBase.nbytes "
        "storage._StorageBase.size storage._StorageBase.tolist",
        "s = n.untyped_storage()\nr = s.{name}()\ns = None",
    ),
    "torch.storage._StorageBase.__getitem__": ("s = n.untyped_storage()\nr = s[1]\ns = None",),
    "torch.storage._StorageBase.__len__": ("s = n.untyped_storage()\nr = len(s)\ns = None",),
    "torch.storage._StorageBase.__iter__": ("s = n.untyped_storage()\nr = list(s)\ns = None",),
    "torch.storage._StorageBase.untyped": (
        "s = n.untyped_storage()\nr = s.untyped().size()\ns = None",
    ),
    "torch.Tensor.as_subclass": (
        "x.as_subclass(torch.Tensor)",
        "w.as_subclass(cls=torch.Tensor).sum().backward()\ng = w.grad",
    ),
}
