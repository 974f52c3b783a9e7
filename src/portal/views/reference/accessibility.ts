/** Adds what Swagger UI lacks for keyboards and screen readers: field names and focusable scroll areas. */

/** Fixes everything in `root`, now and whenever Swagger UI changes it. Returns a function that stops this. */
export function keepAccessible(root: HTMLElement): () => void {
  const watch = new MutationObserver(() => fix(root));
  watch.observe(root, { childList: true, subtree: true });
  fix(root);
  return () => watch.disconnect();
}

function fix(root: HTMLElement): void {
  for (const field of root.querySelectorAll("input, select, textarea")) {
    if (field.hasAttribute("aria-label")) continue;
    field.setAttribute("aria-label", nameOf(field));
  }
  // A scrollable area must be focusable by keyboard.
  for (const text of root.querySelectorAll("pre, .microlight")) {
    if (!text.hasAttribute("tabindex")) text.setAttribute("tabindex", "0");
  }
}

/** The parameter that the field belongs to; the only other field selects the media type. */
function nameOf(field: Element): string {
  const parameter = field.closest("[data-param-name]")?.getAttribute("data-param-name");
  return parameter ?? field.getAttribute("placeholder") ?? "Response media type";
}
