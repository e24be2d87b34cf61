"""`torch.nn.utils`, without packed sequences."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call

rules = RuleSet()

_FOREACH = {"foreach": "it affects only speed"}

for _name in ("clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"):
    rules.counterpart(
        f"torch.nn.utils.{_name}", f"torch_{_name}", without=("foreach",), ignored=_FOREACH
    )
rules.row(
    "torch.nn.utils.clip_grad_norm",
    same_call("torch.nn.utils.clip_grad_norm", "torch_clip_grad_norm_", without=("foreach",)),
    ignored=_FOREACH,
)
rules.row(
    "torch.nn.utils.parameters_to_vector",
    "torch_parameters_to_vector({parameters})",
    value="torch_parameters_to_vector",
)
rules.row(
    "torch.nn.utils.vector_to_parameters",
    "torch_vector_to_parameters({vec}, {parameters})",
    value="torch_vector_to_parameters",
)
rules.row(
    "torch.nn.utils.fuse_conv_bn_weights",
    same_call("torch.nn.utils.fuse_conv_bn_weights", "torch_fuse_conv_bn_weights"),
)


_WRAPPED = "`layer.register_forward_pre_hook` with a function that computes the weight"
rules.counterpart(
    "torch.nn.utils.skip_init",
    "torch_skip_init",
    note="the layer has its usual initial values; in torch they are undefined",
)
rules.counterpart("torch.nn.utils.weight_norm", "torch_weight_norm")
rules.counterpart("torch.nn.utils.remove_weight_norm", "torch_remove_weight_norm")
rules.counterpart("torch.nn.utils.spectral_norm", "torch_spectral_norm")
rules.row(
    "torch.nn.utils.remove_spectral_norm",
    "torch_remove_spectral_norm({module}, {name})",
    value="torch_remove_spectral_norm",
)
for _name in ("register_parametrization", "remove_parametrizations", "is_parametrized"):
    rules.counterpart(f"torch.nn.utils.parametrize.{_name}", f"torch_{_name}")
rules.row(
    "torch.nn.utils.parametrize.cached",
    "torch_parametrizations_cached()",
    value="torch_parametrizations_cached",
    note="the tensors are computed at each access, with the same values",
)
rules.row(
    "torch.nn.utils.parametrize.type_before_parametrizations",
    "getattr({module}, '_torch_plain', type({module}))",
)
rules.counterpart("torch.nn.utils.parametrizations.weight_norm", "torch_parametrized_weight_norm")
rules.counterpart(
    "torch.nn.utils.parametrizations.spectral_norm",
    "torch_parametrized_spectral_norm",
    note="the power iteration starts from other random numbers than in torch",
)
_ORTHOGONAL = "nn.utils.parametrizations.orthogonal"
rules.counterpart(
    f"torch.{_ORTHOGONAL}",
    "torch_parametrized_orthogonal",
    note="if the matrix is not square, its other columns or rows are drawn from other random"
    " numbers than in torch",
)
rules.refuse(
    "torch.nn.utils.parametrize.ParametrizationList",
    "torch.nn.utils.parametrize.transfer_parametrizations_and_params",
    reason="this part of torch's parametrizations is not supported yet",
    instead=_WRAPPED,
)
rules.refuse(
    "torch.nn.utils.convert_conv2d_weight_memory_format",
    "torch.nn.utils.convert_conv3d_weight_memory_format",
    reason="Paddle has no memory formats",
    instead="remove it",
)
rules.counterpart("torch.nn.utils.fuse_conv_bn_eval", "torch_fuse_conv_bn_eval")
rules.counterpart("torch.nn.utils.fuse_linear_bn_eval", "torch_fuse_linear_bn_eval")
rules.counterpart("torch.nn.utils.fuse_linear_bn_weights", "torch_fuse_linear_bn_weights")
rules.row(
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
    "torch_convert_sync_batchnorm({module}, {process_group})",
    value="torch_convert_sync_batchnorm",
    caveat="each process uses the statistics of its own batch",
)
