// The caller of a request: whose data it may touch, and under which user it runs. A credential overrides the fields of
// the request.
import * as Caller from "@svc-runtime/agents/runService/Caller"
import { EvaluationForbidden, LimitedToSession } from "@svc-runtime/agents/runService/RunServiceErrors"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Principal from "@svc-runtime/domain/Principal"
import { Effect } from "effect"

/** `requested`: the user that the request names. It counts only if the caller may choose one. */
export const ownerOf = (requested: Ids.UserId | undefined): Effect.Effect<Owner.Owner, never, CurrentPrincipal> =>
  CurrentPrincipal.useSync((principal) => Principal.owner(principal, requested))

/** The owner of the data that the request creates. */
export const ownerOfNew = (requested: Ids.UserId | null | undefined) =>
  CurrentPrincipal.use((principal) =>
    Effect.mapError(Caller.ownerOfNew(principal, requested), ({ message }) => Errors.forbidden(message))
  )

/** The user for whom what the request creates acts later. */
export const actorOfNew = (requested: Ids.UserId | null | undefined) =>
  CurrentPrincipal.use((principal) =>
    Effect.mapError(Caller.actorOfNew(principal, requested), ({ message }) => Errors.forbidden(message))
  )

/** The session that the request creates. A token that is limited to a session creates only that one. */
export const sessionOfNew = (requested: string | undefined) =>
  CurrentPrincipal.use((principal) => {
    const { session_id } = principal
    if (session_id !== undefined && requested !== undefined && requested !== session_id) {
      return Effect.fail(Errors.forbidden(new LimitedToSession().message))
    }
    return Caller.mayChoose(principal, requested)
      ? Effect.succeed(session_id ?? requested)
      : Effect.fail(Errors.forbidden(new EvaluationForbidden().message))
  })

/** The caller of the run service. `request` is for factories; null where there is none. */
export const current = (request: Caller.Caller["request"]) =>
  CurrentPrincipal.useSync((principal) => Caller.make(principal, request))
