// The addresses that requests may reach: public ones, and the operator's exceptions.
import ipaddr from "ipaddr.js"

export interface PolicyOptions {
  /** Whether addresses of private networks and of this machine may be reached, on any port. */
  readonly allowPrivate?: boolean | undefined
  /** Hosts (`intra.example`, `*.example`, `intra.example:8443`), addresses and networks (`10.1.0.0/16`). */
  readonly allow?: ReadonlyArray<string> | undefined
}

type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

export interface FetchPolicy {
  readonly allowPrivate: boolean
  readonly networks: ReadonlyArray<Network>
  /** Without ports: all ports. */
  readonly hosts: ReadonlyArray<{ readonly host: string; readonly port: string | undefined }>
}

/** `[::1]` is `::1`, and `Example.ORG.` is `example.org`. */
const bare = (host: string) => host.toLowerCase().replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")

const networkOf = (entry: string): Network | undefined => {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry)
  if (!isAddress(entry)) return undefined
  const address = ipaddr.process(bare(entry))
  return [address, address.kind() === "ipv4" ? 32 : 128]
}

/** IPv4 addresses with all four numbers only: `isValid` also takes the short forms of old systems. */
export const isAddress = (host: string): boolean => {
  const address = bare(host)
  return ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
}

const hostOf = (entry: string) => {
  const [, host = entry, port] = /^(.*?)(?::(\d{1,5}))?$/.exec(entry) ?? []
  return { host: bare(host), port }
}

/** The problem of an entry of the list. Undefined: it is valid. */
export const entryProblem = (entry: string): string | undefined =>
  networkOf(entry) !== undefined || /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?(?::\d{1,5})?$/i.test(entry)
    ? undefined
    : `${entry} is no host, no address and no network. Examples: intra.example, *.example:8443, 10.1.0.0/16`

export const make = ({ allow = [], allowPrivate = false }: PolicyOptions): FetchPolicy => ({
  allowPrivate,
  networks: allow.flatMap((entry) => {
    const network = networkOf(entry)
    return network === undefined ? [] : [network]
  }),
  hosts: allow.filter((entry) => networkOf(entry) === undefined).map(hostOf)
})

/** The networks of `allowPrivate`. It excludes link-local addresses, where clouds serve secrets to machines. */
const privateRanges = ["private", "loopback", "uniqueLocal", "carrierGradeNat"]

/** Global unicast, the only part of IPv6 that is routed on the internet. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/**
 * Where clouds serve secrets to their machines at addresses that are not link-local: the agents of Azure, and the
 * metadata of Alibaba, Oracle, Amazon, Google and Scaleway. Only `allow` opens them.
 */
const cloudAddresses = new Set(
  ["168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254", "fd00:42::42"].map((address) =>
    ipaddr.parse(address).toNormalizedString()
  )
)

const isOfCloud = (address: ipaddr.IPv4 | ipaddr.IPv6) => cloudAddresses.has(address.toNormalizedString())

const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
  address.range() === "unicast" && (address instanceof ipaddr.IPv4 || address.match(globalUnicast)) &&
  !isOfCloud(address)

/** An IPv4 address in IPv6 form counts as the IPv4 address. */
export const mayReach = ({ allowPrivate, networks }: FetchPolicy, address: string): boolean => {
  if (!isAddress(address)) return false
  const parsed = ipaddr.process(bare(address))
  return isPublic(parsed) ||
    (allowPrivate && privateRanges.includes(parsed.range()) && !isOfCloud(parsed)) ||
    networks.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits))
}

const matches = (pattern: string, host: string) =>
  pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern

/** Whether the operator allows a host by its name. Then its addresses are not checked. */
export const isNamed = ({ hosts }: FetchPolicy, host: string, port: string): boolean =>
  hosts.some((entry) => matches(entry.host, bare(host)) && (entry.port === undefined || entry.port === port))

const defaultPorts = ["80", "443"]

export const mayUsePort = (policy: FetchPolicy, host: string, port: string): boolean =>
  defaultPorts.includes(port) || policy.allowPrivate || isNamed(policy, host, port) ||
  (isAddress(host) && policy.networks.length > 0 && mayReach({ ...policy, allowPrivate: false }, host) &&
    !isPublic(ipaddr.process(bare(host))))
