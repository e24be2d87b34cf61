"""Names in `torch` other than tensor functions: compiler types, kernels, storages."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()


def _names(text: str) -> list[str]:
    return [f"torch.{name}" for name in text.split()]


rules.refuse(
    *_names(
        "AVG AggregationType AliasDb AnyType Argument ArgumentSpec AwaitType Block "
        "BoolType Capsule "
        "ClassType Code CompilationUnit CompleteArgumentSpec DeepCopyMemoTable "
        "DeserializationStorageContext DeviceObjType DictType EnumType ErrorReport ExecutionPlan "
        "FileCheck FloatType FunctionSchema FutureType Gradient Graph GraphExecutorState "
        "IODescriptor InferredType IntType InterfaceType ListType LockingLogger LoggerBase Node "
        "NoneType NoopLogger NumberType OperatorInfo OptionalType PyObjectType RRefType SUM "
        "SerializationStorageContext StaticModule StreamObjType StringType SymBoolType SymIntType "
        "TensorType TracingState TupleType Type UnionType Use Value CallStack "
        "parse_ir parse_schema parse_type_comment merge_type_from_type_comment "
        "unify_type_list import_ir_module import_ir_module_from_buffer"
    ),
    reason="it is internal to TorchScript",
    instead="paddle.jit.to_static",
)
rules.refuse(
    *_names(
        "BenchmarkConfig BenchmarkExecutionStats ThroughputBenchmark DispatchKey DispatchKeySet "
        "ExcludeDispatchKeyGuard DisableTorchFunction DisableTorchFunctionSubclass Tag PRIVATE_OPS "
        "PyTorchFileReader PyTorchFileWriter classproperty compiled_with_cxx11_abi get_file_path "
        "prepare_multiprocessing_environment "
        "profiler_allow_cudagraph_cupti_lazy_reinit_cuda12 thread_safe_generator "
        "sym_constrain_range sym_constrain_range_for_size sym_fresh_size "
        "SymBool SymFloat SymInt"
    ),
    reason="it is internal to torch",
)
rules.refuse(
    *_names(
        "BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage "
        "ComplexFloatStorage DoubleStorage FloatStorage HalfStorage IntStorage LongStorage "
        "QInt32Storage QInt8Storage QUInt2x4Storage QUInt4x2Storage QUInt8Storage ShortStorage "
        "StorageBase TypedStorage UntypedStorage is_storage from_file"
    ),
    reason="Paddle cannot allocate memory without a tensor",
    instead="a tensor, whose storage() can be read",
)
rules.refuse(
    *_names(
        "batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt "
        "batch_norm_gather_stats batch_norm_gather_stats_with_counts batch_norm_stats "
        "batch_norm_update_stats convolution cudnn_affine_grid_generator cudnn_batch_norm "
        "cudnn_convolution cudnn_convolution_add_relu cudnn_convolution_relu "
        "cudnn_convolution_transpose cudnn_grid_sampler cudnn_is_acceptable miopen_batch_norm "
        "miopen_convolution miopen_convolution_add_relu miopen_convolution_relu "
        "miopen_convolution_transpose miopen_ctc_loss miopen_depthwise_convolution miopen_rnn "
        "mkldnn_adaptive_avg_pool2d mkldnn_convolution mkldnn_linear_backward_weights "
        "mkldnn_max_pool2d mkldnn_max_pool3d mkldnn_rnn_layer native_batch_norm native_dropout "
        "native_group_norm native_layer_norm native_norm"
    ),
    reason="it is an internal kernel of torch's public functions",
    instead="the function of torch.nn.functional that calls it",
)
rules.refuse(
    *_names(
        "alpha_dropout_ dropout_ embedding_renorm_ feature_alpha_dropout_ "
        "feature_dropout_ grid_sampler_3d gru lstm rnn_relu rnn_tanh"
    ),
    reason="the function of this name in `torch` is undocumented and takes other arguments",
    instead="the function of this name in torch.nn.functional, or the module of torch.nn",
)
rules.refuse(
    *_names(
        "get_autocast_ipu_dtype get_autocast_xla_dtype is_autocast_ipu_enabled "
        "is_autocast_xla_enabled set_autocast_ipu_dtype set_autocast_ipu_enabled "
        "set_autocast_xla_dtype set_autocast_xla_enabled is_vulkan_available"
    ),
    reason="Paddle has no device of this name",
)
rules.refuse(
    *_names("has_lapack has_mkl has_openmp has_spectral"),
    reason="Paddle is always built with it",
)
rules.refuse(
    *_names(
        "ccol_indices_copy col_indices_copy crow_indices_copy indices_copy row_indices_copy "
        "values_copy hsmm hspmm saddmm"
    ),
    reason="Paddle's sparse tensors have no such operation",
    instead="paddle.sparse.matmul",
)
rules.row(
    "torch.pca_lowrank",
    "paddle.linalg.pca_lowrank({A}, {q=None}, {center=True}, {niter=2})",
    caveat="each pair of singular vectors may have the opposite sign",
)
rules.row(
    "torch.svd_lowrank",
    "torch_svd_lowrank({A}, {q=6}, {niter=2}, {M=None})",
    caveat="each pair of singular vectors may have the opposite sign",
)
