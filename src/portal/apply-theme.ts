/** In charge of what must be done before the first picture: the visitor's choice of light or dark. */

try {
  const chosen = localStorage.getItem("matchbook.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Nothing was kept: the system decides.
}
