import { assert, describe, it } from "@effect/vitest"
import type { HookInput } from "@svc-runtime/agents/agent/define/Hook"
import { Agent, JobKind, Tool } from "@svc-runtime/server"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Deferred, Effect, Queue, Schema } from "effect"
import { at, run } from "./Wire.ts"

describe("kinds of background jobs that an author registers", () => {
  it.live("a service executes a repeating kind that is made with the package server alone", () =>
    Effect.gen(function*() {
      const executed = yield* Deferred.make<string>()
      const cleaning = JobKind.repeating({
        name: "cleaning",
        every: "1 hour",
        handle: ({ job }) => Deferred.succeed(executed, job.kind)
      })
      yield* TestServer.make({ jobs: [cleaning] })
      assert.strictEqual(yield* Deferred.await(executed), "cleaning")
    }))

  it.live("a tool and a hook enqueue jobs once per key, for the user and the session of their run, in its trace", () =>
    Effect.gen(function*() {
      const handled = yield* Queue.unbounded<readonly [string, string | null, string | null]>()
      const indexing = JobKind.make({
        name: "indexing",
        payload: Schema.Struct({ document: Schema.String }),
        handle: ({ document }, { job }) => Queue.offer(handled, [document, job.user_id, job.session_id])
      })
      const { model } = yield* Script.make([[Script.toolCall("store", {}, "call")], [Script.text("Stored.")]])
      const tool = Tool.make({
        name: "store",
        execute: async (_, { effectId, enqueue }) => {
          const options = { key: effectId }
          const first = await enqueue(indexing, { document: "tool" }, options)
          const second = await enqueue(indexing, { document: "tool" }, options)
          return { isNew: first.isNew, isSame: first.id === second.id || !second.isNew }
        }
      })
      const hook = {
        name: "index",
        run: async ({ context }: HookInput) => {
          await context.enqueue(indexing, { document: "hook" }, { key: context.runId })
        }
      }
      const agent = Agent.make({ id: "agent", model, tools: [tool], postHooks: [hook] })
      const { spans, ...sink } = SpanSink.memory()
      const server = yield* TestServer.make({ agents: [agent], jobs: [indexing], spans: sink })
      const fields = { message: "Hi", session_id: "s", user_id: "ann", stream: "false" }
      const { json } = yield* run(server, "agent", fields)
      assert.strictEqual(at(json, "status"), "COMPLETED", JSON.stringify(json))
      const jobs = yield* Effect.all([Queue.take(handled), Queue.take(handled)])
      assert.sameDeepMembers(jobs, [["tool", "ann", "s"], ["hook", "ann", "s"]])
      const traces = Effect.sync(() => spans.filter(({ name }) => name === "job indexing"))
      const jobSpans = yield* Effect.repeat(Effect.tap(traces, () => Effect.sleep("5 millis")), {
        until: ({ length }) => length === 2
      })
      const run_trace = spans.find(({ name }) => name === "invoke_agent agent")?.trace_id
      for (const { attributes, status, trace_id } of jobSpans) {
        assert.deepStrictEqual([trace_id, status], [run_trace, "OK"])
        assert.deepInclude(attributes, { "session.id": "s", "user.id": "ann", "svc.attempt": 1 })
      }
    }))

  it.live("a job with a payload that is too large is refused, and the call of the tool fails", () =>
    Effect.gen(function*() {
      const kind = JobKind.make({ name: "large", payload: Schema.String, handle: () => Effect.void })
      const { model } = yield* Script.make([[Script.toolCall("store", {}, "call")], [Script.text("Not stored.")]])
      const tool = Tool.make({
        name: "store",
        execute: (_, { enqueue }) => enqueue(kind, "x".repeat(1_000_000))
      })
      const server = yield* TestServer.make({
        agents: [Agent.make({ id: "agent", model, tools: [tool] })],
        jobs: [kind]
      })
      const { json } = yield* run(server, "agent", { message: "Hi", stream: "false" })
      assert.include(String(at(json, "tools", 0, "result")), "JOB_PAYLOAD_MAX_BYTES")
    }))
})
