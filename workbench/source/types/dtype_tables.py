"""Tables of the dtypes that torch functions return, by the last part of their names."""

from __future__ import annotations

from workbench.words import words


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Functions that return floating-point numbers.
OF_FLOATING = _names(
    """
    sqrt rsqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh asin acos atan
    sigmoid erf erfc erfinv softmax log_softmax softmin logsumexp mean std var norm gelu
    silu mish softplus elu selu leaky_relu hardswish hardsigmoid tanhshrink logsigmoid lerp
    reciprocal logit normalize layer_norm batch_norm group_norm instance_norm rms_norm
    linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d embedding
    scaled_dot_product_attention grid_sample cosine_similarity
    avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d
    adaptive_avg_pool3d cdist bilinear affine_grid softsign asinh acosh atanh lgamma digamma
    polygamma mvlgamma i0 sinc deg2rad rad2deg hardshrink logcumsumexp nanmean quantile
    nanquantile cov corrcoef histc det logdet inverse pinverse matrix_exp cholesky
    cholesky_inverse cholesky_solve lu_solve orgqr ormqr angle dist arccos arccosh arcsin arcsinh
    arctan arctanh celu entr erfcx expit gammaln glu gumbel_softmax i0e i1 i1e local_response_norm
    log_ndtr multigammaln ndtr ndtri pairwise_distance pdist pinv prelu psi rrelu softshrink
    solve solve_triangular embedding_bag alpha_dropout feature_alpha_dropout
    """
)
LOSSES = _names(
    """
    cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss huber_loss kl_div
    binary_cross_entropy binary_cross_entropy_with_logits cosine_embedding_loss
    margin_ranking_loss triplet_margin_loss hinge_embedding_loss ctc_loss gaussian_nll_loss
    poisson_nll_loss multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss
    soft_margin_loss triplet_margin_with_distance_loss
    """
)
# Functions that return real numbers for complex ones, with the width of their parts.
OF_REAL = _names(
    """
    abs absolute angle norm std var dist irfft irfft2 irfftn hfft istft matrix_norm vector_norm
    svdvals eigvalsh nuclear_norm real imag view_as_real
    """
)
# Functions that return complex numbers.
OF_COMPLEX = _names(
    """
    fft ifft rfft fft2 ifft2 rfft2 fftn ifftn rfftn ihfft ihfft2 ihfftn complex polar
    view_as_complex eigvals
    """
)
FACTORIES = _names(
    """
    zeros ones empty rand randn linspace logspace eye normal hann_window hamming_window
    blackman_window bartlett_window kaiser_window
    """
)
SUMS = _names("sum prod cumsum cumprod nansum trace")
REDUCTIONS = _names(
    """
    sum prod nansum mean std var max min amax amin all any norm median argmax argmin nanmean
    nanmedian count_nonzero
    """
)
# Functions that always return a tensor without dimensions.
OF_VECTORS = _names("dot vdot dist trace")
OF_INDEXES = _names(
    """
    argmax argmin argsort nonzero argwhere searchsorted bucketize multinomial count_nonzero
    randperm randint one_hot bincount long triu_indices tril_indices
    """
)
OF_TRUTHS = _names(
    """
    eq ne lt le gt ge greater greater_equal less less_equal not_equal isnan isinf isfinite
    isneginf isposinf isclose isin logical_and logical_or logical_xor logical_not signbit
    isreal
    """
)
OF_THE_SAME = _names(
    """
    dropout interpolate view reshape permute transpose swapaxes swapdims movedim t
    contiguous clone detach squeeze unsqueeze flatten unflatten ravel expand expand_as
    repeat repeat_interleave roll flip fliplr flipud rot90 narrow select gather index_select
    masked_select take take_along_dim tile broadcast_to unfold diagonal diag tril triu cpu
    cuda view_as reshape_as relu relu6 neg masked_fill pad amax amin index_add index_copy
    index_fill scatter scatter_add masked_scatter zeros_like ones_like empty_like rand_like
    randn_like full_like new_zeros new_ones new_empty new_full new_tensor pin_memory sign
    round floor ceil trunc square cummax cummin max_pool1d max_pool2d max_pool3d
    adaptive_max_pool1d adaptive_max_pool2d atleast_1d atleast_2d atleast_3d nan_to_num diff
    renorm data T mT grad H mH resolve_conj resolve_neg positive split chunk unbind
    tensor_split split_with_sizes unsafe_chunk hsplit vsplit dsplit requires_grad_ Parameter
    Buffer meshgrid broadcast_tensors cartesian_prod negative sgn fix frac msort diag_embed
    diagflat diagonal_scatter narrow_copy adjoint as_strided index_put index_reduce
    scatter_reduce select_scatter slice_scatter to_dense to_sparse to_sparse_coo to_sparse_csr
    matrix_power bernoulli sum_to_size conj conj_physical bitwise_not moveaxis __getitem__
    __deepcopy__ fill put dropout1d dropout2d dropout3d channel_shuffle combinations
    constant_pad_nd fold hardtanh pixel_shuffle pixel_unshuffle threshold lp_pool1d lp_pool2d
    adaptive_max_pool3d upsample coalesce sparse_mask randint_like trapezoid trapz
    cumulative_trapezoid fftshift ifftshift
    """
)
WITH_INDEXES = _names("max min sort topk kthvalue median nanmedian mode cummax cummin")
PROMOTING = _names(
    """
    add sub subtract mul multiply maximum minimum fmax fmin bmm matmul mm mv dot remainder
    fmod floor_divide pow addmm baddbmm addbmm addmv addr addcmul where outer ger inner vdot
    kron cross gcd lcm bitwise_and bitwise_or bitwise_xor bitwise_left_shift
    bitwise_right_shift heaviside nextafter rsub tensordot vecdot
    """
)
QUOTIENTS = _names(
    """
    div divide true_divide addcdiv atan2 hypot copysign ldexp logaddexp logaddexp2 xlogy igamma
    igammac
    """
)
# Keywords of these functions that are operands.
OPERANDS = _names(
    """
    input other exponent mat1 mat2 mat vec vec1 vec2 batch1 batch2 tensor1 tensor2 values
    """
)
# The functions of operator methods.
OF_OPERATORS = {
    "truediv": "div",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
    "invert": "bitwise_not",
    "pos": "positive",
}
JOINING = _names("cat concat concatenate stack hstack vstack dstack column_stack row_stack")
CASTS = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "bool": "bool",
    "cfloat": "complex64",
    "cdouble": "complex128",
}
# Modules whose result need not be floating point.
PASSING_MODULES = frozenset(
    words(
        "Identity Flatten Unflatten Dropout Dropout1d Dropout2d Dropout3d ZeroPad2d "
        "ConstantPad1d ConstantPad2d ReflectionPad2d PixelShuffle ReLU MaxPool1d MaxPool2d "
        "MaxPool3d ReplicationPad2d Fold Unfold"
    )
)
UNTYPED_MODULES = frozenset({"Module", "ModuleList", "ModuleDict", "DataParallel"})
