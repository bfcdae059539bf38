"""
From a search index to a map, without all distances
===================================================

For large collections the matrix of all distances is out of reach, but a few neighbors of every graph are not.
:meth:`wassergraph.GraphIndex.kneighbors_graph` returns them as a sparse matrix, which scikit-learn's methods accept.
"""

# %%
# The 20 nearest drugs of every drug. An index prunes most pairs without solving them; with 152 drugs that saves a part,
# with a hundred thousand nearly all (see :doc:`/searching`).

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse import csr_matrix
from sklearn.cluster import SpectralClustering
from sklearn.manifold import TSNE
from sklearn.metrics import adjusted_rand_score

import wassergraph as wg

drugs = wg.datasets.load_drugs()
index = wg.GraphIndex(drugs.graphs, wg.WWL(depth=2), n_jobs=-1)
neighbors = index.kneighbors_graph(46, include_self=True)
print(f"{neighbors.nnz:,} of {len(drugs.graphs) ** 2:,} distances")
print(index.last_counts)

# %%
# t-SNE looks at three times as many neighbors as its perplexity, and one more. Spectral clustering cuts the graph of
# neighbors into eight parts, and does not know the families.

place = TSNE(metric="precomputed", init="random", perplexity=15, random_state=0).fit_transform(csr_matrix(neighbors))
links = index.kneighbors_graph(8, mode="connectivity")
parts = SpectralClustering(8, affinity="precomputed", random_state=0, assign_labels="cluster_qr").fit_predict(
    csr_matrix((links + links.T) / 2)
)
families = np.unique(drugs.y)
colors = np.array(["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a400", "#666666"])
figure = Figure(figsize=(11, 5.4), layout="constrained")
left, right = figure.subplots(1, 2)
starts, ends = links.nonzero()
for ax, groups, title in (
    (left, np.searchsorted(families, drugs.y), "families"),
    (right, parts, f"spectral clusters, adjusted Rand index {adjusted_rand_score(drugs.y, parts):.2f}"),
):
    for one, other in zip(starts, ends, strict=True):
        ax.plot(*place[[one, other]].T, color="0.85", linewidth=0.5, zorder=1)
    ax.scatter(*place.T, s=30, c=colors[groups], zorder=2, linewidths=0)
    ax.set_title(title, fontsize=11)
    ax.axis("off")
for family, color in zip(families, colors, strict=True):
    left.scatter([], [], color=color, label=family)
left.legend(frameon=False, fontsize=8, loc="lower left", ncols=2)
