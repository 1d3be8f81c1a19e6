// What a workspace adds to agents: the option `workspace`, and tools for files and commands.
import type { AgentPart } from "@svc-runtime/agents/agent/define/AgentPart"
import type { RunPart, ServedPart } from "@svc-runtime/agents/agent/execute/RunPart"
import { Context, Effect } from "effect"
import type { Database } from "../Feature.ts"
import { Places } from "./Places.ts"
import * as SessionFiles from "./SessionFiles.ts"
import type { Workspace } from "./Workspace.ts"
import * as WorkspaceOption from "./WorkspaceOption.ts"
import type { Settings } from "./WorkspaceSettings.ts"
import { WorkspaceStore } from "./WorkspaceStore.ts"
import * as WorkspaceTools from "./WorkspaceTools.ts"

declare module "@svc-runtime/agents/agent/define/AgentPart" {
  interface FeatureOptions {
    /**
     * Files of the session, and commands on them in a sandbox: true, or `Workspace.make`. Default: none.
     */
    readonly workspace?: boolean | Workspace | undefined
  }
  interface FeatureSettings {
    readonly workspace: Settings | undefined
  }
}

export const part: AgentPart = {
  name: "workspace",
  options: { workspace: "any" },
  define: ({ skills, workspace: given }, owner) => {
    const workspace = WorkspaceOption.make(owner.name, given)
    return workspace === undefined
      ? { settings: {}, tools: [] }
      : { settings: { workspace }, tools: WorkspaceTools.make(workspace, skills !== undefined && skills.length > 0) }
  },
  isUsed: ({ workspace }) => workspace !== undefined
}

export const forAgent = (database: Database) =>
  Effect.map(
    Effect.all({ places: Places, store: WorkspaceStore }),
    ({ places, store }): ServedPart["forAgent"] => ({ workspace: settings }) =>
      Effect.succeed(({ context: { sessionId: session } }): RunPart => ({
        order: 11,
        gives: settings === undefined ? Context.empty() : WorkspaceTools.CurrentFiles.context(
          SessionFiles.make({ store, places, settings, session, key: `${database.id}/${session}` })
        )
      }))
  )
