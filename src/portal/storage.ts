/** The browser's storage. Visitors may block it; then a value lasts until the page is closed, where it is in use. */

type Area = "localStorage" | "sessionStorage";

export function stored(name: string, area: Area = "localStorage"): string | undefined {
  try {
    return globalThis[area].getItem(name)?.trim() || undefined;
  } catch {
    return undefined;
  }
}

/** The value that was stored as JSON; undefined if there is none, or something else. */
export function storedJson(name: string, area?: Area): unknown {
  try {
    return JSON.parse(stored(name, area) ?? "");
  } catch {
    return undefined;
  }
}

/** Without a value, removes it. */
export function store(name: string, value: string | undefined, area: Area = "localStorage"): void {
  try {
    if (value === undefined) globalThis[area].removeItem(name);
    else globalThis[area].setItem(name, value);
  } catch {
    // Blocked or full.
  }
}

/** Calls the listener when another tab changes the value. */
export function onStored(name: string, listener: () => void): void {
  addEventListener("storage", ({ key }) => {
    if (key === name || key === null) listener();
  });
}
