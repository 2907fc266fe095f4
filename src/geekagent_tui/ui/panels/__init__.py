"""The main screen's parts; each follows the agent core by itself."""
