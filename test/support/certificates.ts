/** Certificates for tests, made with openssl. */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const DAYS = ["-days", "2"];
const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

export type Authority = ReturnType<typeof makeAuthority>;

/** The certificate of an authority in this folder, before and after it is made. */
export const authorityFile = (folder: string, called: string) => join(folder, `${called}.crt`);

/** An authority with its files in this folder. */
export function makeAuthority(folder: string, called: string) {
  const inFolder = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  const [file, ownKey] = [authorityFile(folder, called), inFolder(`${called}.key`)];
  const subject = ["-subj", `/CN=${called} of the tests`];
  openssl("req", "-x509", ...NEW_KEY, "-keyout", ownKey, "-out", file, ...DAYS, ...subject);
  let made = 0;
  return {
    /** Its certificate file. */
    file,
    /** A certificate for these names, e.g. "DNS:localhost,IP:127.0.0.1", and its key, as files. */
    sign(names: string) {
      const name = `${called}-signed-${++made}`;
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
