import { assert, it } from "@effect/vitest"
import * as UsageSums from "../src/UsageSums.ts"

const ended = {
  hour: 1,
  kind: "agent",
  component_id: "assistant",
  user_id: "ann",
  model_id: "big",
  model_provider: "test",
  status: "COMPLETED",
  runs: 1,
  durations: [],
  first_tokens: [],
  usages: []
} as const

it("usage that is no usage counts as zero, and its run counts", () => {
  const sums = UsageSums.make()
  const damaged = ["text", null, [1], { total_tokens: "5", cost: -1, details: { model: "none" } }]
  const usage = { total_tokens: 3, cost: 2, details: { model: [null, { id: 1 }, { id: "big", provider: "test" }] } }
  sums.addEnded({ ...ended, runs: 5, usages: [...damaged, usage] })
  const [row, ...others] = sums.rows()
  assert.deepInclude(row, { completed: 5, total_tokens: 3, cost: 2 })
  assert.deepStrictEqual(others, [])
})

it("sums stay finite, whatever was stored as a cost", () => {
  const sums = UsageSums.make()
  const models = [1e308, 1e308, 0.5].map((cost, at) => ({ id: `m${at % 2}`, provider: "test", cost }))
  sums.addEnded({ ...ended, usages: [...models, { cost: 2, details: { model: models } }] })
  const row = sums.rows()[0]!
  const both = UsageSums.make()
  for (const each of [...sums.rows(), { ...row, cost: Number.MAX_VALUE }, { ...row, cost: Number.MAX_VALUE }]) {
    both.add(each)
  }
  const costs = [...sums.rows(), ...both.rows()].map(({ cost }) => cost)
  assert.isTrue(costs.every(Number.isFinite), costs.join(", "))
  assert.deepStrictEqual(sums.rows().map(({ cost, model_id }) => [model_id, cost]), [["big", 2], ["m0", 0.5], [
    "m1",
    0
  ]])
})

it("models that a run has used get their own tokens, and the model of the run what is left", () => {
  const sums = UsageSums.make()
  const small = { id: "small", provider: "test", total_tokens: 4 }
  sums.addEnded({ ...ended, usages: [{ total_tokens: 10, cost: 1, details: { memory_model: [small] } }] })
  assert.deepStrictEqual(
    sums.rows().map((row) => [row.model_id, row.completed, row.total_tokens, row.cost, row.unpriced_tokens]),
    [["big", 1, 6, 1, 0], ["small", 0, 4, 0, 4]]
  )
})

it("a run has the unpriced tokens of its models, and what its models leave", () => {
  const [small, free] = [{ id: "small", provider: "test", total_tokens: 4 }, { id: "f", provider: "test", cost: 1 }]
  assert.strictEqual(UsageSums.unpricedTokensOf({ total_tokens: 7 }), 7)
  assert.strictEqual(UsageSums.unpricedTokensOf({ total_tokens: 7, cost: 1 }), 0)
  assert.strictEqual(UsageSums.unpricedTokensOf({ total_tokens: 9, cost: 1, details: { model: [small, free] } }), 9)
  assert.strictEqual(UsageSums.unpricedTokensOf({ total_tokens: 4, details: { model: [small] } }), 4)
  assert.strictEqual(UsageSums.unpricedTokensOf({}), 0)
})

it("the cost of a model that has also requests without a price counts for the model of the run", () => {
  const sums = UsageSums.make()
  const model = { id: "big", provider: "test", total_tokens: 2500 }
  sums.addEnded({ ...ended, usages: [{ total_tokens: 2500, cost: 0.25, details: { model: [model] } }] })
  assert.deepStrictEqual(
    sums.rows().map(({ cost, total_tokens, unpriced_tokens }) => [total_tokens, cost, unpriced_tokens]),
    [[2500, 0.25, 2500]]
  )
})

it("tokens of a model whose cost is zero have a price", () => {
  const [free, small] = [
    { id: "free", provider: "test", total_tokens: 5, cost: 0 },
    { id: "small", provider: "test", total_tokens: 4 }
  ]
  assert.strictEqual(UsageSums.unpricedTokensOf({ total_tokens: 7, cost: 0 }), 0)
  assert.strictEqual(UsageSums.unpricedTokensOf({ total_tokens: 5, cost: 0, details: { model: [free] } }), 0)
  assert.strictEqual(UsageSums.unpricedTokensOf({ total_tokens: 9, cost: 0, details: { model: [free, small] } }), 4)
  assert.strictEqual(UsageSums.unpricedTokensOf({ total_tokens: 7, cost: 0, details: { model: [free] } }), 2)
})

it("rows with the same hour, component, user and model are added up", () => {
  const [one, sums] = [UsageSums.make(), UsageSums.make()]
  one.addEnded({ ...ended, durations: [1, 1000] })
  const [row] = one.rows()
  for (const each of row === undefined ? [] : [row, { ...row, hour: 2 }, row]) sums.add(each)
  const counted = sums.rows().map(({ completed, durations, hour }) => [
    hour,
    completed,
    durations.reduce((total, count) => total + count)
  ])
  assert.deepStrictEqual(counted, [[1, 2, 4], [2, 1, 2]])
})
