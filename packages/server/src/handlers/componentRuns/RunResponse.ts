// The response to a request that starts or continues a run: a stream, the ended run, or its acceptance.
import * as StoredRun from "@svc-runtime/agents/runService/StoredRun"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunOption from "@svc-runtime/domain/RunOption"
import type { RunHandle, RunRef } from "@svc-runtime/engine/run/RunHandle"
import * as RunStream from "@svc-runtime/http/sse/RunStream"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { toWire } from "@svc-runtime/http/wire/runErrors"
import { runNotFound } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"

/** The form of the response that a request wants. */
export type ResponseMode = RunOption.Values<typeof RunOption.httpResponse>

const accepted = ({ run_id, session_id }: RunRef) => {
  const body: Run.Accepted = { run_id, session_id, status: "PENDING" }
  return HttpServerResponse.jsonUnsafe(body, { status: 202 })
}

const ofStarted = Effect.fnUntraced(function*(
  handle: RunHandle,
  { background, on_disconnect, stream, stream_events }: ResponseMode
) {
  const { run } = handle
  const onGone = StoredRun.onDisconnect(handle, on_disconnect)
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
  if (Option.isNone(found)) return yield* runNotFound(run.run_id)
  const { events: _, ...rest } = found.value
  return JsonResponse.of(rest)
})

export const of = (run: RunHandle | StoredRun.RepeatedRun, mode: ResponseMode) =>
  run._tag === "Started" ? ofStarted(run, mode) : ofRepeated(run, mode)
