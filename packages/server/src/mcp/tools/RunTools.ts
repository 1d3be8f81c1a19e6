// `run_agent`, `run_team` and `run_workflow`: start a run and wait for it.
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import * as RunOptions from "@svc-runtime/agents/runService/RunOptions"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import * as Agent from "@svc-runtime/domain/Agent"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Ids from "@svc-runtime/domain/Ids"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { optional } from "@svc-runtime/domain/schema/optional"
import * as Team from "@svc-runtime/domain/Team"
import * as Workflow from "@svc-runtime/domain/Workflow"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import * as KnowledgeFilters from "@svc-runtime/http/forms/KnowledgeFilters"
import * as McpTool from "@svc-runtime/http/mcpTool/McpTool"
import * as ToolAccess from "@svc-runtime/http/mcpTool/ToolAccess"
import { Effect, Schema } from "effect"
import type { McpServer } from "effect/ai"
import * as Progress from "../Progress.ts"
import type { RunTasks } from "../tasks/RunTasks.ts"
import { currentRequest } from "./currentRequest.ts"
import * as RunComponent from "./RunComponent.ts"
import type { RunResult } from "./RunResult.ts"
import * as RunWaiting from "./RunWaiting.ts"
import { toToolError } from "./toolErrors.ts"

const described = (description: string) => ({ description })

/** The parameters of a run of any kind of component. */
const parameters = {
  message: Schema.String.annotate(described("What to ask; JSON, for a component that takes an object.")),
  user_id: optional(
    Ids.UserIdInput.annotate(described("The user of the run, where the credential names none."))
  ),
  session_id: optional(
    Ids.IdInput.annotate(described("Continues an earlier conversation. A new one when left out."))
  ),
  ...RunOption.nullableFields(RunOption.start),
  ...RunOption.nullableFields(RunOption.inherited)
}

interface RunArguments
  extends
    RunComponent.ComponentArguments,
    RunOption.Given<typeof RunOption.start>,
    RunOption.Given<typeof RunOption.inherited>
{
  readonly message: string
  readonly user_id?: Ids.UserId | null
  readonly session_id?: string | null
}

/** The tool of each kind of component: the argument that names the component, and its texts. */
const tools = ([
  {
    kind: "agent",
    id: { agent_id: Agent.Id.annotate(described("The id of the agent.")) },
    title: "Run an agent",
    description: "Asks an agent something and waits for its answer."
  },
  {
    kind: "team",
    id: { team_id: Team.Id.annotate(described("The id of the team.")) },
    title: "Run a team",
    description: "Asks a team something and waits for its answer."
  },
  {
    kind: "workflow",
    id: { workflow_id: Workflow.Id.annotate(described("The id of the workflow.")) },
    title: "Run a workflow",
    description: "Starts a workflow and waits for what it gives."
  }
] as const).map(({ id, ...tool }) => ({ ...tool, parameters: Schema.Struct({ ...id, ...parameters }) }))

export const make = (
  service: RunService["Service"],
  server: McpServer.McpServer["Service"],
  result: RunResult,
  tasks: RunTasks
): ReadonlyArray<McpTool.McpTool> => {
  const run = Effect.fnUntraced(function*(given: RunArguments) {
    const { message, session_id, user_id } = given
    const inherited = yield* Effect.mapError(
      Effect.fromResult(KnowledgeFilters.inherited(given)),
      (problem) => new McpTool.ToolRejected({ detail: `arguments.${problem}` })
    )
    const component = yield* RunComponent.refOf(given)
    const task = yield* tasks.callOf(component)
    const progress = task === undefined ? yield* Progress.make(server) : Progress.none
    const starting = service.start({
      component,
      caller: yield* RequestCaller.current(yield* currentRequest),
      message,
      session_id: session_id === null || session_id === "" ? undefined : session_id,
      user_id: user_id ?? undefined,
      // the arguments of these tools have no place for a factory's input
      factoryInput: FactoryInput.text(undefined),
      options: {
        ...RunOptions.defaults,
        ...RunOption.valuesOf(RunOption.start, given),
        ...inherited,
        stream: progress.isWanted,
        background: task !== undefined
      }
    })
    return yield* RunWaiting.shown(Effect.catch(starting, toToolError), progress, result, task)
  })

  return tools.map(({ description, kind, parameters, title }) =>
    McpTool.make({
      name: `run_${kind}`,
      description: `${description} get_platform_config lists the ${kind}s.`,
      parameters,
      output: result.output,
      annotations: { title, readOnlyHint: false, openWorldHint: true },
      isFor: ToolAccess.mayRunSome([ComponentKind.descriptions[kind].resource]),
      call: run
    })
  )
}
