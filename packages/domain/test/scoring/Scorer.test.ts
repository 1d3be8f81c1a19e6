import { assert, describe, it } from "@effect/vitest"
import * as Scorer from "@svc-runtime/domain/scoring/Scorer"
import * as Similarity from "@svc-runtime/domain/scoring/Similarity"
import * as ToolTrajectory from "@svc-runtime/domain/scoring/ToolTrajectory"
import { Schema } from "effect"

const scored = (
  scorer: Scorer.Scorer,
  output: Scorer.Answer["output"],
  expected_output?: Scorer.Answer["output"]
) => Scorer.score(scorer, { output, toolCalls: [] }, { expected_output })

const call = (name: string, args: ToolTrajectory.Call["arguments"] = {}, isFailed = false): ToolTrajectory.Call => ({
  name,
  arguments: args,
  isFailed
})

describe("scorers without a model", () => {
  it("exact compares texts without white space at their ends, and values by their content", () => {
    const exact: Scorer.Scorer = { type: "exact" }
    assert.isTrue(scored(exact, " Paris\n", "Paris").passed)
    assert.deepStrictEqual(scored(exact, "paris", "Paris"), {
      scorer: "exact",
      score: 0,
      passed: false,
      reason: "The output differs from the expected output"
    })
    assert.isTrue(scored({ ...exact, ignore_case: true }, "paris", "Paris").passed)
    assert.isTrue(scored(exact, "{\"b\": [1], \"a\": 2}", { a: 2, b: [1] }).passed)
    assert.isFalse(scored(exact, "no JSON", { a: 2 }).passed)
  })

  it("the scorer contains rates the share of texts that the output has", () => {
    const contains: Scorer.Scorer = { type: "contains", name: "facts", texts: ["Paris", "France"], threshold: 0.5 }
    const half = scored(contains, "The capital is Paris")
    assert.deepStrictEqual(half, {
      scorer: "facts",
      score: 0.5,
      passed: true,
      reason: "The output does not contain: France"
    })
    assert.isTrue(scored({ type: "contains", ignore_case: true }, "It is PARIS.", "Paris").passed)
  })

  it("json_schema reads the output as JSON and shows what does not match", () => {
    const scorer: Scorer.Scorer = {
      type: "json_schema",
      schema: { type: "object", properties: { age: { type: "integer" } }, required: ["age"] }
    }
    assert.isTrue(scored(scorer, "{\"age\": 3}").passed)
    assert.isTrue(scored(scorer, { age: 3 }).passed)
    assert.include(scored(scorer, "{\"age\": \"3\"}").reason ?? "", "age: ")
    assert.strictEqual(scored(scorer, "three").reason, "The output is not JSON")
    const dangling = { type: "json_schema", schema: { $ref: "#/$defs/none" } }
    assert.isFalse(Schema.is(Scorer.Scorer)(dangling))
  })

  it("similarity is the share of characters that stay, and a text that is too long has no score", () => {
    assert.strictEqual(Similarity.of("kitten", "sitting"), 1 - 3 / 7)
    assert.strictEqual(Similarity.of("", ""), 1)
    assert.strictEqual(Similarity.of("", "ab"), 0)
    assert.strictEqual(Similarity.of("😀b", "😀c"), 0.5)
    assert.strictEqual(Similarity.of("b".repeat(32) + "a", "b".repeat(33)), 1 - 1 / 33)
    assert.isTrue(scored({ type: "similarity" }, "The capital is Paris", "The capital is Paris.").passed)
    const long = scored({ type: "similarity", threshold: 0 }, "a".repeat(Similarity.maxLength + 1), "a")
    assert.deepInclude(long, { score: null, passed: false })
  })

  it("similarity is that of the whole table of distances, of texts of any length", () => {
    const slow = (left: string, right: string): number => {
      let row = Array.from({ length: right.length + 1 }, (_, index) => index)
      for (let line = 0; line < left.length; line++) {
        const next = [line + 1]
        for (let column = 0; column < right.length; column++) {
          const replaced = row[column]! + (left[line] === right[column] ? 0 : 1)
          next.push(Math.min(replaced, row[column + 1]! + 1, next[column]! + 1))
        }
        row = next
      }
      return 1 - row.at(-1)! / Math.max(left.length, right.length)
    }
    for (const [letters, seed] of [["ab", 7], ["abcdefghij", 11], ["a", 3]] as const) {
      const text = (length: number, step: number) =>
        Array.from({ length }, (_, index) => letters[(index * index * step + seed * index) % letters.length]).join("")
      for (const length of [1, 31, 32, 33, 64, 65, 200]) {
        for (const other of [1, 30, 63, 100]) {
          const [left, right] = [text(length, 3), text(other, 5)]
          assert.strictEqual(Similarity.of(left, right), slow(left, right), `${left} ${right}`)
        }
      }
    }
  })

  it("tool_trajectory compares the calls in their order, with others between them, or in any order", () => {
    const calls = [call("search"), call("read"), call("answer")]
    assert.strictEqual(ToolTrajectory.compare(["search", "answer"], calls, "in_order"), 1)
    assert.strictEqual(ToolTrajectory.compare(["answer", "search"], calls, "in_order"), 0.5)
    assert.strictEqual(ToolTrajectory.compare(["answer", "search"], calls, "any_order"), 1)
    assert.strictEqual(ToolTrajectory.compare(["search", "answer"], calls, "exact"), 2 / 3)
    assert.strictEqual(ToolTrajectory.compare(["search", "read", "answer"], calls, "exact"), 1)
    assert.strictEqual(ToolTrajectory.compare([], calls, "exact"), 0)
    assert.strictEqual(ToolTrajectory.compare([], [], "exact"), 1)
  })

  it("tool_trajectory counts each call once, has its arguments, and leaves out a failed one", () => {
    const expected = ["pay", { name: "pay", arguments: { amount: { eur: 1 } } }]
    const calls = [call("pay", { amount: { eur: 1 }, to: "x" }), call("pay", { amount: { eur: 2 } })]
    assert.strictEqual(ToolTrajectory.compare(expected, calls, "any_order"), 1)
    assert.strictEqual(ToolTrajectory.compare(["pay", "pay", "pay"], calls, "any_order"), 2 / 3)
    assert.strictEqual(ToolTrajectory.compare(["pay"], [call("pay", {}, true)], "any_order"), 0)
    const answer: Scorer.Answer = { output: "", toolCalls: [call("pay", {}, true)] }
    const score = Scorer.score({ type: "tool_trajectory" }, answer, { expected_tool_calls: ["pay"] })
    assert.deepInclude(score, { score: 0, passed: false, reason: "Expected pay; called pay (failed)" })
  })

  it("the reason of tool_trajectory names the expected and the made calls, with their arguments if some are expected", () => {
    const reasonOf = (expected: ReadonlyArray<ToolTrajectory.Expected>, ...toolCalls: Scorer.Answer["toolCalls"]) =>
      Scorer.score({ type: "tool_trajectory", order: "exact" }, { output: "", toolCalls }, {
        expected_tool_calls: expected
      }).reason
    assert.strictEqual(
      reasonOf([{ name: "pay", arguments: { eur: 1 } }, "thank"], call("pay", { eur: 2 })),
      `Expected pay {"eur":1}, thank; called pay {"eur":2}`
    )
    assert.strictEqual(
      reasonOf(["pay", "thank"], call("thank"), call("pay", { eur: 2 })),
      "Expected pay, thank; called thank, pay"
    )
    assert.strictEqual(reasonOf([], call("pay")), "Expected no call; called pay")
    assert.strictEqual(reasonOf(["pay"]), "Expected pay; no tool was called")
    assert.isNull(reasonOf(["pay"], call("pay")))
  })

  it("the name and the reason of a score are short, whatever texts the scorer has", () => {
    const isScorer = Schema.is(Scorer.Scorer)
    assert.isTrue(isScorer({ type: "exact", name: "n".repeat(255) }))
    assert.isFalse(isScorer({ type: "exact", name: "n".repeat(256) }))
    const { reason } = scored({ type: "contains", texts: ["😀".repeat(100_000)] }, "Paris")
    assert.strictEqual(reason?.length, 4000)
    assert.isTrue(reason?.isWellFormed())
  })

  it("each scorer knows what an expectation lacks for it", () => {
    const lacking = (["exact", "similarity", "contains", "tool_trajectory"] as const).map((type) =>
      Scorer.missing({ type }, {})
    )
    assert.deepStrictEqual(lacking, ["expected_output", "expected_output", "expected_output", "expected_tool_calls"])
    assert.isUndefined(Scorer.missing({ type: "contains", texts: ["a"] }, {}))
    assert.isUndefined(Scorer.missing({ type: "json_schema", schema: {} }, {}))
  })
})
