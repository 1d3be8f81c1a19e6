// The same functions as a tool and as a step of a workflow, killed after each entry of the journal of their run. The
// result is the one of a run that was not killed, and no effect happens twice, unless a person wants it.
import { assert, describe, it } from "@effect/vitest"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type { Durable } from "@svc-runtime/engine/durable/Durable"
import * as Agent from "@svc-runtime/features/Agent"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { turns } from "../../../engine/test/durable/Memory.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import type { StepInput } from "../../src/workflow/define/StepInput.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import {
  answered,
  begun,
  openIn,
  type Paused,
  run_id,
  type Scene,
  speaker,
  toolResult,
  toolScene,
  valuesFor
} from "../agent/DurableFunctions.ts"
import { commandOf } from "../workflow/Harness.ts"

interface World {
  /** Has an effect. */
  readonly act: (name: string) => string
  readonly agent: Agent.Agent
}

type Function = (durable: Durable, world: World) => unknown

const functions: ReadonlyArray<readonly [string, Function]> = [
  [
    "has effects one after the other",
    async ({ step }, { act }) => [await step("a", () => act("a")), await step("b", () => act("b"))].join()
  ],
  [
    "has effects in parallel branches, which also wait for other things",
    async ({ step }, { act }) => {
      const branch = async (name: string, count: number) => {
        await turns(count)
        const first = await step(`${name}1`, () => act(`${name}1`))
        await turns(count)
        return [first, await step(`${name}2`, () => act(`${name}2`))]
      }
      return (await Promise.all([branch("a", 3), branch("b", 1)])).join()
    }
  ],
  [
    "handles a failure, and continues",
    async ({ step }, { act }) => {
      const first = await step("failing", () => Effect.fail("No"), { effects: "read" }).catch(() => "handled")
      return [first, await step("after", () => act("after"))].join()
    }
  ],
  [
    "runs an agent, and asks a person twice",
    async ({ pause, run, step }, { act, agent }) => {
      const { content } = await run(agent, "Go")
      const first = await pause({ question: "One?" })
      const booked = await step("book", () => act("book"))
      return [content, first, booked, await pause({ question: "Two?" })].join()
    }
  ],
  [
    "asks a person while it has effects",
    async ({ pause, step }, { act }) =>
      (await Promise.all([pause({ question: "One?" }), step("a", () => act("a"))])).join()
  ],
  [
    "takes the first of two, and cancels the other",
    async ({ run, step, waitFor }, { act, agent }) => {
      const first = await Promise.race([run(agent, "Go").then(({ content }) => content), waitFor("never")])
      return [first, await step("after", () => act("after"))].join()
    }
  ],
  [
    "is an Effect that interrupts a call",
    ({ asEffect: { run, step, waitFor } }, { act, agent }) =>
      Effect.gen(function*() {
        const running = Effect.map(run(agent, "Go"), ({ content }) => content)
        const first = yield* Effect.raceFirst(running, waitFor("never"))
        return [first, yield* step("after", () => Effect.sync(() => act("after")))].join()
      })
  ]
]

interface Host {
  readonly scene: (run: (durable: Durable) => unknown) => Effect.Effect<Scene>
  /** What a person decides: an unknown outcome is repeated, and questions are answered. */
  readonly decide: (paused: Paused) => { readonly isUnknown: boolean; readonly sent: ReadonlyArray<object> }
  readonly resultOf: (ended: Paused) => unknown
}

const answer = { answer: "yes" }

const tool: Host = {
  scene: (run) => toolScene(run),
  decide: (paused) => {
    const unknown = openIn(paused).filter(({ tool_execution }) => tool_execution.outcome_unknown === true)
    return unknown.length === 0
      ? { isUnknown: false, sent: valuesFor(paused, answer) }
      : { isUnknown: true, sent: unknown.map(({ id }) => ({ id, confirmation: true })) }
  },
  resultOf: toolResult
}

const step: Host = {
  scene: (run) =>
    Effect.sync(() => {
      const work = Step.make({ name: "work", run: (input: StepInput) => run(input) as string })
      const workflow = Workflow.make({ id: "flow", steps: [work] })
      return { parts: { workflows: [workflow] }, command: { ...commandOf(workflow, {}), run_id } }
    }),
  decide: ({ snapshot: { output } }) => {
    const { error_requirements = [], step_requirements = [] } = AnyRun.isWorkflow(output) ? output : {}
    const [unknown] = error_requirements
    return unknown === undefined
      ? { isUnknown: false, sent: [{ ...step_requirements.at(-1), user_input: answer }] }
      : { isUnknown: true, sent: [{ ...unknown, decision: "retry" }] }
  },
  resultOf: ({ snapshot }) => snapshot.output.content
}

interface Kill {
  /** The start, or the answer of a person. */
  readonly life: number
  readonly after: number
}

const whole = Effect.fnUntraced(function*({ decide, resultOf, scene }: Host, f: Function, kill?: Kill) {
  const done: Array<string> = []
  const { model } = yield* speaker(text("Gone."))
  const world: World = { act: (name) => (done.push(name), name), agent: Agent.make({ id: "inner", model }) }
  const one = yield* scene((durable) => f(durable, world))
  const afterIn = (life: number) => kill?.life === life ? kill.after : undefined
  let paused = yield* begun(one, afterIn(0))
  const written = [paused.written]
  let unknowns = 0
  while (paused.snapshot.status === "PAUSED" && unknowns < 9) {
    const { isUnknown, sent } = decide(paused)
    if (isUnknown) unknowns++
    paused = yield* answered(one, paused, sent, isUnknown ? undefined : afterIn(written.length))
    if (!isUnknown) written.push(paused.written)
  }
  const { snapshot: { status } } = paused
  return { status, result: resultOf(paused), done, unknowns, written }
})

describe.each([["a tool", tool], ["a step", step]] as const)("the function of %s", (_, host) => {
  it.effect.each(functions)("%s, wherever its process stopped", ([, f]) =>
    Effect.gen(function*() {
      const expected = yield* whole(host, f)
      assert.strictEqual(expected.status, "COMPLETED")
      assert.strictEqual(expected.unknowns, 0)
      const kills = expected.written.flatMap((written, life) =>
        Array.from({ length: written }, (_, index) => ({ life, after: index + 1 }))
      )
      for (const kill of Tier.some(kills, 6)) {
        const found = yield* whole(host, f, kill)
        const when = JSON.stringify({ ...kill, ...found })
        assert.strictEqual(found.status, "COMPLETED", when)
        assert.strictEqual(found.result, expected.result, when)
        assert.deepStrictEqual(new Set(found.done), new Set(expected.done), when)
        assert.isAtMost(found.done.length, expected.done.length + found.unknowns, when)
      }
    }))
})
