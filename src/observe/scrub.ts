/** Removes secrets from texts that are logged, e.g. error messages. */

const API_KEY = /mb_[0-9A-Za-z]{10,}/g;
const USER_AND_PASSWORD = /(\w:\/\/)[^\s/]*@/g;
const BEARER = /\b(bearer|basic) +\S+/gi;

export function scrub(text: string): string {
  return text
    .replace(API_KEY, "mb_***")
    .replace(USER_AND_PASSWORD, "$1***@")
    .replace(BEARER, "$1 ***");
}

export interface ErrorText {
  name: string;
  message: string;
  stack?: string;
}

/** What may be logged of whatever was thrown. */
export function errorText(error: unknown): ErrorText {
  if (!(error instanceof Error)) return { name: "unknown", message: scrub(String(error)) };
  const text: ErrorText = { name: error.name, message: scrub(error.message) };
  if (error.stack !== undefined) text.stack = scrub(error.stack);
  return text;
}
