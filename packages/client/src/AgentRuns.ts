// Running agents with plain values: the form of the wire is put together here.
import type { RunForm } from "@svc/api"
import { Agent, type Run, type RunEvent } from "@svc/domain"
import { Effect, Stream } from "effect"
import { SvcClient } from "./SvcClient.ts"

type Fields = Omit<typeof RunForm.Type, "stream" | "background" | "files">

export interface Request extends Fields {
  readonly files?: ReadonlyArray<File> | undefined
  /** Sent again with the same key, the same request is about the same run: it can be repeated without starting another. */
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

/** Waits for the end of the run. A run that failed is an answer too: its `status` says so. */
export const run = Effect.fn("AgentRuns.run")(function*(agent: string, request: Request) {
  return (yield* start(agent, request, false)) as Run.Output
})

/** The events of a new run, as they happen. */
export const stream = (agent: string, request: Request) =>
  Stream.unwrap(Effect.map(start(agent, request, true), (events) => events as Stream.Stream<RunEvent.RunEvent>))
