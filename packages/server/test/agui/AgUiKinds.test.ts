// AG-UI of teams and workflows, their pauses, and how runs end, read by both official clients.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import { defaultProtocols } from "@svc-runtime/http/Settings"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import * as Pausing from "../protocols/PausingComponents.ts"
import { always } from "../Wire.ts"
import * as AgUiClient from "./AgUiClient.ts"

Tier.oneIn(12)

const served = Effect.gen(function*() {
  const { agents, teams, workflows } = yield* Pausing.components
  return yield* TestServer.listen({ agents, teams, workflows: [...workflows, yield* Pausing.speaking] })
})

interface Interrupts {
  readonly interrupts: ReadonlyArray<{ readonly id: string; readonly toolCallId: string }>
}

describe("one component without its name in the path", () => {
  it.live("the component of the settings is served at {prefix}/agui, and {prefix}/status responds", () =>
    Effect.gen(function*() {
      const { agents } = yield* Pausing.components
      const protocols = { ...defaultProtocols, agui: { enabled: true, prefix: "/ui", component: "confirmation" } }
      const { url } = yield* TestServer.listen({ agents, settings: { protocols } })
      const status = yield* Effect.promise(() =>
        fetch(`${url}/ui/status`).then((response): Promise<unknown> => response.json())
      )
      assert.deepStrictEqual(status, { status: "available" })
      const outcome = AgUiClient.accepted(yield* AgUiClient.make("1.0.0", `${url}/ui/agui`).say("go"))
      assert.lengthOf(AgUiClient.eventsOf(outcome, "TOOL_CALL_START"), 1)
    }))
})

/** The component, a member or an executor calls a tool for which a person is asked. */
const calling = new Set(["confirmation", "input", "member", "executor"])

/** Calls that were executed have their result. */
const accepts = (outcome: AgUiClient.Outcome, { id, result }: Pausing.Pausing, open: unknown) => {
  assert.include(AgUiClient.textOf(AgUiClient.accepted(outcome)), result)
  const results = AgUiClient.eventsOf(outcome, "TOOL_CALL_RESULT").filter(({ toolCallId }) => toolCallId === open)
  if (calling.has(id)) assert.match(String(results[0]?.content), /^"sent to/)
  assert.isAtMost(results.length, 1)
  return results
}

describe.each(AgUiClient.versions)("AG-UI, client %s", (version) => {
  it.live("a workflow shows its steps and the agents in them, their text, and its answer", () =>
    Effect.gen(function*() {
      const { url } = yield* served
      const { say } = AgUiClient.make(version, `${url}/workflows/speaking/agui`)
      const outcome = AgUiClient.accepted(yield* say("hi"))
      const steps = AgUiClient.eventsOf(outcome, "STEP_STARTED").map(({ stepName }) => stepName)
      const agents = AgUiClient.eventsOf(outcome, "SUBAGENT_STARTED").map(({ name }) => name)
      const isVersion1 = version === "1.0.0"
      assert.deepStrictEqual(steps, isVersion1 ? ["speak", "last"] : ["speak", "Speaker", "last"])
      assert.deepStrictEqual(agents, isVersion1 ? ["Speaker"] : [])
      const ends = AgUiClient.eventsOf(outcome, "SUBAGENT_FINISHED").map(({ outcome }) => outcome)
      assert.deepStrictEqual(ends, isVersion1 ? [{ type: "success" }] : [])
      assert.strictEqual(AgUiClient.textOf(outcome), "I am here.last done")
    }))

  it.live("no event has a null, and media of the answer are CUSTOM events", () =>
    Effect.gen(function*() {
      const { model } = yield* always(
        Script.part({ type: "file", mediaType: "image/png", data: "AAEC" }),
        Script.text("See.")
      )
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model })] })
      const { say } = AgUiClient.make(version, `${url}/agents/a/agui`)
      const { events } = AgUiClient.accepted(yield* say("hi"))
      assert.isEmpty(events.filter((event) => Object.values(event).includes(null)))
      const medium = events.find(({ type }) => type === "CUSTOM")
      assert.deepStrictEqual(medium?.value, {
        kind: "image",
        url: "data:image/png;base64,AAEC",
        mediaType: "image/png"
      })
    }))

  it.live("a run that is cancelled finishes, and a client with a version gets this outcome", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const { model } = yield* always(Script.text("One "), Script.wait(Deferred.succeed(begun, undefined)), Script.hang)
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model })] })
      const { say } = AgUiClient.make(version, `${url}/agents/a/agui`)
      const running = yield* Effect.forkChild(say("hi", { runId: "r" }))
      yield* Deferred.await(begun)
      yield* Effect.promise(() => fetch(`${url}/agents/a/runs/r/cancel?session_id=thread`, { method: "POST" }))
      const outcome = AgUiClient.accepted(yield* Fiber.join(running))
      assert.lengthOf(AgUiClient.eventsOf(outcome, "RUN_ERROR"), 0)
      const last = outcome.events.at(-1)
      assert.strictEqual(last?.type, "RUN_FINISHED")
      assert.deepStrictEqual(last?.outcome, version === "1.0.0" ? { type: "cancelled" } : undefined)
    }))

  for (const pausing of Pausing.pausing) {
    const { id, kind, payload } = pausing
    it.live(`the pause of ${kind}/${id} is answered in the same thread`, () =>
      Effect.gen(function*() {
        const { url } = yield* served
        const client = AgUiClient.make(version, `${url}/${kind}/${id}/agui`)
        const paused = AgUiClient.accepted(yield* client.say("go"))
        const open = AgUiClient.eventsOf(paused, "TOOL_CALL_START").at(-1)?.toolCallId
        const { interrupts } = paused.events.at(-1)?.outcome as Interrupts
        assert.deepStrictEqual(interrupts.map(({ toolCallId }) => toolCallId), [open])
        const resume = interrupts.map(({ id: interruptId }) => ({ interruptId, status: "resolved", payload }))
        const results = accepts(yield* client.run({ resume }), pausing, open)
        if (id === "external") assert.strictEqual(results[0]?.content, `"sent elsewhere"`)
      }))
    if (version === "1.0.0") continue
    it.live(`a client that knows no interrupts answers the pause of ${kind}/${id} with a message of the tool`, () =>
      Effect.gen(function*() {
        const { url } = yield* served
        const client = AgUiClient.make(version, `${url}/${kind}/${id}/agui`)
        const paused = AgUiClient.accepted(yield* client.say("go"))
        client.agent.pendingInterrupts = []
        const open = AgUiClient.eventsOf(paused, "TOOL_CALL_START").at(-1)?.toolCallId
        const answer = { id: "t", role: "tool", toolCallId: String(open), content: JSON.stringify(payload) }
        client.agent.messages = [...client.agent.messages, answer]
        const results = accepts(yield* client.run(), pausing, open)
        // the client has the message with the result
        if (id === "external") assert.isEmpty(results)
      }))
  }
})
