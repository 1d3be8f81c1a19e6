// Addresses as texts and as what they mean: which spellings are the same machine, and which machine is this one.
import { Option } from "effect"

/** Without slashes at the end, so that paths can be put behind it. */
export const trimmed = (address: string): string => address.replace(/\/+$/, "")

const parse = (address: string): URL | undefined => URL.canParse(address) ? new URL(address) : undefined

/** Has the form of a web address and is none: a port that does not exist, a bracket that does not close. */
export const isMalformed = (address: string): boolean => /^https?:\/\//i.test(address) && !URL.canParse(address)

/** This machine, under any of its names. The unspecified addresses reach it too. */
const isLoopbackName = (hostname: string): boolean =>
  hostname.toLowerCase() === "localhost" ||
  /^127(\.\d{1,3}){3}$/.test(hostname) ||
  ["[::1]", "[::]", "0.0.0.0"].includes(hostname)

export const isLoopback = (address: string): boolean => isLoopbackName(parse(address)?.hostname ?? "")

export const isHttps = (address: string): boolean => parse(address)?.protocol === "https:"

/** Equal for two spellings of one address. What cannot be read is equal to itself alone. */
export const keyOf = (address: string): string => {
  const url = parse(trimmed(address))
  if (url === undefined) return address
  const host = isLoopbackName(url.hostname) ? "loopback" : url.hostname
  return `${url.protocol}//${host}:${url.port}${trimmed(url.pathname)}`
}

/** The service that an MCP address belongs to; none when it does not end in `/mcp`. */
export const serviceOfMcp = (address: string): Option.Option<string> => {
  const url = parse(address)
  if (url === undefined || !/^https?:$/.test(url.protocol)) return Option.none()
  const path = trimmed(url.pathname)
  return path.endsWith("/mcp")
    ? Option.some(trimmed(`${url.protocol}//${url.host}${path.slice(0, -"/mcp".length)}`))
    : Option.none()
}
