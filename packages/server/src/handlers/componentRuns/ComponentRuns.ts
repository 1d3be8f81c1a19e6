// The requests about runs of one kind of component: each becomes a call of the run service, and its result a response.
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import { Errors, ResumeForm } from "@svc-runtime/api"
import type * as Checkpoint from "@svc-runtime/domain/Checkpoint"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Run from "@svc-runtime/domain/Run"
import { fromSchemaError } from "@svc-runtime/domain/schema/ValidationProblems"
import type * as Session from "@svc-runtime/domain/Session"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import * as ContinueForm from "@svc-runtime/http/forms/ContinueForm"
import { decodeWorkflow } from "@svc-runtime/http/forms/ContinueForm"
import type * as FormBody from "@svc-runtime/http/forms/FormBody"
import type { Forms } from "@svc-runtime/http/forms/Forms"
import * as RunForm from "@svc-runtime/http/forms/RunForm"
import * as IdempotencyKey from "@svc-runtime/http/idempotency/IdempotencyKey"
import * as RunStream from "@svc-runtime/http/sse/RunStream"
import { toWire, toWireError } from "@svc-runtime/http/wire/runErrors"
import { shortened } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as RunResponse from "./RunResponse.ts"

// The request that starts a run: from its form to the run service, and from the run to the response.

interface Target {
  readonly component: ComponentRef
  readonly request: HttpServerRequest.HttpServerRequest
}

const start = Effect.fnUntraced(function*(
  service: RunService["Service"],
  { component, request }: Target,
  { fingerprint, form }: FormBody.Read<RunForm.RunForm>
) {
  const key = yield* IdempotencyKey.read(request, fingerprint)
  const { factory_input, media, message, options, run_id, session_id, user_id, version } = form
  const starting = {
    component,
    caller: yield* RequestCaller.current(request),
    message,
    media,
    run_id,
    session_id,
    user_id,
    version,
    factoryInput: FactoryInput.text(factory_input),
    options
  }
  return yield* key === undefined ? toWire(service.start(starting)) : toWire(service.startOnce(starting, key))
})

const respond = (service: RunService["Service"], target: Target) =>
  Effect.fnUntraced(function*(read: FormBody.Read<RunForm.RunForm>) {
    const { form: { response: mode }, release, whileSent } = read
    const result = yield* start(service, target, read)
    if (result._tag === "Repeated") return yield* RunResponse.of(result, mode)
    // the uploads belong to the run now
    yield* release
    return whileSent(yield* RunResponse.of(result, mode))
  })

export interface Services {
  readonly kind: ComponentKind.ComponentKind
  readonly service: RunService["Service"]
  readonly forms: Forms["Service"]
}

export interface RunPath {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

export interface ListQuery extends Pagination.Optional {
  readonly session_id?: Session.Id
  readonly status?: string
}

/** The query and headers of a request that watches a run. */
export interface EventsRequest {
  readonly query: { readonly session_id: Session.Id; readonly last_event_index?: number }
  readonly headers: { readonly "last-event-id"?: number }
}

const decodeResume = Schema.decodeUnknownEffect(ResumeForm, { errors: "all" })

const continueForms = {
  agent: ContinueForm.decode,
  team: ContinueForm.decode,
  workflow: decodeWorkflow
}

/** In a form, an empty value and `null` mean absent. */
const given = (fields: FormBody.FormBody["fields"]) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "" && value !== "null"))

const decodeResumeForm = ({ fields }: FormBody.FormBody) =>
  Effect.mapError(decodeResume(given(fields)), (error) => Errors.invalid(fromSchemaError("body", error)))

/** A run as it was at one of its messages. */
export const snapshotOf =
  <A extends Pick<Run.Output, "messages">, B extends { readonly checkpoint: Checkpoint.Checkpoint }>(
    snapshot: (run: A, index: number) => B
  ) =>
  (run: A, index: number) => {
    const end = (run.messages ?? []).length
    return index >= 0 && index <= end
      ? Effect.succeed(snapshot(run, index))
      : Effect.fail(Errors.badRequest(`message_index must be between 0 and ${end}`))
  }

export const make = ({ forms, kind, service }: Services) => {
  const scopedTo = Effect.fnUntraced(function*(id: string) {
    const component: ComponentRef = { kind, id }
    return { component, caller: yield* RequestCaller.current(null) }
  })

  return {
    list: Effect.fnUntraced(
      function*(id: string, { session_id, status, ...pages }: ListQuery) {
        return yield* service.list({ ...yield* scopedTo(id), session_id, status, page: Pagination.requested(pages) })
      },
      (runs) =>
        Effect.catch(runs, (error) =>
          error._tag === "SessionNotFound"
            ? Effect.fail(Errors.notFound(`Session not found: '${shortened(error.session_id)}'`))
            : toWireError(error))
    ),
    get: Effect.fnUntraced(function*(id: string, run: RunPath) {
      return yield* service.get({ ...yield* scopedTo(id), ...run })
    }, toWire),
    /** `user_id` is the user whose session it is, where the caller may choose one. */
    fork: Effect.fn("ComponentRuns.fork")(
      function*(id: string, session_id: Session.Id, user_id: Ids.UserId | undefined) {
        const forked = yield* service.fork({ ...yield* scopedTo(id), session_id, user_id })
        return { session_id: forked, forked_from_session_id: session_id }
      },
      toWire
    ),
    cancel: Effect.fn("ComponentRuns.cancel")(
      function*(id: string, run_id: Run.Id, session_id: Session.Id | undefined) {
        yield* service.cancel({ ...yield* scopedTo(id), run_id, session_id })
        return {}
      },
      toWire
    ),
    events: Effect.fn("ComponentRuns.events")(
      function*(id: string, run_id: Run.Id, { headers, query }: EventsRequest) {
        // a browser that connects again sends the header with the URL of its first request
        const after = headers["last-event-id"] ?? query.last_event_index ?? -1
        const { session_id } = query
        const watched = yield* service.watch({ ...yield* scopedTo(id), run_id, session_id, after })
        return RunStream.watch(watched, { kind, allEvents: true })
      },
      (response) => Effect.catchTag(response, "SessionIdRequired", (error) => Effect.die(error)).pipe(toWire)
    ),
    resume: (
      id: string,
      run_id: Run.Id,
      headers: EventsRequest["headers"],
      request: HttpServerRequest.HttpServerRequest
    ) =>
      forms.using(
        request,
        decodeResumeForm,
        Effect.fn("ComponentRuns.resume")(function*({ form: { last_event_index, session_id } }) {
          const after = headers["last-event-id"] ?? last_event_index ?? -1
          const scoped = yield* scopedTo(id)
          const watched = service.watch({ ...scoped, run_id, session_id, after })
          return yield* Effect.matchEffect(watched, {
            onFailure: (error) =>
              error._tag === "RunNotFound" && !scoped.caller.principal.isIsolated
                ? Effect.succeed(RunStream.unknown(run_id))
                : toWireError(error),
            onSuccess: (watched) => Effect.succeed(RunStream.resume(kind, run_id, watched, after))
          })
        })
      ),
    continue: (id: string, run_id: Run.Id, request: HttpServerRequest.HttpServerRequest) =>
      forms.using(
        request,
        continueForms[kind],
        Effect.fn("ComponentRuns.continue")(function*({ fingerprint, form }) {
          const key = yield* IdempotencyKey.read(request, fingerprint)
          const caller = yield* RequestCaller.current(request)
          return yield* RunResponse.of(
            yield* toWire(service.continue({ ...form, component: { kind, id }, caller, run_id, key })),
            form
          )
        })
      ),
    start: (id: string, request: HttpServerRequest.HttpServerRequest) =>
      forms.using(request, RunForm.decode, respond(service, { component: { kind, id }, request }))
  }
}
