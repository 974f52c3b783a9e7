/** The file that holds the built portal: its page and assets, compressed, by name. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { deserialize, serialize } from "node:v8";

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

/** For the same version of the runtime: installing builds the portal. */
export const writePack = (pack: Pack): Uint8Array => serialize(pack);

/** Undefined when the portal has not been built. */
export async function readPack(): Promise<Pack | undefined> {
  if (!isPortalBuilt()) return undefined;
  const file = embedded() ?? Bun.file(BUILT_PACK);
  return deserialize(await file.bytes());
}

/** Whether the portal has been built, without reading it. */
export const isPortalBuilt = (): boolean => embedded() !== undefined || existsSync(BUILT_PACK);

function embedded(): Blob | undefined {
  return (Bun.embeddedFiles as (Blob & { name: string })[]).find(({ name }) => name === NAME);
}
