/** Preloaded into a server process (BUN_OPTIONS): SIGUSR2 throws an error that no code catches, SIGURG rejects. */

process.on("SIGUSR2", () => {
  setImmediate(() => {
    throw new Error("thrown on purpose");
  });
});

process.on("SIGURG", () => {
  void Promise.reject(new Error("rejected on purpose"));
});
