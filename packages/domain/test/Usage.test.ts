import { assert, describe, it } from "@effect/vitest"
import * as Usage from "../src/Usage.ts"

const model = { id: "m", provider: "P" }

describe("Usage", () => {
  it("counters of zero are left out, and so is everything that is none", () => {
    const counters = { input_tokens: 3, output_tokens: 0, cost: 0.5, other: "x" } as Usage.Counters
    assert.deepStrictEqual(Usage.countersOf(counters), { input_tokens: 3, cost: 0.5 })
  })

  it("a cost of zero is a known cost, and stays", () => {
    const free = { total_tokens: 3, cost: 0 }
    assert.deepStrictEqual(Usage.countersOf(free), free)
    assert.deepStrictEqual(Usage.add(free, free), { total_tokens: 6, cost: 0 })
    assert.deepStrictEqual(Usage.add(free, { total_tokens: 1 }), { total_tokens: 4, cost: 0 })
    const used = (total_tokens: number, cost: number) => ({
      total_tokens,
      cost,
      details: { model: [{ ...model, total_tokens, cost }] }
    })
    assert.deepStrictEqual(Usage.since(used(3, 0), used(5, 0)), used(2, 0))
    assert.deepStrictEqual(Usage.since(used(3, 0.5), used(5, 0.5)), {
      total_tokens: 2,
      details: { model: [{ ...model, total_tokens: 2 }] }
    })
  })

  it("sums have the counters of both", () => {
    assert.deepStrictEqual(
      Usage.add({ input_tokens: 1, reasoning_tokens: 2 }, { input_tokens: 2, output_tokens: 4 }),
      { input_tokens: 3, reasoning_tokens: 2, output_tokens: 4 }
    )
    assert.deepStrictEqual(Usage.add({}, {}), {})
  })

  it("details are summed per role and model", () => {
    const left = { model: [{ ...model, input_tokens: 1 }] }
    const right = {
      model: [{ ...model, input_tokens: 2 }, { id: "n", provider: "P", input_tokens: 5 }],
      reasoning_model: [{ ...model, output_tokens: 7 }]
    }
    assert.deepStrictEqual(Usage.addDetails(left, right), {
      model: [{ ...model, input_tokens: 3 }, { id: "n", provider: "P", input_tokens: 5 }],
      reasoning_model: [{ ...model, output_tokens: 7 }]
    })
    assert.deepStrictEqual(left, { model: [{ ...model, input_tokens: 1 }] }, "nothing is changed in place")
  })

  it("a model with a request without a price has no cost, and the sum has that of the other requests", () => {
    const model = (total_tokens: number, cost?: number): Usage.ModelUsage => ({
      id: "m",
      provider: "p",
      total_tokens,
      ...(cost === undefined ? {} : { cost })
    })
    const usageOf = (...requests: ReadonlyArray<Usage.ModelUsage>) =>
      requests.reduce(
        (sum: Usage.SessionMetrics, usage) =>
          Usage.addToSession(sum, Usage.ofRequest({ role: "model", model: usage, usage })),
        {}
      )
    const [priced, unpriced] = [model(500, 0.25), model(2000)]
    for (const requests of [[priced, unpriced, priced], [unpriced, priced, priced]]) {
      assert.deepStrictEqual(usageOf(...requests), {
        total_tokens: 3000,
        cost: 0.5,
        details: { model: [model(3000)] }
      })
    }
    assert.deepStrictEqual(usageOf(priced, model(0)).details, { model: [model(500, 0.25)] })
    assert.deepStrictEqual(Usage.since(usageOf(priced), usageOf(priced, unpriced)).details, { model: [model(2000)] })
  })

  it("models of the same name and another provider are others", () => {
    const other = { id: "m", provider: "Q", input_tokens: 1 }
    const sum = Usage.addDetails({ model: [{ ...model, input_tokens: 1 }] }, { model: [other] })
    assert.strictEqual(sum["model"]?.length, 2)
  })

  it("a session sums tokens and not time", () => {
    const run = {
      input_tokens: 1,
      total_tokens: 1,
      duration: 2.5,
      time_to_first_token: 1,
      details: { model: [{ ...model, input_tokens: 1 }] }
    }
    const once = Usage.addToSession({}, run)
    assert.deepStrictEqual(once, { input_tokens: 1, total_tokens: 1, details: run.details })
    assert.deepStrictEqual(Usage.addToSession(once, run), {
      input_tokens: 2,
      total_tokens: 2,
      details: { model: [{ ...model, input_tokens: 2 }] }
    })
  })

  it("a run that cost nothing leaves a session as it was", () => {
    assert.deepStrictEqual(Usage.addToSession({}, { duration: 1 }), {})
    assert.deepStrictEqual(Usage.addToSession({ input_tokens: 1 }, {}), { input_tokens: 1 })
  })
})
