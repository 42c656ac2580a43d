module {
  interface: 1, name: "openclaw", summary: "sessions of OpenClaw (experimental)", like: "pi",
  homes: ["$OPENCLAW_STATE_DIR/agents", "~/.openclaw/agents"], files: ["*/sessions/*.jsonl"], except: ["*.checkpoint.*.jsonl", "*.trajectory.jsonl"],
  program: "OpenClaw"
};
