// What background tasks add to agents and leaders that call components in the background: two tools. What happens in
// their runs is in `BackgroundRunPart.ts`.
import type { AgentPart } from "@svc-runtime/agents/agent/define/AgentPart"
import * as ComponentTool from "@svc-runtime/agents/nested/ComponentTool"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import { Predicate } from "effect"
import * as BackgroundTools from "./BackgroundTools.ts"

declare module "@svc-runtime/agents/agent/define/AgentPart" {
  interface FeatureSettings {
    /** Some of its components work in the background. */
    readonly hasBackgroundTasks: boolean
  }
}

/** Options that agents and teams read themselves. */
interface Given {
  readonly tools?: ReadonlyArray<object>
  readonly backgroundMembers?: Readonly<Record<string, unknown>>
}

const isInBackground = (tool: object): boolean =>
  Predicate.hasProperty(tool, "call") && ComponentTool.isComponentTool(tool as Tool) &&
  (tool as ComponentTool.ComponentTool).background !== undefined

export const part: AgentPart = {
  name: "backgroundTasks",
  define: (options) => {
    const { backgroundMembers = {}, tools = [] } = options as Given
    const isUsed = tools.some(isInBackground) ||
      Object.values(backgroundMembers).some((settings) => settings !== undefined && settings !== false)
    return isUsed
      ? { settings: { hasBackgroundTasks: true }, tools: BackgroundTools.all }
      : { settings: {}, tools: [] }
  },
  isUsed: ({ hasBackgroundTasks }) => hasBackgroundTasks === true
}
