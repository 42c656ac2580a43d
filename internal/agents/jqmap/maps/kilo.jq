module {
  interface: 1, name: "kilo", summary: "sessions of Kilo CLI (experimental)", like: "opencode",
  homes: ["$XDG_DATA_HOME/kilo", "~/.local/share/kilo"], files: ["kilo.db", "kilo-*.db"],
  program: "Kilo CLI", resume: ["kilo", "--session", "ID"]
};
