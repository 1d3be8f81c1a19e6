import { assert, describe, it } from "@effect/vitest"
import * as AgentSchema from "@svc-runtime/domain/Agent"
import * as Agent from "@svc-runtime/features/Agent"
import { Effect } from "effect"
import { AgentRegistry } from "../../src/agent/define/AgentRegistry.ts"

const make = (id: string) => Agent.make({ id })

describe("AgentRegistry", () => {
  it.effect("the registry keeps the agents in the given order, and finds them by id", () => {
    const [one, two] = [make("two"), make("one")]
    return Effect.gen(function*() {
      const registry = yield* AgentRegistry
      assert.deepStrictEqual(registry.all, [one, two])
      assert.strictEqual(yield* registry.get(AgentSchema.Id.make("one")), two)
      const error = yield* Effect.flip(registry.get(AgentSchema.Id.make("none")))
      assert.match(error.message, /^Agent not found: '/)
    }).pipe(Effect.provide(AgentRegistry.layer([one, two])))
  })

  it.effect("ids that are given twice are refused, and each of them is named once", () =>
    Effect.gen(function*() {
      const agents = ["a", "b", "a", "c", "b", "a"].map(make)
      const error = yield* Effect.flip(Effect.provide(AgentRegistry, AgentRegistry.layer(agents)))
      assert.match(error.message, /^Duplicate IDs found among agents: a, b\. /)
    }))

  it.effect("an agent that is given twice is refused", () =>
    Effect.gen(function*() {
      const agent = make("a")
      const error = yield* Effect.flip(Effect.provide(AgentRegistry, AgentRegistry.layer([agent, agent])))
      assert.deepStrictEqual(error.ids, ["a"])
    }))
})
