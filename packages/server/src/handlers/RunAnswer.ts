// How a run is answered: streamed, waited for, or left in the background, whether it has just begun or has been there
// before.
import { type ComponentKind, Owner, type Run, type Session } from "@svc/domain"
import type { RepeatedRun, RunEngine, RunFilter, RunHandle } from "@svc/runtime"
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import * as JsonAnswer from "../JsonAnswer.ts"
import * as RunStream from "../sse/RunStream.ts"
import { interrupted, runNotFound } from "../WireErrors.ts"

/** How a request wants to be answered. */
export interface ResponseMode {
  readonly stream: boolean
  readonly background: boolean
  readonly streamEvents: boolean
  readonly cancelOnDisconnect: boolean
}

export interface AnsweredRun {
  readonly kind: ComponentKind.ComponentKind
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

const accepted = ({ run_id, session_id }: Omit<AnsweredRun, "kind">) => {
  const body: Run.Accepted = { run_id, session_id, status: "PENDING" }
  return HttpServerResponse.jsonUnsafe(body, { status: 202 })
}

/** Of a run that has begun or goes on. */
export const ofHandle = Effect.fnUntraced(function*(
  engine: RunEngine["Service"],
  handle: RunHandle,
  { kind, run_id, session_id }: AnsweredRun,
  { background, cancelOnDisconnect, stream, streamEvents }: ResponseMode
) {
  const cancel = engine.cancel({ run_id, session_id, filter: { owner: Owner.anyone } })
  // It has begun: if it cannot be told to end, it goes on and is stored as any other.
  const onGone = cancelOnDisconnect ? Effect.ignore(cancel, { log: true }) : Effect.void
  if (stream) return RunStream.respond(handle, { kind, allEvents: streamEvents, onGone })
  if (background) return accepted({ run_id, session_id })
  const output = yield* Effect.onInterrupt(Effect.mapError(handle.output, interrupted), () => onGone)
  return JsonAnswer.of(output)
})

/** Of a run that is there; none when it is not. */
export const ofStored = Effect.fnUntraced(function*(
  engine: RunEngine["Service"],
  { kind, run_id, session_id }: AnsweredRun,
  filter: RunFilter,
  { background, stream, streamEvents }: ResponseMode
) {
  const watched = yield* engine.watch({ run_id, session_id, filter, after: -1 })
  if (Option.isNone(watched)) return Option.none()
  if (stream) return Option.some(RunStream.watch(watched.value, { kind, allEvents: streamEvents }))
  if (background) return Option.some(accepted({ run_id, session_id }))
  const output = yield* engine.output({ run_id, session_id, filter })
  return Option.map(output, ({ events: _, ...rest }) => JsonAnswer.of(rest))
}, (answer) => Effect.mapError(answer, interrupted))

/** Of a run that an equal request started before. */
export const ofRepeated = Effect.fnUntraced(function*(
  { output, run: { kind, run_id, session_id }, watched }: RepeatedRun,
  { background, stream, streamEvents }: ResponseMode
) {
  if (stream) return RunStream.watch(watched, { kind, allEvents: streamEvents })
  if (background) return accepted({ run_id, session_id })
  const found = yield* Effect.mapError(output, interrupted)
  if (Option.isNone(found)) return yield* runNotFound()
  const { events: _, ...rest } = found.value
  return JsonAnswer.of(rest)
})
