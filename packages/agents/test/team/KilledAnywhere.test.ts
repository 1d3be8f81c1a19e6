// A run with runs inside is killed after any single entry of its journal, before and after it has waited for a person:
// of a team in each mode, and of an agent with components as tools. It ends as it would have, and nothing that was
// finished is done twice.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Requirement from "@svc-runtime/domain/Requirement"
import * as Run from "@svc-runtime/domain/Run"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { type Options, session } from "../../../engine/test/run/Engine.ts"
import { comparable, live } from "../../../engine/test/run/Restartable.ts"
import * as InnerContinuation from "../../src/agent/continue/InnerContinuation.ts"
import * as ComponentTool from "../../src/nested/ComponentTool.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import { commandOf } from "../agent/Harness.ts"
import { askTeam, delegate, eventLines, stored } from "./Harness.ts"

const filter = { owner: Owner.anyone }
const run_id = Run.Id.make("run")

/** Goes by how many calls have been answered, however often it is called. */
const speaker = (...turns: ReadonlyArray<Script.Step>) =>
  Effect.map(
    Script.make(Array.from({ length: 20 }, () => ({ prompt }: Script.Call) => {
      const turn = turns[prompt.content.filter(({ role }) => role === "tool").length]
      return turn === undefined ? [] : [turn]
    })),
    ({ model }) => model
  )

/** A reader who looks, and an office whose payer looks as well, and pays when it may. */
const members = Effect.fnUntraced(function*(done: Array<string>) {
  const tool = (name: string, requiresConfirmation = false) =>
    Tool.make({
      name,
      requiresConfirmation,
      effects: "idempotent",
      execute: (_, { effectId, sessionState }) => {
        done.push(`${name} ${effectId}`)
        sessionState[name] = `${String(sessionState[name] ?? "")}+`
        return name
      }
    })
  const reader = Agent.make({
    id: "reader",
    tools: [tool("look")],
    model: yield* speaker(toolCall("look", {}, "l"), text("Read."))
  })
  const payer = Agent.make({
    id: "payer",
    tools: [tool("check"), tool("pay", true)],
    model: yield* speaker(toolCall("check", {}, "c"), toolCall("pay", {}, "p"), text("Paid."))
  })
  const model = yield* speaker(delegate("payer", "pay", "i"), text("They paid."))
  return [reader, Team.make({ id: "office", members: [payer], model })] as const
})

const create = (title: string, member_id: string, depends_on: ReadonlyArray<string> = []) =>
  toolCall("create_task", { title, description: "Do it", member_id, depends_on }, `create ${title}`)
const execute = (task_id: string) => toolCall("execute_task", { task_id }, `execute ${task_id}`)

const ways = {
  coordinate: [delegate("reader", "read", "a"), delegate("office", "pay", "b"), text("Done.")],
  route: [delegate("office", "pay", "a")],
  broadcast: [toolCall("delegate_task_to_members", { task: "go" }, "a"), text("Done.")],
  tasks: [create("x", "reader"), create("y", "office", ["task_1"]), execute("task_1"), execute("task_2"), text("Done.")]
} as const

interface Scene {
  readonly done: ReadonlyArray<string>
  readonly parts: Pick<Options, "agents" | "teams">
  readonly command: RunCommand
}

const teamScene = (mode: keyof typeof ways) =>
  Effect.gen(function*(): Effect.fn.Return<Scene> {
    const done: Array<string> = []
    const team = Team.make({ id: "desk", mode, members: yield* members(done), model: yield* speaker(...ways[mode]) })
    return { done, parts: { teams: [team] }, command: askTeam(team) }
  })

const toolScene = Effect.gen(function*(): Effect.fn.Return<Scene> {
  const done: Array<string> = []
  const note = Step.make({ name: "note", effects: "idempotent", run: () => (done.push("note"), "Noted.") })
  const [reader, office] = yield* members(done)
  const writer = Agent.make({ id: "writer", model: yield* speaker(text("Wrote.")) })
  const flow = Workflow.make({ id: "flow", steps: [note, writer] })
  const tools = [reader, office, flow].map((component) => ComponentTool.make({ component }))
  const call = (name: string) => toolCall(name, { task: "go" }, name)
  const model = yield* speaker(call("reader"), call("flow"), call("office"), text("Done."))
  const agent = Agent.make({ id: "desk", tools, model })
  return { done, parts: { agents: [agent] }, command: commandOf(agent) }
})

const modes = Object.keys(ways) as ReadonlyArray<keyof typeof ways>
const scenes = [
  ...modes.map((mode) => [`a team in mode ${mode}`, teamScene(mode)] as const),
  ["an agent with components as tools", toolScene] as const
]

/** Another engine resumes the run until it pauses or ends. */
const again = Effect.fnUntraced(function*({ parts }: Scene, memory: NonNullable<Options["memory"]>) {
  const next = yield* live({ ...parts, run_id, memory })
  yield* next.engine.recover
  yield* next.rest
  return next
})

const paused = Effect.fnUntraced(function*(scene: Scene, after?: number) {
  const first = yield* live({ ...scene.parts, run_id, after })
  yield* first.engine.start(scene.command)
  yield* first.rest
  const { memory, runs } = yield* again(scene, first.memory)
  const snapshot = yield* Effect.flatMap(runs.snapshot(session, run_id, filter), Effect.fromOption)
  assert.strictEqual(snapshot.status, "PAUSED", `after ${after} entries`)
  return { memory, snapshot, written: first.written() }
})

const answered = Effect.fnUntraced(function*(
  scene: Scene,
  { memory, snapshot }: Effect.Success<ReturnType<typeof paused>>,
  after?: number
) {
  const requirements = (snapshot.output.requirements ?? []).filter(Requirement.isOpen)
    .map(({ id }) => ({ id, confirmation: true }))
  const request = { requirements, input: undefined }
  const entry = yield* InnerContinuation.plan(snapshot, request, { approvals: [], approver: { user_id: null } })
  const third = yield* live({ ...scene.parts, run_id, memory, after })
  yield* third.engine.continue({ snapshot, entry, stream: true, background: false })
  yield* third.rest
  const last = yield* again(scene, memory)
  const watched = yield* Effect.flatMap(
    last.runs.readEvents(session, run_id, filter, { after: -1, limit: 999 }),
    Effect.fromOption
  )
  const { events } = watched
  const output = (yield* last.find()) as TeamRun.Output
  return { events, output, runs: yield* stored(last), written: third.written() }
})

type Finished = Effect.Success<ReturnType<typeof answered>> & { readonly done: ReadonlyArray<string> }

const isSame = (whole: Finished, found: Finished, when: string) => {
  assert.strictEqual(found.output.status, "COMPLETED", when)
  assert.deepStrictEqual(comparable(found.output), comparable(whole.output), when)
  assert.deepStrictEqual(comparable(found.runs), comparable(whole.runs), when)
  // a call that was made, and not yet written down, is made again under the same name
  assert.strictEqual(new Set(found.done).size, whole.done.length, when)
  const linesOf = ({ events }: Finished) =>
    eventLines(events).filter((each) => /Run(Started|Paused|Completed)|TeamTask(Created|Updated)/.test(each)).toSorted()
  assert.deepStrictEqual(linesOf(found), linesOf(whole), when)
  assert.deepStrictEqual(
    found.events.map(({ event_index }) => event_index),
    found.events.map((_, index) => index),
    when
  )
}

const entriesOf = (name: string, count: number) => Tier.some(Array.from({ length: count + 1 }, (_, after) => after), 2)

describe.each(scenes)("%s", (name, sceneOf) => {
  const wholeOf = Effect.gen(function*() {
    const scene = yield* sceneOf
    const before = yield* paused(scene)
    return { ...(yield* answered(scene, before)), done: scene.done, before: before.written }
  })

  it.effect("the run waits for the same decision wherever its process stopped before", () =>
    Effect.gen(function*() {
      const whole = yield* wholeOf
      assert.isAbove(whole.before, 6)
      for (const after of entriesOf(`${name}, before`, whole.before)) {
        const scene = yield* sceneOf
        const before = yield* paused(scene, after)
        isSame(whole, { ...(yield* answered(scene, before)), done: scene.done }, `after ${after} entries`)
      }
    }))

  it.effect("the run continues with a decision in the same way wherever its process has stopped since", () =>
    Effect.gen(function*() {
      const whole = yield* wholeOf
      assert.isAbove(whole.written, 3)
      for (const after of entriesOf(`${name}, since`, whole.written)) {
        const scene = yield* sceneOf
        const before = yield* paused(scene)
        isSame(whole, { ...(yield* answered(scene, before, after)), done: scene.done }, `after ${after} more entries`)
      }
    }))
})
