// The clients of the authorization server: registered ones, and ones with the URL of a document as their id.
import * as Time from "@svc-runtime/domain/Time"
import { Clock, Context, Effect, Option, Schema } from "effect"
import { randomUUID } from "node:crypto"
import * as BoundedCache from "../BoundedCache.ts"
import { addressHash } from "./addressHash.ts"
import { type OAuthError, refusal } from "./OAuthError.ts"
import { type Client, OAuthStore } from "./OAuthStore.ts"
import * as RedirectUri from "./RedirectUri.ts"

// The metadata of a client, from its registration (RFC 7591) or from the document that its id names.

const maxUris = 20
const maxName = 200

const Texts = Schema.Array(Schema.String)

/** Other members mean nothing here. */
const Metadata = Schema.Struct({
  redirect_uris: Texts,
  client_name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  token_endpoint_auth_method: Schema.optionalKey(Schema.NullOr(Schema.String)),
  grant_types: Schema.optionalKey(Schema.NullOr(Texts)),
  response_types: Schema.optionalKey(Schema.NullOr(Texts)),
  scope: Schema.optionalKey(Schema.NullOr(Schema.String)),
  client_id: Schema.optionalKey(Schema.String),
  client_secret: Schema.optionalKey(Schema.Unknown)
})

const decodeMetadata = Schema.decodeUnknownEffect(Metadata)

interface ClientMetadata {
  readonly client_id: string | undefined
  readonly name: string | null
  readonly redirect_uris: ReadonlyArray<string>
  readonly scope: string | undefined
}

const invalid = (description: string) => Effect.fail(refusal("invalid_client_metadata", description))

const decode = Effect.fnUntraced(function*(
  given: unknown
): Effect.fn.Return<ClientMetadata, OAuthError> {
  const metadata = yield* Effect.mapError(
    decodeMetadata(given),
    () =>
      refusal("invalid_client_metadata", "The metadata of a client is an object with redirect_uris, a list of texts")
  )
  const { client_id, client_name, grant_types, redirect_uris, response_types, scope } = metadata
  if (redirect_uris.length === 0 || redirect_uris.length > maxUris) {
    return yield* Effect.fail(refusal("invalid_redirect_uri", `A client has 1 to ${maxUris} redirect_uris`))
  }
  if (!redirect_uris.every(RedirectUri.isAllowed)) {
    return yield* Effect.fail(refusal(
      "invalid_redirect_uri",
      "A redirect URI is an https address, an http address on loopback, or has the scheme of an app; without a fragment"
    ))
  }
  if ((metadata.token_endpoint_auth_method ?? "none") !== "none" || metadata.client_secret !== undefined) {
    return yield* invalid("Clients have no secret here: token_endpoint_auth_method has to be none")
  }
  if (grant_types?.includes("authorization_code") === false || response_types?.includes("code") === false) {
    return yield* invalid("Clients use the grant type authorization_code and the response type code")
  }
  if ((client_name?.length ?? 0) > maxName) return yield* invalid(`A client_name has at most ${maxName} characters`)
  if ((scope?.length ?? 0) > 2048) return yield* invalid("A scope has at most 2048 characters")
  return { client_id, name: client_name ?? null, redirect_uris, scope: scope ?? undefined }
})

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
    const { client_id, name, redirect_uris } = yield* decode(document)
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
      const metadata = yield* decode(given)
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
