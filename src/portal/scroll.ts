/**
 * In charge of where a page was scrolled to when it was left. On a step back the browser scrolls at once,
 * when the page is not yet filled again and too short: here that is waited for.
 */

/** What visitors scroll with: from then on the page stays where they put it. */
const HANDS = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/** By the entry of the history. */
const places = new Map<string, number>();
let made = 0;
let current = entryIn(history.state);
let stopReturning: (() => void) | undefined;

if (current === undefined) history.replaceState(newEntry(), "");
addEventListener("popstate", ({ state }) => {
  stopReturning?.();
  current = entryIn(state);
  const place = current === undefined ? undefined : places.get(current);
  if (place !== undefined) returnTo(place);
});
addEventListener("scroll", () => {
  if (current !== undefined && !stopReturning) places.set(current, scrollY);
});

/** What the next entry of the history is to carry, so that it is known again. */
export function newEntry(): { entry: string } {
  stopReturning?.();
  made += 1;
  current = `${Date.now()}-${made}`;
  return { entry: current };
}

function entryIn(state: { entry?: string } | null): string | undefined {
  return state?.entry;
}

function returnTo(place: number): void {
  const stop = () => {
    growth.disconnect();
    for (const hand of HANDS) removeEventListener(hand, stop);
    stopReturning = undefined;
  };
  const growth = new ResizeObserver(() => {
    if (document.documentElement.scrollHeight - innerHeight < place) return;
    scrollTo(0, place);
    stop();
  });
  growth.observe(document.body);
  for (const hand of HANDS) addEventListener(hand, stop, { passive: true });
  stopReturning = stop;
}
