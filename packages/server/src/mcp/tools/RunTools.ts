// `run_agent`, `run_team` and `run_workflow`: start a run and wait for it.
import * as Agent from "@svc/domain/Agent"
import * as Ids from "@svc/domain/Ids"
import * as RunOption from "@svc/domain/RunOption"
import * as Team from "@svc/domain/Team"
import * as Workflow from "@svc/domain/Workflow"
import * as FactoryInput from "@svc/runtime/factory/FactoryInput"
import * as RunOptions from "@svc/runtime/service/RunOptions"
import type { RunService } from "@svc/runtime/service/RunService"
import { Effect, Schema } from "effect"
import type { McpServer } from "effect/ai"
import * as Caller from "../../authorization/Caller.ts"
import * as McpTool from "../McpTool.ts"
import * as Progress from "../Progress.ts"
import * as ToolAccess from "../ToolAccess.ts"
import { currentRequest } from "./currentRequest.ts"
import * as RunComponent from "./RunComponent.ts"
import * as RunResult from "./RunResult.ts"
import * as RunWaiting from "./RunWaiting.ts"
import { toToolError } from "./toolErrors.ts"

const described = (description: string) => ({ description })

/** The parameters of a run of any kind of component. */
const parameters = {
  message: Schema.String.annotate(described("What to ask; JSON, for a component that takes an object.")),
  user_id: McpTool.optional(
    Ids.UserIdInput.annotate(described("The user of the run, where the credential names none."))
  ),
  session_id: McpTool.optional(
    Ids.IdInput.annotate(described("Continues an earlier conversation. A new one when left out."))
  ),
  ...RunOption.nullableFields(RunOption.start)
}

interface RunArguments extends RunOption.Given<typeof RunOption.start> {
  readonly message: string
  readonly user_id?: Ids.UserId | null
  readonly session_id?: string | null
}

const run = Effect.fnUntraced(function*(
  service: RunService["Service"],
  given: RunComponent.ComponentArguments,
  { message, session_id, user_id, ...chosen }: RunArguments,
  progress: Progress.Progress
) {
  const starting = service.start({
    component: yield* RunComponent.refOf(given),
    caller: yield* Caller.current(yield* currentRequest),
    message,
    session_id: session_id === null || session_id === "" ? undefined : session_id,
    user_id: user_id ?? undefined,
    // the arguments of these tools have no place for a factory's input
    factoryInput: FactoryInput.text(undefined),
    options: { ...RunOptions.defaults, ...RunOption.valuesOf(RunOption.start, chosen), stream: progress.isWanted }
  })
  return yield* RunResult.make(yield* RunWaiting.ended(Effect.catch(starting, toToolError), progress))
})

const annotations = (title: string) => ({ title, readOnlyHint: false, openWorldHint: true })

const runAgent = (service: RunService["Service"], server: McpServer.McpServer["Service"]) =>
  McpTool.make({
    name: "run_agent",
    description: "Asks an agent something and waits for its answer. get_platform_config lists the agents.",
    parameters: Schema.Struct({
      agent_id: Agent.Id.annotate(described("The id of the agent.")),
      ...parameters
    }),
    output: RunResult.Output,
    annotations: annotations("Run an agent"),
    isFor: ToolAccess.mayRunSome(["agents"]),
    call: Effect.fnUntraced(function*({ agent_id, ...parameters }) {
      return yield* run(service, { agent_id }, parameters, yield* Progress.make(server))
    })
  })

const runTeam = (service: RunService["Service"], server: McpServer.McpServer["Service"]) =>
  McpTool.make({
    name: "run_team",
    description: "Asks a team something and waits for its answer. get_platform_config lists the teams.",
    parameters: Schema.Struct({
      team_id: Team.Id.annotate(described("The id of the team.")),
      ...parameters
    }),
    output: RunResult.Output,
    annotations: annotations("Run a team"),
    isFor: ToolAccess.mayRunSome(["teams"]),
    call: Effect.fnUntraced(function*({ team_id, ...parameters }) {
      return yield* run(service, { team_id }, parameters, yield* Progress.make(server))
    })
  })

const runWorkflow = (service: RunService["Service"], server: McpServer.McpServer["Service"]) =>
  McpTool.make({
    name: "run_workflow",
    description: "Starts a workflow and waits for what it gives. get_platform_config lists the workflows.",
    parameters: Schema.Struct({
      workflow_id: Workflow.Id.annotate(described("The id of the workflow.")),
      ...parameters
    }),
    output: RunResult.Output,
    annotations: annotations("Run a workflow"),
    isFor: ToolAccess.mayRunSome(["workflows"]),
    call: Effect.fnUntraced(function*({ workflow_id, ...parameters }) {
      return yield* run(service, { workflow_id }, parameters, yield* Progress.make(server))
    })
  })

export const make = (
  service: RunService["Service"],
  server: McpServer.McpServer["Service"]
): ReadonlyArray<McpTool.McpTool> => [
  runAgent(service, server),
  runTeam(service, server),
  runWorkflow(service, server)
]
