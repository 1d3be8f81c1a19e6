// The names of models that the compiler knows. What it refuses, the start refuses too.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"

describe("the name of a model", () => {
  const members = [Agent.make({ id: "member" })]

  it("the compiler refuses a name whose provider is unknown, and so does the start", () => {
    // @ts-expect-error -- no provider has this name
    assert.throws(() => Agent.make({ id: "agent", model: "opnai:gpt-5" }), /model cannot be used/)
    // @ts-expect-error -- it has no provider
    assert.throws(() => Agent.make({ id: "agent", model: "gpt-5" }), /model cannot be used/)
    // @ts-expect-error -- no provider has this name
    assert.throws(() => Team.make({ id: "team", members, model: "opnai:gpt-5" }), /model cannot be used/)
  })

  it("the compiler takes names of known providers, texts that it does not know, and models", () => {
    const given: string = "openai:gpt-5"
    const id = given.slice(given.indexOf(":") + 1)
    const model = { languageModel: {}, id: "other" } as unknown as Agent.Options["model"]
    assert.strictEqual(Agent.make({ id: "agent", model: "openai:gpt-5" }).model, given)
    assert.strictEqual(Agent.make({ id: "agent", model: `openai:${id}` }).model, given)
    assert.strictEqual(Agent.make({ id: "agent", model: `${given.split(":", 1).join()}:gpt-5` }).model, given)
    assert.strictEqual(Agent.make({ id: "agent", model: given }).model, given)
    assert.strictEqual(Agent.make({ id: "agent", model: "demo" }).model, "demo")
    assert.strictEqual(Agent.make({ id: "agent", model }).model, model)
    assert.isUndefined(Agent.make({ id: "agent", model: undefined }).model)
    assert.strictEqual(Team.make({ id: "team", members, model: "fixed" }).leader.model, "fixed")
    assert.strictEqual(Agent.make({ id: "agent", model: given === "" ? "demo" : "openai:gpt-5" }).model, given)
  })
})
