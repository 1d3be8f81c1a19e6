// The endpoints of runs, written once for agents, teams and workflows.
import * as Checkpoint from "@svc-runtime/domain/Checkpoint"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Run from "@svc-runtime/domain/Run"
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as RunOption from "@svc-runtime/domain/RunOption"
import * as Session from "@svc-runtime/domain/Session"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  BadRequest,
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  PayloadTooLarge,
  RequestTimeout,
  TooManyRequests,
  Unavailable,
  UnsupportedMediaType
} from "./Errors.ts"
import { FactoryError, FactoryPermissionError, FactoryValidationError } from "./FactoryErrors.ts"
import { ResumeForm } from "./forms/ResumeForm.ts"
import { RunForm } from "./forms/RunForm.ts"
import { continuing, flag } from "./forms/RunOptionFields.ts"
import { IntText } from "./query/IntText.ts"
import { optionalPages } from "./query/Listing.ts"
import { Changes, requires } from "./RequiredScope.ts"

// The form that continues a run of an agent or a team: decisions on its calls, or input for its model. Every value is
// text.
const textField = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

const ContinueForm = Schema.Struct({
  session_id: textField("The session of the run. Required"),
  tools: textField("A JSON array: the tools of the paused run, each with its decision"),
  requirements: textField("A JSON array: the requirements of the paused run, each with its decision"),
  ...continuing(RunOption.response),
  ...continuing(RunOption.disconnect),
  input: textField("Input for the model before the run resumes"),
  additional_instructions: textField("The same as input"),
  continue_from: textField("`end` (the default), `last_user`, or how many messages to keep"),
  fork: flag("Continue in a new run, and leave this one as it is. Completed runs always do"),
  regenerate: flag("Answer anew, in a new run"),
  replace_original: flag(
    "With regenerate: whether the answer that is given anew is left out from then on. Default true"
  ),
  user_id: textField("For the factory of the component. The run keeps its user"),
  ...continuing(RunOption.given),
  ...continuing(RunOption.inherited)
}).annotate({ identifier: "ContinueForm" })
type ContinueForm = typeof ContinueForm.Type

export const idempotent = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "The same key with the same request is about the same run, for a day. A run whose response was lost, or " +
        "was 503, may have been stored: without a key, a repeated request can start a second one"
    })
  )
}

/** Errors of a factory that does not build the component of a request. */
export const factoryErrors = [FactoryValidationError, FactoryPermissionError, FactoryError] as const

/** Errors of a form that does not start or continue a run. */
export const formErrors = [
  // first: decoders distinguish them from other errors of the same status by the start of `detail`
  ...factoryErrors,
  BadRequest,
  Forbidden,
  NotFound,
  RequestTimeout,
  Conflict,
  PayloadTooLarge,
  UnsupportedMediaType,
  Invalid,
  TooManyRequests,
  Unavailable
] as const

/** Errors of a form that does not watch a run again. */
const resumeErrors = [
  BadRequest,
  RequestTimeout,
  NotFound,
  PayloadTooLarge,
  UnsupportedMediaType,
  Invalid,
  TooManyRequests,
  Unavailable
] as const

/** The same fields as a form in either encoding, or as JSON. */
export const formOf = <S extends Schema.Top>(form: S) =>
  [form, form.pipe(HttpApiSchema.asMultipart()), form.pipe(HttpApiSchema.asFormUrlEncoded())] as const

/** The response of a background run. */
const accepted = Run.Accepted.pipe(HttpApiSchema.status(202))

/** The event from which watching starts. */
const fromEvent = {
  query: { session_id: Session.Id, last_event_index: Schema.optionalKey(IntText) },
  headers: { "last-event-id": Schema.optionalKey(IntText) }
}

/** The runs of a component in a session. */
export const listQuery = { session_id: Session.Id, status: Schema.optionalKey(Schema.String), ...optionalPages }

const CancelAccepted = Schema.Struct({}).annotate({ identifier: "CancelAccepted" })

/** The schemas that differ between the kinds. */
interface Shape<
  Id extends Schema.Top,
  Output extends Schema.Top,
  Event extends Schema.Top
> {
  readonly id: Id
  readonly output: Output
  readonly event: Event
}

/** `params` of an endpoint, named by kind: `agent_id`, `team_id`, `workflow_id`. */
export const componentParams = <K extends ComponentKind.ComponentKind, Id extends Schema.Top>(kind: K, id: Id) =>
  ({ [`${kind}_id`]: id }) as Record<`${K}_id`, Id>

/** The endpoints that all three kinds have. */
export const runEndpoints = <
  const K extends ComponentKind.ComponentKind,
  Id extends Schema.Top,
  Output extends Schema.Top,
  Event extends Schema.Top
>(kind: K, { event, id, output }: Shape<Id, Output, Event>) => {
  const component = componentParams(kind, id)
  const run = { ...component, run_id: Run.Id }
  const events = HttpApiSchema.StreamSse({ data: event })
  return {
    createRun: HttpApiEndpoint.post("createRun", `/${kind}s/:${kind}_id/runs`, {
      params: component,
      headers: idempotent,
      payload: formOf(RunForm),
      success: [output, events, accepted],
      error: formErrors
    })
      .annotateMerge(requires(`${kind}s:run`))
      .annotate(OpenApi.Identifier, `create_${kind}_run`),
    listEvents: HttpApiEndpoint.get("listEvents", `/${kind}s/:${kind}_id/runs/:run_id/events`, {
      params: run,
      ...fromEvent,
      success: events,
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requires(`${kind}s:read`))
      .annotate(OpenApi.Identifier, `get_${kind}_run_events`),
    resumeRun: HttpApiEndpoint.post("resumeRun", `/${kind}s/:${kind}_id/runs/:run_id/resume`, {
      params: run,
      headers: fromEvent.headers,
      payload: formOf(ResumeForm),
      success: HttpApiSchema.StreamSse({ data: Schema.Union([event, RunEvent.Control]) }),
      error: resumeErrors
    })
      .annotateMerge(requires(`${kind}s:run`))
      .annotate(OpenApi.Identifier, `resume_${kind}_run`),
    cancelRun: HttpApiEndpoint.post("cancelRun", `/${kind}s/:${kind}_id/runs/:run_id/cancel`, {
      params: run,
      query: { session_id: Schema.optionalKey(Session.Id) },
      success: CancelAccepted,
      error: [BadRequest, NotFound, Unavailable]
    })
      .annotateMerge(requires(`${kind}s:run`))
      .annotate(OpenApi.Identifier, `cancel_${kind}_run`)
  }
}

interface ConversationShape<
  Id extends Schema.Top,
  Output extends Schema.Top,
  Event extends Schema.Top,
  Record extends Schema.Top,
  Snapshot extends Schema.Top
> extends Shape<Id, Output, Event> {
  readonly record: Record
  readonly snapshot: Snapshot
}

/** The endpoints of agents and teams. Workflows are read and continued differently, and have no checkpoints. */
export const conversationEndpoints = <
  const K extends Exclude<ComponentKind.ComponentKind, "workflow">,
  Id extends Schema.Top,
  Output extends Schema.Top,
  Event extends Schema.Top,
  Record extends Schema.Top,
  Snapshot extends Schema.Top
>(kind: K, { event, id, output, record, snapshot }: ConversationShape<Id, Output, Event, Record, Snapshot>) => {
  const component = componentParams(kind, id)
  const run = { ...component, run_id: Run.Id }
  const events = HttpApiSchema.StreamSse({ data: event })
  return {
    listRuns: HttpApiEndpoint.get("listRuns", `/${kind}s/:${kind}_id/runs`, {
      params: component,
      query: listQuery,
      success: Schema.Array(record),
      error: [BadRequest, NotFound, Unavailable]
    })
      .annotateMerge(requires(`${kind}s:read`))
      .annotate(OpenApi.Identifier, `list_${kind}_runs`),
    getRun: HttpApiEndpoint.get("getRun", `/${kind}s/:${kind}_id/runs/:run_id`, {
      params: run,
      query: { session_id: Session.Id },
      success: output,
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requires(`${kind}s:read`))
      .annotate(OpenApi.Identifier, `get_${kind}_run`),
    continueRun: HttpApiEndpoint.post("continueRun", `/${kind}s/:${kind}_id/runs/:run_id/continue`, {
      params: run,
      headers: idempotent,
      payload: formOf(ContinueForm),
      success: [output, events, accepted],
      error: formErrors
    })
      .annotateMerge(requires(`${kind}s:run`))
      .annotate(OpenApi.Identifier, `continue_${kind}_run`),
    listCheckpoints: HttpApiEndpoint.get("listCheckpoints", `/${kind}s/:${kind}_id/runs/:run_id/checkpoints`, {
      params: run,
      query: { session_id: Session.Id },
      success: Checkpoint.List,
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requires(`${kind}s:read`))
      .annotate(OpenApi.Identifier, `list_${kind}_run_checkpoints`),
    getCheckpoint: HttpApiEndpoint.get(
      "getCheckpoint",
      `/${kind}s/:${kind}_id/runs/:run_id/checkpoints/:message_index`,
      {
        params: { ...run, message_index: IntText },
        query: { session_id: Session.Id },
        success: snapshot,
        error: [BadRequest, NotFound, Unavailable]
      }
    )
      .annotateMerge(requires(`${kind}s:read`))
      .annotate(OpenApi.Identifier, `get_${kind}_run_checkpoint`),
    forkSession: HttpApiEndpoint.post("forkSession", `/${kind}s/:${kind}_id/sessions/:session_id/fork`, {
      params: { ...component, session_id: Session.Id },
      query: { user_id: Schema.optionalKey(Ids.UserIdInput) },
      success: Session.Forked,
      error: [BadRequest, NotFound, Unavailable]
    })
      .annotateMerge(requires(`${kind}s:run`))
      .annotate(Changes, "sessions")
      .annotate(OpenApi.Identifier, `fork_${kind}_session`)
  }
}
