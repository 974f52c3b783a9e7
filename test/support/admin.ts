/** Starts a Matchbook with an admin listener for tests and sends requests to it. */

import { expect } from "bun:test";
import type { Clock } from "../../src/access/clock.ts";
import { ADMIN_ERRORS, type AdminErrorCode } from "../../src/admin/errors.ts";
import type { NotStored } from "../../src/admin/upload-thread.ts";
import type { Json } from "../../src/domain/json.ts";
import { startWorld } from "./world.ts";

export const TOKEN = "a-token-of-the-tests-0123456789";
export const AUTHORIZATION = { Authorization: `Bearer ${TOKEN}` };

export type AdminWorld = Awaited<ReturnType<typeof startAdminWorld>>;
export type AdminReply = Awaited<ReturnType<AdminWorld["ask"]>>;

/** It was refused with this code, with the status of this code and a message with these words. */
export function expectRefused(
  { status, body }: AdminReply,
  code: AdminErrorCode,
  words: string | RegExp = "",
): void {
  expect([body.error.code, status]).toEqual([code, ADMIN_ERRORS[code]]);
  expect(body.error.message).toMatch(words);
}

export type Sent = string | Uint8Array<ArrayBuffer>;

/** The response to an upload. */
export interface Uploaded {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read reports of every shape.
  report: any;
  notStored: NotStored[];
  error?: { code: string; message: string };
}

export async function startAdminWorld(
  documents: Json[] = [],
  flags: Record<string, string> = {},
  toml?: string,
  clock?: Clock,
) {
  const all = { "admin-port": "0", "admin-token": TOKEN, ...flags };
  const world = await startWorld(documents, all, clock, toml);
  const adminUrl = world.adminUrl!;
  return {
    ...world,
    adminUrl,
    /** A request with the token. Headers can be overridden, or omitted with null. */
    async ask(
      method: string,
      path: string,
      body?: Json | string,
      headers: Record<string, string | null> = {},
    ) {
      const sent = Object.entries({ ...AUTHORIZATION, ...headers }).filter(
        (entry): entry is [string, string] => entry[1] !== null,
      );
      const response = await fetch(`${adminUrl}${path}`, {
        method,
        headers: sent,
        ...(body === undefined
          ? {}
          : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      // The body is undefined when it is not valid JSON.
      return { status: response.status, headers: response.headers, text, body: parsed(text) };
    },
    upload: (body: Sent, query?: string, headers?: Record<string, string>) =>
      uploadTo(adminUrl, body, query, headers),
  };
}

export async function uploadTo(
  adminUrl: string,
  body: Sent,
  query = "",
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Uploaded> {
  const response = await fetch(`${adminUrl}/ingest${query}`, {
    method: "POST",
    headers: { ...AUTHORIZATION, ...headers },
    body,
    ...(signal ? { signal } : {}),
  });
  return { status: response.status, ...((await response.json()) as Omit<Uploaded, "status">) };
}

export const ndjson = (documents: readonly Json[]): string =>
  documents.map((one) => `${JSON.stringify(one)}\n`).join("");

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape.
function parsed(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
