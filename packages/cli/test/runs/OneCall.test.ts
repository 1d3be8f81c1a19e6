// `svc runs continue` with a decision about one call or step, and what it refuses since it would be lost.
import { assert, describe, it } from "@effect/vitest"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Schema } from "effect"
import { open } from "./Service.ts"

const to = Schema.Struct({ to: Schema.String })

/** A service whose agent, team and workflow make two calls that wait, and what was executed of them. */
const twoCalls = Effect.fnUntraced(
  function*(options: Partial<Tool.Options<typeof to>> = { requiresConfirmation: true }) {
    const done: Array<string> = []
    const tool = Tool.make({ name: "send", parameters: to, execute: ({ to }) => (done.push(to), to), ...options })
    const calls = (...names: ReadonlyArray<string>) => names.map((to) => Script.toolCall("send", { to }, `of_${to}`))
    const writing = (id: string, ...names: ReadonlyArray<string>) =>
      Effect.map(
        Script.make([calls(...names), [Script.text("Done.")]]),
        ({ model }) => Agent.make({ id, model, tools: [tool] })
      )
    const writer = yield* writing("writer", "ann", "eve")
    const inFlow = yield* writing("in-flow", "ann", "eve")
    const { model } = yield* Script.make([
      ["a", "b"].map((member_id) =>
        Script.toolCall("delegate_task_to_member", { member_id, task: "Write" }, member_id)
      ),
      [Script.text("All done.")]
    ])
    const members = [yield* writing("a", "ann"), yield* writing("b", "eve")]
    const { svc } = yield* open({
      turns: [],
      settings: {
        agents: [writer],
        teams: [Team.make({ id: "desk", model, members })],
        workflows: [Workflow.make({ id: "flow", steps: [Step.make({ name: "ask", agent: inFlow })] })]
      }
    })
    const started = Effect.fnUntraced(function*(component: string) {
      const { stderr } = yield* svc(["run", component, "Write"])
      const id = /run (\S+) in session/.exec(stderr)?.[1] ?? ""
      return (...flags: ReadonlyArray<string>) => svc(["runs", "continue", id, ...flags])
    })
    return { done, started }
  }
)

describe("svc runs continue --call", () => {
  it.live("a team continues with the decision about one call, and the other one waits on", () =>
    Effect.gen(function*() {
      const { done, started } = yield* twoCalls()
      const decide = yield* started("team/desk")
      const first = yield* decide("--approve", "--call", "of_ann")
      assert.strictEqual(first.code, 3, first.stderr)
      assert.deepStrictEqual(done, ["ann"])
      assert.include(first.stderr, "send({\"to\":\"eve\"})")
      const second = yield* decide("--reject", "--call", "of_eve")
      assert.strictEqual(second.code, 0, second.stderr)
      assert.deepStrictEqual(done, ["ann"])
    }))

  it.live.each<ReadonlyArray<string>>([["--approve"], ["--reject"], ["--args", "{\"to\":\"bob\"}"]])(
    "a decision of an agent's call does not decide the other call, which the error names: %s",
    (flags) =>
      Effect.gen(function*() {
        const { done, started } = yield* twoCalls()
        for (const component of ["agent/writer", "workflow/flow"]) {
          const decide = yield* started(component)
          const one = yield* decide(...flags, "--call", "of_ann")
          assert.strictEqual(one.code, 1, one.stdout)
          assert.include(one.stderr, "send (of_eve) needs --approve or --reject")
          assert.include(one.stderr, "An agent continues when all its calls are decided together.")
          assert.deepStrictEqual(done, [])
        }
      })
  )

  it.live("a call is given its result alone, and the error about another one lists the open calls", () =>
    Effect.gen(function*() {
      const { started } = yield* twoCalls({ externalExecution: true })
      const decide = yield* started("team/desk")
      const other = yield* decide("--result", "sent", "--call", "of_bob")
      assert.strictEqual(other.code, 1)
      assert.include(other.stderr, "The run waits for no call 'of_bob'. It waits for send (of_ann), send (of_eve)")
      const first = yield* decide("--result", "sent to ann", "--call", "of_ann")
      assert.strictEqual(first.code, 3, first.stderr)
      assert.include(first.stderr, "the result of send({\"to\":\"eve\"})")
      assert.notInclude(first.stderr, "the result of send({\"to\":\"ann\"})")
    }))
})

describe("svc runs continue --values", () => {
  it.live("two results of one call are refused, and null is the result of its call", () =>
    Effect.gen(function*() {
      const { started } = yield* twoCalls({ externalExecution: true })
      for (const component of ["agent/writer", "workflow/flow"]) {
        const decide = yield* started(component)
        const both = JSON.stringify({ of_ann: "to ann", of_eve: null })
        const twice = yield* decide("--values", both, "--result", "lost")
        assert.strictEqual(twice.code, 1, twice.stdout)
        assert.include(twice.stderr, "Each call that asks for a result is given its own")
        const done = yield* decide("--values", both)
        assert.strictEqual(done.code, 0, done.stderr)
      }
    }))
})

describe("svc runs continue", () => {
  const confirmed = (name: string, done: Array<string>) =>
    Step.make({ name, confirmation: { message: "Sure?", onReject: "skip" }, run: () => (done.push(name), name) })

  const paused = Effect.fnUntraced(function*(...names: ReadonlyArray<string>) {
    const done: Array<string> = []
    const both = Parallel.make({ name: "both", steps: names.map((name) => confirmed(name, done)) })
    const { svc } = yield* open({ turns: [], settings: { workflows: [Workflow.make({ id: "flow", steps: [both] })] } })
    const { stderr } = yield* svc(["run", "workflow/flow", "Hi"])
    const id = /run (\S+) in session/.exec(stderr)?.[1] ?? ""
    return { done, decide: (...flags: ReadonlyArray<string>) => svc(["runs", "continue", id, ...flags]) }
  })

  it.live("a note without a rejection, and a message for a paused workflow, are refused and decide nothing", () =>
    Effect.gen(function*() {
      const { decide, done } = yield* paused("one", "two")
      for (const flags of [["--approve"], ["--values", "{}"], ["--args", "{}"], []]) {
        const noted = yield* decide(...flags, "--note", "As agreed")
        assert.strictEqual(noted.code, 2, flags.join(" "))
        assert.include(noted.stderr, "--note takes --reject")
      }
      const message = yield* decide("--approve", "As", "agreed")
      assert.strictEqual(message.code, 1)
      assert.include(message.stderr, "A paused workflow takes no message")
      assert.deepStrictEqual(done, [])
    }))

  it.live("a step whose name is the place of another one is named by its id", () =>
    Effect.gen(function*() {
      const { decide, done } = yield* paused("0/1", "0/0")
      for (const word of ["0/0", "0/1"]) {
        const both = yield* decide("--step", word, "--approve")
        assert.strictEqual(both.code, 1, both.stderr)
        assert.include(both.stderr, `Several steps that wait are named '${word}': `)
      }
      assert.deepStrictEqual(done, [])
      const both = yield* decide("--step", "0/1", "--approve")
      const [, first = ""] = /step '0\/1' \(0\/0\) as (\S+?),?\s/.exec(both.stderr) ?? []
      assert.include((yield* decide("--step", first, "--approve")).stderr, "step '0/0' (0/1)")
      assert.deepStrictEqual(done, ["0/1"])
    }))

  it.live.each<readonly ["approve" | "skip", flag: string, happened: RegExp]>([
    ["approve", "--reject", /was not decided before .*, and it is approved now/],
    ["skip", "--approve", /was not decided before .*, and it is skipped now/]
  ])(
    "a decision after the time limit of a step, which is then '%s', is an error with %s",
    ([onTimeout, flag, happened]) =>
      Effect.gen(function*() {
        const once = Step.make({
          name: "send",
          confirmation: { message: "Sure?", timeout: "1 millis", onTimeout, onReject: "skip" },
          run: () => "sent"
        })
        const { svc } = yield* open({
          turns: [],
          settings: { workflows: [Workflow.make({ id: "flow", steps: [once] })] }
        })
        const { stderr } = yield* svc(["run", "workflow/flow", "Hi"])
        const id = /run (\S+) in session/.exec(stderr)?.[1] ?? ""
        const late = yield* svc(["runs", "continue", id, flag])
        assert.match(late.stderr, happened)
        assert.strictEqual(late.code, 1)
      })
  )
})
