"""Functions that can be compiled: their results' shapes do not depend on values."""

from __future__ import annotations

from typing import Final

from workbench.words import words

# Modules whose functions of arrays can be compiled, but for those below.
MODULES: Final = frozenset({"jnp", "jax", "lax", "nnx", "optax", "special"})
VALUE_DEPENDENT: Final = frozenset(
    words(
        "argwhere array_equal allclose bincount compress delete extract flatnonzero grad hessian "
        "histogram intersect1d jacobian jit nonzero piecewise random setdiff1d union1d unique "
        "unique_all unique_consecutive unique_counts unique_inverse unique_values unpackbits "
        "value_and_grad vjp jvp vmap while_loop debug pure_callback io_callback device_put "
        "device_get Rngs state split_rngs merge update clone"
    )
)
# Functions that take shapes or counts alone.
SHAPED: Final = frozenset(
    words("zeros ones empty arange eye identity tri triu_indices tril_indices linspace")
)
# Methods of arrays.
METHODS: Final = frozenset(
    words(
        "add all any argmax argmin argsort astype clip conj copy cumprod cumsum diagonal divide "
        "dot flatten get max mean min multiply power prod ravel repeat reshape round set sort "
        "squeeze std subtract sum swapaxes take trace transpose var view"
    )
)
# Methods of texts, dicts and tuples that change nothing.
OF_TEXTS: Final = frozenset(
    words("count endswith format get index items join keys lower split startswith upper values")
)
# Members of arrays that are arrays, and those that are known when the code is compiled.
ARRAYS: Final = frozenset({"T", "mT", "real", "imag", "at", "indices", "value", "values"})
FACTS: Final = frozenset({"shape", "ndim", "dtype", "size"})
# Helpers of conversions.
HELPERS: Final = frozenset(
    words(
        "torch_softplus torch_embedding_bag torch_distance torch_triplet_margin_loss "
        "torch_cosine_embedding_loss torch_conv torch_conv_transpose torch_max_pool torch_avg_pool "
        "torch_adaptive_avg_pool torch_layer_norm torch_group_norm torch_normalize torch_attention "
        "torch_linear torch_cosine_similarity torch_pad torch_trained torch_reduced "
        "torch_cross_entropy torch_nll_loss torch_mse_loss torch_l1_loss torch_smooth_l1_loss "
        "torch_huber_loss torch_binary_cross_entropy torch_binary_cross_entropy_with_logits "
        "torch_kl_div torch_flatten torch_unflatten torch_squeeze torch_expand torch_split "
        "torch_chunk torch_cat torch_gather torch_scatter torch_index_select torch_index_add "
        "torch_masked_fill torch_where torch_cast torch_sum torch_prod torch_cumulative torch_amax "
        "torch_argmax torch_extreme torch_max torch_var torch_std torch_root torch_vector_norm "
        "torch_norm torch_logsumexp torch_topk torch_cdist torch_interpolate torch_unfold "
        "torch_abs torch_sign torch_atan2 torch_clamp torch_div torch_lerp torch_logit "
        "torch_softmax torch_addcmul torch_addcdiv torch_sigmoid torch_clip_grad_norm"
    )
)
# Functions of Python: of facts alone, and of anything.
OF_FACTS: Final = frozenset(words("abs bool divmod float int max min pow round str sum ValueError"))
OF_ANYTHING: Final = frozenset(words("dict isinstance len list tuple type reversed hasattr"))
# Methods that change lists, sets and dicts.
GROWING: Final = frozenset(words("add append clear extend insert pop setdefault update"))
# Methods of NumPy's generators that return arrays.
DRAWS: Final = frozenset(
    words("choice integers normal permutation rand randint randn random standard_normal uniform")
)
