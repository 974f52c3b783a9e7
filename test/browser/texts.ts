/**
 * Texts of the portal that more than one test file looks for, so that rewording one changes one file. Texts that
 * only one test file uses are in that file.
 */

import { modeName } from "../../src/portal/names.ts";

export const TEXTS = {
  /** Opens the key dialog. */
  enterKey: "Enter an API key",
  /** The field of the key dialog. */
  keyField: "API key",
  /** Submits the key dialog. */
  useKey: "Use this key",
  /** The title of the notice if the server does not respond. */
  unreachable: "Can't reach the server",
  tryAgain: "Try again",
  /** The title and heading of the explorer page, and its link in the navigation. */
  explorer: "Explorer",
  /** The same for the status page. */
  status: "Status",
  /** The heading of a match page. */
  match: (mode: string): string => `${modeName(mode)} match`,
} as const;
