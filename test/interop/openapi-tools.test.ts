/** Tools that read /openapi.json: client generators and a linter. */

import { expect, test } from "bun:test";
import { copyFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/process.ts";
import { shared } from "../support/shared.ts";
import { aFolder } from "../support/world.ts";
import { MATCH, PLAYER, run, seenBy, startDemo, withPackages } from "./support.ts";

const TSCONFIG = {
  compilerOptions: {
    target: "ES2022",
    module: "NodeNext",
    moduleResolution: "NodeNext",
    lib: ["ES2022", "DOM", "DOM.Iterable"],
    types: [],
    strict: true,
    skipLibCheck: true,
    outDir: "compiled",
  },
};

const GENERATORS: Record<string, (description: string) => string[]> = {
  "openapi-fetch": (description) => ["openapi-typescript", description, "-o", "generated.ts"],
  "hey-api": (description) => ["openapi-ts", "-i", description, "--silent", "--no-log-file"],
};

/** Node needs file extensions in imports. */
const HEY_API = { output: { path: "generated", importFileExtension: ".js" } };

withPackages("the OpenAPI document", () => {
  const world = shared(() => startDemo());

  test.each(Object.keys(GENERATORS))(
    "makes a client that compiles and reads a page, a match and a player: %s",
    async (name) => {
      using folder = aFolder();
      const local = (path: string) => join(folder.path, path);
      symlinkSync(join(import.meta.dir, "node_modules"), local("node_modules"));
      copyFileSync(join(import.meta.dir, `programs/${name}.ts`), local("main.ts"));
      await Bun.write(local("package.json"), '{"type":"module"}');
      await Bun.write(local("tsconfig.json"), JSON.stringify({ ...TSCONFIG, files: ["main.ts"] }));
      await Bun.write(local("openapi-ts.config.json"), JSON.stringify(HEY_API));
      const [program, ...rest] = GENERATORS[name]!(`${world.url}/openapi.json`);
      await run([local(`node_modules/.bin/${program}`), ...rest], folder.path);
      await run([join(ROOT, "node_modules/.bin/tsc"), "-p", "."], folder.path);
      const facts = { MATCH, PLAYER: PLAYER.id };
      const seen = await seenBy(["node", local("compiled/main.js")], world, facts);
      const page = await world.get(
        "/shards/na/matches?page[limit]=2&sort=-createdAt&fields[match]=createdAt&include=",
      );
      expect(seen).toEqual({
        page: page.body.data,
        match: MATCH,
        player: PLAYER.name,
        refused: "not-acceptable",
      });
    },
  );

  test("has no warning by the rules of spectral:oas", async () => {
    expect(await seenBy(["node", "spectral.mjs"], world)).toEqual([]);
  });
});
