// Parses and compares addresses: equal spellings, and loopback addresses.
import { Option } from "effect"

/** Removes trailing slashes, so that paths can be appended. */
export const trimmed = (address: string): string => address.replace(/(?<!\/)\/+$/, "")

const parse = (address: string): URL | undefined => URL.canParse(address) ? new URL(address) : undefined

/** Looks like a web address but is invalid: an invalid port, an unclosed bracket. */
export const isMalformed = (address: string): boolean =>
  address === "" || (/^https?:\/\//i.test(address) && !URL.canParse(address))

/** Loopback names and unspecified addresses. */
const isLoopbackName = (hostname: string): boolean =>
  hostname.toLowerCase() === "localhost" ||
  /^127(\.\d{1,3}){3}$/.test(hostname) ||
  ["[::1]", "[::]", "0.0.0.0"].includes(hostname)

export const isLoopback = (address: string): boolean => isLoopbackName(parse(address)?.hostname ?? "")

export const isHttps = (address: string): boolean => parse(address)?.protocol === "https:"

/** Equal for all spellings of an address. An invalid address equals only itself. */
export const keyOf = (address: string): string => {
  const url = parse(trimmed(address))
  if (url === undefined) return address
  const host = isLoopbackName(url.hostname) ? "loopback" : url.hostname
  return `${url.protocol}//${host}:${url.port}${trimmed(url.pathname)}`
}

/** The service of an MCP address; none if it does not end in `/mcp`. */
export const serviceOfMcp = (address: string): Option.Option<string> => {
  const url = parse(address)
  if (url === undefined || !/^https?:$/.test(url.protocol)) return Option.none()
  const path = trimmed(url.pathname)
  return path.endsWith("/mcp")
    ? Option.some(trimmed(`${url.protocol}//${url.host}${path.slice(0, -"/mcp".length)}`))
    : Option.none()
}
