// The types of run contexts, and the checks of what a request gives a run. Types hold when the file compiles.
import { assert, describe, it } from "@effect/vitest"
import * as Hook from "@svc-runtime/agents/agent/define/Hook"
import * as Guardrail from "@svc-runtime/agents/guardrail/Guardrail"
import type * as Json from "@svc-runtime/domain/Json"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import { Effect, Result, Schema } from "effect"
import { z } from "zod"
import type { RunContext } from "../../src/tool/RunContext.ts"
import * as RunSchemas from "../../src/tool/RunSchemas.ts"
import * as Tool from "../../src/tool/Tool.ts"

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_ extends true>() => {}

const shop = {
  sessionState: z.object({ cart: z.array(z.string()), coupon: z.string().optional() }),
  dependencies: Schema.Struct({ tenant: Schema.NonEmptyString }),
  metadata: z.object({ channel: z.enum(["web", "app"]) })
}

describe("the types of a context", () => {
  it("instructions get the types of the agent's schemas, and every field of a state can be absent", () => {
    Agent.make({
      id: "clerk",
      runSchemas: shop,
      instructions: ({ dependencies, metadata, sessionState, userId }) => {
        holds<Same<typeof dependencies.tenant, string>>()
        holds<Same<typeof metadata.channel, "web" | "app">>()
        holds<Same<typeof sessionState.cart, Array<string> | undefined>>()
        holds<Same<typeof userId, RunContext["userId"]>>()
        sessionState.cart = ["tea"]
        // @ts-expect-error -- a cart is a list
        sessionState.cart = "tea"
        // @ts-expect-error -- there is no such field
        void dependencies.city
        return `You work for ${dependencies.tenant}`
      }
    })
  })

  it("a tool gets them too, beside its arguments and the facts of the call", () => {
    Tool.make({
      name: "add",
      runSchemas: shop,
      parameters: z.object({ product: z.string() }),
      requiresConfirmation: (_, { dependencies }) => dependencies.tenant !== "test",
      execute: ({ product }, { dependencies, effectId, sessionState }) => {
        holds<Same<typeof product, string>>()
        holds<Same<typeof dependencies.tenant, string>>()
        holds<Same<typeof effectId, string>>()
        sessionState.cart = [...sessionState.cart ?? [], product]
      }
    })
  })

  it("what has no schema stays a JSON object, and so does what has a JSON Schema", () => {
    Tool.make({
      name: "add",
      runSchemas: { dependencies: { type: "object" } },
      execute: (_, { dependencies, sessionState }) => {
        holds<Same<typeof dependencies, Json.Object>>()
        holds<Same<typeof sessionState, Record<string, Json.Value>>>()
      }
    })
    Agent.make({
      id: "plain",
      instructions: (context) => {
        holds<Same<typeof context, RunContext>>()
        return ""
      }
    })
  })

  it("hooks of an agent and of a team get the types of its schemas in every stage", () => {
    const options = {
      runSchemas: shop,
      hooks: [{
        name: "tenants",
        beforeRun: ({ context: { dependencies, sessionState } }) => {
          holds<Same<typeof dependencies.tenant, string>>()
          holds<Same<typeof sessionState.cart, Array<string> | undefined>>()
          // @ts-expect-error -- there is no such field
          void dependencies.city
        },
        afterTool: ({ context, result, tool }) => {
          holds<Same<typeof context.metadata.channel, "web" | "app">>()
          holds<Same<typeof result | typeof tool, string>>()
          // @ts-expect-error -- a cart is a list
          context.sessionState.cart = "tea"
        }
      }],
      preHooks: [{
        name: "known",
        run: ({ context, input }) => {
          holds<Same<typeof context.dependencies.tenant, string>>()
          void input.input_content
        }
      }]
    } satisfies Partial<Agent.Options<typeof shop>>
    Agent.make({ id: "clerk", ...options })
    Agent.make({
      id: "clerk",
      runSchemas: shop,
      hooks: [{ name: "tenants", beforeModel: ({ context }) => Hook.note(context.dependencies.tenant) }],
      postHooks: [{ name: "known", run: ({ context }) => void context.metadata.channel }]
    })
    Team.make({
      id: "desk",
      runSchemas: shop,
      members: [Agent.make({ id: "plain" })],
      hooks: [{ name: "tenants", afterRun: ({ context }) => Hook.note(context.dependencies.tenant) }]
    })
  })

  it("a hook of its own names the schemas, and one without types is a hook of every agent", () => {
    const plain: Hook.RunHook = { name: "plain", beforeRun: ({ context }) => Hook.note(context.agentId) }
    const typed: Hook.RunHook<typeof shop> = {
      name: "typed",
      beforeRun: ({ context }) => Hook.note(context.dependencies.tenant)
    }
    Agent.make({ id: "clerk", runSchemas: shop, hooks: [plain, typed, Guardrail.pii()] })
    Agent.make({ id: "plain", hooks: [plain, Guardrail.pii()] })
    // @ts-expect-error -- an agent without schemas gives no such dependencies
    Agent.make({ id: "plain", hooks: [typed] })
    const check: Hook.Hook<typeof shop> = { name: "check", run: ({ context }) => void context.dependencies.tenant }
    Agent.make({ id: "clerk", runSchemas: shop, preHooks: [check] })
    // @ts-expect-error -- as above
    Agent.make({ id: "plain", postHooks: [check] })
    Agent.make({
      id: "plain",
      hooks: [{
        name: "plain",
        beforeRun: ({ context }) => {
          holds<Same<typeof context, RunContext>>()
        }
      }]
    })
  })
})

describe("an agent", () => {
  it("an agent refuses a tool whose schemas are not its own", () => {
    const add = Tool.make({ name: "add", runSchemas: shop, execute: () => "" })
    Agent.make({ id: "clerk", runSchemas: { ...shop }, tools: [add] })
    const message =
      "Agent 'clerk': the tool 'add' has a schema of dependencies in runSchemas that is not the one of the agent"
    const { dependencies: _, ...without } = shop
    assert.throws(() => Agent.make({ id: "clerk", runSchemas: without, tools: [add] }), message)
    assert.throws(
      () => Agent.make({ id: "clerk", runSchemas: { ...shop, dependencies: z.object({}) }, tools: [add] }),
      message
    )
    assert.throws(() => Agent.make({ id: "clerk", tools: [add] }), "has a schema of sessionState")
  })
})

describe("the check of a request", () => {
  const shapes = RunSchemas.make(shop)
  const valid = { session_state: undefined, dependencies: { tenant: "a" }, metadata: { channel: "web" } }

  const problem = (values: object) =>
    Effect.map(
      Effect.result(RunSchemas.check(shapes, { ...valid, ...values })),
      (result) =>
        Result.isFailure(result) ? [result.failure.field, ...result.failure.cause.issues.map(({ path }) => path)] : []
    )

  it.effect("values that match are accepted, and a state may send only some of its fields", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* problem({}), [])
      assert.deepStrictEqual(yield* problem({ session_state: {} }), [])
      assert.deepStrictEqual(yield* problem({ session_state: { coupon: "c" } }), [])
    }))

  it.effect("values that do not match are refused with their field and their path", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* problem({ session_state: { cart: [1] } }), ["session_state", ["cart", 0]])
      assert.deepStrictEqual(yield* problem({ dependencies: {} }), ["dependencies", ["tenant"]])
      assert.deepStrictEqual(yield* problem({ dependencies: { tenant: "" } }), ["dependencies", ["tenant"]])
      assert.deepStrictEqual(yield* problem({ metadata: { channel: "fax" } }), ["metadata", ["channel"]])
      assert.deepStrictEqual(yield* problem({ metadata: undefined }), ["metadata", ["channel"]])
    }))
})
