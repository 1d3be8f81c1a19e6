// Streams of a run that is handed over while the database does not reply: the run continues later, so no stream says
// that it has failed.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, get, serve } from "../Wire.ts"
import { streams } from "./ProtocolStreams.ts"
import { reading } from "./Reading.ts"

Tier.oneIn(3)

const continues = "The database does not reply. This does not end the run: watch its events again"

/** An agent that says a word. Its next step is lost with the database. */
const served = Effect.gen(function*() {
  const gate = yield* Deferred.make<void>()
  const { model } = yield* Script.make([
    [Script.text("Once"), Script.wait(gate), Script.toolCall("look", {}, "call_1")],
    [Script.text("Once"), Script.toolCall("look", {}, "call_1")],
    [Script.text("Done.")]
  ])
  const look = Tool.make({ name: "look", effects: "read", execute: () => "seen" })
  let isAway = false
  const database = (database: Database): Database => ({
    ...database,
    runs: {
      ...database.runs,
      // the execution breaks off, as it does when the node has no heartbeat
      record: (step) => Effect.suspend(() => isAway ? Effect.die("lost") : database.runs.record(step)),
      readEvents: (...request) =>
        Effect.suspend(() => isAway ? new StorageUnavailable({ cause: "lost" }) : database.runs.readEvents(...request))
    }
  })
  const server = yield* serve({ agents: [Agent.make({ id: "slow", model, tools: [look] })], database })
  const lose = Effect.andThen(Effect.sync(() => (isAway = true)), Deferred.succeed(gate, undefined))
  return { server, lose, mend: () => (isAway = false) }
})

describe("a stream of a run in an outage of the database", () => {
  it.effect("the stream ends with the frame of a shutdown, and a later one has the rest of the run", () =>
    Effect.gen(function*() {
      const { lose, mend, server } = yield* served
      const body = new URLSearchParams({ message: "hi", session_id: "s", run_id: "r" })
      const stream = reading(yield* server.fetch("/agents/slow/runs", { method: "POST", body }))
      yield* stream.until("Once")
      yield* lose
      const rest = yield* stream.rest
      assert.strictEqual(rest, `event: error\ndata: ${JSON.stringify({ event: "error", error: continues })}\n\n`)
      mend()
      const run = Effect.andThen(TestClock.adjust("1 second"), get(server, "/agents/slow/runs/r?session_id=s"))
      const ended = yield* Effect.repeat(run, { until: ({ json }) => at(json, "status") === "COMPLETED", times: 60 })
      assert.strictEqual(at(ended.json, "content"), "Done.", ended.text)
    }))

  it.effect.each(streams)(
    "a stream of %s says in its own error that the run continues",
    ([, path, body, last]) =>
      Effect.gen(function*() {
        const { lose, server } = yield* served
        const headers = { "content-type": "application/json" }
        const stream = reading(yield* server.fetch(path, { method: "POST", headers, body: JSON.stringify(body) }))
        yield* stream.until("Once")
        yield* lose
        const rest = yield* stream.rest
        assert.include(rest, last)
        assert.include(rest, continues)
      })
  )
})
