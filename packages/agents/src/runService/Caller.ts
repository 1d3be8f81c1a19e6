// On whose behalf the service starts, continues and reads runs. Each transport makes one from the caller's principal.
import * as Approval from "@svc-runtime/domain/Approval"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Principal from "@svc-runtime/domain/Principal"
import type { Approver } from "@svc-runtime/engine/approval/ApprovalContext"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { ComponentRef } from "./Components.ts"
import { ReservedUserId, UserRequired } from "./RunServiceErrors.ts"

export interface Caller {
  readonly principal: Principal.Principal
  /** Whose runs the caller may read, continue and cancel. */
  readonly owner: Owner.Owner
  /** Only factories read it. Null when there is none, as on a socket. */
  readonly request: HttpServerRequest.HttpServerRequest | null
}

export const make = (principal: Principal.Principal, request: Caller["request"] = null): Caller => ({
  principal,
  owner: Principal.owner(principal),
  request
})

/** The service itself. It may act for any user, and its runs belong to `user_id`. */
export const internal = (user_id?: Ids.UserId): Caller => ({
  principal: { ...Principal.open, credential: "internal", user_id },
  owner: Owner.anyone,
  request: null
})

/** The user who will own what the caller creates. Reserved names belong to the principals that have them. */
export const ownerOfNew = (
  principal: Principal.Principal,
  requested: Ids.UserId | null | undefined
): Effect.Effect<Ids.UserId | null, ReservedUserId> => {
  const isClaim = requested !== null && requested !== undefined && requested !== principal.user_id &&
    Principal.isReserved(requested)
  return isClaim ? Effect.fail(new ReservedUserId()) : Effect.succeed(Principal.ownerOfNew(principal, requested))
}

/**
 * The caller of a request that acts for one user, as sessions have it: it reaches runs of that user, and runs without a
 * user, also if the caller sees the runs of all users.
 */
export const actingFor = (
  caller: Caller,
  requested: Ids.UserId | null | undefined
): Effect.Effect<Caller, ReservedUserId> =>
  Effect.map(ownerOfNew(caller.principal, requested), (user_id) => {
    const { owner, principal: { session_id } } = caller
    if (owner._tag === "Anyone") return { ...caller, owner: Owner.within(Owner.acting(user_id), session_id) }
    if (owner._tag !== "Tenant" || user_id === null) return caller
    return { ...caller, owner: Owner.within(Owner.user(user_id), session_id) }
  })

/**
 * The user for whom something new acts after its request, such as a webhook or an evaluation. Null means all users, so
 * an isolated caller without a user is refused.
 */
export const actorOfNew = (
  principal: Principal.Principal,
  requested: Ids.UserId | null | undefined
): Effect.Effect<Ids.UserId | null, ReservedUserId | UserRequired> =>
  Effect.filterOrFail(
    ownerOfNew(principal, requested),
    (user_id) => user_id !== null || !principal.isIsolated,
    () => new UserRequired()
  )

const ofEvaluation = /^eval_[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}_\d/

/**
 * Whether the caller may choose the id of a session or a run. Evaluations make ids of their own id, which others can
 * read, so only callers who may evaluate choose such ones.
 */
export const mayChoose = (principal: Principal.Principal, id: string | undefined): boolean =>
  id === undefined || !ofEvaluation.test(id) || Principal.may(principal, "evals:write")

/** Whether the caller may change the stored component, and so try its drafts. */
export const mayChange = ({ principal }: Caller, { id, kind }: ComponentRef): boolean => {
  const { resource } = ComponentKind.descriptions[kind]
  return Principal.may(principal, "components:write") || Principal.may(principal, `${resource}:write`, { resource, id })
}

/** Undefined if the caller has no scope to approve, or is isolated: users cannot approve their own runs. */
export const approver = ({ principal }: Caller): Approver | undefined =>
  Principal.may(principal, "approvals:write") && Approval.canResolve(principal)
    ? { user_id: principal.user_id ?? null }
    : undefined
