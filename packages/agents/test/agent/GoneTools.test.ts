// A call that has begun, or on which a person has decided, stays if the agent has its tool no more when it resumes.
import { assert, describe, it } from "@effect/vitest"
import type * as Requirement from "@svc-runtime/domain/Requirement"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { z } from "zod"
import { live } from "../../../engine/test/run/Restartable.ts"
import * as ComponentTool from "../../src/nested/ComponentTool.ts"
import type * as TeamCommand from "../../src/team/TeamCommand.ts"
import {
  answered,
  begun,
  openIn,
  type Paused,
  planWith,
  recovered,
  run_id,
  type Scene,
  snapshotOf,
  speaker,
  woken
} from "./DurableFunctions.ts"
import { commandOf } from "./Harness.ts"

const parameters = z.object({ n: z.string() })

type Options = Omit<Partial<Tool.Options<typeof parameters>>, "execute">

const kinds = ["agent", "team"] as const

/** A run of an agent or a leader that calls `pay`, and the same without this tool. */
const desk = Effect.fnUntraced(function*(
  kind: typeof kinds[number],
  options: Options,
  execute: (context: Tool.ToolContext) => unknown = () => "paid"
) {
  const called: Array<string> = []
  const read: Array<string> = []
  const pay = Tool.make({
    name: "pay",
    parameters,
    ...options,
    execute: ({ n }, context) => (called.push(n), execute(context))
  })
  const { model } = yield* Script.make(Array.from({ length: 20 }, () => ({ prompt }: Script.Call) => {
    const results = prompt.content.flatMap(({ content, role }) => role === "tool" ? [JSON.stringify(content)] : [])
    read.push(...results)
    return results.length === 0 ? [toolCall("pay", { n: "9000" }, "p")] : [text("Done.")]
  }))
  const sceneOf = (tools: ReadonlyArray<Tool.Tool>): Scene => {
    if (kind === "agent") {
      const agent = Agent.make({ id: "desk", tools, model })
      return { parts: { agents: [agent] }, command: commandOf(agent) }
    }
    const team = Team.make({ id: "desk", members: [Agent.make({ id: "member", model })], tools, model })
    const { agent: _, ...command } = commandOf(team.leader)
    const teamCommand: TeamCommand.TeamCommand = { ...command, team }
    return { parts: { teams: [team] }, command: teamCommand }
  }
  const before = sceneOf([pay])
  return { before, called, gone: sceneOf([]), read, first: yield* begun(before) }
})

const openOf = (paused: Paused): Requirement.Requirement => {
  const [open] = openIn(paused)
  if (open === undefined) throw new Error(`nothing is open: ${JSON.stringify(paused.snapshot.output)}`)
  return open
}

/** Decides, and kills the process when the tool has begun. The next process executes the scene. */
const killed = Effect.fnUntraced(function*(
  { before, called, first }: Pick<Effect.Success<ReturnType<typeof desk>>, "before" | "called" | "first">,
  decision: object,
  next: Scene
) {
  const entry = yield* planWith(first, { requirements: [{ id: openOf(first).id, ...decision }] })
  const { memory } = first
  const running = yield* live({ ...before.parts, run_id, memory })
  yield* running.engine.continue({ snapshot: first.snapshot, entry, stream: true, background: false })
  yield* Effect.repeat(Effect.yieldNow, { until: () => called.length > 0 })
  yield* running.close
  const last = yield* recovered(next, memory)
  const paused: Paused = { memory, snapshot: yield* snapshotOf(last), written: 0, last }
  return paused
})

const edited = { confirmation: true, confirmation_note: "As agreed", tool_execution: { tool_args: { n: "9" } } }

const decide = (scene: Scene, paused: Paused, decision: object) =>
  answered(scene, paused, [{ id: openOf(paused).id, ...decision }])

interface Shown {
  readonly status: string
  readonly calls: ReadonlyArray<ReadonlyArray<unknown>>
}

const shownOf = ({ snapshot: { output, status } }: Paused): Shown => ({
  status,
  calls: (output.tools ?? []).map((
    { outcome_unknown = false, result, tool_args }
  ) => [tool_args, outcome_unknown, result])
})

const changed = "(A person has changed the arguments of this call to {\\\"n\\\":\\\"9\\\"}.)"
const note = "(A person has added a note to this call: \\\"As agreed\\\".)"

const unknown: Shown = { status: "PAUSED", calls: [[{ n: "9" }, true, null]] }

const never = () => new Promise<string>(() => {})

describe.each(kinds)("a call whose tool is gone when the run resumes, in a run of kind %s", (kind) => {
  it.effect.each(["once", "idempotent"] as const)(
    "a call with the effects '%s' that was cut off has an unknown outcome, and the model reads the result that a person gives",
    (effects) =>
      Effect.gen(function*() {
        const one = yield* desk(kind, { effects, requiresConfirmation: true }, never)
        const cut = yield* killed(one, edited, one.gone)
        assert.deepStrictEqual(shownOf(cut), unknown)
        const ended = yield* decide(one.gone, cut, { external_execution_result: "Number 4711" })
        assert.deepStrictEqual(shownOf(ended), { status: "COMPLETED", calls: [[{ n: "9" }, false, "Number 4711"]] })
        const [read = ""] = one.read
        for (const part of [changed, note, "Number 4711"]) assert.include(read, part)
      })
  )

  it.effect("a call that was cut off without a decision has an unknown outcome, and can be skipped", () =>
    Effect.gen(function*() {
      const one = yield* desk(kind, {}, ({ sleep }) => sleep("1 hour"))
      yield* TestClock.adjust("1 hour")
      const unwoken = yield* woken(one.gone, one.first)
      assert.deepStrictEqual(shownOf(unwoken), { status: "PAUSED", calls: [[{ n: "9000" }, true, null]] })
      const skipped = yield* decide(one.gone, unwoken, { confirmation: false, confirmation_note: "Never mind" })
      assert.strictEqual(skipped.snapshot.status, "COMPLETED")
      const [read = ""] = one.read
      assert.include(read, "(The outcome of this call is unknown, and a person has declined to repeat it.)")
      assert.include(read, "Never mind")
    }))

  it.effect("a repetition that reaches the run has no effect: the outcome stays unknown", () =>
    Effect.gen(function*() {
      const one = yield* desk(kind, { requiresConfirmation: true }, never)
      const cut = yield* killed(one, edited, one.gone)
      const again = yield* decide(one.gone, cut, { confirmation: true })
      assert.deepStrictEqual(shownOf(again), unknown)
    }))

  it.effect("a call that sleeps with the arguments of a person has an unknown outcome when it wakes up", () =>
    Effect.gen(function*() {
      const one = yield* desk(kind, { effects: "idempotent", requiresConfirmation: true }, async ({ sleep }) => {
        await sleep("1 hour")
        await sleep("1 hour")
      })
      const asleep = yield* decide(one.before, one.first, edited)
      yield* TestClock.adjust("1 hour")
      const again = yield* woken(one.before, asleep)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(shownOf(yield* woken(one.gone, again)), unknown)
    }))

  it.effect("the model reads that a person has declined the question, when it is known what has happened", () =>
    Effect.gen(function*() {
      const one = yield* desk(kind, { requiresConfirmation: true }, ({ pause }) => pause({ question: "Really?" }))
      const asking = yield* decide(one.before, one.first, edited)
      const declined = yield* decide(one.gone, asking, { confirmation: false, confirmation_note: "Too much" })
      assert.deepStrictEqual(shownOf(declined), unknown)
      yield* decide(one.gone, declined, { external_execution_result: "Half of it" })
      const [read = ""] = one.read
      for (const part of [changed, "has declined the question", "Too much", "Half of it"]) assert.include(read, part)
    }))

  it.effect("the model reads the result that was sent for a call that the service does not make", () =>
    Effect.gen(function*() {
      const one = yield* desk(kind, { externalExecution: true })
      const ended = yield* decide(one.gone, one.first, { external_execution_result: "Number 4711" })
      assert.deepStrictEqual(shownOf(ended), { status: "COMPLETED", calls: [[{ n: "9000" }, false, "Number 4711"]] })
      assert.include(one.read.join(), "Number 4711")
    }))

  it.effect.each(
    [
      ["a person makes", { externalExecution: true }, "(This call was rejected, or has failed.)"],
      ["needs a confirmation", { requiresConfirmation: true }, "(A person has rejected this call.)"]
    ] as const
  )("the model reads that a call that %s was rejected, and why", ([, options, line]) =>
    Effect.gen(function*() {
      const one = yield* desk(kind, options)
      const ended = yield* decide(one.gone, one.first, { confirmation: false, confirmation_note: "Too expensive" })
      assert.deepStrictEqual(shownOf(ended), { status: "COMPLETED", calls: [[{ n: "9000" }, false, "Too expensive"]] })
      const [read = ""] = one.read
      assert.include(read, line)
      assert.include(read, "Too expensive")
    }))

  it.effect("a call that had not begun when it was allowed is not made, and the model reads why", () =>
    Effect.gen(function*() {
      const one = yield* desk(kind, { requiresConfirmation: true })
      const ended = yield* decide(one.gone, one.first, edited)
      const result = "The tool 'pay' is not available now: the agent has no such tool any more. Nothing was done"
      assert.deepStrictEqual(shownOf(ended), { status: "COMPLETED", calls: [[{ n: "9" }, false, result]] })
      assert.include(one.read.join(), changed)
      assert.deepStrictEqual(one.called, [])
    }))
})

const places = ["member", "component"] as const

/** An agent inside of a run that calls `pay`: a member of a team, or a tool. And the same run without it. */
const around = Effect.fnUntraced(function*(
  place: typeof places[number],
  options: Options,
  execute: (context: Tool.ToolContext) => unknown = () => "paid"
) {
  const called: Array<string> = []
  const own = options.externalExecution === true
    ? {}
    : { execute: ({ n }: { readonly n: string }, context: Tool.ToolContext) => (called.push(n), execute(context)) }
  const pay = Tool.make({ name: "pay", parameters, ...options, ...own } as Tool.Options<typeof parameters>)
  const speaking = (name: string, args: object) =>
    Effect.map(speaker(toolCall(name, args, `${name}_1`), text("Done.")), ({ model }) => model)
  const helper = Agent.make({ id: "helper", tools: [pay], model: yield* speaking("pay", { n: "9000" }) })
  const other = Agent.make({ id: "other", model: yield* speaking("none", {}) })
  const [name, args] = place === "member"
    ? ["delegate_task_to_member", { member_id: "helper", task: "t" }] as const
    : ["ask", { task: "t" }] as const
  const model = yield* speaking(name, args)
  const sceneOf = (isThere: boolean): Scene => {
    if (place === "component") {
      const tools = (isThere ? [helper, other] : [other]).map((component) =>
        ComponentTool.make({ name: component === helper ? "ask" : "other", component })
      )
      const agent = Agent.make({ id: "desk", tools, model })
      return { parts: { agents: [agent] }, command: commandOf(agent) }
    }
    const team = Team.make({ id: "desk", members: isThere ? [helper, other] : [other], model })
    const { agent: _, ...command } = commandOf(team.leader)
    const teamCommand: TeamCommand.TeamCommand = { ...command, team }
    return { parts: { teams: [team] }, command: teamCommand }
  }
  return { before: sceneOf(true), called, gone: sceneOf(false), name }
})

describe.each(places)("a run inside of which an agent that is gone was called, as a %s", (place) => {
  const isLost = (paused: Paused, name: string) => {
    assert.strictEqual(paused.snapshot.status, "PAUSED")
    // it is asked about once: what has waited inside of it waits no more
    assert.deepStrictEqual(
      openIn(paused).map(({ tool_execution: { asked, outcome_unknown, tool_name } }) => [
        tool_name,
        outcome_unknown,
        asked?.message
      ]),
      [[
        name,
        true,
        `A run inside of this call was not finished, and there is no '${
          place === "member" ? "helper" : "ask"
        }' any more`
      ]]
    )
  }

  it.effect("the call has an unknown outcome if it was cut off, and a person says what has happened", () =>
    Effect.gen(function*() {
      const { before, called, gone, name } = yield* around(place, {}, never)
      const running = yield* live({ ...before.parts, run_id })
      yield* running.engine.start(before.command)
      yield* Effect.repeat(Effect.yieldNow, { until: () => called.length > 0 })
      yield* running.close
      const { memory } = running
      const last = yield* recovered(gone, memory)
      const cut: Paused = { memory, snapshot: yield* snapshotOf(last), written: 0, last }
      isLost(cut, name)
      const again = yield* decide(gone, cut, { confirmation: true })
      isLost(again, name)
      const ended = yield* decide(gone, again, { external_execution_result: "Paid, number 4711" })
      assert.deepStrictEqual(shownOf(ended).calls.map(([, , result]) => result), ["Paid, number 4711"])
      assert.deepStrictEqual([ended.snapshot.status, called], ["COMPLETED", ["9000"]])
    }))

  it.effect("the call has an unknown outcome if a function inside of it has slept", () =>
    Effect.gen(function*() {
      const { before, called, gone, name } = yield* around(place, {}, ({ sleep }) => sleep("1 hour"))
      const asleep = yield* begun(before)
      yield* TestClock.adjust("1 hour")
      const unwoken = yield* woken(gone, asleep)
      isLost(unwoken, name)
      const skipped = yield* decide(gone, unwoken, { confirmation: false })
      assert.deepStrictEqual([skipped.snapshot.status, called], ["COMPLETED", ["9000"]])
    }))

  it.effect.each([true, false])(
    "a decision (%s) on a call inside of it executes nothing, and the run asks what has happened",
    (confirmation) =>
      Effect.gen(function*() {
        const { before, called, gone, name } = yield* around(place, { requiresConfirmation: true })
        const lost = yield* decide(gone, yield* begun(before), { confirmation })
        isLost(lost, name)
        const ended = yield* decide(gone, lost, { confirmation: false })
        assert.deepStrictEqual([ended.snapshot.status, called], ["COMPLETED", []])
      })
  )

  it.effect("the result of a call inside of it has no agent that could read it, and the run asks what has happened", () =>
    Effect.gen(function*() {
      const { before, called, gone, name } = yield* around(place, { externalExecution: true })
      const lost = yield* decide(gone, yield* begun(before), { external_execution_result: "Paid, number 4711" })
      isLost(lost, name)
      const ended = yield* decide(gone, lost, { external_execution_result: "The helper has paid" })
      assert.deepStrictEqual(shownOf(ended).calls.map(([, , result]) => result), ["The helper has paid"])
      assert.deepStrictEqual([ended.snapshot.status, called], ["COMPLETED", []])
    }))

  it.effect("the result of a call inside of it is read if the agent is there again", () =>
    Effect.gen(function*() {
      const { before, called, gone, name } = yield* around(place, { externalExecution: true })
      const lost = yield* decide(gone, yield* begun(before), { external_execution_result: "Paid, number 4711" })
      isLost(lost, name)
      const ended = yield* decide(before, lost, { confirmation: true })
      assert.deepStrictEqual([ended.snapshot.status, called], ["COMPLETED", []])
      assert.include(JSON.stringify(ended.snapshot.output), "Paid, number 4711")
    }))

  it.effect("the call continues if the agent is there again", () =>
    Effect.gen(function*() {
      const { before, called, gone, name } = yield* around(place, { effects: "idempotent" }, async ({ sleep }) => {
        await sleep("1 hour")
        return "paid"
      })
      const asleep = yield* begun(before)
      yield* TestClock.adjust("1 hour")
      const unwoken = yield* woken(gone, asleep)
      isLost(unwoken, name)
      const ended = yield* decide(before, unwoken, { confirmation: true })
      assert.strictEqual(ended.snapshot.status, "COMPLETED")
      assert.deepStrictEqual(called, ["9000", "9000"])
    }))
})

describe("calls that wait while an upgrade changes what the agent may call", () => {
  const two = Effect.fnUntraced(function*() {
    const called: Array<string> = []
    const tool = (name: string, more: Options = {}) =>
      Tool.make({ name, parameters, requiresConfirmation: true, ...more, execute: ({ n }) => (called.push(n), "paid") })
    const { model } = yield* Script.make(
      Array.from({ length: 9 }, () => ({ prompt }: Script.Call) =>
        prompt.content.some(({ role }) => role === "tool")
          ? [text("Done.")]
          : [toolCall("pay", { n: "1" }, "p"), toolCall("send", { n: "2" }, "s"), toolCall("pay", { n: "3" }, "q")])
    )
    const sceneOf = (options: Agent.Options): Scene => {
      const agent = Agent.make({ model, ...options })
      return { parts: { agents: [agent] }, command: commandOf(agent) }
    }
    const first = yield* begun(sceneOf({ id: "desk", tools: [tool("pay"), tool("send")] }))
    return { called, first, sceneOf, tool }
  })

  const all = (paused: Paused) => openIn(paused).map(({ id }) => ({ id, confirmation: true }))

  it.effect("calls that a person has allowed are made, though their tool may be called less often now", () =>
    Effect.gen(function*() {
      const { called, first, sceneOf, tool } = yield* two()
      const next = sceneOf({ id: "desk", tools: [tool("pay", { maxCalls: 1 }), tool("send")], toolCallLimit: 1 })
      const ended = yield* answered(next, first, all(first))
      assert.deepStrictEqual([ended.snapshot.status, called.toSorted()], ["COMPLETED", ["1", "2", "3"]])
    }))

  it.effect("a call that had not begun and is not decided is not made if its tool is gone, and the model reads so", () =>
    Effect.gen(function*() {
      const { called, sceneOf, tool } = yield* two()
      const read = tool("pay", { requiresConfirmation: false, effects: "read" })
      const slow = { ...read, call: () => Effect.andThen(Effect.sync(() => called.push("0")), Effect.never) }
      const before = sceneOf({ id: "desk", tools: [slow, tool("send")] })
      const running = yield* live({ ...before.parts, run_id })
      yield* running.engine.start(before.command)
      yield* Effect.repeat(Effect.yieldNow, { until: () => called.length > 0 })
      yield* running.close
      const last = yield* recovered(sceneOf({ id: "desk", tools: [read] }), running.memory)
      const { output, status } = yield* snapshotOf(last)
      assert.deepStrictEqual([status, called.filter((n) => n !== "0").toSorted()], ["COMPLETED", ["1", "3"]])
      assert.include(JSON.stringify("messages" in output && output.messages), "There is no tool 'send'")
    }))
})
