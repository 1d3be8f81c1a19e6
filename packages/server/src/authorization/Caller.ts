// What handlers ask of the caller: whose things a request may touch, and who it speaks as. A credential counts for more
// than what a request says, and a request that says otherwise is corrected where that is noticed by somebody.
import { CurrentPrincipal, Errors } from "@svc/api"
import { type Ids, type Json, type Owner, Principal } from "@svc/domain"
import { Effect } from "effect"

/** `asked` is the user that the request names, as far as this caller may choose one. */
export const ownerOf = (asked: Ids.UserId | undefined): Effect.Effect<Owner.Owner, never, CurrentPrincipal> =>
  CurrentPrincipal.useSync((principal) => Principal.owner(principal, asked))

const claimed = Errors.forbidden("Client-supplied user_id may not claim a reserved principal")

/** Who will own what the request makes. The names that the service gives out belong to those who have them. */
export const ownerOfNew = Effect.fnUntraced(function*(asked: Ids.UserId | null | undefined) {
  const principal = yield* CurrentPrincipal
  const isClaim = asked !== null && asked !== undefined && asked !== principal.user_id && Principal.isReserved(asked)
  return isClaim ? yield* claimed : Principal.ownerOfNew(principal, asked)
})

/** What a form says of itself. */
interface IdentityFields {
  readonly user_id: Ids.UserId | undefined
  readonly session_id: string | undefined
  readonly dependencies: Json.Object
  readonly session_state: Json.Object | undefined
}

export interface RunIdentity extends IdentityFields {
  /** Whether the session has to be the caller's own. */
  readonly isolated: boolean
}

const overridden = (field: string) =>
  Effect.logWarning(`The request and the token both set ${field}; the value of the token is used`)

const merged = (said: Json.Object | undefined, claims: Json.Object): Json.Object | undefined =>
  Object.keys(claims).length === 0 ? said : { ...said, ...claims }

/** Under whose name, in which session and with what a run is started. */
export const runIdentity = Effect.fnUntraced(function*(said: IdentityFields) {
  const principal = yield* CurrentPrincipal
  const user_id = (yield* ownerOfNew(said.user_id)) ?? undefined
  if (said.user_id !== undefined && said.user_id !== user_id) yield* overridden("user_id")
  const session_id = principal.session_id ?? said.session_id
  if (said.session_id !== undefined && said.session_id !== session_id) yield* overridden("session_id")
  const identity: RunIdentity = {
    user_id,
    session_id,
    dependencies: merged(said.dependencies, principal.dependencies) ?? {},
    session_state: merged(said.session_state, principal.session_state),
    isolated: principal.isIsolated
  }
  return identity
})
