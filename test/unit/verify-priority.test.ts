/** Tests that a verify lowers its priority, and that one which is low already does not keep it from running. */

import { expect, test } from "bun:test";
import { getPriority } from "node:os";
import { join } from "node:path";

const PROGRAM = `import { getPriority } from "node:os";
  import { lowerPriority } from "${join(import.meta.dir, "../../src/verify/priority.ts")}";
  lowerPriority();
  console.log(getPriority());`;

test.each([0, 15])(
  "a process with %d more than this one never gets a higher priority",
  async (more) => {
    const { stdout } = Bun.spawn(["nice", "-n", `${more}`, process.execPath, "-e", PROGRAM], {
      stdout: "pipe",
    });
    const before = Math.min(19, getPriority() + more);
    expect(await new Response(stdout).text()).toBe(`${Math.max(before, 10)}\n`);
  },
);
