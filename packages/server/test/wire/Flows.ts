// Workflows that several tests run over the wire, and how they ask.
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { ask, at, type Fields, list } from "../Wire.ts"

const textOf = (input: unknown) => typeof input === "string" ? input : JSON.stringify(input)

export const first = Step.make({ name: "first", run: ({ input }) => `did ${textOf(input)}` })
export const last = Step.make({ name: "last", run: ({ input }) => `after ${textOf(input)}` })

export const plainFlow = Workflow.make({ id: "plain", name: "Plain", steps: [first, last] })

export const askingFlow = Workflow.make({
  id: "asking",
  steps: [first, Step.make({ name: "asked", confirmation: { message: "Sure?" }, run: () => "agreed" }), last]
})

export const post = (server: TestServer.TestServer, path: string, fields: Fields = {}, headers: Fields = {}) =>
  ask(server, path, { method: "POST", headers, body: new URLSearchParams(fields) })

export const start = (server: TestServer.TestServer, id: string, fields: Fields = {}, headers: Fields = {}) => {
  const form = { message: "go", session_id: "s", run_id: "r", stream: "false", ...fields }
  return post(server, `/workflows/${id}/runs`, form, headers)
}

export const proceed = (server: TestServer.TestServer, id: string, fields: Fields = {}, headers: Fields = {}) =>
  post(server, `/workflows/${id}/runs/r/continue`, { session_id: "s", stream: "false", ...fields }, headers)

/** What a client sends back: everything that it was sent, with its decision in the last one. */
export const resolved = (run: unknown, decision: object): string => {
  const all = list(run, "step_requirements")
  return JSON.stringify([...all.slice(0, -1), { ...all.at(-1) as object, ...decision }])
}

/** Everything that can be seen of a run: what a refusal must leave as it is. */
export const seen = Effect.fnUntraced(function*(server: TestServer.TestServer, id: string) {
  const run = yield* ask(server, `/workflows/${id}/runs/r?session_id=s`)
  const events = yield* ask(server, `/sessions/s/runs/r?type=workflow`)
  return `${run.text}\n${events.text}\n${String(at(run.json, "status"))}`
})
