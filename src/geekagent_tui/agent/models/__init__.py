"""Chat models behind one protocol: OpenAI-compatible servers and the built-in offline model."""
