// Going on with a workflow's run that waits for a person, with what that person has said. By a form or by a socket: what is
// checked, and in which order, is the same.
import { CurrentPrincipal, Errors, FlagText } from "@svc/api"
import { AnyRun, Ids, type Run, StepRequirement } from "@svc/domain"
import {
  type AnyWorkflow,
  ExecutorApprovals,
  type IdempotencyStore,
  Resolutions,
  type Resolved,
  type Resting,
  type RunEngine,
  type RunFilter,
  type RunStore
} from "@svc/runtime"
import { Clock, Effect, Option, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Caller from "../authorization/Caller.ts"
import * as IdempotencyKey from "../idempotency/IdempotencyKey.ts"
import type { FormBody } from "../multipart/FormBody.ts"
import { given, problem } from "../multipart/FormFields.ts"
import * as Continuing from "./Continuing.ts"
import * as RunAnswer from "./RunAnswer.ts"
import { storageUnavailable } from "./translate.ts"

const Fields = Schema.Struct({
  session_id: Schema.optionalKey(Ids.GivenId),
  user_id: Schema.optionalKey(Ids.GivenUserId),
  stream: Schema.optionalKey(FlagText),
  stream_events: Schema.optionalKey(FlagText),
  on_disconnect: Schema.optionalKey(Schema.Literals(["continue", "cancel"])),
  step_requirements: Schema.optionalKey(Schema.String),
  error_requirements: Schema.optionalKey(Schema.String),
  factory_input: Schema.optionalKey(Schema.String)
})
type Fields = typeof Fields.Type
const decodeFields = Schema.decodeUnknownEffect(Fields, { errors: "all" })

const decodeSteps = Schema.decodeUnknownEffect(Schema.Array(StepRequirement.Resolution))
const decodeErrors = Schema.decodeUnknownEffect(Schema.Array(StepRequirement.ErrorResolution))
const parse = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Json))

const malformed = (field: string) => ({ message }: { readonly message: string }) =>
  Errors.badRequest(`Invalid structure or content for ${field}: ${message}`)

/** What was sent, as JSON. A text that is none is told before anything else is looked at. */
const jsonOf = (field: "step_requirements" | "error_requirements", fields: Fields) => {
  const text = fields[field]
  return text === undefined
    ? Effect.succeed([])
    : Effect.mapError(parse(text), () => Errors.badRequest(`Invalid JSON in ${field} field`))
}

/** What somebody says, not looked at more closely. */
export interface Said {
  readonly steps: unknown
  readonly errors: unknown
}

const notPaused = ({ status }: Resting) => {
  switch (status) {
    case "RUNNING":
    case "PENDING":
      return Errors.conflict("run is already running")
    case "COMPLETED":
      return Errors.conflict("run is already completed")
    case "ERROR":
      return Errors.conflict("run has errored")
    case "CANCELLED":
      return Errors.conflict("run is already cancelled")
    default:
      return Errors.conflict(`run is not paused (status=${status})`)
  }
}

export interface Services {
  readonly engine: RunEngine["Service"]
  readonly idempotency: IdempotencyStore["Service"]
  readonly runs: RunStore["Service"]
}

type Named = Pick<AnyWorkflow, "id">

export const filterOf = Effect.fnUntraced(function*({ id }: Named) {
  const filter: RunFilter = { owner: yield* Caller.ownerOf(undefined), component: { kind: "workflow", id } }
  return filter
})

const entryOf = Effect.fnUntraced(function*(resting: Resting, said: Said) {
  const steps = yield* Effect.mapError(decodeSteps(said.steps), malformed("step_requirements"))
  const errors = yield* Effect.mapError(decodeErrors(said.errors), malformed("error_requirements"))
  const now = yield* Clock.currentTimeMillis
  const approver = Continuing.approverOf(yield* CurrentPrincipal)
  return yield* Effect.mapError(
    Effect.fromResult(Resolutions.entryOf(resting.output, { steps, errors, approver }, now)),
    (refused) =>
      refused.reason === "malformed" ? malformed("step_requirements")(refused) : Errors.badRequest(refused.message)
  )
})

export interface Going {
  readonly resolved: Resolved<AnyWorkflow>
  readonly said: Said
  readonly stream: boolean
}

/** Has the run go on. Refused, it stays as it is. */
export const goOn = Effect.fnUntraced(function*(
  { engine }: Services,
  found: Resting,
  { resolved, said, stream }: Going
) {
  if (found.status !== "PAUSED") return yield* notPaused(found)
  const entry = yield* entryOf(found, said)
  const handle = yield* Effect.mapError(
    engine.continue({ resting: found, entry, stream, background: false, resolved }),
    storageUnavailable
  )
  // somebody else was faster
  return Option.isSome(handle) ? handle.value : yield* Errors.conflict("run is already running")
})

export interface Asked {
  readonly workflow: Resolved<AnyWorkflow>
  readonly run_id: Run.Id
  readonly body: FormBody
  readonly request: HttpServerRequest.HttpServerRequest
}

export interface Form extends RunAnswer.Wanted {
  readonly session_id: string | undefined
  /** For a factory: the run stays its user's. */
  readonly user_id: Ids.UserId | undefined
  readonly factory_input: string | undefined
  readonly said: Said
}

export const formOf = Effect.fnUntraced(function*({ fields: raw }: FormBody) {
  const fields = yield* Effect.mapError(decodeFields(given(raw)), problem)
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
export const isApproved = ({ output, status }: Resting, { errors, steps }: Said): boolean =>
  status !== "PAUSED" && isNothing(steps) && isNothing(errors) && AnyRun.isWorkflow(output) &&
  output.step_requirements?.some((asked) => ExecutorApprovals.awaited(asked) !== undefined) === true

export const respond = Effect.fnUntraced(function*(
  services: Services,
  { body, request, run_id, workflow: resolved }: Asked,
  form: Form
) {
  const component = { kind: "workflow", id: resolved.component.id } as const
  const named = { component, run_id, session_id: form.session_id }
  const { filter, resting: found } = yield* Continuing.restingOf(services.runs, named)
  const subject = { run_id, session_id: found.session_id }
  const claimed = yield* IdempotencyKey.claim(services.idempotency, { request, body, subject })
  if (claimed?.isNew === false || isApproved(found, form.said)) {
    const answer = yield* RunAnswer.ofStored(services.engine, found, filter, form)
    if (Option.isSome(answer)) return answer.value
  }
  const refused = (error: Errors.BadRequest | Errors.Conflict | Errors.Unavailable) =>
    // nothing came of it: sent again under its key, it is looked at again
    claimed === undefined ? Effect.fail(error) : Effect.andThen(claimed.release, Effect.fail(error))
  const handle = yield* Effect.catch(goOn(services, found, { ...form, resolved }), refused)
  return yield* RunAnswer.ofHandle(services.engine, handle, found, form)
})
