import { assert, describe, it } from "@effect/vitest"
import * as Card from "../../src/a2a/Card.ts"

const described = {
  id: "a",
  name: "A",
  description: "",
  url: "http://localhost/a2a/agents/a",
  isClosed: false,
  hasPushes: true,
  examples: []
}

const hasNull = (value: unknown): boolean =>
  value === null || (typeof value === "object" && Object.values(value).some(hasNull))

const capabilitiesOf = (version: "0.3" | "1.0") =>
  Card.make(described, version)["capabilities"] as { readonly [name: string]: unknown }

describe("a card", () => {
  it("both cards declare the same, and lists where clients of 1.0 read lists", () => {
    const { extensions, stateTransitionHistory, ...legacy } = capabilitiesOf("0.3")
    assert.deepStrictEqual(legacy, capabilitiesOf("1.0"))
    assert.deepStrictEqual([extensions, stateTransitionHistory], [[], false])
  })

  it("only a service that authenticates callers promises an extended card to clients of 0.3", () => {
    const promised = (isClosed: boolean) =>
      Card.make({ ...described, isClosed }, "0.3")["supportsAuthenticatedExtendedCard"]
    assert.deepStrictEqual([promised(false), promised(true)], [false, true])
  })

  it("no card has a null, and a skill has examples only if the component has some", () => {
    for (const version of ["0.3", "1.0"] as const) {
      for (const isClosed of [false, true]) {
        const card = Card.make({ ...described, isClosed }, version)
        assert.isFalse(hasNull(card), JSON.stringify(card))
        assert.notProperty((card["skills"] as ReadonlyArray<object>)[0], "examples")
      }
      const [skill] = Card.make({ ...described, examples: ["What is tea?"] }, version)["skills"] as ReadonlyArray<
        object
      >
      assert.deepInclude(skill, { examples: ["What is tea?"] })
    }
  })
})
