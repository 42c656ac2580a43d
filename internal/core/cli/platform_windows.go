package cli

// refusal is why no tool runs on this system. No test of the locks, and of what survives a crash, passes
// here, and a session is worth more than a tool that may lose a line of it.
const refusal = "running on Windows is not supported: run the programs for Linux in WSL"
