/** Which addresses webhooks may be sent to: public ones, so that a URL cannot reach into the operator's network. */

import { BlockList, isIP } from "node:net";

const NOT_PUBLIC_V4 = blocks("ipv4", [
  ["0.0.0.0", 8], // unspecified, "this network"
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT, and the metadata service of Alibaba Cloud
  ["127.0.0.0", 8], // loopback
  ["168.63.129.16", 32], // the metadata service of Azure
  ["169.254.0.0", 16], // link-local, and the metadata services of most clouds
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments, and the metadata service of Oracle Cloud
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // 6to4 relays
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, broadcast
]);

/** Everything outside is loopback, link-local, unique local, multicast or unassigned. */
const GLOBAL_V6 = blocks("ipv6", [["2000::", 3]]);

const NOT_PUBLIC_V6 = blocks("ipv6", [
  ["2001::", 23], // protocol assignments, among them Teredo, which contains IPv4 addresses
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4, which contains IPv4 addresses
  ["3fff::", 20], // documentation
]);

/** False for anything that is not an IP address. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !NOT_PUBLIC_V4.check(address, "ipv4");
  // A zone is for link-local addresses only.
  if (version !== 6 || address.includes("%")) return false;
  const groups = groupsOf(address);
  if (isMapped(groups) || isNat64(groups)) return isPublicAddress(lastAddress(groups));
  return GLOBAL_V6.check(address, "ipv6") && !NOT_PUBLIC_V6.check(address, "ipv6");
}

/** ::ffff:0:0/96 */
const isMapped = (groups: readonly number[]): boolean =>
  groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;

/** 64:ff9b::/96 */
const isNat64 = (groups: readonly number[]): boolean =>
  groups[0] === 0x64 && groups[1] === 0xff9b && groups.slice(2, 6).every((group) => group === 0);

/** The last 32 bits as an IPv4 address. */
const lastAddress = (groups: readonly number[]): string =>
  groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [head, tail] = address.split("::");
  const before = wordsOf(head!);
  const after = wordsOf(tail ?? "");
  return [...before, ...Array(8 - before.length - after.length).fill(0), ...after];
}

/** The end may be written as an IPv4 address. */
function wordsOf(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((word) => {
    if (!word.includes(".")) return Number.parseInt(word, 16);
    const [a, b, c, d] = word.split(".").map(Number);
    return [a! * 256 + b!, c! * 256 + d!];
  });
}

function blocks(
  family: "ipv4" | "ipv6",
  subnets: readonly (readonly [address: string, prefix: number])[],
): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, family);
  return list;
}
