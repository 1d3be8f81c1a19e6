// The scopes and the expiry that a new account can get. The checks are in the order of their errors.
import type * as Principal from "@svc-runtime/domain/Principal"
import * as Scope from "@svc-runtime/domain/Scope"
import * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import { Effect } from "effect"
import { InvalidScopes, MintingRejected, PrivilegedScopes, ScopesNotHeld } from "./ServiceAccountErrors.ts"

export type CreationFailure = InvalidScopes | PrivilegedScopes | MintingRejected | ScopesNotHeld

const secondsPerDay = 86_400

const requestedScopes = ({ scopes }: ServiceAccount.Create): ReadonlyArray<string> => [
  ...new Set(
    (scopes ?? ServiceAccount.defaultScopes).map((given) => typeof given === "string" ? given : given.scope)
  )
]

export const scopesFor = Effect.fnUntraced(function*(
  caller: Principal.Principal,
  request: ServiceAccount.Create,
  admin: string
): Effect.fn.Return<ReadonlyArray<string>, CreationFailure> {
  const scopes = requestedScopes(request)
  const invalid = scopes.filter((scope) => !Scope.isScope(scope, admin))
  if (invalid.length > 0) return yield* new InvalidScopes({ scopes: invalid })
  const privileged = scopes.filter((scope) => Scope.isPrivileged(scope, admin))
  if (privileged.length > 0 && request.allow_privileged_scopes !== true) {
    return yield* new PrivilegedScopes({ scopes: privileged })
  }
  if (caller.credential === "open") return yield* new MintingRejected()
  const { grants } = caller
  // The security key has no scopes because it allows everything.
  const notHeld = grants === undefined ? [] : scopes.filter((scope) => !Scope.covers(grants, scope))
  return notHeld.length > 0 ? yield* new ScopesNotHeld({ scopes: notHeld }) : scopes
})

export const expiryOf = ({ expires_in_days, never_expires }: ServiceAccount.Create, now: number): number | null =>
  never_expires === true ? null : now + (expires_in_days ?? ServiceAccount.defaultDays) * secondsPerDay
