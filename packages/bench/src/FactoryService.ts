// One agent as it is, and the same agent from factories that do nothing to make it: what is between their answers is
// what it costs to resolve them.
import { Agent, AgentFactory, serve } from "@svc-runtime/server"
import { Effect, Schema } from "effect"

// factories have their events stored, so the agent that they are held against has, too
const agentOf = (id: string) => Agent.make({ id, model: "fixed", storeEvents: true })
const ready = agentOf("ready")
const unkept = Agent.make({ id: "unkept", model: "fixed" })

/** Made before, because making it is the factory's own work. */
const [forValue, forPromise, forEffect, forChecked, forClosing] = [
  agentOf("value"),
  agentOf("promise"),
  agentOf("effect"),
  agentOf("checked"),
  agentOf("closing")
]

const Tenant = Schema.Struct({ tenant: Schema.String, seats: Schema.Int })

export const value = AgentFactory.make({ id: "value", build: () => forValue })
export const promise = AgentFactory.make({ id: "promise", build: async () => forPromise })
export const effect = AgentFactory.make({ id: "effect", build: () => Effect.succeed(forEffect) })
export const checked = AgentFactory.make({ id: "checked", inputSchema: Tenant, build: () => forChecked })
export const closing = AgentFactory.make({
  id: "closing",
  inputSchema: Tenant,
  build: ({ onClose }) => {
    onClose(() => undefined)
    return forClosing
  }
})

if (import.meta.main) serve({ agents: [ready, unkept, value, checked, closing] })
