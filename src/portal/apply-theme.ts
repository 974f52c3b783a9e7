/** Applies the visitor's light or dark theme. Runs before the first paint, so that the page does not flash. */

try {
  const chosen = localStorage.getItem("matchbook.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage is blocked: follow the system theme.
}
