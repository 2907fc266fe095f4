"""Serves a GGUF model with llama.cpp, in the environment that `scripts/llm` makes: `serve.py FILE CONTEXT`.

Prints the server's address, and ends with its standard input.
"""

from __future__ import annotations

import sys

import xllamacpp


def main(file: str, context: str) -> None:
    """Serve until nobody reads any more."""
    params = xllamacpp.CommonParams()
    params.model.path = file
    params.n_ctx = int(context)
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    params.port = 0
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
