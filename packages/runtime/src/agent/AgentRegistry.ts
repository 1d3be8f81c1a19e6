// The agents that a service serves, in the order they were given.
import type { Agent as AgentSchema } from "@svc/domain"
import { Context, Effect, Layer, Schema } from "effect"
import type { Agent } from "./Agent.ts"

export class AgentNotFound extends Schema.TaggedError<AgentNotFound>()("AgentNotFound", { agent_id: Schema.String }) {
  override get message() {
    return "Agent not found"
  }
}

export class DuplicateIds extends Schema.TaggedError<DuplicateIds>()("DuplicateIds", {
  kind: Schema.String,
  ids: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Duplicate IDs found among ${this.kind}: ${this.ids.join(", ")}. Every one needs an id of its own.`
  }
}

export class AgentRegistry extends Context.Service<AgentRegistry, {
  readonly all: ReadonlyArray<Agent>
  readonly get: (id: AgentSchema.Id) => Effect.Effect<Agent, AgentNotFound>
}>()("@svc/runtime/agent/AgentRegistry") {
  static readonly layer = (agents: ReadonlyArray<Agent>): Layer.Layer<AgentRegistry, DuplicateIds> =>
    Layer.effect(
      AgentRegistry,
      Effect.gen(function*() {
        const byId = new Map<string, Agent>()
        const twice = new Set<string>()
        for (const agent of agents) {
          if (byId.has(agent.id)) twice.add(agent.id)
          byId.set(agent.id, agent)
        }
        if (twice.size > 0) return yield* new DuplicateIds({ kind: "agents", ids: [...twice] })
        return AgentRegistry.of({
          all: agents,
          get: (id) => {
            const agent = byId.get(id)
            return agent === undefined ? Effect.fail(new AgentNotFound({ agent_id: id })) : Effect.succeed(agent)
          }
        })
      })
    )
}
