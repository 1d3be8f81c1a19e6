// Questions that race in a function, as that of a tool and that of a step: what the function continues with is asked,
// and not the loser.
import { assert, describe, it } from "@effect/vitest"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type { Durable } from "@svc-runtime/engine/durable/Durable"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Step from "../../src/workflow/define/Step.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import {
  answered,
  begun,
  openIn,
  type Paused,
  run_id,
  type Scene,
  toolResult,
  toolScene,
  valuesFor,
  woken
} from "../agent/DurableFunctions.ts"
import { commandOf } from "../workflow/Harness.ts"

type Function = (durable: Durable) => Promise<unknown>

interface Host {
  readonly name: string
  readonly scene: (run: Function) => Effect.Effect<Scene>
  readonly questionsOf: (paused: Paused) => ReadonlyArray<string | null | undefined>
  readonly sent: (paused: Paused, answer: string) => ReadonlyArray<object>
  readonly resultOf: (ended: Paused) => unknown
}

const openSteps = ({ snapshot: { output } }: Paused) =>
  (AnyRun.isWorkflow(output) ? output.step_requirements ?? [] : []).filter(({ requires_user_input, resolved }) =>
    requires_user_input && resolved === false
  )

const hosts: ReadonlyArray<Host> = [
  {
    name: "a tool",
    scene: (run) => toolScene(run),
    questionsOf: (paused) => openIn(paused).map(({ tool_execution }) => tool_execution.asked?.message),
    sent: (paused, answer) => valuesFor(paused, { answer }),
    resultOf: toolResult
  },
  {
    name: "a step",
    scene: (run) =>
      Effect.sync(() => {
        const workflow = Workflow.make({ id: "flow", steps: [Step.make({ name: "work", run: run as never })] })
        return { parts: { workflows: [workflow] }, command: { ...commandOf(workflow, {}), run_id } }
      }),
    questionsOf: (paused) => openSteps(paused).map(({ user_input_message }) => user_input_message),
    sent: (paused, answer) => openSteps(paused).map(({ id, step_id }) => ({ id, step_id, user_input: { answer } })),
    resultOf: ({ snapshot }) => snapshot.output.content
  }
]

const race = ({ pause }: Durable) => Promise.race([pause({ question: "One?" }), pause({ question: "Two?" })])

/** What is asked, one question after the other, and the result. Each answer is the number of the question. */
const talk = Effect.fnUntraced(function*({ questionsOf, resultOf, scene: sceneOf, sent }: Host, run: Function) {
  const scene = yield* sceneOf(run)
  const questions: Array<unknown> = []
  let paused = yield* begun(scene)
  while (paused.snapshot.status === "PAUSED" && questions.length < 5) {
    questions.push(...questionsOf(paused))
    paused = yield* answered(scene, paused, sent(paused, String(questions.length)))
  }
  return { questions, result: resultOf(paused) }
})

describe.each(hosts)("questions that race in the function of $name", (host) => {
  it.effect("the function ends with the answer, and the loser is not asked", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* talk(host, race), { questions: ["One?"], result: "1" })
    }))

  it.effect("the function asks what it continues with, and the loser is not asked", () =>
    Effect.gen(function*() {
      const { questions, result } = yield* talk(
        host,
        async (durable) => [await race(durable), await durable.pause({ question: "Three?" })].join()
      )
      assert.deepStrictEqual(questions, ["One?", "Three?"])
      assert.strictEqual(result, "1,2")
    }))

  it.effect("a question that a person reads stays when a time ends before its answer, and another is asked", () =>
    Effect.gen(function*() {
      const scene = yield* host.scene(async ({ pause, sleep }) =>
        (await Promise.all([pause({ question: "One?" }), sleep("1 hour").then(() => pause({ question: "Two?" }))]))
          .join()
      )
      const paused = yield* begun(scene)
      yield* TestClock.adjust("1 hour")
      const awake = yield* woken(scene, paused)
      assert.deepStrictEqual([paused, awake].map(host.questionsOf), [["One?"], ["One?"]])
      const second = yield* answered(scene, awake, host.sent(paused, "1"))
      const ended = yield* answered(scene, second, host.sent(second, "2"))
      assert.strictEqual(host.resultOf(ended), "1,2")
    }))

  it.effect("the loser is asked if the function awaits it", () =>
    Effect.gen(function*() {
      const { questions, result } = yield* talk(host, async ({ pause }) => {
        const two = [pause({ question: "One?" }), pause({ question: "Two?" })]
        return [await Promise.race(two), await pause({ question: "Three?" }), ...await Promise.all(two)].join()
      })
      assert.deepStrictEqual(questions, ["One?", "Three?", "Two?"])
      assert.strictEqual(result, "1,2,1,3")
    }))
})
