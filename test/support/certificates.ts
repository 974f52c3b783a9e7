/** In charge of certificates for tests: an authority of its own, and what it signs. */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Authority {
  /** Its certificate, as a file. */
  file: string;
  /** A certificate for these names, such as "DNS:localhost,IP:127.0.0.1", and its key, as files. */
  sign(names: string): { certificate: string; key: string };
}

const DAYS = ["-days", "2"];
const NEW_KEY = ["-newkey", "rsa:2048", "-nodes"];

export function makeAuthority(folder: string): Authority {
  const inFolder = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  const [file, ownKey] = [inFolder("authority.crt"), inFolder("authority.key")];
  const subject = ["-subj", "/CN=an authority of the tests"];
  openssl("req", "-x509", ...NEW_KEY, "-keyout", ownKey, "-out", file, ...DAYS, ...subject);
  let made = 0;
  return {
    file,
    sign(names) {
      const name = `signed-${++made}`;
      const [key, request, certificate, extensions] = ["key", "csr", "crt", "ext"].map((suffix) =>
        inFolder(`${name}.${suffix}`),
      ) as [string, string, string, string];
      openssl("req", ...NEW_KEY, "-keyout", key, "-out", request, "-subj", `/CN=${name}`);
      writeFileSync(extensions, `subjectAltName=${names}\n`);
      const signer = ["-CA", file, "-CAkey", ownKey, "-CAcreateserial"];
      const given = ["-in", request, "-out", certificate, "-extfile", extensions];
      openssl("x509", "-req", ...given, ...signer, ...DAYS);
      return { certificate, key };
    },
  };
}
