import { assert, it } from "@effect/vitest"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import { SpanTracer } from "@svc-runtime/telemetry/SpanTracer"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as SpanTree from "@svc-runtime/test-support/SpanTree"
import { Deferred, Effect, Tracer } from "effect"
import * as Tool from "../../src/tool/Tool.ts"
import { open, scripted } from "./Engine.ts"

it.effect("a run that resumes after a crash is in the same trace, linked to the attempt of the stopped process", () => {
  const sinks = [SpanSink.memory(), SpanSink.memory()]
  const [first, second] = sinks.map((sink) => Effect.provideService(Tracer.Tracer, new SpanTracer({ sinks: [sink] })))
  return Effect.gen(function*() {
    const hang = yield* Deferred.make<void>()
    const look = Tool.make({ name: "look", effects: "read", execute: () => "seen" })
    const before = yield* first!(open({ drainTimeout: 0 }))
    const { agent, command } = yield* scripted([
      [Script.toolCall("look")],
      [Script.wait(Deferred.succeed(hang, undefined)), Script.hang],
      [Script.text("Hello")]
    ], { tools: [look] })
    yield* first!(before.engine.start(command()))
    yield* Deferred.await(hang)
    yield* before.close
    const after = yield* second!(open({ memory: before.memory, agents: [agent] }))
    yield* after.engine.recover
    yield* Effect.repeat(Effect.andThen(Effect.yieldNow, Effect.sync(() => sinks[1]!.spans.length)), {
      until: (count) => count === 2
    })
    const [stopped, resumed] = sinks.map(({ spans }) => spans.find(({ name }) => name.startsWith("invoke_agent")))
    assert.deepStrictEqual(SpanTree.of(sinks[1]!.spans), [
      `${resumed?.name} | link {"svc.link":"earlier_attempt"}`,
      "  chat scripted"
    ])
    assert.strictEqual(resumed?.trace_id, stopped?.trace_id)
    assert.strictEqual(resumed?.links[0]?.span_id, stopped?.span_id)
    assert.strictEqual(stopped?.attributes["svc.handed_over"], true)
  })
})
