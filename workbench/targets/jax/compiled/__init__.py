"""Training steps of converted code as functions that `nnx.jit` compiles."""
