// How a run is started, and how a request is answered that is sent a second time under one `Idempotency-Key`: with the run that the first one started, wherever that is by now.
import { Errors } from "@svc/api"
import { Run, Session } from "@svc/domain"
import type { AgentCommand, IdempotencyStore, RunEngine, RunFilter } from "@svc/runtime"
import { Effect, Option, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Caller from "../authorization/Caller.ts"
import * as IdempotencyKey from "../idempotency/IdempotencyKey.ts"
import type { FormBody } from "../multipart/FormBody.ts"
import type { RunForm } from "../multipart/RunForm.ts"
import * as RunAnswer from "./RunAnswer.ts"
import { sessionNotFound, storageUnavailable } from "./translate.ts"

export interface Services {
  readonly engine: RunEngine["Service"]
  readonly idempotency: IdempotencyStore["Service"]
}

/** A request to start a run, as it came and as it is meant. */
export interface Asked {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly body: FormBody
  readonly form: RunForm
  readonly command: AgentCommand
}

/** What a key is kept for. */
const Subject = Schema.Struct({ run_id: Run.Id, session_id: Session.Id })
const decodeSubject = Schema.decodeUnknownEffect(Subject)

const start = Effect.fnUntraced(function*({ engine }: Services, { command, form }: Asked) {
  const handle = yield* engine.start(command).pipe(
    Effect.catchTags({
      SessionNotFound: (error) => Effect.fail(sessionNotFound(error)),
      StorageUnavailable: (error) => Effect.fail(storageUnavailable(error))
    })
  )
  return yield* RunAnswer.ofHandle(engine, handle, command, form)
})

/** The answer of the run that is there; none when it is not. */
const repeat = Effect.fnUntraced(function*({ engine }: Services, { command, form }: Asked) {
  const component = { kind: "agent" as const, id: command.agent.id }
  const filter: RunFilter = { owner: yield* Caller.ownerOf(undefined), component }
  return yield* RunAnswer.ofStored(engine, command, filter, form)
})

const existing = ({ run_id }: AgentCommand) =>
  Errors.conflict(`Run with id '${run_id}' already exists. Choose another run_id, or leave it out.`)

/** Starts the run, or answers with it when the same request, sent twice, was there a moment before. */
const startOnce = (services: Services, asked: Asked) =>
  Effect.catchTag(start(services, asked), "RunExists", () =>
    Effect.flatMap(
      repeat(services, asked),
      Option.match({ onNone: () => Effect.fail(existing(asked.command)), onSome: Effect.succeed })
    ))

/** Of a request whose key was used before: what the first one started, or, if that has come to nothing, a new start. */
const again = (services: Services, asked: Asked) =>
  Effect.flatMap(
    repeat(services, asked),
    Option.match({ onNone: () => startOnce(services, asked), onSome: Effect.succeed })
  )

export const respond = Effect.fnUntraced(function*(services: Services, asked: Asked) {
  const { body, command, form, request } = asked
  const { run_id, session_id } = command
  const claimed = yield* IdempotencyKey.claim(services.idempotency, { request, body, subject: { run_id, session_id } })
  if (claimed === undefined) {
    return yield* Effect.catchTag(start(services, asked), "RunExists", () => Effect.fail(existing(command)))
  }
  if (!claimed.isNew) {
    const subject = yield* Effect.orDie(decodeSubject(claimed.subject))
    return yield* again(services, { ...asked, command: { ...command, ...subject } })
  }
  // Only an id of our own can have been taken by the same request: one that the caller chose may be anybody's.
  return yield* form.run_id === undefined
    ? startOnce(services, asked)
    : Effect.catchTag(
      start(services, asked),
      "RunExists",
      () => Effect.andThen(claimed.release, Effect.fail(existing(command)))
    )
})
