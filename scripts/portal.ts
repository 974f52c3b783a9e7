/** In charge of `npm run portal`: the pages of the portal, bundled and compressed into the one file that the server reads. */

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { BUILT_PACK, type PackedFile, writePack } from "../src/http/portal-assets.ts";

const PORTAL = resolve(import.meta.dir, "..", "src", "portal");
const ADDRESS = "/portal/assets/";

const { values: flags } = parseArgs({
  options: {
    outfile: { type: "string", default: BUILT_PACK },
    // At install only what went wrong is worth a line.
    quiet: { type: "boolean", default: false },
  },
});
const outfile = resolve(flags.outfile);

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The words in the page that stand for files whose names are known only now. */
interface Named {
  MAIN: string;
  STYLES: string;
  EARLY: string;
  ICON: string;
}

function packed(extension: string, content: Uint8Array | string): PackedFile {
  const type = TYPES[extension];
  if (type === undefined) throw new Error(`no media type is known for ${extension}: add it here`);
  const tag = `W/"${Bun.hash(content).toString(36)}"`;
  return { type, tag, gzip: gzipSync(content, { level: 9 }) };
}

async function bundle(entry: string, define: Record<string, string> = {}) {
  return Bun.build({
    entrypoints: [join(PORTAL, entry)],
    target: "browser",
    format: "esm",
    splitting: true,
    minify: true,
    define: { "process.env.NODE_ENV": '"production"', ...define },
    publicPath: ADDRESS,
    naming: {
      entry: "[name]-[hash].[ext]",
      chunk: "[name]-[hash].[ext]",
      asset: "[name]-[hash].[ext]",
    },
  });
}

const hashed = (name: string, content: string) => {
  const extension = extname(name);
  return `${basename(name, extension)}-${Bun.hash(content).toString(36).slice(0, 8)}${extension}`;
};

/** The page with the names of its files in place of the words. */
function pageWith(names: Named): string {
  const template = readFileSync(join(PORTAL, "index.html"), "utf8");
  return Object.entries(names).reduce((page, [word, name]) => {
    if (!page.includes(ADDRESS + word)) throw new Error(`index.html does not mention ${word}`);
    return page.replaceAll(ADDRESS + word, ADDRESS + name);
  }, template);
}

const isSheetOfPage = (name: string) => /^main-.*\.css$/.test(name);

const assets = new Map<string, PackedFile>();
const add = (name: string, content: Uint8Array | string) =>
  assets.set(name, packed(extname(name), content));

// Only one page needs this sheet, and loads it by its name.
const library = await bundle("views/reference/swagger-ui.css");
const [librarySheet] = library.outputs.map(({ path }) => basename(path));
const early = await bundle("apply-theme.ts");
const main = await bundle("main.tsx", {
  SWAGGER_UI_STYLES: JSON.stringify(ADDRESS + librarySheet),
});
for (const output of [...main.outputs, ...early.outputs, ...library.outputs]) {
  // The styles of all views are in the one sheet of the page; the bundler makes one for each as well.
  const name = basename(output.path);
  const isSheet = extname(name) === ".css";
  if (isSheet && !isSheetOfPage(name) && name !== librarySheet) continue;
  add(name, new Uint8Array(await output.arrayBuffer()));
}
const icon = readFileSync(join(PORTAL, "icon.svg"), "utf8");
const iconName = hashed("icon.svg", icon);
add(iconName, icon);

const nameOf = ({ outputs }: Bun.BuildOutput, isIt: (output: Bun.BuildArtifact) => boolean) => {
  const found = outputs.find(isIt);
  if (found === undefined) throw new Error("the bundler left out a file that the page needs");
  return basename(found.path);
};
const isEntry = ({ kind }: Bun.BuildArtifact) => kind === "entry-point";
const page = packed(
  ".html",
  pageWith({
    MAIN: nameOf(main, isEntry),
    STYLES: nameOf(main, ({ path }) => isSheetOfPage(basename(path))),
    EARLY: nameOf(early, isEntry),
    ICON: iconName,
  }),
);

mkdirSync(dirname(outfile), { recursive: true });
// A server that starts meanwhile reads the old one or the new one, never half of one.
const fresh = `${outfile}.${process.pid}`;
writeFileSync(fresh, writePack({ page, assets }));
renameSync(fresh, outfile);

if (!flags.quiet) {
  const files = [["index.html", page] as const, ...assets].sort(
    ([, one], [, other]) => other.gzip.length - one.gzip.length,
  );
  for (const [name, { gzip }] of files) {
    console.log(`${(gzip.length / 1024).toFixed(1).padStart(8)} KB gzip  ${name}`);
  }
  console.log(relative(process.cwd(), outfile));
}
