// Names the functions that authors call, so that a mistake can say which of them was not called.
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as ComponentTool from "@svc-runtime/agents/nested/ComponentTool"
import * as TeamFactory from "@svc-runtime/agents/team/TeamFactory"
import * as Condition from "@svc-runtime/agents/workflow/define/Condition"
import * as ForEach from "@svc-runtime/agents/workflow/define/ForEach"
import * as Loop from "@svc-runtime/agents/workflow/define/Loop"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Router from "@svc-runtime/agents/workflow/define/Router"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Steps from "@svc-runtime/agents/workflow/define/Steps"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as WorkflowFactory from "@svc-runtime/agents/workflow/WorkflowFactory"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { makers } from "@svc-runtime/engine/userCode/Mistake"
import * as Agent from "@svc-runtime/features/Agent"
import * as Knowledge from "@svc-runtime/features/knowledge/KnowledgeBase"
import * as Team from "@svc-runtime/features/Team"
import * as McpTools from "../mcpClient/McpTools.ts"
import * as Route from "../routes/Route.ts"
import * as Toolkit from "../toolkit/Toolkit.ts"

const modules = {
  Agent,
  AgentFactory,
  ComponentTool,
  Condition,
  ForEach,
  JobKind,
  Knowledge,
  Loop,
  McpTools,
  Parallel,
  Route,
  Router,
  Step,
  Steps,
  Team,
  TeamFactory,
  Tool,
  Workflow,
  WorkflowFactory
}

/** The namespaces that have a `make`. */
export const makerNames: ReadonlySet<string> = new Set(Object.keys(modules))

for (const [name, { make }] of Object.entries(modules)) makers.set(make, `${name}.make`)
for (const [name, make] of Object.entries(Toolkit)) makers.set(make, `Toolkit.${name}`)
