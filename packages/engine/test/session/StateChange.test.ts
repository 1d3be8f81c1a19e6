// What the code of an author changes in a state is what JSON would tell of it.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as StateChange from "../../src/session/StateChange.ts"

const before = { count: 1, none: null, list: [1, { deep: true }], text: "a", gone: "b" }

class Basket {
  readonly count = 2
  toJSON() {
    return { basket: this.count }
  }
}

describe("StateChange.changeTo", () => {
  it.each<readonly [string, unknown, StateChange.StateChange | undefined]>([
    ["an equal copy", structuredClone(before), undefined],
    ["numbers that JSON writes as null", { ...before, none: Number.NaN }, undefined],
    ["a value inside of a list", { ...before, list: [1, { deep: false }] }, {
      set: { list: [1, { deep: false }] },
      removed: []
    }],
    ["a date", { ...before, text: new Date(0) }, { set: { text: "1970-01-01T00:00:00.000Z" }, removed: [] }],
    ["an undefined value and a missing one", { ...before, text: undefined, gone: undefined }, {
      set: {},
      removed: ["text", "gone"]
    }],
    ["a key of all objects", Object.fromEntries([...Object.entries(before), ["__proto__", 1], ["toString", "x"]]), {
      set: Object.fromEntries([["__proto__", 1], ["toString", "x"]]),
      removed: []
    }],
    ["an empty state", {}, { set: {}, removed: ["count", "none", "list", "text", "gone"] }],
    ["an object with a form of its own", new Basket(), { set: { basket: 2 }, removed: Object.keys(before) }]
  ])("the change is that of JSON for %s", (_, after, change) => {
    assert.deepStrictEqual(StateChange.changeTo(before, after), Option.some(change))
  })

  it.each<readonly [string, unknown]>([
    ["a list", []],
    ["a number that is too large", { ...before, count: 1n }],
    ["a text", "state"]
  ])("JSON cannot say %s", (_, after) => {
    assert.isTrue(Option.isNone(StateChange.changeTo(before, after)))
  })

  it("the change keeps its values when the state changes again", () => {
    const state = { list: [1] }
    const change = StateChange.changeTo({}, state)
    state.list.push(2)
    assert.deepStrictEqual(change, Option.some({ set: { list: [1] }, removed: [] }))
  })

  it.effect("an object without a class that JSON has nothing of is stored as {}, and fails nothing", () =>
    Effect.gen(function*() {
      const odd: object = Object.create(Object.create(null) as object)
      assert.deepStrictEqual(yield* StateChange.made({}, { a: odd }), { set: { a: {} }, removed: [] })
    }))
})
