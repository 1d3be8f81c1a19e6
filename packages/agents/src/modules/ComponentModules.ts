// The modules of all kinds of components. This is the one list of them.
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import type { Runners } from "@svc-runtime/engine/run/Runners"
import { Effect, type Layer } from "effect"
import { AgentRegistry } from "../agent/define/AgentRegistry.ts"
import type { Services as AgentServices } from "../agent/execute/AgentDependencies.ts"
import { listing } from "../component/ComponentModule.ts"
import * as ComponentRunners from "../component/ComponentRunners.ts"
import type { StoredComponents } from "../component/StoredComponents.ts"
import type { FactoryResolver } from "../factory/FactoryResolver.ts"
import { TeamRegistry } from "../team/TeamRegistry.ts"
import { WorkflowRegistry } from "../workflow/WorkflowRegistry.ts"
import { AgentModule } from "./AgentModule.ts"
import { TeamModule } from "./TeamModule.ts"
import { WorkflowModule } from "./WorkflowModule.ts"

export const modules = { agent: AgentModule, team: TeamModule, workflow: WorkflowModule } as const

/** The component of a command of any kind. */
export const componentOf = (command: RunCommand) => {
  if (modules.agent.isCommand(command)) return command.agent
  if (modules.team.isCommand(command)) return command.team
  return modules.workflow.isCommand(command) ? command.workflow : undefined
}

/** What the engine needs of all kinds. */
export const runners: Layer.Layer<
  Runners,
  never,
  AgentServices | AgentRegistry | FactoryResolver | StoredComponents | TeamRegistry | WorkflowRegistry
> = ComponentRunners.layer<
  AgentServices | AgentRegistry | FactoryResolver | StoredComponents | TeamRegistry | WorkflowRegistry
>({
  agent: ComponentRunners.make(modules.agent),
  team: ComponentRunners.make(modules.team),
  workflow: ComponentRunners.make(modules.workflow)
})

/** The registered components and factories of all kinds. */
export const registries = Effect.all({ agent: AgentRegistry, team: TeamRegistry, workflow: WorkflowRegistry })

/** The registered components of all kinds, as discovery lists them. */
export const listings = Effect.all({
  agent: listing(modules.agent),
  team: listing(modules.team),
  workflow: listing(modules.workflow)
})
