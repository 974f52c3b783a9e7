/** Applies the visitor's light or dark theme. Runs before the first paint, so that the page does not flash. */

import { stored } from "./storage.ts";

const chosen = stored("matchbook.theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
