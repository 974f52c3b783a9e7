/** docs/admin.md documents everything the admin listener does and nothing else, and its examples run. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ADMIN_ERRORS } from "../../src/admin/errors.ts";
import { ADMIN_ROUTES } from "../../src/admin/routes.ts";
import { demoDocuments } from "../../src/demo/demo.ts";
import { blocks, code, exchanges, page, table } from "../docs/markdown.ts";
import { type AdminWorld, ndjson, startAdminWorld, TOKEN } from "../support/admin.ts";
import { aMatch } from "../support/records.ts";
import { aFolder } from "../support/world.ts";

const PAGE = page("docs/admin.md");

test("every route is documented, and no other", () => {
  const rows = table(PAGE, "Request", "Does");
  expect(rows.map(([request]) => code(request!))).toEqual(
    ADMIN_ROUTES.map(({ method, path }) => `${method} ${path}`),
  );
});

test("every error code is documented with its status, and no other", () => {
  const rows = table(PAGE, "Code", "Status", "When");
  expect(rows.map(([name, status]) => [code(name!), Number(status)])).toEqual(
    Object.entries(ADMIN_ERRORS),
  );
});

describe("the examples", () => {
  const [definitions] = blocks(PAGE, "sh");
  const calls = exchanges(PAGE, "").filter(({ command }) => command.includes("$ADMIN"));

  const folder = aFolder();
  let world: AdminWorld;
  beforeAll(async () => {
    world = await startAdminWorld();
    const write = (name: string, body: string | Uint8Array) =>
      writeFileSync(join(folder.path, name), body);
    const day = ndjson([...demoDocuments({ matches: 200, seed: 1, until: Date.now() })]);
    const known = aMatch();
    await world.ingest([known]);
    const conflict = structuredClone(known);
    (conflict.data.attributes as { duration: number }).duration = 1;
    write("admin-token", TOKEN);
    write("day.ndjson", day);
    write("day.ndjson.gz", gzipSync(day));
    write("mixed.ndjson", ndjson([aMatch(), conflict, { data: { type: "match", id: "half" } }]));
  });
  afterAll(async () => {
    await world.stop();
    folder.remove();
  });

  async function run(command: string): Promise<string> {
    const setUp = definitions!.replace(/^ADMIN=.*$/m, `ADMIN=${world.adminUrl}`);
    const child = Bun.spawn(["bash", "-c", `${setUp}\n${command}`], {
      cwd: folder.path,
      stderr: "inherit",
    });
    return new Response(child.stdout).text();
  }

  test.skipIf(Bun.which("curl") === null)(
    "give responses with the members and error codes that the page shows (needs curl)",
    async () => {
      expect(calls.length).toBeGreaterThanOrEqual(6);
      let id = "";
      for (const { command, shown } of calls) {
        const response = shown[0]!;
        const text = await run(command.replaceAll(/\bk_\w+/g, id));
        const created = JSON.parse(text);
        if (command.startsWith("admin $ADMIN/keys") && created.key) {
          ({ id } = created.record);
          await world.get("/usage", { Authorization: `Bearer ${created.key}` });
        }
        const [promised, real] = [membersOf(response), membersOf(text)];
        expect([command, promised.filter((name) => !real.includes(name))]).toEqual([command, []]);
        if (!response.includes("…")) expect([command, real]).toEqual([command, promised]);
        expect([command, codeOf(text)]).toEqual([command, codeOf(response)]);
      }
      expect(id).toMatch(/^k_/);
    },
  );

  const membersOf = (json: string) =>
    [...new Set([...json.matchAll(/"([a-zA-Z-]+)":/g)].map((one) => one[1]!))].sort();
  const codeOf = (json: string) => /^\{"error":\{"code":"([\w-]+)"/.exec(json)?.[1];
});
