// How many datasets, evaluations and experiments of a service one user may have at a time.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, everything, serveClosed, token } from "../authorization/Closed.ts"
import { at, failed } from "../Wire.ts"
import { accuracy, slow } from "./Evaluations.ts"

const text = (what: string) =>
  `2 ${what}, or 1 of one user, wait or are executed already (MAX_EVALUATIONS). Try again later`

/** A service for two evaluations, and a function that sends a request of a user. */
const sharing = Effect.gen(function*() {
  const { agent } = yield* slow
  const server = yield* serveClosed({ agents: [agent], evaluations: { unfinished: 2, datasets: 4 } })
  return Effect.fnUntraced(function*(user: string, path: string, body: object) {
    const bearer = yield* token(user, ...everything)
    const headers = { "content-type": "application/json" }
    return yield* call(server, { path, init: { method: "POST", headers, body: JSON.stringify(body) } }, bearer)
  })
})

describe("the evaluations of one user", () => {
  it.effect("a user has at most half of the evaluations that may wait, and others have room", () =>
    Effect.gen(function*() {
      const send = yield* sharing
      const body = { ...accuracy, agent_id: "assistant", input: "The capital?", num_iterations: 3, background: true }
      assert.strictEqual((yield* send("ann", "/eval-runs", body)).status, 202)
      failed(yield* send("ann", "/eval-runs", body), 429, "TOO_MANY_REQUESTS", text("evaluations"))
      assert.strictEqual((yield* send("bob", "/eval-runs", body)).status, 202)
    }))

  it.effect("a user has at most half of the datasets of a database, and others have room", () =>
    Effect.gen(function*() {
      const send = yield* sharing
      const make = (user: string) => send(user, "/datasets", { name: "capitals" })
      assert.deepStrictEqual([(yield* make("ann")).status, (yield* make("ann")).status], [201, 201])
      const refused = "There are 4 datasets, or 2 of one user, already (MAX_DATASETS). Remove one first"
      failed(yield* make("ann"), 409, "CONFLICT", refused)
      assert.strictEqual((yield* make("bob")).status, 201)
    }))

  it.effect("a user has at most half of the experiments that may wait, and others have room", () =>
    Effect.gen(function*() {
      const send = yield* sharing
      const start = Effect.fnUntraced(function*(user: string) {
        const items = ["a", "b", "c"].map((id) => ({ id, input: "The capital?" }))
        const dataset = yield* send(user, "/datasets", { name: "capitals", items })
        const scorers = [{ type: "contains", texts: ["Paris"] }]
        const body = { dataset_id: at(dataset.json, "id"), agent_id: "assistant", scorers }
        return yield* send(user, "/experiments", body)
      })
      assert.strictEqual((yield* start("ann")).status, 202)
      failed(yield* start("ann"), 429, "TOO_MANY_REQUESTS", text("experiments"))
      assert.strictEqual((yield* start("bob")).status, 202)
    }))
})
