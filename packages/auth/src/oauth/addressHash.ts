// The network that a request came from, for counting. An IPv6 network has 2^64 addresses, so only its prefix is hashed.
import { hash } from "node:crypto"
import { isIPv6 } from "node:net"

/** The first 64 bits, written out. */
const networkOf = (address: string): string => {
  const [plain = ""] = address.split("%")
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1]
  if (mapped !== undefined || !isIPv6(plain)) return mapped ?? plain
  const [first = [], last = []] = plain.split("::").map((groups) => groups === "" ? [] : groups.split(":"))
  const known = [...first, ...Array.from({ length: 8 - first.length - last.length }, () => "0"), ...last]
  return known.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(":")
}

export const addressHash = (address: string | undefined): string =>
  hash("sha256", networkOf(address ?? ""), "base64url").slice(0, 22)
