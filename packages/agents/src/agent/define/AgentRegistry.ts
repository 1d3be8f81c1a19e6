// The registered agents and agent factories.
import type * as AgentSchema from "@svc-runtime/domain/Agent"
import { Context, Layer, Schema } from "effect"
import * as Registrations from "../../component/Registrations.ts"
import type { Agent } from "./Agent.ts"
import type { AgentFactory } from "./AgentFactory.ts"

export class AgentNotFound extends Schema.TaggedError<AgentNotFound>()("AgentNotFound", { agent_id: Schema.String }) {
  override get message() {
    return `Agent not found: '${this.agent_id}'`
  }
}

export class AgentRegistry extends Context.Service<AgentRegistry, Registrations.Registrations<Agent, AgentNotFound>>()(
  "@svc-runtime/agents/agent/define/AgentRegistry"
) {
  static readonly layer = (
    agents: ReadonlyArray<Agent | AgentFactory>
  ): Layer.Layer<AgentRegistry, Registrations.DuplicateIds> =>
    Layer.effect(
      AgentRegistry,
      Registrations.make(
        "agent",
        agents,
        (agent_id: AgentSchema.Id) => new AgentNotFound({ agent_id })
      )
    )
}
