// Factories that several wire tests speak to, and what they saw.
import { Agent, AgentFactory, type FactoryContext } from "@svc/runtime"
import * as Script from "@svc/testing/ScriptedModel"
import { Effect, Schema } from "effect"
import { always } from "../Wire.ts"
import { used } from "./Fixtures.ts"

const Tenant = Schema.Struct({ tenant: Schema.String })

type Made = Parameters<typeof AgentFactory.make>[0]["build"]

/** A model that answers with what its instructions say. */
const echoing = Script.make(
  Array.from({ length: 100 }, () => ({ prompt }: Script.Call) => {
    const [system] = prompt.content
    return [Script.text(typeof system?.content === "string" ? system.content : ""), used]
  })
)

/** The factory of the recorded answers: an agent for each tenant. */
export const tenants = Effect.gen(function*() {
  const { model } = yield* echoing
  const seen: Array<FactoryContext<typeof Tenant.Type>> = []
  const factory = AgentFactory.make({
    id: "tenant-assistant",
    name: "Tenant assistant",
    description: "One for each tenant",
    inputSchema: Tenant,
    build: (context) => {
      seen.push(context)
      return Agent.make({ id: "tenant-assistant", model, systemMessage: `for ${context.input?.tenant}` })
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
