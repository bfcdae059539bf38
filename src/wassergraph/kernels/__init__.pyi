from wassergraph.kernels.alignment import align_kernels as align_kernels
from wassergraph.kernels.alignment import kernel_alignment as kernel_alignment
from wassergraph.kernels.eigenvalues import Definiteness as Definiteness
from wassergraph.kernels.eigenvalues import conditional_definiteness as conditional_definiteness
from wassergraph.kernels.eigenvalues import definiteness as definiteness
from wassergraph.kernels.laplacian import laplacian_kernel as laplacian_kernel
