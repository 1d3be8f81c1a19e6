// What the feature does in a service that has it.
import { Layer } from "effect"
import * as Feature from "../Feature.ts"
import * as AgentPart from "./agentPart.ts"
import { LargestQuota } from "./LargestQuota.ts"
import { Places } from "./Places.ts"
import * as SandboxCheck from "./SandboxCheck.ts"
import * as SqlWorkspaceStore from "./SqlWorkspaceStore.ts"
import { Workspace } from "./WorkspaceHandlers.ts"

export const live = Feature.live({
  handlers: Workspace,
  stores: SqlWorkspaceStore.layer,
  // its places are removed after the runs that use them
  service: (_: undefined, service: Feature.Service) =>
    Layer.mergeAll(Places.layer, SandboxCheck.layer(service), LargestQuota.layer(service)),
  agents: (_, database) => AgentPart.forAgent(database)
})
