// What an author may write down for a factory, and what is refused at once.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import { Duration, Effect, Schema } from "effect"
import { z } from "zod"
import * as AgentFactory from "../../src/agent/define/AgentFactory.ts"
import { AgentRegistry } from "../../src/agent/define/AgentRegistry.ts"
import { isFactory } from "../../src/factory/Factory.ts"

const build = () => Agent.make({ id: "made" })

describe("AgentFactory.make", () => {
  it("a factory needs an id and a function", () => {
    const factory = AgentFactory.make({ id: "made", build })
    assert.isTrue(isFactory(factory))
    assert.isFalse(Agent.isAgent(factory))
    assert.deepStrictEqual([factory.kind, String(factory.id)], ["agent", "made"])
    assert.deepStrictEqual([factory.name, factory.description], [undefined, undefined])
  })

  const wrong: ReadonlyArray<readonly [string, object, RegExp]> = [
    ["no id", { build }, /^The agent factory has no id\. Give it one/],
    ["an empty id", { id: "", build }, /^The agent factory's id '' is not usable in a url: /],
    ["an id of null", { id: null, build }, /^The agent factory: id must be a text, and is null$/],
    ["an id that is no text", { id: 5, build }, /^The agent factory: id must be a text, and is the number 5$/],
    ["an id with a slash", { id: "a/b", build }, /^The agent factory's id 'a\/b' is not usable in a url: /],
    ["no function", { id: "a" }, /^The agent factory 'a': build must be a function that gives its agent$/],
    ["an agent instead of a function", { id: "a", build: build() }, /build must be a function/],
    ["a limit that is none", { id: "a", build, timeout: "soon" }, /^The agent factory 'a': timeout must be a length/],
    ["a limit below zero", { id: "a", build, timeout: -1 }, /^The agent factory 'a': timeout must be a length/],
    [
      "an input that is no schema",
      { id: "a", build, inputSchema: 5 },
      /its inputSchema must be a schema, and is the number 5/
    ],
    [
      "an input that is no object",
      { id: "a", build, inputSchema: z.string() },
      /its inputSchema must be one object, because factory_input is one/
    ],
    [
      "an input that is a list",
      { id: "a", build, inputSchema: { type: "array" } },
      /its inputSchema must be one object, because factory_input is one/
    ],
    [
      "an input schema that cannot describe itself",
      { id: "a", build, inputSchema: { "~standard": { version: 1, vendor: "acme", validate: () => ({ value: 1 }) } } },
      /This acme schema cannot describe itself as JSON Schema/
    ]
  ]
  for (const [what, options, message] of wrong) {
    it(`an agent factory refuses ${what} with a reason`, () => {
      assert.throws(() => AgentFactory.make(options as never), message)
    })
  }

  it("the input is described as JSON Schema, whatever library wrote it", () => {
    const raw = { type: "object", properties: { tenant: { type: "string" } }, required: ["tenant"] }
    for (const inputSchema of [z.object({ tenant: z.string() }), Schema.Struct({ tenant: Schema.String }), raw]) {
      assert.deepInclude(AgentFactory.make({ id: "a", inputSchema, build }).inputSchema?.jsonSchema, raw)
    }
  })

  it("a union is accepted as long as all of its members are objects", () => {
    const inputSchema = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])
    assert.isDefined(AgentFactory.make({ id: "a", inputSchema, build }).inputSchema)
  })

  it("the input of a factory is typed", () => {
    AgentFactory.make({
      id: "a",
      inputSchema: z.object({ seats: z.number() }),
      build: ({ input }) => {
        const seats: number | undefined = input?.seats
        // @ts-expect-error -- there is no such field
        void input?.tenant
        return Agent.make({ id: "a", instructions: `${seats}` })
      }
    })
    AgentFactory.make({
      id: "a",
      inputSchema: Schema.Struct({ day: Schema.Date }),
      build: ({ input }) => Agent.make({ id: "a", instructions: input?.day.toISOString() })
    })
    // @ts-expect-error -- this is no agent
    AgentFactory.make({ id: "a", build: () => "agent" })
    // @ts-expect-error -- nor is this
    AgentFactory.make({ id: "a", build: () => Promise.resolve({ id: "a" }) })
    AgentFactory.make({ id: "a", timeout: Duration.seconds(1), build: async () => Agent.make({ id: "a" }) })
  })
})

describe("AgentRegistry", () => {
  const factory = AgentFactory.make({ id: "made", build })
  const agent = Agent.make({ id: "ready" })

  it.effect("the registry has factories among the agents, in their order", () =>
    Effect.gen(function*() {
      const registry = yield* AgentRegistry
      assert.deepStrictEqual(registry.registered, [factory, agent])
      assert.deepStrictEqual(registry.all, [agent])
      assert.strictEqual(yield* registry.find(factory.id), factory)
      assert.strictEqual(yield* registry.find(agent.id), agent)
    }).pipe(Effect.provide(AgentRegistry.layer([factory, agent]))))

  it.effect("a factory is not found without a request", () =>
    Effect.gen(function*() {
      const registry = yield* AgentRegistry
      const error = yield* Effect.flip(registry.get(factory.id))
      assert.strictEqual(error._tag, "FactoryContextRequired")
      assert.strictEqual(error.message, "Request context is required for factory agents")
    }).pipe(Effect.provide(AgentRegistry.layer([factory, agent]))))

  it.effect("a factory with the id of an agent is refused", () =>
    Effect.gen(function*() {
      const twice = AgentRegistry.layer([agent, AgentFactory.make({ id: agent.id, build })])
      const error = yield* Effect.flip(Effect.provide(AgentRegistry, twice))
      assert.match(error.message, /^Duplicate IDs found among agents: ready\. /)
    }))
})
