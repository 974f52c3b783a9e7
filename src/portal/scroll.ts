/**
 * Restores the scroll position on back and forward. The browser scrolls immediately, while the page is
 * still loading and too short; this waits until the page is tall enough.
 */

/** Input that stops a pending restore, because the visitor is scrolling. */
const USER_INPUT = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/** Scroll positions by history entry. */
const positions = new Map<string, number>();
let made = 0;
let current: string | undefined = history.state?.entry;
let stopRestoring: (() => void) | undefined;

if (current === undefined) history.replaceState(newEntry(), "");
addEventListener("popstate", ({ state }) => {
  stopRestoring?.();
  current = state?.entry;
  const position = current === undefined ? undefined : positions.get(current);
  if (position !== undefined) restore(position);
});
addEventListener("scroll", () => {
  if (current !== undefined && !stopRestoring) positions.set(current, scrollY);
});

/** State for the next history entry; it identifies the entry later. */
export function newEntry(): { entry: string } {
  stopRestoring?.();
  made += 1;
  current = `${Date.now()}-${made}`;
  return { entry: current };
}

function restore(position: number): void {
  const stop = () => {
    growth.disconnect();
    for (const type of USER_INPUT) removeEventListener(type, stop);
    stopRestoring = undefined;
  };
  const growth = new ResizeObserver(() => {
    if (document.documentElement.scrollHeight - innerHeight < position) return;
    scrollTo(0, position);
    stop();
  });
  growth.observe(document.body);
  for (const type of USER_INPUT) addEventListener(type, stop, { passive: true });
  stopRestoring = stop;
}
