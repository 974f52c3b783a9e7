/** In charge of the bytes that structure JSON text. */

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const COMMA = 0x2c;
export const NEWLINE = 0x0a;

export const isBlank = (byte: number) =>
  byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;
