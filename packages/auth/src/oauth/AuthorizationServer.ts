// The authorization server of the MCP endpoint (OAuth 2.1): requests of clients, consent of people, codes and tokens.
// Tokens are opaque and looked up for each request, so that a revocation takes effect at once on every node.
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Time from "@svc-runtime/domain/Time"
import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { isSameSecret } from "../isSameSecret.ts"
import { ServiceAccounts } from "../ServiceAccounts.ts"
import { addressHash } from "./addressHash.ts"
import * as Clients from "./Clients.ts"
import * as Consent from "./Consent.ts"
import { type OAuthError, refusal } from "./OAuthError.ts"
import { type AuthorizationRequest, type Client, type Grant, OAuthStore } from "./OAuthStore.ts"
import * as RedirectUri from "./RedirectUri.ts"
import * as secrets from "./Secrets.ts"

export interface ServerSettings {
  readonly adminScope: string
  /** The secret of the operator that approves clients. */
  readonly connectSecret: Redacted.Redacted | undefined
}

/** Requests that wait for a person, and those of one address. */
const maxRequests = 2000
const maxOfAddress = 500

/** Seconds. A grant ends although its tokens are replaced, so that people who left lose access. */
export const lifetimes = {
  request: 600,
  code: 300,
  access: 3600,
  refresh: 30 * 86_400,
  grant: 90 * 86_400
} as const

export interface NewRequest {
  readonly client: Client
  readonly redirect_uri: string
  readonly state: string | null
  readonly scopes: ReadonlyArray<string>
  readonly code_challenge: string
  /** Where the browser is. */
  readonly address?: string | undefined
}

export interface Tokens {
  readonly access: Redacted.Redacted
  readonly refresh: Redacted.Redacted
  readonly scopes: ReadonlyArray<string>
}

interface CodeRequest {
  readonly code: string
  readonly client_id: string
  readonly redirect_uri: string
  readonly code_verifier: string
}

interface Approval {
  readonly code: Redacted.Redacted
  readonly scopes: ReadonlyArray<string>
  readonly user_id: Ids.UserId
}

type Refused = OAuthError | StorageUnavailable

export class AuthorizationServer extends Context.Service<AuthorizationServer, {
  readonly register: Effect.Success<typeof Clients.make>["register"]
  readonly findClient: Effect.Success<typeof Clients.make>["find"]
  /** The secret id of a request that now waits for a person. */
  readonly begin: (request: NewRequest) => Effect.Effect<Redacted.Redacted, Refused>
  readonly findRequest: (
    id: Redacted.Redacted
  ) => Effect.Effect<Option.Option<AuthorizationRequest>, StorageUnavailable>
  /** The request of a correct secret. A wrong secret has no result. */
  readonly recognize: (
    secret: string,
    address: string | undefined
  ) => Effect.Effect<Consent.Person | undefined, StorageUnavailable>
  /** Approves a request that still waits. Fails if the person has none of the requested rights. */
  readonly approve: (
    id: Redacted.Redacted,
    person: Consent.Person
  ) => Effect.Effect<Approval | undefined, Refused>
  readonly deny: (id: Redacted.Redacted) => Effect.Effect<boolean, StorageUnavailable>
  readonly exchange: (request: CodeRequest) => Effect.Effect<Tokens, Refused>
  readonly refresh: (token: string, client_id: string) => Effect.Effect<Tokens, Refused>
  /** Ends the grant of a token. An unknown token is ignored (RFC 7009 §2.2). */
  readonly revoke: (token: string, client_id: string) => Effect.Effect<void, StorageUnavailable>
}>()("@svc-runtime/auth/oauth/AuthorizationServer") {
  static readonly layer = (settings: ServerSettings) => Layer.effect(AuthorizationServer, make(settings))
}

const badCode = refusal("invalid_grant", "The code is unknown, used, expired, or of another client or redirect URI")
const badVerifier = refusal("invalid_grant", "The code_verifier does not belong to the code_challenge of the request")
const badRefresh = refusal("invalid_grant", "The refresh token is unknown, used, expired or revoked")
const isVerifier = (text: string) => /^[\w.~-]{43,128}$/.test(text)

const make = Effect.fnUntraced(function*({ adminScope, connectSecret }: ServerSettings) {
  const store = yield* OAuthStore
  const clients = yield* Clients.make
  const accounts = yield* ServiceAccounts
  const recognize = yield* Consent.make(connectSecret)
  const seconds = Effect.map(Clock.currentTimeMillis, Time.fromMillis)

  const newTokens = Effect.fnUntraced(function*({ created_at, scopes }: Grant, now: number) {
    const until = created_at + lifetimes.grant

    const tokens: Tokens = {
      access: yield* secrets.make(secrets.prefixes.access),
      refresh: yield* secrets.make(secrets.prefixes.refresh),
      scopes
    }
    const stored = [
      { token_hash: secrets.hash(tokens.access), kind: "access", expires_at: Math.min(until, now + lifetimes.access) },
      {
        token_hash: secrets.hash(tokens.refresh),
        kind: "refresh",
        expires_at: Math.min(until, now + lifetimes.refresh)
      }
    ] as const
    return { tokens, stored }
  })

  /** A used code or token that comes again was stolen, or its response was, so all tokens end. */
  const endFamily = Effect.fnUntraced(
    function*(grant: { readonly id: string; readonly client_id: string }, now: number) {
      if (!(yield* store.revoke(grant.id, now))) return
      yield* Effect.annotateLogs(
        Effect.logWarning("OAuth grant revoked: its code or refresh token was used twice"),
        { client_id: grant.client_id }
      )
    }
  )

  return AuthorizationServer.of({
    register: clients.register,
    findClient: clients.find,
    recognize,
    begin: Effect.fn("AuthorizationServer.begin")(function*({ address, client, ...request }) {
      const id = yield* secrets.make()
      const now = yield* seconds
      const isStored = yield* store.insertRequest({
        ...request,
        id_hash: secrets.hash(id),
        client_id: client.id,
        client_name: client.name,
        expires_at: now + lifetimes.request
      }, { pending: maxRequests, ofAddress: maxOfAddress, address_hash: addressHash(address), now })
      return isStored ? id : yield* refusal("temporarily_unavailable", "Too many requests wait for consent. Try later")
    }),
    findRequest: (id) => Effect.flatMap(seconds, (now) => store.findRequest(secrets.hash(id), now)),
    approve: Effect.fn("AuthorizationServer.approve")(function*(id, person) {
      const now = yield* seconds
      const id_hash = secrets.hash(id)
      const found = yield* store.findRequest(id_hash, now)
      if (Option.isNone(found)) return undefined
      const { client_id, code_challenge, redirect_uri, scopes: requested } = found.value
      const scopes = Consent.granted(person, requested, adminScope)
      if (scopes.length === 0 && requested.length > 0) {
        return yield* refusal("invalid_scope", "The credential has none of the scopes that the client requests")
      }
      const code = yield* secrets.make()
      const user_id = Consent.userOf(person, client_id)
      const isFirst = yield* store.approve(id_hash, {
        id: randomUUID(),
        client_id,
        user_id,
        account_hash: person.account_hash,
        scopes,
        created_at: now,
        expires_at: now + lifetimes.code,
        revoked_at: null,
        code_hash: secrets.hash(code),
        code_challenge,
        redirect_uri,
        code_expires_at: now + lifetimes.code,
        code_used_at: null
      }, now)
      if (!isFirst) return undefined
      yield* Effect.annotateLogs(Effect.logInfo("MCP access granted to a client"), { client_id, user_id })
      return { code, scopes, user_id }
    }),
    deny: (id) => Effect.flatMap(seconds, (now) => store.removeRequest(secrets.hash(id), now)),
    exchange: Effect.fn("AuthorizationServer.exchange")(function*({ client_id, code, code_verifier, redirect_uri }) {
      const now = yield* seconds
      const code_hash = secrets.hash(Redacted.make(code))
      const found = Option.getOrUndefined(yield* store.findByCode(code_hash))
      if (found === undefined || found.client_id !== client_id || found.redirect_uri !== redirect_uri) {
        return yield* badCode
      }
      const challenge = Redacted.make(secrets.challengeOf(code_verifier))
      if (!isVerifier(code_verifier) || !isSameSecret(challenge, Redacted.make(found.code_challenge))) {
        return yield* badVerifier
      }
      const { stored, tokens } = yield* newTokens(found, now)
      if (yield* store.redeem(code_hash, stored, now)) return tokens
      const used = Option.getOrUndefined(yield* store.findByCode(code_hash))
      if (used !== undefined && used.code_used_at !== null) yield* endFamily(used, now)
      return yield* badCode
    }),
    refresh: Effect.fn("AuthorizationServer.refresh")(function*(text, client_id) {
      const now = yield* seconds
      const hash = secrets.hash(Redacted.make(text))
      const found = Option.getOrUndefined(yield* store.findToken(hash))
      if (found === undefined || found.token.kind !== "refresh" || found.grant.client_id !== client_id) {
        return yield* badRefresh
      }
      const { account_hash } = found.grant
      if (account_hash !== null && Option.isNone(yield* accounts.findByHash(account_hash))) return yield* badRefresh
      const { stored, tokens } = yield* newTokens(found.grant, now)
      if (yield* store.rotate(hash, stored, now)) return tokens
      const current = Option.getOrUndefined(yield* store.findToken(hash))
      if (current !== undefined && current.token.used_at !== null) yield* endFamily(current.grant, now)
      return yield* badRefresh
    }),
    revoke: Effect.fn("AuthorizationServer.revoke")(function*(text, client_id) {
      const found = Option.getOrUndefined(yield* store.findToken(secrets.hash(Redacted.make(text))))
      if (found === undefined || found.grant.client_id !== client_id) return
      if (!(yield* store.revoke(found.grant.id, yield* seconds))) return
      yield* Effect.annotateLogs(Effect.logInfo("MCP access ended by the client"), { client_id })
    })
  })
})

/** Whether a client registered this redirect URI. */
export const isRegistered = ({ redirect_uris }: Client, uri: string): boolean =>
  redirect_uris.some((registered) => RedirectUri.matches(registered, uri))
