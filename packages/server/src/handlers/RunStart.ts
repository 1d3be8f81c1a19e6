// How a run is started, and how a request is answered that is sent a second time under one `Idempotency-Key`: with the
// run that the first one started, wherever that is by now.
import { Errors } from "@svc/api"
import { Run, Session } from "@svc/domain"
import type { IdempotencyStore, RunCommand, RunEngine, RunFilter } from "@svc/runtime"
import { Effect, Option, Schema, type Scope } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Caller from "../authorization/Caller.ts"
import type { RunForm } from "../forms/RunForm.ts"
import * as IdempotencyKey from "../idempotency/IdempotencyKey.ts"
import * as RunAnswer from "./RunAnswer.ts"
import { sessionBusy, sessionNotFound, storageUnavailable, tooManyRuns } from "./translate.ts"

export interface Services {
  readonly engine: RunEngine["Service"]
  readonly idempotency: IdempotencyStore["Service"]
}

/** What a key is kept for. */
const StartedRun = Schema.Struct({ run_id: Run.Id, session_id: Session.Id })
type StartedRun = typeof StartedRun.Type
const decodeSubject = Schema.decodeUnknownEffect(StartedRun)

/** A request to start a run, as it came and as it is meant. */
export interface StartRequest<E, R> {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly fingerprint: string
  /** Says that what was uploaded has become the run's. */
  readonly release: Effect.Effect<void>
  readonly form: RunForm
  readonly component: NonNullable<RunFilter["component"]>
  readonly subject: StartedRun
  /** Made only if there is a run to start: it may take a factory. */
  readonly commandOf: (subject: StartedRun) => Effect.Effect<RunCommand, E, R | Scope.Scope>
}

const start = Effect.fnUntraced(
  function*<E, R>({ engine }: Services, { commandOf, component, form, release, subject }: StartRequest<E, R>) {
    // Whatever a factory has opened for a run that does not begin is closed here.
    const handle = yield* Effect.scoped(
      Effect.flatMap(commandOf(subject), (command) =>
        Effect.catchTags(engine.start(command), {
          SessionNotFound: (error) => Effect.fail(sessionNotFound(error)),
          SessionBusy: (error) => Effect.fail(sessionBusy(error)),
          TooManyRuns: (error) => Effect.fail(tooManyRuns(error)),
          StorageUnavailable: (error) => Effect.fail(storageUnavailable(error))
        }))
    )
    yield* release
    return yield* RunAnswer.ofHandle(engine, handle, { ...component, ...subject }, form)
  }
)

/** The answer of the run that is there; none when it is not. */
const repeat = Effect.fnUntraced(
  function*<E, R>({ engine }: Services, { component, form, subject }: StartRequest<E, R>) {
    const filter: RunFilter = { owner: yield* Caller.ownerOf(undefined), component }
    return yield* RunAnswer.ofStored(engine, { ...component, ...subject }, filter, form)
  }
)

const existing = ({ run_id }: StartedRun) =>
  Errors.conflict(`Run with id '${run_id}' already exists. Choose another run_id, or leave it out.`)

/** Starts the run, or answers with it when the same request, sent twice, was there a moment before. */
const startOnce = <E, R>(services: Services, asked: StartRequest<E, R>) =>
  Effect.catchTag(start(services, asked), "RunExists", () =>
    Effect.flatMap(
      repeat(services, asked),
      Option.match({ onNone: () => Effect.fail(existing(asked.subject)), onSome: Effect.succeed })
    ))

/** Of a request whose key was used before: what the first one started, or, if that has come to nothing, a new start. */
const again = <E, R>(services: Services, asked: StartRequest<E, R>) =>
  Effect.flatMap(
    repeat(services, asked),
    Option.match({ onNone: () => startOnce(services, asked), onSome: Effect.succeed })
  )

/** A key of a request that was refused is free for another one. */
const releasing = <E, R>(asked: StartRequest<E, R>, { release }: IdempotencyKey.Claimed): StartRequest<E, R> => ({
  ...asked,
  commandOf: (subject) => Effect.onError(asked.commandOf(subject), () => Effect.ignore(release, { log: true }))
})

export const respond = Effect.fnUntraced(function*<E, R>(services: Services, asked: StartRequest<E, R>) {
  const { fingerprint, form, request, subject } = asked
  const claimed = yield* IdempotencyKey.claim(services.idempotency, { request, fingerprint, subject })
  if (claimed === undefined) {
    return yield* Effect.catchTag(start(services, asked), "RunExists", () => Effect.fail(existing(subject)))
  }
  if (!claimed.isNew) {
    return yield* again(services, { ...asked, subject: yield* Effect.orDie(decodeSubject(claimed.subject)) })
  }
  // Only an id of our own can have been taken by the same request: one that the caller chose may be anybody's.
  return yield* form.run_id === undefined
    ? startOnce(services, releasing(asked, claimed))
    : Effect.catchTag(
      start(services, releasing(asked, claimed)),
      "RunExists",
      () => Effect.andThen(claimed.release, Effect.fail(existing(subject)))
    )
})
