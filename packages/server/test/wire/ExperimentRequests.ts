// Requests that make datasets and experiments.
import { assert } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { type Answer, at, column, get, list, post } from "../Wire.ts"

export const items = [
  { id: "france", input: "The capital of France?", expected_output: "Paris" },
  { id: "italy", input: "The capital of Italy?", expected_output: "Rome" },
  { id: "unknown", input: "The capital?" }
]

export const datasetOf = Effect.fnUntraced(
  function*(server: TestServer.TestServer, given: ReadonlyArray<object> = items) {
    return String(at((yield* post(server, "/datasets", { name: "capitals", items: given })).json, "id"))
  }
)

export const exact = { agent_id: "assistant", scorers: [{ type: "exact" }] }

export const begin = (server: TestServer.TestServer, dataset_id: string, body: object = exact) =>
  post(server, "/experiments", { dataset_id, ...body })

export const pathOf = ({ json }: Answer) => `/experiments/${String(at(json, "id"))}`

export const settled = Effect.fnUntraced(
  function*(server: TestServer.TestServer, accepted: Answer, status = "COMPLETED") {
    assert.strictEqual(accepted.status, 202, accepted.text)
    for (;;) {
      const { json } = yield* get(server, pathOf(accepted))
      if (at(json, "status") === status) return json
      yield* Effect.sleep("10 millis")
    }
  }
)

export const itemsOf = (server: TestServer.TestServer, accepted: Answer) =>
  Effect.map(get(server, `${pathOf(accepted)}/items`), ({ json }) => list(json, "data"))

/** Waits until the second run of an experiment is cancelled. */
export const cancelled = Effect.fnUntraced(function*(server: TestServer.TestServer, { json }: Answer) {
  for (;;) {
    const runs = yield* get(server, `/sessions/eval_${String(at(json, "id"))}_2/runs`)
    if (column(runs.json, "status")[0] === "CANCELLED") return
    yield* Effect.sleep("10 millis")
  }
})
