// Access tokens of the service's own authorization server. They are looked up, with their grant, for each request.
import * as Principal from "@svc-runtime/domain/Principal"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Tenant from "@svc-runtime/domain/Tenant"
import * as Time from "@svc-runtime/domain/Time"
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import { expired, invalid, type TokenRejected } from "../AuthErrors.ts"
import * as BoundedCache from "../BoundedCache.ts"
import { Roles } from "../Roles.ts"
import { ServiceAccounts } from "../ServiceAccounts.ts"
import { OAuthStore } from "./OAuthStore.ts"
import { OAuthTokens } from "./OAuthTokens.ts"
import * as secrets from "./Secrets.ts"

const unknown = invalid("it is unknown or revoked")

/** Seconds for which a verification serves an open stream. */
const recheckSeconds = 1
const maxCached = 1000

interface Accepted {
  readonly principal: Effect.Effect<Principal.Principal, StorageUnavailable>
  readonly verifiedAt: number
}

const make = Effect.gen(function*() {
  const store = yield* OAuthStore
  const accounts = yield* ServiceAccounts
  const roles = yield* Roles
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
    const principal = roles.derive(
      scopes,
      (grants) => Principal.inTenant(Principal.oauth(user_id, grants), Tenant.of(user_id))
    )
    recent.set(hash, { principal, verifiedAt: now })
    return yield* principal
  })

  return OAuthTokens.of({
    authenticate: lookUp,
    reauthenticate: Effect.fnUntraced(function*(token) {
      const known = recent.get(secrets.hash(token))
      return known !== undefined && (yield* seconds) < known.verifiedAt + recheckSeconds
        ? yield* known.principal
        : yield* lookUp(token)
    })
  })
})

export const layer: Layer.Layer<OAuthTokens, never, OAuthStore | Roles | ServiceAccounts> = Layer.effect(
  OAuthTokens,
  make
)
