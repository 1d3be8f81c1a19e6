// The configs of all kinds of components. This is the one list of them.
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { AgentConfigModule } from "./AgentConfig.ts"
import type { ConfigModule } from "./ConfigModule.ts"
import { TeamConfigModule } from "./TeamConfig.ts"
import { WorkflowConfigModule } from "./WorkflowConfig.ts"

export const modules: Readonly<Record<ComponentKind.ComponentKind, ConfigModule>> = {
  agent: AgentConfigModule,
  team: TeamConfigModule,
  workflow: WorkflowConfigModule
}
