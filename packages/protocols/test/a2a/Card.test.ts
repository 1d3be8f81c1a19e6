import { assert, describe, it } from "@effect/vitest"
import * as Card from "../../src/a2a/Card.ts"

const described = {
  id: "a",
  name: "A",
  description: "",
  url: "http://localhost/a2a/agents/a",
  isClosed: false,
  hasPushes: true
}

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
})
