// Factories that several wire tests speak to, and what they saw.
import { assert } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import type { FactoryContext } from "@svc-runtime/agents/factory/FactoryContext"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Schema } from "effect"
import { always, get, list, serve } from "../Wire.ts"
import { free, plain, used } from "./Fixtures.ts"

export const id = "tenant-assistant"

export const Tenant = Schema.Struct({ tenant: Schema.String })

type Made = Parameters<typeof AgentFactory.make>[0]["build"]

/** A model that answers with what its instructions say. */
const echoing = Script.make(
  Array.from({ length: 100 }, () => ({ prompt }: Script.Call) => {
    const [system] = prompt.content
    return [Script.text(typeof system?.content === "string" ? system.content : ""), used]
  })
)

/** The factory of the recorded responses: an agent for each tenant. */
export const tenants = Effect.gen(function*() {
  const { model } = yield* echoing
  const seen: Array<FactoryContext<typeof Tenant.Type>> = []
  const factory = AgentFactory.make({
    id,
    name: "Tenant assistant",
    description: "One for each tenant",
    inputSchema: Tenant,
    build: (context) => {
      seen.push(context)
      return Agent.make({ id, model, systemMessage: `for ${context.input?.tenant}` })
    }
  })
  return { factory, seen }
})

/** A factory without a schema. What it makes says hello. */
export const factoryOf = Effect.fnUntraced(function*(
  build: (agent: Agent.Agent, context: Parameters<Made>[0]) => ReturnType<Made>
) {
  const { model } = yield* always(Script.text("Hello."), used)
  const agent = Agent.make({ id: "made", model })
  return AgentFactory.make({ id: "made", build: (context) => build(agent, context) })
})

export const tenant = (name: string) => ({ factory_input: JSON.stringify({ tenant: name }) })

/** That factory beside an agent that is there already, and what the factory saw. */
export const started = Effect.gen(function*() {
  const { factory, seen } = yield* tenants
  const server = yield* serve({ agents: [factory, (yield* plain).agent] })
  return { server, seen }
})

/** Serves one factory, called `made`. */
export const serving = Effect.fnUntraced(function*(...build: Parameters<typeof factoryOf>) {
  return yield* serve({ agents: [yield* factoryOf(...build)], prices: free })
})

export const nothingStored = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const sessions = yield* get(server, "/sessions")
  assert.deepStrictEqual(list(sessions.json, "data"), [])
})
