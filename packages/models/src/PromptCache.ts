// What the requests of an agent say about the cache of their provider.
import { hashOf } from "./wire/hashOf.ts"

/** How long a provider that asks for it keeps what it has cached. */
export const lifetimes = ["5m", "1h"] as const
export type Lifetime = (typeof lifetimes)[number]

export interface PromptCache {
  /** Undefined: the shortest time of the provider. */
  readonly ttl?: Lifetime | undefined
  /** The same for requests with the same beginning. */
  readonly key: string
}

export const make = (owner: string, ttl: Lifetime | undefined): PromptCache => ({ ttl, key: hashOf(owner) })

/** The options of a message: what comes before it is the same in later requests. */
export const before = { svc: { cache: "before" } } as const
