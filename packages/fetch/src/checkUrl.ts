import { Effect } from "effect"
import { FetchRejected } from "./FetchError.ts"
import { type FetchPolicy, isAddress, isNamed, mayReach, mayUsePort } from "./FetchPolicy.ts"

const maxLength = 4096

const settings =
  "The operator allows addresses with FETCH_ALLOW, and those of private networks with FETCH_ALLOW_PRIVATE"

export const refusedAddress = (host: string): FetchRejected =>
  new FetchRejected({ reason: "address", message: `${host} is not an address of the public internet. ${settings}` })

const refused = (reason: FetchRejected["reason"], message: string) =>
  Effect.fail(new FetchRejected({ reason, message }))

export const portOf = ({ port, protocol }: URL): string => port === "" ? (protocol === "https:" ? "443" : "80") : port

/** Names of this machine, whatever a name server says (RFC 6761 §6.3). */
const isLocalName = (host: string): boolean => /^(?:.+\.)?localhost\.?$/.test(host)

/** Checks a URL before its host is resolved. IP addresses are not resolved: they are checked here. */
export const checkUrl = (text: string, policy: FetchPolicy): Effect.Effect<URL, FetchRejected> => {
  const url = text.length > maxLength ? null : URL.parse(text)
  if (url === null) return refused("format", `Invalid URL format: ${text.slice(0, 200)}`)
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return refused("url", `Only http and https addresses are fetched, not ${url.protocol.slice(0, 50)}`)
  }
  if (url.username !== "" || url.password !== "") {
    return refused("url", "An address with a user name or a password is not fetched")
  }
  const port = portOf(url)
  const address = isLocalName(url.hostname) ? "127.0.0.1" : url.hostname
  if (isAddress(address) && !mayReach(policy, address) && !isNamed(policy, url.hostname, port)) {
    return Effect.fail(refusedAddress(url.hostname))
  }
  if (!mayUsePort(policy, url.hostname, port)) {
    return refused("port", `The port ${port} is not fetched, only 80 and 443. ${settings}`)
  }
  url.hash = ""
  return Effect.succeed(url)
}
