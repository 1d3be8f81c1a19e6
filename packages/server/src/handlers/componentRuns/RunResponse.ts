// The response to a request that starts or continues a run: a stream, the ended run, or its acceptance.
import type * as Run from "@svc/domain/Run"
import type * as RunOption from "@svc/domain/RunOption"
import * as StoredRun from "@svc/runtime/runService/StoredRun"
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import * as RunStream from "../../sse/RunStream.ts"
import * as JsonResponse from "../../wire/JsonResponse.ts"
import { runNotFound } from "../../wire/WireErrors.ts"
import { toWire } from "./runErrors.ts"

/** The form of the response that a request wants. */
export type ResponseMode = RunOption.Values<typeof RunOption.httpResponse>

const accepted = ({ run_id, session_id }: StoredRun.RunRef) => {
  const body: Run.Accepted = { run_id, session_id, status: "PENDING" }
  return HttpServerResponse.jsonUnsafe(body, { status: 202 })
}

const ofStarted = Effect.fnUntraced(function*(
  started: StoredRun.StartedRun,
  { background, on_disconnect, stream, stream_events }: ResponseMode
) {
  const { handle, run } = started
  const onGone = StoredRun.onDisconnect(started, on_disconnect)
  if (stream) return RunStream.respond(handle, { kind: run.kind, allEvents: stream_events, onGone })
  if (background) return accepted(run)
  return JsonResponse.of(yield* Effect.onInterrupt(toWire(handle.output), () => onGone))
})

const ofRepeated = Effect.fnUntraced(function*(
  { output, run, watched }: StoredRun.RepeatedRun,
  { background, stream, stream_events }: ResponseMode
) {
  if (stream) return RunStream.watch(watched, { kind: run.kind, allEvents: stream_events })
  if (background) return accepted(run)
  const found = yield* toWire(output)
  if (Option.isNone(found)) return yield* runNotFound()
  const { events: _, ...rest } = found.value
  return JsonResponse.of(rest)
})

export const of = (run: StoredRun.StartedRun | StoredRun.RepeatedRun, mode: ResponseMode) =>
  run._tag === "Started" ? ofStarted(run, mode) : ofRepeated(run, mode)
