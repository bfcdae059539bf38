"""Learning from distances: machines that bear indefinite kernels, the choice of parameters, and models of graphs.

distances ──selection──▶ depth, gamma, C ──KreinSVC──▶ a machine ──WWLClassifier──▶ classes of new graphs, a file
                │                  │
          smo: a row of C     krein: what is negative is flipped
                └── multiclass: many classes as problems of two ──┘
"""
