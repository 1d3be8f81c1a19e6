// The clients of the authorization server: registered ones, and ones with the URL of a document as their id.
import * as Time from "@svc-runtime/domain/Time"
import { Clock, Context, Effect, Option } from "effect"
import { randomUUID } from "node:crypto"
import * as BoundedCache from "../BoundedCache.ts"
import { addressHash } from "./addressHash.ts"
import * as ClientMetadata from "./ClientMetadata.ts"
import { refusal } from "./OAuthError.ts"
import { type Client, OAuthStore } from "./OAuthStore.ts"

/** Fetches the JSON document at a URL of a client. The failure is a sentence. */
export class ClientDocuments extends Context.Service<ClientDocuments, {
  readonly fetch: (url: string) => Effect.Effect<unknown, string>
}>()("@svc-runtime/auth/oauth/Clients/ClientDocuments") {}

/** Clients that no person has approved yet, those of one address, and for how many seconds they are kept. */
const maxPending = 1000
const maxOfAddress = 250
const pendingSeconds = 3600

/** The time that a client has to begin a sign-in before it makes room for others. */
const unusedSeconds = 60

const cacheSeconds = 300
const maxCached = 500

/** An id becomes part of the name of a user. */
const maxUrlLength = 400

const loopback = ["localhost", "127.0.0.1", "[::1]"]

/** The id of a client that registers itself is no URL. */
const documentUrl = (id: string): string | undefined => {
  const url = id.length > maxUrlLength ? null : URL.parse(id)
  if (url === null || url.href !== id || url.pathname === "/" || url.hash !== "") return undefined
  if (url.username !== "" || url.password !== "") return undefined
  return url.protocol === "https:" || (url.protocol === "http:" && loopback.includes(url.hostname)) ? id : undefined
}

export const make = Effect.gen(function*() {
  const store = yield* OAuthStore
  const documents = yield* ClientDocuments
  const cache = BoundedCache.make<string, { readonly client: Client; readonly fetchedAt: number }>(maxCached)
  const seconds = Effect.map(Clock.currentTimeMillis, Time.fromMillis)

  const described = Effect.fnUntraced(function*(url: string, now: number) {
    const known = cache.get(url)
    if (known !== undefined && now < known.fetchedAt + cacheSeconds) return known.client
    const document = yield* Effect.mapError(
      documents.fetch(url),
      (problem) => refusal("invalid_client", `The document of the client cannot be read. ${problem}`)
    )
    const { client_id, name, redirect_uris } = yield* ClientMetadata.decode(document)
    if (client_id !== url) {
      return yield* Effect.fail(
        refusal("invalid_client", "The document of the client does not name its URL as client_id")
      )
    }
    const client: Client = { id: url, name, redirect_uris, created_at: now }
    cache.set(url, { client, fetchedAt: now })
    return client
  })

  return {
    register: Effect.fn("OAuthClients.register")(function*(given: unknown, address?: string) {
      const metadata = yield* ClientMetadata.decode(given)
      const now = yield* seconds
      const client: Client = {
        id: randomUUID(),
        name: metadata.name,
        redirect_uris: metadata.redirect_uris,
        created_at: now
      }
      const isStored = yield* store.insertClient(client, {
        pending: maxPending,
        ofAddress: maxOfAddress,
        address_hash: addressHash(address),
        now,
        expires_at: now + pendingSeconds,
        unusedSince: now - unusedSeconds
      })
      if (!isStored) {
        return yield* refusal("temporarily_unavailable", "Too many clients wait for their first sign-in. Try later")
      }
      return { client, scope: metadata.scope }
    }),
    find: Effect.fn("OAuthClients.find")(function*(id: string) {
      const now = yield* seconds
      const url = documentUrl(id)
      const found = url === undefined ? yield* store.findClient(id, now) : Option.some(yield* described(url, now))
      return Option.isSome(found) ? found.value : yield* refusal("invalid_client", "The client is unknown")
    })
  }
})
