import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import { Option, Result } from "effect"

const problemOf = (filter: Json.Value): string => Option.getOrThrow(Result.getFailure(KnowledgeFilter.parse(filter)))

const nested = (depth: number): Json.Value => depth === 0 ? { a: 1 } : { op: "NOT", condition: nested(depth - 1) }

describe("KnowledgeFilter", () => {
  it("a filter of an unknown shape is refused with what is wrong", () => {
    const cases: ReadonlyArray<readonly [filter: Json.Value, problem: string]> = [
      ["x", "A filter must be an object, or a list of objects"],
      [null, "A filter must be an object, or a list of objects"],
      [[1], "A filter must be an object, or a list of objects"],
      [{ a: { b: 1 } }, "The value of filter 'a' must be a text, a number, a boolean or null"],
      [{ a: [["b"]] }, "The value of filter 'a' must be a text, a number, a boolean or null"],
      [{ op: "LIKE", key: "a", value: 1 }, "Unknown filter operator: LIKE"],
      [{ op: "EQ", value: 1 }, "EQ filter requires a 'key'"],
      [{ op: "EQ", key: "a" }, "EQ filter requires 'key' and 'value' fields"],
      [{ op: "GT", key: "a", value: true }, "GT filter requires a text or a number as 'value'"],
      [{ op: "GT", key: "a" }, "The value of filter 'a' must be a text, a number, a boolean or null"],
      [{ op: "IN", key: "a", values: 1 }, "IN filter requires 'values' as a list"],
      [{ op: "AND", conditions: {} }, "AND filter requires 'conditions' as a list"],
      [{ op: "NOT" }, "A filter must be an object, or a list of objects"]
    ]
    for (const [filter, problem] of cases) assert.strictEqual(problemOf(filter), problem)
  })

  it("a filter that is too deep or too large is refused with the limit", () => {
    assert.isTrue(Result.isSuccess(KnowledgeFilter.parse(nested(9))))
    assert.strictEqual(problemOf(nested(10)), "Filter expression exceeds maximum nesting depth of 10")
    assert.strictEqual(problemOf(nested(5000)), "Filter expression exceeds maximum nesting depth of 10")
    const wide = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, 1]))
    assert.strictEqual(problemOf(wide), "A filter has at most 100 conditions")
    assert.strictEqual(problemOf({ a: Array.from({ length: 1001 }, () => 1) }), "A filter has at most 1000 values")
    assert.strictEqual(problemOf({ a: "x".repeat(65_536) }), "A filter has at most 65536 characters")
  })

  it("keys that objects inherit are missing keys", () => {
    const filter = Result.getOrThrow(KnowledgeFilter.parse({ constructor: null, toString: null }))
    assert.isTrue(KnowledgeFilter.matches(filter, {}))
  })
})
