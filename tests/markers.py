"""Which tests are slow, and which do not depend on floating-point arithmetic; conftest.py marks them."""

from __future__ import annotations

# Tests of text, files and containers. All other files are marked as numeric, so that a new file is numeric by default.
NOT_NUMERIC = {
    "test_api",
    "test_architecture",
    "test_arrays",
    "test_cli",
    "test_datasets",
    "test_detect",
    "test_documents",
    "test_download",
    "test_graphs",
    "test_igraph",
    "test_inputs",
    "test_labels",
    "test_networkx",
    "test_optional",
    "test_packing",
    "test_pictures",
    "test_progress",
    "test_project",
    "test_pyg",
    "test_rdkit",
    "test_reproduce",
    "test_reproduction_render",
    "test_reproduction_results",
    "test_reproduction_runner",
    "test_reproduction_statistics",
    "test_summary",
    "test_synthetic",
    "test_tu",
    "test_tu_archive",
    "test_tu_numbers",
}

# Tests that take more than about two seconds, by file and function.
SLOW = {
    "test_baselines_attributes.py::test_near_nodes_share_a_bin_as_often_as_theory_says",
    "test_baselines_attributes.py::test_the_mean_over_seeds_is_the_expected_kernel",
    "test_classifier.py::test_three_lines_give_a_classifier",
    "test_cli_learning.py::test_both_commands_in_processes_of_their_own",
    "test_cli_learning.py::test_warnings_are_told_in_one_line",
    "test_distances.py::test_sinkhorn_on_graphs_of_every_kind",
    "test_distances.py::test_threads_and_blocks_do_not_change_a_bit",
    "test_documents.py::test_python_examples_of_the_readme_run",
    "test_documents.py::test_the_demo_runs",
    "test_documents.py::test_the_page_of_the_reproduction_is_made_of_the_results",
    "test_documents.py::test_the_table_of_the_readme_is_that_of_the_command",
    "test_evaluate.py::test_a_kernel_is_that_of_a_loop_with_scikit_learn",
    "test_reproduction_runner.py::test_a_run_that_is_killed_again_and_again_ends_with_the_results_of_one_that_was_not",
    "test_reproduction_runner.py::test_processes_that_share_the_work_do_each_unit_once",
}
