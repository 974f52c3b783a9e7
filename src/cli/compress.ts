/** Compresses the output of commands. */

import { Readable } from "node:stream";
import { constants, createGzip, createZstdCompress } from "node:zlib";
import { UsageError } from "./command.ts";

export type Compression = (typeof COMPRESSIONS)[number];

const COMPRESSIONS = ["gzip", "zstd", "none"] as const;
const SUFFIXES: Record<string, Compression> = { ".gz": "gzip", ".zst": "zstd" };
const CHUNK_BYTES = 256 * 1024;

/** As the flag says, else by the name of the file. Throws UsageError. */
export function compressionOf(flag: string | undefined, file: string | undefined): Compression {
  if (flag === undefined) {
    const suffix = Object.keys(SUFFIXES).find((one) => file?.endsWith(one));
    return suffix === undefined ? "none" : SUFFIXES[suffix]!;
  }
  const found = COMPRESSIONS.find((one) => one === flag);
  if (found) return found;
  throw new UsageError(
    `invalid --compress ${JSON.stringify(flag)}: must be one of ${COMPRESSIONS.join(", ")}`,
  );
}

export async function* compressed(
  plain: AsyncIterable<Uint8Array>,
  compression: Compression,
): AsyncGenerator<Uint8Array> {
  if (compression === "none") {
    yield* plain;
    return;
  }
  const source = Readable.from(plain);
  const packer = compression === "gzip" ? createGzip({ chunkSize: CHUNK_BYTES }) : zstd();
  source.on("error", (error) => packer.destroy(error));
  try {
    yield* source.pipe(packer);
  } finally {
    source.destroy();
  }
}

/** With a checksum, so that damage is noticed as in gzip. */
function zstd() {
  return createZstdCompress({
    chunkSize: CHUNK_BYTES,
    params: { [constants.ZSTD_c_checksumFlag]: 1 },
  });
}
