"""Less common optimizers, averaged weights, and names without an equivalent."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.words import words

rules = RuleSet()
rules.counterpart("torch.optim.LBFGS", "TorchLBFGS")
rules.keep("torch.optim.LBFGS.step")
rules.keep("torch.optim.LBFGS.__init__")
rules.counterpart("torch.optim.Adafactor", "TorchAdafactor")
rules.counterpart(
    "torch.optim.Muon",
    "TorchMuon",
    note="its steps compute in bfloat16, which the kernels of the two frameworks may round"
    " differently",
)
for _name in ("Adafactor", "Muon"):
    rules.keep(f"torch.optim.{_name}.__init__")
    rules.keep(f"torch.optim.{_name}.step")

_S = "torch.optim.swa_utils"
rules.counterpart(f"{_S}.AveragedModel", "TorchAveragedModel")
for _member in words("update_parameters forward module n_averaged avg_fn multi_avg_fn use_buffers"):
    rules.keep(f"{_S}.AveragedModel.{_member}")
rules.keep(f"{_S}.AveragedModel.__init__")
rules.row(f"{_S}.get_swa_avg_fn", "torch_swa_average()")
rules.row(f"{_S}.get_ema_avg_fn", "torch_ema_average({decay})")
rules.row(f"{_S}.get_swa_multi_avg_fn", "torch_average_all(torch_swa_average())")
rules.row(f"{_S}.get_ema_multi_avg_fn", "torch_average_all(torch_ema_average({decay}))")
rules.row(f"{_S}.update_bn", "torch_update_bn({loader}, {model}, {device})")
rules.keep(f"{_S}.SWALR.anneal_epochs")
rules.keep(f"{_S}.SWALR.__init__")
rules.counterpart(
    "torch.optim.SparseAdam",
    "TorchSparseAdam",
    caveat="gradients are dense in Paddle: a row whose gradient is zero is not updated",
)
rules.keep("torch.optim.SparseAdam.__init__")
rules.keep("torch.optim.SparseAdam.step")
_FUNCTIONAL = words("adadelta adagrad adam adamax adamw asgd nadam radam rmsprop rprop sgd")
rules.refuse(
    *(f"torch.optim.{name}.{name}" for name in _FUNCTIONAL),
    reason="Paddle has no optimizers as functions",
    instead="the optimizer's class",
)
rules.row("torch.optim.optimizer.required", "TorchRequired")
_O = "torch.optim.optimizer"
rules.row(
    f"{_O}._use_grad_for_differentiable", "paddle.no_grad()({func})", value="paddle.no_grad()"
)
rules.row(f"{_O}._get_value", "torch_number({x})", value="torch_number")
rules.row(
    f"{_O}._default_to_fused_or_foreach",
    "(False, False)",
    ignored=dict.fromkeys(
        words("params differentiable use_fused"), "Paddle has no operations on lists of tensors"
    ),
)
rules.row(
    "torch.utils._foreach_utils._group_tensors_by_device_and_dtype",
    "torch_group_tensors({tensorlistlist}, {with_indices=False})",
    value="torch_group_tensors",
)
for _kind in (
    "state_dict_pre",
    "state_dict_post",
    "load_state_dict_pre",
    "load_state_dict_post",
):
    rules.row(
        f"torch.optim.Optimizer.register_{_kind}_hook",
        f"torch_register_state_hook({{self}}, '{_kind}', {{hook}}, prepend={{prepend}})",
    )
rules.refuse(
    "torch.optim.optimizer.register_optimizer_step_post_hook",
    "torch.optim.optimizer.register_optimizer_step_pre_hook",
    reason="Paddle has no hooks for all optimizers at once",
    instead="`register_step_post_hook` of each optimizer",
)
