// The runs of one kind of component, as far as the caller may see them: looked up, watched and cancelled the same way
// whatever the component is.
import { CurrentPrincipal, Errors, ResumeForm } from "@svc/api"
import { type Checkpoint, type ComponentKind, type Ids, type Run, Session } from "@svc/domain"
import { type Database, NewId, now, type RunEngine, type RunFilter } from "@svc/runtime"
import { Effect, Option, Schema } from "effect"
import * as Caller from "../authorization/Caller.ts"
import type * as FormBody from "../forms/FormBody.ts"
import { fromSchemaError } from "../middleware/ValidationProblems.ts"
import * as RunStream from "../sse/RunStream.ts"
import { notListed, runNotFound, storageUnavailable } from "../WireErrors.ts"

const decodeResume = Schema.decodeUnknownEffect(ResumeForm, { errors: "all" })

/** In a form, what is empty or `null` is not given. */
const given = (fields: FormBody.FormBody["fields"]) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "" && value !== "null"))

/** A caller who is kept apart has to say in which session. Gives whether this one is. */
export const isolatedIn = Effect.fnUntraced(function*(session_id: Session.Id | undefined) {
  const { isIsolated } = yield* CurrentPrincipal
  if (isIsolated && session_id === undefined) return yield* Errors.badRequest("session_id is required for this action")
  return isIsolated
})

export interface Services {
  readonly kind: ComponentKind.ComponentKind
  readonly engine: RunEngine["Service"]
  readonly database: Database
}

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

export interface RunRef {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

export const make = ({ database: { runs }, engine, kind }: Services) => {
  /** Of one component, as far as the caller may see it. */
  const filterOf = Effect.fnUntraced(function*(id: string, filter: Pick<RunFilter, "status"> = {}) {
    const owned: RunFilter = { ...filter, owner: yield* Caller.ownerOf(undefined), component: { kind, id } }
    return owned
  })

  return {
    filterOf,
    list: Effect.fnUntraced(function*(id: string, session: Session.Id, status: string | undefined) {
      const filter = yield* filterOf(id, { status })
      const found = yield* Effect.mapError(runs.list(session, filter), notListed)
      return Option.isSome(found) ? found.value : yield* Errors.notFound("Session not found")
    }),
    get: Effect.fnUntraced(function*(id: string, { run_id, session_id }: RunRef) {
      const filter = yield* filterOf(id)
      const run = yield* Effect.mapError(runs.find(session_id, run_id, filter), storageUnavailable)
      return Option.isSome(run) ? run.value : yield* runNotFound()
    }),
    /** With its journal. */
    rest: Effect.fnUntraced(function*(id: string, { run_id, session_id }: RunRef) {
      const filter = yield* filterOf(id)
      const found = yield* Effect.mapError(runs.snapshot(session_id, run_id, filter), storageUnavailable)
      return Option.isSome(found) ? found.value : yield* runNotFound()
    }),
    /** `asked` is the user whose session it is, where the caller may choose one. What goes on stays where it is. */
    fork: Effect.fnUntraced(function*(id: string, source: Session.Id, asked: Ids.UserId | undefined) {
      const session_id = Session.Id.make((yield* NewId)())
      const filter = { owner: yield* Caller.ownerOf(asked), component: { kind, id } }
      const forking = { source, session_id, filter, created_at: yield* now }
      const isForked = yield* Effect.mapError(runs.fork(forking), storageUnavailable)
      if (!isForked) return yield* Errors.badRequest("Source session has no runs to fork.")
      return { session_id, forked_from_session_id: source }
    }),
    /** A run that is not there yet may be cancelled as well, by those who may touch anybody's. */
    cancel: Effect.fnUntraced(function*(id: string, run_id: Run.Id, session_id: Session.Id | undefined) {
      const isIsolated = yield* isolatedIn(session_id)
      const filter = yield* filterOf(id)
      const request = { run_id, session_id: isIsolated ? session_id : undefined, filter }
      const isFound = yield* Effect.mapError(engine.cancel(request), storageUnavailable)
      return isFound || !isIsolated ? {} : yield* runNotFound()
    }),
    events: Effect.fnUntraced(function*(id: string, { run_id, session_id }: RunRef, after: number) {
      const filter = yield* filterOf(id)
      const watched = yield* Effect.mapError(engine.watch({ run_id, session_id, filter, after }), storageUnavailable)
      return Option.isSome(watched) ? RunStream.watch(watched.value, { kind, allEvents: true }) : yield* runNotFound()
    }),
    resume: Effect.fnUntraced(function*(id: string, run_id: Run.Id, { last_event_index, session_id }: ResumeForm) {
      const isIsolated = yield* isolatedIn(session_id)
      const filter = yield* filterOf(id)
      const after = last_event_index ?? -1
      const watched = yield* Effect.mapError(engine.watch({ run_id, session_id, filter, after }), storageUnavailable)
      if (Option.isSome(watched)) return RunStream.resume(kind, run_id, watched.value, after)
      return isIsolated ? yield* runNotFound() : RunStream.unknown(run_id)
    })
  }
}

export const decodeResumeForm = ({ fields }: FormBody.FormBody) =>
  Effect.mapError(decodeResume(given(fields)), (error) => Errors.invalid(fromSchemaError("body", error)))
