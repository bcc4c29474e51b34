"""The control plane: who must know what."""
