// What the tests of an `OAuthStore` put into it. It is new each time.
import {
  type AuthorizationRequest,
  type Client,
  type Code,
  type Grant,
  OAuthStore,
  type Token
} from "@svc-runtime/auth"
import * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect } from "effect"
import { newId } from "../Samples.ts"

type NewGrant = Code & Grant
type NewTokens = ReadonlyArray<Omit<Token, "used_at">>

export const now = 1_700_000_000

export const client = (fields: Partial<Client> = {}): Client => ({
  id: newId("client"),
  name: "App",
  redirect_uris: ["https://app.example/callback"],
  created_at: now,
  ...fields
})

export const request = (fields: Partial<AuthorizationRequest> = {}): AuthorizationRequest => ({
  id_hash: newId("request"),
  client_id: newId("client"),
  client_name: "App",
  redirect_uri: "https://app.example/callback",
  state: "state",
  scopes: ["agents:run"],
  code_challenge: "challenge",
  expires_at: now + 600,
  ...fields
})

export const grant = (fields: Partial<NewGrant> = {}): NewGrant => ({
  id: newId("grant"),
  client_id: newId("client"),
  user_id: Ids.UserId.make("ann"),
  account_hash: null,
  scopes: ["agents:run"],
  created_at: now,
  expires_at: now + 300,
  revoked_at: null,
  code_hash: newId("code"),
  code_challenge: "challenge",
  redirect_uri: "https://app.example/callback",
  code_expires_at: now + 300,
  code_used_at: null,
  ...fields
})

export const tokens = (): NewTokens => [
  { token_hash: newId("access"), kind: "access", expires_at: now + 3600 },
  { token_hash: newId("refresh"), kind: "refresh", expires_at: now + 86_400 }
]

/** No limits. */
export const many = {
  pending: 1_000_000,
  ofAddress: 1_000_000,
  address_hash: "anywhere",
  now,
  expires_at: now + 60,
  unusedSince: 0
}

/** A request that a person has approved. */
export const approved = Effect.fnUntraced(function*(
  fields: Partial<NewGrant> = {}
): Effect.fn.Return<NewGrant, StorageUnavailable, OAuthStore> {
  const store = yield* OAuthStore
  const waiting = request()
  yield* store.insertRequest(waiting, many)
  const made = grant({ client_id: waiting.client_id, ...fields })
  yield* store.approve(waiting.id_hash, made, now)
  return made
})

interface Redeemed {
  readonly grant: NewGrant
  readonly access: NewTokens[number]
  readonly refresh: NewTokens[number]
}

/** A grant whose client has its first tokens. */
export const redeemed = Effect.fnUntraced(function*(): Effect.fn.Return<Redeemed, StorageUnavailable, OAuthStore> {
  const store = yield* OAuthStore
  const made = yield* approved()
  const given = tokens()
  yield* store.redeem(made.code_hash, given, now)
  return { grant: made, access: given[0]!, refresh: given[1]! }
})
