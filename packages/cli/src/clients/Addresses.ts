// The services in the configs of clients.
import { Effect, Option } from "effect"
import { serviceOfMcp } from "../discovery/Address.ts"
import type { Candidate } from "../discovery/ServiceCandidates.ts"
import * as Clients from "./Clients.ts"
import * as ServiceEntries from "./ServiceEntries.ts"

/** The addresses in the configs of all clients, installed or not. Each address is given once, with its clients. */
export const addresses = Effect.fn("Addresses.addresses")(function*() {
  const namesByUrl = new Map<string, Set<string>>()
  for (const client of Clients.all) {
    for (const { url } of yield* ServiceEntries.list(client)) {
      const service = Option.getOrUndefined(serviceOfMcp(url))
      if (service === undefined) continue
      namesByUrl.set(service, (namesByUrl.get(service) ?? new Set()).add(client.name))
    }
  }
  return Array.from(namesByUrl, ([url, names]): Candidate => ({
    url,
    source: "client-config",
    file: [...names].join(", ")
  }))
})
