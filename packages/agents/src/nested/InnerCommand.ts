// The commands of runs inside of a run: of members of a team, and of components that are tools.
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import type * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import type { CallFailed, Component } from "@svc-runtime/engine/durable/Durable"
import { failed } from "@svc-runtime/engine/durable/DurableHost"
import * as InheritedOptions from "@svc-runtime/engine/run/InheritedOptions"
import type { Runnable } from "@svc-runtime/engine/run/Runnable"
import * as SharedOptions from "@svc-runtime/engine/run/SharedOptions"
import type { Effect } from "effect"
import * as Agent from "../agent/define/Agent.ts"
import * as AgentRunOptions from "../agent/define/AgentRunOptions.ts"
import { type AgentCommand, rootOf } from "../agent/execute/AgentCommand.ts"
import * as Team from "../team/Team.ts"
import type { TeamCommand } from "../team/TeamCommand.ts"
import type { AnyWorkflow } from "../workflow/define/Node.ts"
import * as Workflow from "../workflow/Workflow.ts"
import type { WorkflowCommand } from "../workflow/WorkflowCommand.ts"

/** Prepares a run of a member. */
export type PrepareMember = (
  command: AgentCommand | TeamCommand
) => Effect.Effect<Runnable<TeamRun.MemberResponse>>

/** Prepares a run of any component. */
export type Prepare = PrepareMember & ((command: WorkflowCommand) => Effect.Effect<Runnable<WorkflowRun.Output>>)

/** A member of a team, or a component that is a tool. */
export type InnerComponent = AnyWorkflow | Team.Member

/** Authors can give anything that has an id and a name. */
export const isComponent = (component: Component): component is InnerComponent & Component =>
  Agent.isAgent(component) || Team.isTeam(component) || Workflow.isWorkflow(component)

/** What a request has beside its message. */
const requestFields: ReadonlyArray<string> = [
  "message",
  "session_id",
  "user_id",
  "session_state",
  "dependencies",
  "metadata",
  "files",
  "images",
  "audio",
  "videos"
]

/**
 * A request, or messages of another library, in place of an input: the model of an agent or a team would read it as
 * JSON. For a workflow they are data.
 */
export const notInput = (owner: string, component: InnerComponent, input: Json.Value): CallFailed | undefined => {
  const hasSchema = "inputSchema" in component && component.inputSchema !== undefined
  if (Workflow.isWorkflow(component) || hasSchema) return undefined
  const problem = (what: string) => failed("TypeError", `${owner}: run() takes a component and its input, and ${what}`)
  if (Json.isList(input)) {
    const areMessages = input.length > 0 &&
      input.every((each) => Json.isObject(each) && "role" in each && "content" in each)
    return areMessages ? problem("was given a list of messages. Give it the text of the last one") : undefined
  }
  if (!Json.isObject(input) || !("message" in input)) return undefined
  return Object.keys(input).every((name) => requestFields.includes(name))
    ? problem("was given a request. Write run(component, message): it is in the session and of the user of this run")
    : undefined
}

export const kindOf = (component: InnerComponent): ComponentKind.ComponentKind => {
  if (Agent.isAgent(component)) return "agent"
  return Team.isTeam(component) ? "team" : "workflow"
}

/** The fields of a command that its member runs share. */
const sharedOf = (command: AgentCommand | TeamCommand) => {
  const { component_versions: _, entries: __, factory_input: ___, lifetime: ____, ...fields } = command
  if ("team" in fields) {
    const { team: _____, ...shared } = fields
    return shared
  }
  const { agent: _____, ...shared } = fields
  return shared
}

/** A workflow is not shown the images and files of the request: its steps would all be. */
const workflowCommandOf = (
  command: AgentCommand | TeamCommand,
  workflow: AnyWorkflow,
  input_content: Json.Value,
  run_id: Run.Id
): WorkflowCommand => ({
  workflow,
  isTool: true,
  run_id,
  root_run_id: rootOf(command),
  session_id: command.session_id,
  user_id: command.user_id,
  isolated: false,
  input: { input_content },
  stream: command.stream,
  background: false,
  ...SharedOptions.ofInnerRun(command),
  ...InheritedOptions.of(command)
})

/** What a caller gives a run of an agent or a team beside its task. */
export type Given = Partial<Pick<AgentCommand, "earlier_messages" | "input">>

const commandOf = (
  command: AgentCommand | TeamCommand,
  member: Team.Member,
  task: Json.Value,
  run_id: Run.Id,
  given: Given
): AgentCommand | TeamCommand => {
  return {
    ...sharedOf(command),
    run_id,
    root_run_id: rootOf(command),
    isolated: false,
    input: { ...command.input, input_content: task },
    ...SharedOptions.ofInnerRun(command),
    ...AgentRunOptions.ofMember(command),
    ...given,
    ...(Team.isTeam(member) ? { team: member } : { agent: member })
  }
}

export interface Outer {
  readonly command: AgentCommand | TeamCommand
  readonly prepare: Prepare
}

/** The run of a component inside of a run. */
export const prepared = (
  { command, prepare }: Outer,
  component: InnerComponent,
  task: Json.Value,
  run_id: Run.Id,
  given: Given = {}
): Effect.Effect<Runnable> =>
  Workflow.isWorkflow(component)
    ? prepare(workflowCommandOf(command, component, task, run_id))
    : prepare(commandOf(command, component, task, run_id, given))
