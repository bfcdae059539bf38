"""The checks of scikit-learn that apply to estimators of graphs."""

from __future__ import annotations

# The checks that get by without data; the others would feed arrays to an estimator that takes graphs.
APPLICABLE = [
    "check_estimator_cloneable",
    "check_estimator_tags_renamed",
    "check_valid_tag_types",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_mixin_order",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
    "check_transformers_unfitted",
    "check_estimators_unfitted",
]
