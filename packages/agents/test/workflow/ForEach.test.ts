// Steps for each item of a list that is known when the workflow runs.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as Agent from "@svc-runtime/features/Agent"
import { Deferred, Effect, Fiber } from "effect"
import { z } from "zod"
import type { OutputOf } from "../../src/workflow/define/Chain.ts"
import * as ForEach from "../../src/workflow/define/ForEach.ts"
import * as Loop from "../../src/workflow/define/Loop.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import type { StepInput } from "../../src/workflow/define/StepInput.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import * as Harness from "./Harness.ts"

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_ extends true>() => {}

const shout = Step.make({ name: "shout", effects: "read", run: ({ input }) => `${String(input)}!` })
const look = Step.make({ name: "look", run: ({ input }) => ({ input }) })
const input = ["a", "b", "c"]

const contentOf = Effect.fnUntraced(function*(steps: ReadonlyArray<unknown>, given: Json.Value = input) {
  const { output } = yield* Harness.run(Workflow.make({ id: "w", steps: steps as never }), { input: given })
  return output.status === "COMPLETED" ? output.content : `${output.status}: ${String(output.content)}`
})

describe("the items", () => {
  it.effect("each item is the input of the steps, and the output is the list of the results in their order", () =>
    Effect.gen(function*() {
      const list = Step.make({ name: "list", run: () => [1, 2] })
      const each = ForEach.make({ name: "each", steps: [shout] })
      assert.deepStrictEqual<unknown>(yield* contentOf([each]), ["a!", "b!", "c!"])
      assert.deepStrictEqual<unknown>(yield* contentOf([list, each, look]), { input: ["1!", "2!"] })
      const several = ForEach.make({
        name: "each",
        steps: [
          shout,
          Agent.make({ id: "asker" }),
          Step.make({
            name: "all",
            run: ({ input, item, iteration = 0, workflowInput }) => [input, item ?? null, iteration, workflowInput]
          })
        ]
      })
      assert.deepStrictEqual<unknown>(yield* contentOf([several], ["a"]), [["asker: a!", "a", 1, ["a"]]])
      const nested = Step.make({ name: "nested", workflow: Workflow.make({ id: "inner", steps: [shout, shout] }) })
      assert.deepStrictEqual<unknown>(yield* contentOf([ForEach.make({ name: "each", steps: [nested] })]), [
        "a!!",
        "b!!",
        "c!!"
      ])
    }))

  it.effect("the items can be what a function gives, which is called once", () =>
    Effect.gen(function*() {
      let calls = 0
      const each = ForEach.make({
        name: "each",
        items: ({ input }) => {
          calls++
          return Array.isArray(input) ? input.slice(1) : []
        },
        steps: [shout]
      })
      const flow = Workflow.make({ id: "w", steps: [each] })
      const { entries, output } = yield* Harness.run(flow, { input })
      assert.deepStrictEqual<unknown>(output.content, ["b!", "c!"])
      const again = yield* Harness.run(flow, { input, entries: entries.slice(0, 2) })
      assert.deepStrictEqual<unknown>(again.output.content, ["b!", "c!"])
      assert.strictEqual(calls, 1)
    }))

  it.effect("an empty list gives an empty list", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual<unknown>(yield* contentOf([ForEach.make({ name: "each", steps: [shout] }), look], []), {
        input: []
      })
    }))

  it.effect("lists can be nested, also in loops", () =>
    Effect.gen(function*() {
      const inner = ForEach.make({ name: "inner", steps: [shout] })
      const each = ForEach.make({ name: "outer", steps: [inner] })
      assert.deepStrictEqual<unknown>(yield* contentOf([each], [["a", "b"], [], ["c"]]), [["a!", "b!"], [], ["c!"]])
      assert.deepStrictEqual<unknown>(
        yield* contentOf([
          Loop.make({ name: "loop", maxIterations: 2, steps: [ForEach.make({ name: "e", steps: [shout] })] })
        ]),
        ["a!!", "b!!", "c!!"]
      )
    }))

  it.effect("what is no list, or too long a list, fails the workflow with the name of the step that gave it", () =>
    Effect.gen(function*() {
      const each = ForEach.make({ name: "each", steps: [shout] })
      assert.strictEqual(
        yield* contentOf([shout, each]),
        "ERROR: ForEach 'each' needs a list, and step 'shout' gave a text"
      )
      assert.strictEqual(
        yield* contentOf([each], { a: 1 }),
        "ERROR: ForEach 'each' needs a list, and the input of the workflow gave an object"
      )
      const numbers = Array.from({ length: 10_000 }, (_, index) => index)
      assert.strictEqual(
        yield* contentOf([each], numbers),
        "ERROR: ForEach 'each' takes at most 1000 items (maxItems), and the input of the workflow gave 10000"
      )
      const own = ForEach.make({ name: "each", items: () => "abc" as never, steps: [shout] })
      assert.strictEqual(
        yield* contentOf([own]),
        "ERROR: ForEach 'each' needs a list, and its function 'items' gave a text"
      )
      assert.throws(
        () => ForEach.make({ name: "each", maxItems: 10_001, steps: [shout] }),
        "ForEach 'each': maxItems is at most 10000, not 10001"
      )
      assert.throws(() => ForEach.make({ name: "each", concurrency: 0, steps: [shout] }), "concurrency")
      assert.throws(() => ForEach.make({ name: "each", steps: [] }), "ForEach 'each': steps is empty")
    }))

  it.effect("results that are larger than an output can be fail the workflow, before all items are executed", () =>
    Effect.gen(function*() {
      let calls = 0
      const large = Step.make({
        name: "large",
        run: () => {
          calls++
          return "x".repeat(1024 * 1024)
        }
      })
      const items = Array.from({ length: 50 }, (_, index) => index)
      assert.match(
        String(yield* contentOf([ForEach.make({ name: "each", concurrency: 2, steps: [large] })], items)),
        /^ERROR: The output of ForEach 'each' is larger than \d+ bytes/
      )
      assert.isAtMost(calls, 6)
    }))
})

describe("the concurrency", () => {
  it.effect("only so many items are executed at once", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const full = yield* Deferred.make<void>()
      let active = 0
      let most = 0
      const step = Step.make({
        name: "step",
        run: () =>
          Effect.gen(function*() {
            active++
            most = Math.max(most, active)
            if (active === 2) yield* Deferred.succeed(full, undefined)
            yield* Deferred.await(gate)
            active--
          })
      })
      const flow = Workflow.make({ id: "w", steps: [ForEach.make({ name: "each", concurrency: 2, steps: [step] })] })
      const fiber = yield* Effect.forkChild(Harness.run(flow, { input: [1, 2, 3, 4, 5] }))
      yield* Deferred.await(full)
      for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      const { output } = yield* Fiber.join(fiber)
      assert.deepStrictEqual<unknown>([most, output.content], [2, [null, null, null, null, null]])
    }))
})

describe("a failure of an item", () => {
  const bad = (settings: Partial<Step.Settings<"bad", "skip" | "fail" | "pause">> = {}) => {
    const tried: Array<unknown> = []
    const step = Step.make({
      ...settings,
      name: "bad",
      effects: "read",
      run: ({ input }) => {
        tried.push(input)
        if (input === "b") throw new Error("no b")
        return input
      }
    })
    return { step, tried }
  }

  it.effect("a failed item ends the workflow by default, and starts no others", () =>
    Effect.gen(function*() {
      const { step, tried } = bad()
      const each = ForEach.make({ name: "each", concurrency: 1, steps: [step] })
      assert.strictEqual(yield* contentOf([each]), "ERROR: no b")
      assert.deepStrictEqual(tried, ["a", "b"])
    }))

  it.effect("the policy of a step is for each item, and that of the list for all steps of an item", () =>
    Effect.gen(function*() {
      const inside = ForEach.make({ name: "each", steps: [bad({ onError: "skip" }).step, shout] })
      assert.deepStrictEqual<unknown>(yield* contentOf([inside]), ["a!", "Step skipped due to error: no b!", "c!"])
      const around = ForEach.make({ name: "each", onError: "skip", steps: [bad().step, shout] })
      assert.deepStrictEqual<unknown>(yield* contentOf([around]), ["a!", "Item 2 skipped due to error: no b", "c!"])
      const { output } = yield* Harness.run(Workflow.make({ id: "w", steps: [around] as never }), { input })
      const results = output.step_results?.[0]
      assert.strictEqual(results?.success, false)
      assert.deepStrictEqual(results?.steps?.map(({ step_name, success }) => [step_name, success]), [
        ["bad", true],
        ["shout", true],
        ["each", false],
        ["bad", true],
        ["shout", true]
      ])
    }))

  it.effect("an item that was skipped is not tried again when the run is resumed", () =>
    Effect.gen(function*() {
      const { step, tried } = bad()
      const flow = Workflow.make({
        id: "w",
        steps: [
          ForEach.make({ name: "each", onError: "skip", steps: [step] }),
          Step.make({ name: "after", confirmation: true, run: ({ input }) => input })
        ] as never
      })
      const paused = yield* Harness.run(flow, { input })
      const { output } = yield* Harness.go(flow, paused, { confirmed: true }, { input })
      assert.deepStrictEqual<unknown>(output.content, ["a", "Item 2 skipped due to error: no b", "c"])
      assert.deepStrictEqual(tried, ["a", "b", "c"])
    }))
})

describe("pauses of items", () => {
  const flow = Workflow.make({
    id: "w",
    steps: [
      ForEach.make({
        name: "each",
        steps: [
          shout,
          Step.make({
            name: "ask",
            confirmation: { onReject: "cancel" },
            userInput: { schema: z.object({ n: z.int() }) },
            run: ({ input, userInput }) => `${String(input)}${userInput.n}`
          })
        ]
      })
    ] as never
  })

  it.effect("several items wait together, and each gets its own decision", () =>
    Effect.gen(function*() {
      let ran = yield* Harness.run(flow, { input })
      assert.strictEqual(ran.output.status, "PAUSED")
      assert.deepStrictEqual(ran.output.step_requirements?.map(({ step_index }) => step_index), [
        [0, 1, 1],
        [0, 2, 1],
        [0, 0, 1]
      ])
      assert.lengthOf(new Set(ran.output.step_requirements?.map(({ step_id }) => step_id)), 3)
      for (const n of [1, 2, 3]) {
        const requirement = ran.output.step_requirements?.at(-1)
        const decision = { confirmed: true, user_input: { n } }
        const entries = [...ran.entries, { kind: "decided" as const, step_id: requirement?.step_id ?? "", decision }]
        ran = yield* Harness.run(flow, { input, entries })
      }
      assert.deepStrictEqual<unknown>([ran.output.status, ran.output.content], ["COMPLETED", ["a!1", "b!2", "c!3"]])
    }))
})

describe("a run with items that died", () => {
  const counted = () => {
    const counts: Record<string, number> = {}
    const count = (key: string) => {
      counts[key] = (counts[key] ?? 0) + 1
      return key
    }
    const step = (name: string) =>
      Step.make({
        name,
        effects: "idempotent",
        run: ({ effectId, input, sessionState }) => {
          sessionState[effectId] = true
          return count(`${name} ${String(input)}`)
        }
      })
    const workflow = Workflow.make({
      id: "w",
      steps: [
        ForEach.make({
          name: "outer",
          concurrency: 2,
          items: ({ input }) => {
            count("items")
            return input as ReadonlyArray<Json.Value>
          },
          steps: [
            step("first"),
            ForEach.make({
              name: "inner",
              items: ({ item }) => [`${String(item)}1`, `${String(item)}2`],
              steps: [step("second")]
            })
          ]
        }),
        step("last")
      ]
    })
    return { counts, workflow }
  }

  const total = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((sum, count) => sum + count, 0)

  it.effect("a run that stopped after any of its entries executes only the items that were not finished", () =>
    Effect.gen(function*() {
      const whole = counted()
      const expected = yield* Harness.run(whole.workflow, { input })
      assert.isAbove(expected.entries.length, 15)
      assert.deepStrictEqual<unknown>(expected.output.step_results?.[0]?.content, [
        ["second a1", "second a2"],
        ["second b1", "second b2"],
        ["second c1", "second c2"]
      ])
      for (let after = 0; after <= expected.entries.length; after++) {
        const { counts, workflow } = counted()
        const entries = yield* Harness.die(workflow, after, { input })
        const { output, stateChanges } = yield* Harness.run(workflow, { input, entries })
        assert.deepStrictEqual<unknown>(output.content, expected.output.content, `after ${after} entries`)
        assert.deepStrictEqual(output.step_results, expected.output.step_results, `after ${after} entries`)
        assert.deepStrictEqual(stateChanges, expected.stateChanges)
        assert.isAtMost(total(counts), total(whole.counts) + 4, `after ${after} entries`)
      }
    }))
})

describe("what watchers see of items", () => {
  it.effect("the events are those of a parallel step, with the item in the index of the steps", () =>
    Effect.gen(function*() {
      const each = ForEach.make({ name: "each", concurrency: 1, steps: [Agent.make({ id: "asker" })] })
      const flow = Workflow.make({ id: "w", steps: [each] })
      const { events, kinds, output } = yield* Harness.run(flow as never, { input: ["a", "b"] })
      assert.deepStrictEqual(kinds.filter((kind) => !kind.startsWith("Run")), [
        "WorkflowStarted",
        "ParallelExecutionStarted",
        "StepStarted",
        "StepCompleted",
        "StepStarted",
        "StepCompleted",
        "ParallelExecutionCompleted",
        "WorkflowCompleted"
      ])
      assert.strictEqual(events[1]?.["parallel_step_count"], 2)
      const started = events.filter(({ event }) => event === "StepStarted")
      assert.deepStrictEqual(started.map((event) => event["step_index"]), [[0, 0, 0], [0, 1, 0]])
      assert.notStrictEqual(started[0]?.["step_id"], started[1]?.["step_id"])
      assert.strictEqual(started[1]?.["parent_step_id"], events[1]?.["step_id"])
      assert.strictEqual(output.step_results?.[0]?.step_type, "ForEach")
      // the usage of all items is that of the step
      assert.strictEqual(output.metrics?.steps["asker"]?.metrics.total_tokens, 30)
    }))
})

describe("the types of items", () => {
  it("the compiler knows the items and the results, and a list of an unknown kind is accepted", () => {
    const twice = Step.make({ name: "twice", run: ({ input }: StepInput<number>) => input * 2 })
    const each = ForEach.make({ name: "each", steps: [twice] })
    holds<Same<OutputOf<typeof each>, ReadonlyArray<number>>>()
    Workflow.make({ id: "w", inputSchema: z.array(z.number()), steps: [each] })
    Workflow.make({ id: "w", steps: [each] })
    Workflow.make({ id: "w", steps: [Agent.make({ id: "agent" }), each] })
    // @ts-expect-error -- the items are texts
    Workflow.make({ id: "w", inputSchema: z.array(z.string()), steps: [each] })
    // @ts-expect-error -- a text is no list
    Workflow.make({ id: "w", steps: [() => "x", each] })
    const skipping = ForEach.make({ name: "each", onError: "skip", steps: [twice] })
    holds<Same<OutputOf<typeof skipping>, ReadonlyArray<number | string>>>()
    const own = ForEach.make({
      name: "own",
      items: ({ input }: StepInput<{ numbers: ReadonlyArray<number> }>) => input.numbers,
      steps: [twice]
    })
    Workflow.make({ id: "w", inputSchema: z.object({ numbers: z.array(z.number()) }), steps: [own] })
    // @ts-expect-error -- the function takes an object
    Workflow.make({ id: "w", inputSchema: z.array(z.number()), steps: [own] })
    // @ts-expect-error -- the items have to be numbers
    ForEach.make({ name: "own", items: () => ["a"], steps: [twice] })
    interface Draft {
      readonly title: string
    }
    Workflow.make({ id: "w", steps: [(): ReadonlyArray<Draft> => [], ForEach.make({ name: "each", steps: [shout] })] })
  })
})
