/** The file that holds the built portal: its page and assets, compressed, by name. */

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

/** Written by `npm run portal`, read by the server. The executable contains it under the same name. */
const NAME = "portal.pack";
export const BUILT_PACK = resolve(import.meta.dir, "..", "..", "dist", NAME);

export interface PackedFile {
  /** The media type, with its character set. */
  type: string;
  tag: string;
  gzip: Uint8Array;
  /** Smaller than gzip by an eighth. Assets only. */
  brotli?: Uint8Array;
}

export interface Pack {
  /** The page that every URL of the portal opens. */
  page: PackedFile;
  /** The page of the admin listener. */
  operator: PackedFile;
  /** The files they load, by name. The names change with the content. */
  assets: ReadonlyMap<string, PackedFile>;
  /** The scripts that each view and guide needs besides those of the page: names of assets. */
  scripts: Readonly<Record<string, readonly string[]>>;
}

interface Written {
  page: WrittenFile;
  operator: WrittenFile;
  assets: Record<string, WrittenFile>;
  scripts: Pack["scripts"];
}

interface WrittenFile {
  type: string;
  tag: string;
  gzip: string;
  brotli?: string;
}

export function writePack({ page, operator, assets, scripts }: Pack): string {
  const written: Written = {
    page: writtenFile(page),
    operator: writtenFile(operator),
    assets: Object.fromEntries([...assets].map(([name, file]) => [name, writtenFile(file)])),
    scripts,
  };
  return JSON.stringify(written);
}

/** Undefined when the portal has not been built. */
export async function readPack(): Promise<Pack | undefined> {
  const text = await packText();
  if (text === undefined) return undefined;
  const { page, operator, assets, scripts }: Written = JSON.parse(text);
  return {
    page: readFile(page),
    operator: readFile(operator),
    assets: new Map(Object.entries(assets).map(([name, file]) => [name, readFile(file)])),
    scripts,
  };
}

/** Whether the portal has been built, without reading it. */
export const isPortalBuilt = (): boolean => embedded() !== undefined || existsSync(BUILT_PACK);

async function packText(): Promise<string | undefined> {
  const inside = embedded();
  if (inside) return inside.text();
  return existsSync(BUILT_PACK) ? readFileSync(BUILT_PACK, "utf8") : undefined;
}

function embedded(): Blob | undefined {
  return (Bun.embeddedFiles as (Blob & { name: string })[]).find(({ name }) => name === NAME);
}

const writtenFile = ({ type, tag, gzip, brotli }: PackedFile): WrittenFile => ({
  type,
  tag,
  gzip: Buffer.from(gzip).toString("base64"),
  ...(brotli && { brotli: Buffer.from(brotli).toString("base64") }),
});

const readFile = ({ type, tag, gzip, brotli }: WrittenFile): PackedFile => ({
  type,
  tag,
  gzip: Buffer.from(gzip, "base64"),
  ...(brotli && { brotli: Buffer.from(brotli, "base64") }),
});
