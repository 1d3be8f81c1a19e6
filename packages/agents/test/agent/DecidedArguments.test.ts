// The arguments that a person has decided for a call are executed, shown, and known to the model, whatever happens to
// the call after that: in a run of an agent, of a step of a workflow, and of a member of a team.
import { assert, describe, it } from "@effect/vitest"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Requirement from "@svc-runtime/domain/Requirement"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import { Asking } from "@svc-runtime/engine/tool/Asking"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { z } from "zod"
import { live } from "../../../engine/test/run/Restartable.ts"
import * as Hook from "../../src/agent/define/Hook.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import { delegate } from "../team/Harness.ts"
import * as Workflows from "../workflow/Harness.ts"
import {
  answeredWith,
  begun,
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
import { hook } from "./Hooking.ts"

const model = { n: "9000 teas" }
const person = { n: "9 teas" }
const parameters = z.object({ n: z.string(), address: z.string().optional() })
type Input = z.infer<typeof parameters>

interface Called {
  readonly args: unknown
  readonly effectId: string
}

/** The agent that calls the tool, what the tool got, and what the model has read of its result. */
const desk = Effect.fnUntraced(function*(
  work: (input: Input, context: Tool.ToolContext, time: number) => unknown,
  options: Pick<Tool.Options<undefined>, "requiresUserInput"> & { readonly requiresConfirmation?: true } = {
    requiresConfirmation: true
  },
  hooks: Agent.Options["hooks"] = []
) {
  const called: Array<Called> = []
  const read: Array<string> = []
  const made = Tool.make({
    name: "pay",
    parameters,
    ...options,
    execute: (input: Input, context) => {
      called.push({ args: input, effectId: context.effectId })
      return work(input, context, called.length)
    }
  })
  const script = yield* Script.make(Array.from({ length: 20 }, () => ({ prompt }: Script.Call) => {
    const results = prompt.content.flatMap(({ content, role }) => role === "tool" ? [JSON.stringify(content)] : [])
    read.push(...results)
    return results.length === 0 ? [toolCall("pay", model, "p")] : [text("Done.")]
  }))
  return { called, read, agent: Agent.make({ id: "desk", tools: [made], model: script.model, hooks }), made }
})

type Desk = Effect.Success<ReturnType<typeof desk>>

const places = {
  "an agent": ({ agent }: Desk): Effect.Effect<Scene> =>
    Effect.succeed({ parts: { agents: [agent] }, command: commandOf(agent) }),
  "a step of a workflow": ({ agent }: Desk): Effect.Effect<Scene> => {
    const workflow = Workflow.make({ id: "flow", steps: [Step.make({ name: "first", agent })] })
    const command = { ...Workflows.commandOf(workflow, {}), run_id }
    return Effect.succeed({ parts: { workflows: [workflow] }, command })
  },
  "a member of a team": ({ agent }: Desk): Effect.Effect<Scene> =>
    Effect.map(speaker(delegate("desk", "pay", "d"), text("Done.")), ({ model }) => {
      const team = Team.make({ id: "team", members: [agent], model })
      const { agent: _, ...command } = commandOf(team.leader)
      return { parts: { teams: [team] }, command: { ...command, team } }
    })
}
const everywhere = Object.entries(places)

const stepOf = ({ snapshot: { output } }: Pick<Paused, "snapshot">): StepRequirement.StepRequirement | undefined =>
  AnyRun.isWorkflow(output) ? output.step_requirements?.at(-1) : undefined

/** The open requirement. */
const openOf = (paused: Pick<Paused, "snapshot">): Requirement.Requirement => {
  const step = stepOf(paused)
  const all = step === undefined ? paused.snapshot.output.requirements : step.executor_requirements
  const open = ((all ?? []) as ReadonlyArray<Requirement.Requirement>).findLast(Requirement.isOpen)
  if (open === undefined) throw new Error(`nothing is open: ${JSON.stringify(paused.snapshot.output)}`)
  return open
}

/** The open requirement, sent back with the decision. */
const sentBack = (
  paused: Pick<Paused, "snapshot">,
  { tool_execution, ...decision }: Partial<Requirement.Requirement> & { readonly tool_execution?: object }
) => {
  const open = openOf(paused)
  const sent = { ...open, ...decision, tool_execution: { ...open.tool_execution, ...tool_execution } }
  const step = stepOf(paused)
  return step === undefined
    ? { requirements: [sent] }
    : { step_requirements: [{ ...step, executor_requirements: [sent] }] }
}

const edited = { confirmation: true, tool_execution: { tool_args: person } } as never

/** Continues the run, and kills its process when the tool has begun. */
const cutOff = Effect.fnUntraced(function*(
  scene: Scene,
  { called }: Pick<Desk, "called">,
  paused: Paused,
  decisions: object
) {
  const before = called.length
  const entry = yield* planWith(paused, decisions)
  const next = yield* live({ ...scene.parts, run_id, memory: paused.memory })
  yield* next.engine.continue({ snapshot: paused.snapshot, entry, stream: true, background: false })
  yield* Effect.repeat(Effect.yieldNow, { until: () => called.length > before })
  yield* next.close
  const last = yield* recovered(scene, paused.memory)
  const cut: Paused = { memory: last.memory, snapshot: yield* snapshotOf(last), written: 0, last }
  return cut
})

const argsOf = ({ called }: Desk) => called.map(({ args }) => args)

/** The calls of the run that made the call. */
const callsOf = ({ snapshot: { output } }: Pick<Paused, "snapshot">) =>
  JSON.stringify(output).match(/"tool_name":"pay","tool_args":\{[^}]*\}/g) ?? []

const changedLine = "(A person has changed the arguments of this call to {\\\"n\\\":\\\"9 teas\\\"}.)"

/** The person's arguments were executed, are those of the run, and the model knows of them. */
const assertDecided = (paused: Paused, one: Desk, times: number) => {
  assert.strictEqual(paused.snapshot.status, "COMPLETED")
  assert.deepStrictEqual(argsOf(one), Array.from({ length: times }, () => person))
  assert.lengthOf(new Set(one.called.map(({ effectId }) => effectId)), 1)
  const [read = "", ...others] = one.read
  assert.lengthOf(others, 0)
  assert.lengthOf(read.split(changedLine), 2, read)
  return read
}

const never = new Promise<string>(() => {})

describe.each(everywhere)("a call with the arguments of a person, in a run of %s", (_, sceneOf) => {
  it.effect("a call that sleeps continues with them", () =>
    Effect.gen(function*() {
      const one = yield* desk(async ({ n }, { sleep }) => (await sleep("1 hour"), n))
      const scene = yield* sceneOf(one)
      const first = yield* begun(scene)
      const asleep = yield* answeredWith(
        scene,
        first,
        sentBack(first, { ...edited as object, confirmation_note: "As agreed" } as never)
      )
      assert.deepStrictEqual(openOf(asleep).tool_execution.tool_args, person)
      yield* TestClock.adjust("1 hour")
      const read = assertDecided(yield* woken(scene, asleep), one, 2)
      assert.include(read, "note to this call: \\\"As agreed")
    }))

  it.effect("a call that waits for an event continues with them", () =>
    Effect.gen(function*() {
      const one = yield* desk(async ({ n }, { waitFor }) => `${n} ${JSON.stringify(await waitFor("paid"))}`)
      const scene = yield* sceneOf(one)
      const first = yield* begun(scene)
      const waiting = yield* answeredWith(scene, first, sentBack(first, edited))
      assert.deepStrictEqual(openOf(waiting).tool_execution.tool_args, person)
      const sent = sentBack(waiting, { external_execution_result: "{\"cents\": 1}" })
      assertDecided(yield* answeredWith(scene, waiting, sent), one, 2)
    }))

  it.effect("a call whose question is declined, and then answered, continues with them", () =>
    Effect.gen(function*() {
      const one = yield* desk(async ({ n }, { pause }) => {
        const first = await pause({ question: "Sure?" }).catch(() => "declined")
        return `${n} ${first} ${await pause({ question: "Really?" })}`
      })
      const scene = yield* sceneOf(one)
      const first = yield* begun(scene)
      const asking = yield* answeredWith(scene, first, sentBack(first, edited))
      const again = yield* answeredWith(scene, asking, sentBack(asking, { confirmation: false }))
      assert.deepStrictEqual(openOf(again).tool_execution.tool_args, person)
      const sent = sentBack(again, { user_input_schema: [{ name: "answer", value: "Yes" }] })
      const read = assertDecided(yield* answeredWith(scene, again, sent), one, 3)
      assert.include(read, "9 teas declined Yes")
    }))

  it.effect("a call that is cut off is repeated with them", () =>
    Effect.gen(function*() {
      const one = yield* desk(({ n }, _, time) => time === 1 ? never : n)
      const scene = yield* sceneOf(one)
      const first = yield* begun(scene)
      const cut = yield* cutOff(scene, one, first, sentBack(first, edited))
      assert.deepInclude(openOf(cut).tool_execution, { outcome_unknown: true, tool_args: person })
      assertDecided(yield* answeredWith(scene, cut, sentBack(cut, { confirmation: true })), one, 2)
    }))

  it.effect("the model reads them beside the result that a person gives for a call that was cut off", () =>
    Effect.gen(function*() {
      const one = yield* desk(() => never)
      const scene = yield* sceneOf(one)
      const first = yield* begun(scene)
      const cut = yield* cutOff(scene, one, first, sentBack(first, edited))
      const ended = yield* answeredWith(scene, cut, sentBack(cut, { external_execution_result: "It has happened" }))
      assert.include(assertDecided(ended, one, 1), "It has happened")
    }))

  it.effect("the model reads that the outcome is unknown of a call that was cut off and is not repeated, and no reason for it", () =>
    Effect.gen(function*() {
      const one = yield* desk(() => never)
      const scene = yield* sceneOf(one)
      const first = yield* begun(scene)
      const note = { confirmation_note: "Good price" }
      const cut = yield* cutOff(scene, one, first, sentBack(first, { ...edited as object, ...note } as never))
      assert.isNull(openOf(cut).tool_execution.confirmation_note)
      const read = assertDecided(yield* answeredWith(scene, cut, sentBack(cut, { confirmation: false })), one, 1)
      assert.include(read, "(The outcome of this call is unknown, and a person has declined to repeat it.)\"")
      assert.notInclude(read, "has rejected this call")
      assert.include(read, "note to this call: \\\"Good price")
    }))

  it.effect("the values of a person are only for the tool, also if the call is cut off and repeated", () =>
    Effect.gen(function*() {
      const work = ({ n }: Input, _: unknown, time: number) => time === 1 ? never : n
      const one = yield* desk(work, { requiresUserInput: ["address"] })
      const scene = yield* sceneOf(one)
      const first = yield* begun(scene)
      const values = sentBack(first, { user_input_schema: [{ name: "address", value: "SECRET" }] })
      const cut = yield* cutOff(scene, one, first, values)
      assert.isNull(openOf(cut).tool_execution.answered)
      const ended = yield* answeredWith(scene, cut, sentBack(cut, { confirmation: true }))
      assert.strictEqual(ended.snapshot.status, "COMPLETED")
      assert.deepStrictEqual(argsOf(one), [{ ...model, address: "SECRET" }, { ...model, address: "SECRET" }])
      assert.notInclude(one.read.join(), "SECRET")
      assert.notInclude(one.read.join(), "has changed the arguments")
    }))

  it.effect("the values of a person are only for the tool, also if the call sleeps and asks", () =>
    Effect.gen(function*() {
      const work = async ({ n }: Input, { pause, sleep }: Tool.ToolContext) => {
        await sleep("1 hour")
        return `${n} ${await pause({ question: "Sure?" })}`
      }
      const one = yield* desk(work, { requiresUserInput: ["address"] })
      const scene = yield* sceneOf(one)
      const first = yield* begun(scene)
      const values = sentBack(first, { user_input_schema: [{ name: "address", value: "SECRET" }] })
      const asleep = yield* answeredWith(scene, first, values)
      yield* TestClock.adjust("1 hour")
      const asking = yield* woken(scene, asleep)
      const sent = sentBack(asking, { user_input_schema: [{ name: "answer", value: "Yes" }] })
      yield* answeredWith(scene, asking, sent)
      assert.deepStrictEqual(argsOf(one), [1, 2, 3].map(() => ({ ...model, address: "SECRET" })))
      assert.notInclude(one.read.join(), "SECRET")
    }))

  it.effect("a hook gets them once, and the call continues with what it leaves", () =>
    Effect.gen(function*() {
      const hooked: Array<unknown> = []
      const beforeTool = ({ args }: { readonly args: unknown }) => {
        hooked.push(args)
        return hooked.length === 2 ? Hook.change({ n: "9 teas, checked" }) : undefined
      }
      const work = async (_: Input, { sleep }: Tool.ToolContext) => (await sleep("1 hour"), "paid")
      const one = yield* desk(work, { requiresConfirmation: true }, hook({ beforeTool }))
      const scene = yield* sceneOf(one)
      const first = yield* begun(scene)
      const asleep = yield* answeredWith(scene, first, sentBack(first, edited))
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* woken(scene, asleep)).snapshot.status, "COMPLETED")
      assert.deepStrictEqual(hooked, [model, person])
      assert.deepStrictEqual(argsOf(one), [{ n: "9 teas, checked" }, { n: "9 teas, checked" }])
    }))

  it.effect("a hook that changes nothing gets them once", () =>
    Effect.gen(function*() {
      const hooked: Array<unknown> = []
      const work = async (_: Input, { sleep }: Tool.ToolContext) => (await sleep("1 hour"), "paid")
      const hooks = hook({ beforeTool: ({ args }) => void hooked.push(args) })
      const one = yield* desk(work, { requiresConfirmation: true }, hooks)
      const scene = yield* sceneOf(one)
      const first = yield* begun(scene)
      const asleep = yield* answeredWith(scene, first, sentBack(first, edited))
      yield* TestClock.adjust("1 hour")
      assertDecided(yield* woken(scene, asleep), one, 2)
      assert.deepStrictEqual(hooked, [model, person])
    }))

  it.effect.each<readonly [string, Partial<Requirement.Requirement>]>([
    ["declined", { confirmation: false }],
    ["answered", { user_input_schema: [{ name: "size", value: "S" }] }]
  ])("the question of its server is %s, and the server gets them", ([, decision]) =>
    Effect.gen(function*() {
      const asking = new Asking({
        message: "Which size?",
        fields: [{ name: "size", field_type: "str", description: null, value: null }] as never,
        state: { at: 1 }
      })
      const one = yield* desk(() => "")
      const tool: Tool.Tool = {
        ...one.made,
        call: (args, { effectId, reply }) =>
          Effect.sync(() => {
            one.called.push({ args, effectId })
            return reply === undefined ? asking : "bought"
          })
      }
      const agent = { ...one.agent, tools: new Map([["pay", tool]]) }
      const scene = yield* sceneOf({ ...one, agent })
      const first = yield* begun(scene)
      const waiting = yield* answeredWith(scene, first, sentBack(first, edited))
      assert.deepStrictEqual(openOf(waiting).tool_execution.tool_args, person)
      const ended = yield* answeredWith(scene, waiting, sentBack(waiting, decision))
      assertDecided(ended, one, 2)
      assert.deepStrictEqual([...new Set(callsOf(ended))], ["\"tool_name\":\"pay\",\"tool_args\":{\"n\":\"9 teas\"}"])
    }))
})
