/** In charge of the fixed bounds of a query: the numbers that the parser enforces and documents. */

/** Both the default and the greatest number of matches on one page. */
export const PAGE_SIZE = 5;

/** The greatest number of players one reply of the players collection holds. */
export const MAX_PLAYERS = 6;

/** The greatest number of names that one reply of the list of names holds. */
export const MAX_NAMES = 10;

/** How many characters of a name may be looked for: a beginning is enough. */
export const LONGEST_NEAR = 64;

/** The greatest number of values one list filter takes, each counted once. */
export const MAX_VALUES = 50;

/** How far back the window reaches when no start is given. */
export const WINDOW_DAYS = 28;
export const WINDOW_MILLISECONDS = WINDOW_DAYS * 24 * 60 * 60 * 1000;

/** Far above what any sensible query needs; it bounds the reply that reports every problem. */
export const MAX_PARAMETERS = 100;

/** The greatest number of characters an address may have. */
export const LONGEST_ADDRESS = 8192;

/** How many players and teams a cursor holds on to; the bearers of commoner names are looked up. */
export const MOST_BEARERS = 100;
