// Access tokens of the service's own authorization server. They are looked up, with their grant, for each request.
import * as Principal from "@svc-runtime/domain/Principal"
import * as Scope from "@svc-runtime/domain/Scope"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Time from "@svc-runtime/domain/Time"
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import { expired, invalid, type TokenRejected } from "../AuthErrors.ts"
import * as BoundedCache from "../BoundedCache.ts"
import { ServiceAccounts } from "../ServiceAccounts.ts"
import { OAuthStore } from "./OAuthStore.ts"
import { OAuthTokens } from "./OAuthTokens.ts"
import * as secrets from "./Secrets.ts"

const unknown = invalid("it is unknown or revoked")

/** Seconds for which a verification serves an open stream. */
const recheckSeconds = 1
const maxCached = 1000

interface Accepted {
  readonly principal: Principal.Principal
  readonly verifiedAt: number
}

const make = Effect.fnUntraced(function*(adminScope: string) {
  const store = yield* OAuthStore
  const accounts = yield* ServiceAccounts
  const seconds = Effect.map(Clock.currentTimeMillis, Time.fromMillis)
  const recent = BoundedCache.make<string, Accepted>(maxCached)

  const lookUp = Effect.fnUntraced(function*(
    token: Redacted.Redacted
  ): Effect.fn.Return<Principal.Principal, TokenRejected | StorageUnavailable> {
    if (!Redacted.value(token).startsWith(secrets.prefixes.access)) return yield* unknown
    const hash = secrets.hash(token)
    const now = yield* seconds
    const found = Option.getOrUndefined(yield* store.findToken(hash))
    if (found === undefined || found.token.kind !== "access" || found.grant.revoked_at !== null) {
      recent.delete(hash)
      return yield* unknown
    }
    if (found.token.expires_at <= now) return yield* expired
    const { account_hash, scopes, user_id } = found.grant
    // a grant ends with the service account that gave it
    if (account_hash !== null && Option.isNone(yield* accounts.findByHash(account_hash))) return yield* unknown
    const principal = Principal.oauth(user_id, Scope.grants(scopes, adminScope))
    recent.set(hash, { principal, verifiedAt: now })
    return principal
  })

  return OAuthTokens.of({
    authenticate: lookUp,
    reauthenticate: Effect.fnUntraced(function*(token) {
      const known = recent.get(secrets.hash(token))
      return known !== undefined && (yield* seconds) < known.verifiedAt + recheckSeconds
        ? known.principal
        : yield* lookUp(token)
    })
  })
})

export const layer = (adminScope: string): Layer.Layer<OAuthTokens, never, OAuthStore | ServiceAccounts> =>
  Layer.effect(OAuthTokens, make(adminScope))
