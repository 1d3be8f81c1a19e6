// Runs agents with plain values and builds the form of the request.
import type { RunForm } from "@svc-runtime/api"
import * as Agent from "@svc-runtime/domain/Agent"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import { Effect, Stream } from "effect"
import { SvcClient } from "./SvcClient.ts"

type Fields = Omit<typeof RunForm.Type, "stream" | "background" | "files">

export interface Request extends Fields {
  readonly files?: ReadonlyArray<File> | undefined
  /**
   * An idempotency key: a repeated request with the same key starts no other run. A run whose response was lost, or was
   * 503, may have been stored.
   */
  readonly idempotencyKey?: string | undefined
}

const formOf = ({ files, idempotencyKey: _, ...fields }: Request, stream: boolean): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.set(name, String(value))
  }
  for (const file of files ?? []) form.append("files", file)
  form.set("stream", String(stream))
  return form
}

const start = Effect.fnUntraced(function*(agent: string, request: Request, stream: boolean) {
  const client = yield* SvcClient
  return yield* client.agents.createRun({
    params: { agent_id: Agent.Id.make(agent) },
    headers: request.idempotencyKey === undefined ? {} : { "idempotency-key": request.idempotencyKey },
    payload: formOf(request, stream)
  })
})

/** Waits for the end of the run. A failed run is returned too, with its `status`. */
export const run = Effect.fn("AgentRuns.run")(function*(agent: string, request: Request) {
  return (yield* start(agent, request, false)) as Run.Output
})

/** The events of a new run, streamed. */
export const stream = (agent: string, request: Request) =>
  Stream.unwrap(Effect.map(start(agent, request, true), (events) => events as Stream.Stream<RunEvent.RunEvent>))
