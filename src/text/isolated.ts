/** Text of unknown direction, such as the name of a player: its characters must not reorder what is beside it. */

/** They begin and end an isolated part, so one in the text could end the part around it. */
const ISOLATE_MARKS = /[\u2066-\u2069]/g;

/** For `<bdi>`, which is an isolated part by itself. */
export const withoutIsolates = (text: string): string => text.replace(ISOLATE_MARKS, "");

/** For plain text, e.g. a title: between U+2068 and U+2069. */
export const isolated = (text: string): string => `\u2068${withoutIsolates(text)}\u2069`;
