// The look-up of a connection. The connection uses its reply, so a name cannot change in between.
import * as dns from "node:dns"
import type { LookupFunction } from "node:net"
import { refusedAddress } from "./checkUrl.ts"
import { type FetchPolicy, mayReach } from "./FetchPolicy.ts"

export type Resolve = (
  host: string,
  reply: (error: Error | null, addresses: ReadonlyArray<dns.LookupAddress>) => void
) => void

export const systemResolve: Resolve = (host, reply) =>
  dns.lookup(host, { all: true, order: "verbatim" }, (error, addresses) => reply(error, addresses ?? []))

/** A name is refused if one of its addresses is. */
export const guardedLookup =
  (resolve: Resolve, policy: FetchPolicy | "named"): LookupFunction => (host, options, callback) =>
    resolve(host, (error, addresses) => {
      if (error !== null) return callback(error, [])
      if (policy !== "named" && !addresses.every(({ address }) => mayReach(policy, address))) {
        return callback(refusedAddress(host), [])
      }
      const [first] = addresses
      if (first === undefined) return callback(new Error(`${host} has no address`), [])
      if (options.all === true) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    })
