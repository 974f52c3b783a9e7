/** In charge of what the library's elements lack for keyboard and screen reader: names of fields, and the focus. */

/** Mends what is in a place, and what the library puts there later. Returns how to stop. */
export function keepAccessible(place: HTMLElement): () => void {
  const watch = new MutationObserver(() => fix(place));
  watch.observe(place, { childList: true, subtree: true });
  fix(place);
  return () => watch.disconnect();
}

function fix(place: HTMLElement): void {
  for (const field of place.querySelectorAll("input, select, textarea")) {
    if (field.hasAttribute("aria-label")) continue;
    field.setAttribute("aria-label", nameOf(field));
  }
  // What scrolls must be reached by keyboard.
  for (const text of place.querySelectorAll("pre, .microlight")) {
    if (!text.hasAttribute("tabindex")) text.setAttribute("tabindex", "0");
  }
}

/** The parameter in whose row a field stands; or what the reply is chosen by. */
function nameOf(field: Element): string {
  const parameter = field.closest("[data-param-name]")?.getAttribute("data-param-name");
  return parameter ?? field.getAttribute("placeholder") ?? "Media type of the reply";
}
