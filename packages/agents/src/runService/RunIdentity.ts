// Under whose name, in which session and with which state a run starts. What a credential says overrides the request.
import type * as Json from "@svc-runtime/domain/Json"
import * as Principal from "@svc-runtime/domain/Principal"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { Effect } from "effect"
import * as SessionState from "../agent/execute/SessionState.ts"
import * as Caller from "./Caller.ts"
import * as ClaimedFields from "./ClaimedFields.ts"
import { EvaluationForbidden } from "./RunServiceErrors.ts"
import type { StartRequest } from "./StartRequest.ts"

const overridden = (field: string) =>
  Effect.logWarning(`The request and the token both set ${field}; the value of the token is used`)

/** What the request sets, and what the claims of its caller do. */
const merged = Effect.fnUntraced(function*(
  claimed: ClaimedFields.ClaimedFields["Service"],
  field: keyof ClaimedFields.ClaimedFields["Service"],
  requested: Json.Object | undefined,
  { [field]: claims }: Principal.Principal
) {
  const left = requested === undefined ? undefined : yield* ClaimedFields.unclaimed(claimed, field, requested)
  return Object.keys(claims).length === 0 ? left : { ...left, ...claims }
})

/** The options of a fork, with the dependencies that the claims of its caller set. */
export const ofFork = Effect.fnUntraced(function*<Options extends { readonly dependencies?: Json.Object | undefined }>(
  options: Options,
  claimed: ClaimedFields.ClaimedFields["Service"],
  principal: Principal.Principal
) {
  return { ...options, dependencies: yield* merged(claimed, "dependencies", options.dependencies, principal) }
})

/** The request, with what the credential of its caller decides. */
export const decided = Effect.fnUntraced(
  function*(requested: StartRequest, claimed: ClaimedFields.ClaimedFields["Service"]) {
    const { caller: { principal }, options } = requested
    const user_id = (yield* Caller.ownerOfNew(principal, requested.user_id)) ?? undefined
    if (requested.user_id !== undefined && requested.user_id !== user_id) yield* overridden("user_id")
    const session_id = principal.session_id ?? requested.session_id
    if (requested.session_id !== undefined && requested.session_id !== session_id) yield* overridden("session_id")
    const chosen = [requested.run_id, principal.session_id === undefined ? requested.session_id : undefined]
    const mayChoose = chosen.every((id) => Caller.mayChoose(principal, id))
    if (!mayChoose || (RunOption.isEvaluation(options) && !Principal.may(principal, "evals:write"))) {
      return yield* new EvaluationForbidden()
    }
    const request: StartRequest = {
      ...requested,
      user_id,
      session_id,
      options: {
        ...options,
        dependencies: (yield* merged(claimed, "dependencies", options.dependencies, principal)) ?? {},
        session_state: yield* merged(claimed, "session_state", options.session_state, principal)
      }
    }
    return request
  }
)

/** The stored state of a session with that of the request, which the run merges into it. */
export const stateWith = ({ options }: StartRequest, stored: Json.Object): Json.Object =>
  SessionState.merged(stored, options.session_state)
