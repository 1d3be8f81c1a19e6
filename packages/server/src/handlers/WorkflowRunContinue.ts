// Going on with a workflow's run that waits for a person, with what that person has said. By a form or by a socket: what is
// checked, and in which order, is the same.
import { CurrentPrincipal, FlagText } from "@svc/api"
import { AnyRun, Ids, type Run } from "@svc/domain"
import {
  type AnyWorkflow,
  ContinueRejected,
  ExecutorApprovals,
  type IdempotencyStore,
  type Resolved,
  type RunEngine,
  type RunFilter,
  type RunSnapshot,
  type StoredRuns,
  WorkflowContinuation
} from "@svc/runtime"
import { Effect, Option, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Caller from "../authorization/Caller.ts"
import type { FormBody } from "../forms/FormBody.ts"
import { optionalField, problem, required } from "../forms/FormFields.ts"
import { storageUnavailable } from "../WireErrors.ts"
import * as ContinueClaim from "./ContinueClaim.ts"
import * as Continuing from "./Continuing.ts"
import * as RunAnswer from "./RunAnswer.ts"

const Fields = Schema.Struct({
  session_id: Schema.optionalKey(Ids.IdInput),
  user_id: Schema.optionalKey(Ids.UserIdInput),
  stream: Schema.optionalKey(FlagText),
  stream_events: Schema.optionalKey(FlagText),
  on_disconnect: Schema.optionalKey(Schema.Literals(["continue", "cancel"])),
  step_requirements: Schema.optionalKey(Schema.String),
  error_requirements: Schema.optionalKey(Schema.String),
  factory_input: Schema.optionalKey(Schema.String)
})
type Fields = typeof Fields.Type
const decodeFields = Schema.decodeUnknownEffect(Fields, { errors: "all" })

/** What was sent, as JSON. A text that is none is told before anything else is looked at. */
const jsonOf = (field: "step_requirements" | "error_requirements", fields: Fields) => {
  const text = fields[field]
  return text === undefined
    ? Effect.succeed([])
    : required(field, text)
}

export interface Services {
  readonly engine: RunEngine["Service"]
  readonly idempotency: IdempotencyStore["Service"]
  readonly runs: StoredRuns["Service"]
}

type Named = Pick<AnyWorkflow, "id">

export const filterOf = Effect.fnUntraced(function*({ id }: Named) {
  const filter: RunFilter = { owner: yield* Caller.ownerOf(undefined), component: { kind: "workflow", id } }
  return filter
})

export interface Going {
  readonly resolved: Resolved<AnyWorkflow>
  readonly said: WorkflowContinuation.Decisions
  readonly stream: boolean
  /** Undefined when the request has no idempotency key. */
  readonly claim?: string | undefined
}

/** Has the run go on. Refused, it stays as it is. None when another request has resumed it first. */
export const goOn = Effect.fnUntraced(function*(
  { engine }: Services,
  found: RunSnapshot,
  { claim, resolved, said, stream }: Going
) {
  const approver = Continuing.approverOf(yield* CurrentPrincipal)
  const entry = yield* WorkflowContinuation.plan(found, said, { approver })
  return yield* Effect.mapError(
    engine.continue({ resting: found, entry, stream, background: false, resolved, claim }),
    storageUnavailable
  )
})

/** Another request has resumed the run. */
export const resumedByAnother = () => new ContinueRejected({ reason: "conflict", message: "run is already running" })

export interface Asked<E, R> {
  readonly id: AnyWorkflow["id"]
  /** The workflow of the run, which may take a factory. */
  readonly resolved: (run: RunSnapshot) => Effect.Effect<Resolved<AnyWorkflow>, E, R>
  readonly run_id: Run.Id
  readonly fingerprint: string
  readonly request: HttpServerRequest.HttpServerRequest
}

export interface Form extends RunAnswer.ResponseMode {
  readonly session_id: string | undefined
  /** For a factory: the run stays its user's. */
  readonly user_id: Ids.UserId | undefined
  readonly factory_input: string | undefined
  readonly said: WorkflowContinuation.Decisions
}

export const formOf = Effect.fnUntraced(function*({ fields: raw }: FormBody) {
  const fields = yield* Effect.mapError(decodeFields(optionalField(raw)), problem)
  const form: Form = {
    session_id: fields.session_id,
    user_id: fields.user_id,
    factory_input: fields.factory_input,
    stream: fields.stream ?? true,
    background: false,
    streamEvents: fields.stream_events ?? true,
    cancelOnDisconnect: fields.on_disconnect === "cancel",
    said: { steps: yield* jsonOf("step_requirements", fields), errors: yield* jsonOf("error_requirements", fields) }
  }
  return form
})

const isNothing = (list: unknown): boolean => Array.isArray(list) && list.length === 0

/**
 * Whether there is nothing to say because an approval has said it: whoever asks then wants to see what the run that it has
 * set going has come to.
 */
export const isApproved = (
  { output, status }: RunSnapshot,
  { errors, steps }: WorkflowContinuation.Decisions
): boolean =>
  status !== "PAUSED" && isNothing(steps) && isNothing(errors) && AnyRun.isWorkflow(output) &&
  output.step_requirements?.some((asked) => ExecutorApprovals.awaited(asked) !== undefined) === true

export const respond = Effect.fnUntraced(function*<E, R>(
  services: Services,
  { fingerprint, id, request, resolved: resolvedFor, run_id }: Asked<E, R>,
  form: Form
) {
  const component = { kind: "workflow", id } as const
  const named = { component, run_id, session_id: form.session_id }
  const { filter, resting: found } = yield* Continuing.restingOf(services.runs, named)
  // before anything is answered: a factory may turn the caller away
  const resolved = yield* resolvedFor(found)
  const subject = { run_id, session_id: found.session_id }
  const claim = yield* ContinueClaim.make(services.idempotency, { request, fingerprint, subject })
  const answered = RunAnswer.ofStored(services.engine, found, filter, form)
  if (ContinueClaim.hasResumed(claim, found) || isApproved(found, form.said)) {
    const answer = yield* answered
    if (Option.isSome(answer)) return answer.value
  }
  const resumed = Effect.gen(function*() {
    const handle = yield* goOn(services, found, { ...form, resolved, claim: claim.claim_id })
    if (Option.isSome(handle)) return yield* RunAnswer.ofHandle(services.engine, handle.value, found, form)
    // an equal request with the same key may have resumed the run a moment ago: both have one outcome
    const { resting } = yield* Continuing.restingOf(services.runs, named)
    const answer = ContinueClaim.hasResumed(claim, resting) ? yield* answered : Option.none()
    return Option.isSome(answer) ? answer.value : yield* resumedByAnother()
  })
  return yield* ContinueClaim.releasedOnRefusal(resumed, claim)
})
