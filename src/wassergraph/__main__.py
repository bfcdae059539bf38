"""Run the command line as ``python -m wassergraph``."""

import sys

from wassergraph.cli.main import main

sys.exit(main())
