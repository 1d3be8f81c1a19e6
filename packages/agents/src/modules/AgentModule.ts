// Agents as a kind of component.
import type * as AgentSchema from "@svc-runtime/domain/Agent"
import type * as Service from "@svc-runtime/domain/Service"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import * as InnerContinuation from "../agent/continue/InnerContinuation.ts"
import { type Agent, isAgent } from "../agent/define/Agent.ts"
import * as AgentDetail from "../agent/define/AgentDetail.ts"
import { type AgentNotFound, AgentRegistry } from "../agent/define/AgentRegistry.ts"
import * as AgentSummary from "../agent/define/AgentSummary.ts"
import * as AgentCommand from "../agent/execute/AgentCommand.ts"
import type { Services } from "../agent/execute/AgentDependencies.ts"
import type { ComponentModule } from "../component/ComponentModule.ts"
import { isFactory } from "../factory/Factory.ts"
import * as FactoryDetail from "../factory/FactoryDetail.ts"
import { modelRun } from "./modelRun.ts"

export const AgentModule: ComponentModule<
  Agent,
  AgentCommand.AgentCommand,
  AgentNotFound,
  AgentRegistry,
  Service.ConfiguredAgent,
  AgentSchema.Detail | FactoryDetail.FactoryDetail<Agent["id"]>,
  Services
> = {
  ...modelRun,
  kind: "agent",
  registry: AgentRegistry,
  isComponent: isAgent,
  isCommand: (command: RunCommand): command is AgentCommand.AgentCommand => "agent" in command,
  decode: AgentCommand.decode,
  continuation: InnerContinuation.ofAgent,
  toSummary: AgentSummary.make,
  toDetail: (agent, context) =>
    isFactory(agent)
      ? FactoryDetail.make(agent, context.databaseOf(agent).id)
      : AgentDetail.toDetail(agent, AgentDetail.dependenciesOf(context)(agent))
}
