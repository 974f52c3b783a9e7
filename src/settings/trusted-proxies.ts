/** The set of proxy addresses whose forwarding headers are trusted. */

import { BlockList, isIP } from "node:net";
import type { Parsed } from "./parsers.ts";

const BITS = { ipv4: 32, ipv6: 128 } as const;

export class AddressSet {
  readonly #blocks = new BlockList();

  private constructor(readonly texts: readonly string[]) {}

  /** Comma-separated IPv4 and IPv6 addresses and CIDR blocks; an empty text is the empty set. */
  static parse(text: string): Parsed<AddressSet> {
    const items = text.split(",").map((item) => item.trim());
    const set = new AddressSet(text.trim() === "" ? [] : items);
    const wrong = set.texts.filter((item) => !set.#add(item));
    return wrong.length === 0
      ? { value: set }
      : {
          error: `must be comma-separated IP addresses or CIDR blocks, e.g. 10.0.0.0/8,::1; invalid: ${wrong.map((item) => `"${item}"`).join(", ")}`,
        };
  }

  get isEmpty(): boolean {
    return this.texts.length === 0;
  }

  /** Whether an IP address is in the set. */
  has(address: string): boolean {
    if (this.isEmpty) return false;
    const bare = address.replace(/%.*$/, "");
    const family = familyOf(bare);
    return family !== undefined && this.#blocks.check(bare, family);
  }

  toString(): string {
    return this.texts.join(",");
  }

  #add(item: string): boolean {
    const [address, prefix, ...rest] = item.split("/");
    const family = familyOf(address!);
    if (family === undefined || address!.includes("%") || rest.length > 0) return false;
    if (prefix === undefined) {
      this.#blocks.addAddress(address!, family);
      return true;
    }
    if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > BITS[family]) return false;
    this.#blocks.addSubnet(address!, Number(prefix), family);
    return true;
  }
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(address);
  return version === 4 ? "ipv4" : version === 6 ? "ipv6" : undefined;
}
