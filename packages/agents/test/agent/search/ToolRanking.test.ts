import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber } from "effect"
import * as ToolRanking from "../../../src/agent/execute/search/ToolRanking.ts"
import * as Words from "../../../src/agent/execute/search/Words.ts"
import * as catalog from "./catalog.ts"

Tier.oneIn(3)

const candidates = Effect.map(
  Effect.forEach(
    catalog.sources,
    ({ name: source, open }) => Effect.map(open, ({ tools }) => tools.map((tool) => ({ tool, source })))
  ),
  (all) => all.flat()
)

/** The share of tasks for which one of their tools is among the found ones, and the tasks without. */
const recallOf = Effect.fnUntraced(function*(tasks: typeof catalog.knownTasks, limit: number) {
  const all = yield* candidates
  const missed: Array<string> = []
  let count = 0
  for (const [task, ...names] of tasks) {
    const found = yield* ToolRanking.best(all, task, limit)
    count += found.length
    if (!found.some(({ tool }) => names.includes(tool.name))) missed.push(task)
  }
  return { share: 1 - missed.length / tasks.length, missed, tools: count / tasks.length }
})

const tool = (name: string, description?: string) =>
  ({ tool: Tool.make({ name, description, execute: () => "" }), source: undefined }) as const

const namesOf = (found: ReadonlyArray<ToolRanking.Candidate>) => found.map(({ tool }) => tool.name)

describe("the ranking of tools", () => {
  it.effect("there are 200 different tools, and all tasks are for some of them", () =>
    Effect.gen(function*() {
      assert.strictEqual(new Set(namesOf(yield* candidates)).size, 200)
      assert.strictEqual(catalog.knownTasks.length, 60)
      assert.strictEqual(catalog.newTasks.length, 60)
      assert.strictEqual(catalog.freshTasks.length, 60)
      const names = new Set(namesOf(yield* candidates))
      for (
        const [task, ...expected] of [
          ...catalog.knownTasks,
          ...catalog.newTasks,
          ...catalog.freshTasks,
          ...catalog.queries
        ]
      ) {
        assert.isTrue(expected.every((name) => names.has(name)), task)
      }
    }).pipe(Effect.scoped))

  it.effect.each(
    [
      ["the tasks of users that it was made with", catalog.knownTasks, 0.95],
      ["the new tasks as models ask for them", catalog.queries, 0.95],
      ["new tasks of users, word for word", [...catalog.newTasks, ...catalog.freshTasks], 0.8]
    ] as const
  )("the ten best tools have the right one: %s", ([what, tasks, least]) =>
    Effect.gen(function*() {
      const { missed, share, tools } = yield* recallOf(tasks, 10)
      const figures = `${(share * 100).toFixed(1)} % of ${tasks.length} with ${tools.toFixed(1)} tools each`
      process.stdout.write(`${what}: ${figures}, without ${JSON.stringify(missed)}\n`)
      assert.isAtLeast(share, least, what)
      assert.isAtMost(tools, 10)
    }).pipe(Effect.scoped))

  it.effect("a tool is found by the words of its name, whatever their form", () =>
    Effect.gen(function*() {
      const all = [tool("listOpenInvoices"), tool("delete_customer"), tool("HTTPStatus")]
      assert.deepStrictEqual(namesOf(yield* ToolRanking.best(all, "opened invoice", 1)), ["listOpenInvoices"])
      assert.deepStrictEqual(namesOf(yield* ToolRanking.best(all, "Deleting CUSTOMERS", 1)), ["delete_customer"])
      assert.deepStrictEqual(namesOf(yield* ToolRanking.best(all, "http", 1)), ["HTTPStatus"])
    }))

  it.effect("what shares no word with the question is not found", () =>
    Effect.gen(function*() {
      const all = [tool("refund", "Pays an order back")]
      assert.deepStrictEqual(yield* ToolRanking.best(all, "weather of Lisbon", 5), [])
      assert.deepStrictEqual(yield* ToolRanking.best(all, "", 5), [])
      assert.deepStrictEqual(yield* ToolRanking.best([], "refund", 5), [])
    }))

  it.effect("tools in other scripts are found by their words", () =>
    Effect.gen(function*() {
      const all = [tool("a", "Überweist einen Betrag"), tool("b", "Создаёт счёт"), tool("c", "請求書を作成")]
      assert.deepStrictEqual(namesOf(yield* ToolRanking.best(all, "überweist", 1)), ["a"])
      assert.deepStrictEqual(namesOf(yield* ToolRanking.best(all, "счёт", 1)), ["b"])
    }))

  it("a long text is read to its limit only", () => {
    assert.isBelow(Words.of("a1 ".repeat(1_000_000)).length, 2000)
  })

  it.effect("two thousand tools do not keep the node from other work", () =>
    Effect.gen(function*() {
      const all = Array.from({ length: 2000 }, (_, index) =>
        tool(`tool_${index}_${"x".repeat(40)}`, `Does thing ${index} ${"word ".repeat(50)}`))
      let turns = 0
      const other = yield* Effect.forkChild(Effect.forever(Effect.andThen(
        Effect.sync(() =>
          turns++
        ),
        Effect.yieldNow
      )))
      const found = yield* ToolRanking.best(all, "thing 1711", 10)
      assert.strictEqual(found[0]?.tool.name.startsWith("tool_1711_"), true)
      assert.isAbove(turns, 3)
      yield* Fiber.interrupt(other)
    }))
})
