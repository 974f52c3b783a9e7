/** Which addresses webhooks may be sent to: public ones, so that a URL cannot reach into the operator's network. */

import { BlockList, isIP } from "node:net";

type Subnet = readonly [address: string, prefix: number];

const NOT_PUBLIC_V4: readonly Subnet[] = [
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
];

/** What contains an IPv4 address in its last 32 bits: mapped addresses, and NAT64. */
const WITH_V4 = ["::ffff:", "64:ff9b::"];

/** Everything outside is loopback, link-local, unique local, multicast or unassigned. */
const GLOBAL_V6: readonly Subnet[] = [["2000::", 3], ...within("0.0.0.0", 0)];

const NOT_PUBLIC_V6: readonly Subnet[] = [
  ["2001::", 23], // protocol assignments, among them Teredo, which contains IPv4 addresses
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4, which contains IPv4 addresses
  ["3fff::", 20], // documentation
  ...NOT_PUBLIC_V4.flatMap(([address, prefix]) => within(address, prefix)),
];

const [notPublicV4, globalV6, notPublicV6] = [
  listOf("ipv4", NOT_PUBLIC_V4),
  listOf("ipv6", GLOBAL_V6),
  listOf("ipv6", NOT_PUBLIC_V6),
];

/** False for anything that is not an IP address. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !notPublicV4.check(address, "ipv4");
  // A zone is for link-local addresses only.
  if (version !== 6 || address.includes("%")) return false;
  return globalV6.check(address, "ipv6") && !notPublicV6.check(address, "ipv6");
}

function within(address: string, prefix: number): Subnet[] {
  return WITH_V4.map((start) => [start + address, 96 + prefix]);
}

function listOf(family: "ipv4" | "ipv6", subnets: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, family);
  return list;
}
