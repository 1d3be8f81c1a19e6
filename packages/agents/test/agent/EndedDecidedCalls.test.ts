// What is read of a call about which a person has decided, when the run ends before the call has answered.
import { assert, describe, it } from "@effect/vitest"
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Message from "@svc-runtime/domain/Message"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { z } from "zod"
import { session } from "../../../engine/test/run/Engine.ts"
import { live } from "../../../engine/test/run/Restartable.ts"
import * as AgentFork from "../../src/agent/continue/AgentFork.ts"
import * as Hook from "../../src/agent/define/Hook.ts"
import * as RunProgress from "../../src/agent/read/RunProgress.ts"
import {
  answered,
  begun,
  filter,
  openIn,
  type Paused,
  planOf,
  recovered,
  run_id,
  type Scene,
  snapshotOf
} from "./DurableFunctions.ts"
import { commandOf } from "./Harness.ts"
import { hook } from "./Hooking.ts"

const parameters = z.object({ n: z.string(), address: z.string().optional() })

type Options = Pick<Tool.Options<typeof parameters>, "requiresUserInput" | "requiresConfirmation">

/** A run whose call waits for a person. */
const desk = Effect.fnUntraced(function*(
  execute: (context: Tool.ToolContext) => unknown,
  options: Options,
  hooks: Agent.Options["hooks"] = []
) {
  const called: Array<unknown> = []
  const pay = Tool.make({
    name: "pay",
    parameters,
    ...options,
    execute: (args, context) => (called.push(args), execute(context))
  })
  const { model } = yield* Script.make([[toolCall("pay", { n: "9000" }, "p")], [text("Done.")]])
  const agent = Agent.make({ id: "desk", tools: [pay], model, hooks })
  const scene: Scene = { parts: { agents: [agent] }, command: commandOf(agent) }
  return { called, scene, first: yield* begun(scene) }
})

type Desk = Effect.Success<ReturnType<typeof desk>>

const edited = { confirmation: true, confirmation_note: "As agreed", tool_execution: { tool_args: { n: "9" } } }
const filled = { confirmation_note: "As agreed", user_input_schema: [{ name: "address", value: "SECRET" }] }

const decided = (paused: Paused, decision: object) => openIn(paused).map(({ id }) => ({ id, ...decision }))

const cancelled = Effect.fnUntraced(function*(paused: Paused, { scene }: Desk) {
  const next = yield* live({ ...scene.parts, run_id, memory: paused.memory })
  yield* next.engine.cancel({ run_id, session_id: session, filter })
  yield* next.rest
  return yield* snapshotOf(next)
})

/** Continues the run, which is stopped when the tool has begun. */
const stopped = Effect.fnUntraced(function*({ called, first, scene }: Desk, decision: object, how: "cancel" | "kill") {
  const entry = yield* planOf(first, decided(first, decision))
  const running = yield* live({ ...scene.parts, run_id, memory: first.memory })
  yield* running.engine.continue({ snapshot: first.snapshot, entry, stream: true, background: false })
  yield* Effect.repeat(Effect.yieldNow, { until: () => called.length > 0 })
  if (how === "cancel") {
    yield* running.engine.cancel({ run_id, session_id: session, filter })
    yield* running.rest
    return { memory: running.memory, snapshot: yield* snapshotOf(running), written: 0, last: running }
  }
  yield* running.close
  const last = yield* recovered(scene, first.memory)
  return { memory: last.memory, snapshot: yield* snapshotOf(last), written: 0, last }
})

const resultIn = (messages: ReadonlyArray<Message.Message> = []) =>
  String(messages.findLast(({ role }) => role === "tool")?.content)

const messagesOf = (output: AnyRun.Output) => "messages" in output ? output.messages : []

const lost = "The run ended before this call had answered. It may have had its effect"
const changed = "(A person has changed the arguments of this call to {\"n\":\"9\"}.)"
const note = "(A person has added a note to this call: \"As agreed\".)"

const never = () => new Promise<string>(() => {})
const asks = ({ pause }: Tool.ToolContext) => pause({ question: "Really?" })
const sleeps = ({ sleep }: Tool.ToolContext) => sleep("1 hour")

const cases = [
  ["a person has edited", { requiresConfirmation: true }, edited, `${changed}\n${note}\n\n${lost}`],
  ["has values of a person", { requiresUserInput: ["address"] }, filled, `${note}\n\n${lost}`]
] as const

describe.each(cases)("a call that %s, and that a run has not answered when it ends", (_, options, decision, shown) => {
  it.effect("later runs read what was decided if the run is cancelled while the call is executed", () =>
    Effect.gen(function*() {
      const { snapshot } = yield* stopped(yield* desk(never, options), decision, "cancel")
      assert.deepStrictEqual([snapshot.status, resultIn(messagesOf(snapshot.output))], ["CANCELLED", shown])
    }))

  it.effect("later runs read what was decided if the run is cancelled while the call asks or sleeps", () =>
    Effect.gen(function*() {
      const one = yield* desk(asks, options)
      const paused = yield* answered(one.scene, one.first, decided(one.first, decision))
      const { output } = yield* cancelled(paused, one)
      assert.strictEqual(resultIn(messagesOf(output)), shown)
      const napping = yield* desk(sleeps, options)
      const asleep = yield* answered(napping.scene, napping.first, decided(napping.first, decision))
      const ended = yield* cancelled(asleep, napping)
      assert.notInclude(JSON.stringify(messagesOf(ended.output)), "SECRET")
    }))

  it.effect("another run that begins with the messages reads what was decided, and so do later runs of one that is set aside", () =>
    Effect.gen(function*() {
      const one = yield* desk(never, options)
      const cut = yield* stopped(one, decision, "kill")
      for (const regenerate of [false, true]) {
        const { messages } = yield* AgentFork.kept(cut.snapshot, { from: "end", regenerate, input: undefined })
        assert.strictEqual(resultIn(messages), shown)
      }
      assert.strictEqual(resultIn(yield* RunProgress.ofJournal(cut.snapshot.entries)), shown)
      const { output } = yield* cancelled(cut, one)
      assert.strictEqual(resultIn(messagesOf(output)), shown)
    }))
})

describe("what a hook has made of the arguments of a call", () => {
  it.effect("no model reads it as a change of a person", () =>
    Effect.gen(function*() {
      let isHooking = false
      const beforeTool = () => isHooking ? Hook.change({ n: "9000", address: "SECRET" }) : undefined
      const one = yield* desk(never, { requiresConfirmation: true }, hook({ beforeTool }))
      isHooking = true
      const plain = { confirmation: true, confirmation_note: "As agreed" }
      const { snapshot } = yield* stopped(one, plain, "cancel")
      assert.strictEqual(resultIn(messagesOf(snapshot.output)), `${note}\n\n${lost}`)
    }))
})

/** Asks, and waits again after the answer. */
const twice = (then: (context: Tool.ToolContext) => unknown) => async (context: Tool.ToolContext) => {
  await context.pause({ question: "Which?" })
  await then(context)
}

describe("what the model will read before the result of a call that waits", () => {
  const kinds = [
    { requiresConfirmation: true },
    { requiresUserInput: ["address"] },
    { requiresConfirmation: true, requiresUserInput: ["address"] }
  ] as const
  const functions = { asks: twice(({ pause }) => pause({ question: "Really?" })), sleeps: twice(sleeps) }
  const all = kinds.flatMap((options) =>
    (["asks", "sleeps"] as const).flatMap((then) => [true, false].map((isHooking) => ({ isHooking, options, then })))
  )

  it.effect.each(all)(
    "the text has notes only, no values of a form, no answers and no changes of hooks: $options, $then, hook: $isHooking",
    ({ isHooking, options, then }) =>
      Effect.gen(function*() {
        let isOn = false
        const beforeTool = () => isOn ? Hook.change({ n: "SECRET", address: "SECRET" }) : undefined
        const one = yield* desk(functions[then], options, hook({ beforeTool }))
        isOn = isHooking
        const allowed = {
          confirmation: true,
          ..."requiresUserInput" in options ? filled : { confirmation_note: "As agreed" }
        }
        const asking = yield* answered(one.scene, one.first, decided(one.first, allowed))
        const values = { confirmation_note: "Number two", user_input_schema: [{ name: "answer", value: "SECRET" }] }
        const waiting = yield* answered(one.scene, asking, decided(asking, values))
        const shown = [asking, waiting].map(({ snapshot }) => snapshot.output.tools?.[0]?.before_result)
        const second = "(A person has added a note to this call: \"Number two\".)"
        assert.deepStrictEqual(shown, [note, `${note}\n${second}`])
        const { output } = yield* cancelled(waiting, one)
        assert.notInclude(resultIn(messagesOf(output)), "SECRET")
      })
  )

  it.effect("the text is bounded, as results are", () =>
    Effect.gen(function*() {
      const one = yield* desk(asks, { requiresConfirmation: true })
      const long = { ...edited, confirmation_note: "x".repeat(1_100_000) }
      const { snapshot } = yield* answered(one.scene, one.first, decided(one.first, long))
      const { before_result = "" } = snapshot.output.tools?.[0] ?? {}
      assert.isBelow(before_result.length, 1_050_000)
      assert.match(
        before_result,
        /^\(A person has changed .*was cut after 1048576 of \d+ bytes \(of all decisions\)\]$/s
      )
    }))

  it.effect("a run that is cancelled while a call sleeps says that the call may have had its effect, and what was decided", () =>
    Effect.gen(function*() {
      const one = yield* desk(sleeps, { requiresConfirmation: true })
      const asleep = yield* answered(one.scene, one.first, decided(one.first, edited))
      const { output } = yield* cancelled(asleep, one)
      assert.strictEqual(resultIn(messagesOf(output)), `${changed}\n${note}\n\n${lost}`)
    }))
})
