// `run_agent`, `run_team` and `run_workflow`: start a run and wait for it.
import { Agent, type AnyRun, Ids, Run, Session, Team, Workflow } from "@svc/domain"
import { type Component, type Factory, FactoryInput, NewId, type Resolved, type RunCommand } from "@svc/runtime"
import { Effect, Schema, type Scope } from "effect"
import type { McpServer } from "effect/ai"
import * as Caller from "../../authorization/Caller.ts"
import * as AgentCommands from "../../handlers/AgentCommands.ts"
import * as FactoryResolution from "../../handlers/FactoryResolution.ts"
import * as TeamCommands from "../../handlers/TeamCommands.ts"
import { sessionBusy, sessionNotFound, storageUnavailable, tooManyRuns } from "../../handlers/translate.ts"
import * as WorkflowCommands from "../../handlers/WorkflowCommands.ts"
import * as McpTool from "../McpTool.ts"
import * as Progress from "../Progress.ts"
import * as ToolAccess from "../ToolAccess.ts"
import * as RunComponent from "./RunComponent.ts"
import * as RunResult from "./RunResult.ts"
import { currentRequest, type RunServices } from "./RunServices.ts"
import * as RunWaiting from "./RunWaiting.ts"

const described = (description: string) => ({ description })

/** What is said to a component of whatever kind. */
const parameters = {
  message: Schema.String.annotate(described("What to ask; JSON, for a component that takes an object.")),
  user_id: McpTool.optional(Ids.UserIdInput.annotate(described("On whose behalf, where the caller names nobody."))),
  session_id: McpTool.optional(
    Ids.IdInput.annotate(described("Goes on with an earlier conversation. A new one when left out."))
  ),
  if_busy: McpTool.optional(
    Schema.Literals(["queue", "reject", "interrupt"]).annotate(
      described(
        "While another run of the session has not ended: wait for it (queue), fail (reject), or cancel it (interrupt)."
      )
    )
  )
}

interface RunArguments {
  readonly message: string
  readonly user_id?: Ids.UserId | null
  readonly session_id?: string | null
  readonly if_busy?: AgentCommands.AgentStart["ifBusy"] | null
}

/** The run that a message alone asks for. */
const runForm = (
  { if_busy, message, session_id, user_id }: RunArguments,
  { isWanted }: Progress.Progress
): AgentCommands.AgentStart => ({
  message,
  session_id: session_id === null || session_id === "" ? undefined : session_id,
  user_id: user_id ?? undefined,
  stream: isWanted,
  media: {},
  background: false,
  ifBusy: if_busy ?? "queue",
  run_id: undefined,
  session_state: undefined,
  dependencies: {},
  metadata: undefined,
  outputSchema: undefined,
  addHistoryToContext: undefined,
  addDependenciesToContext: false,
  addSessionStateToContext: false
})

/** Stored as accepted, or refused. */
const started = ({ engine }: RunServices, command: RunCommand) =>
  engine.start(command).pipe(
    Effect.catchTags({
      SessionBusy: (error) => Effect.fail(sessionBusy(error)),
      TooManyRuns: (error) => Effect.fail(tooManyRuns(error)),
      SessionNotFound: (error) => Effect.fail(sessionNotFound(error)),
      StorageUnavailable: (error) => Effect.fail(storageUnavailable(error)),
      // its id was made for it
      RunExists: (error) => Effect.die(error)
    })
  )

type CommandOf<C, E, R> = (
  resolved: Resolved<C>,
  form: AgentCommands.AgentStart,
  identity: Caller.RunIdentity,
  subject: RunWaiting.WaitedRun
) => Effect.Effect<RunCommand, E, R>

const answered = Effect.fnUntraced(function*<E, R>(
  services: RunServices,
  request: AgentCommands.AgentStart,
  commandOf: (
    identity: Caller.RunIdentity,
    subject: RunWaiting.WaitedRun
  ) => Effect.Effect<RunCommand, E, R | Scope.Scope>,
  audience: RunWaiting.ProgressTarget
) {
  const newId = yield* NewId
  const identity = yield* Caller.runIdentity(request)
  const subject = {
    run_id: Run.Id.make(newId()),
    session_id: Session.Id.make(identity.session_id ?? newId())
  }
  // Whatever a factory has opened for a run that does not begin is closed here.
  const begin = Effect.scoped(
    Effect.flatMap(Effect.interruptible(commandOf(identity, subject)), (command) => started(services, command))
  )
  const output: AnyRun.Output = yield* RunWaiting.ended(services.engine, begin, subject, audience)
  return yield* RunResult.make(output)
})

const run = Effect.fnUntraced(function*(
  services: RunServices,
  given: RunComponent.ComponentArguments,
  said: RunArguments,
  progress: Progress.Progress
) {
  const found = yield* RunComponent.find(services, given)
  const request = runForm(said, progress)
  // the arguments of these tools have no place for a factory's input
  const caller = { request: yield* currentRequest, input: FactoryInput.text(undefined) }
  const of = <C extends Component, E, R>(
    registered: C | Factory<C>,
    commandOf: CommandOf<C, E, R>,
    tell: RunWaiting.ProgressMessage
  ) =>
    answered(
      services,
      request,
      (identity, subject) =>
        Effect.flatMap(
          FactoryResolution.resolve(services.resolution, registered, { ...identity, ...caller }),
          (resolved) => commandOf(resolved, request, identity, subject)
        ),
      { progress, tell }
    )
  switch (found.kind) {
    case "agent":
      return yield* of(found.component, AgentCommands.commandOf, RunWaiting.ofAgent)
    case "team":
      return yield* of(found.component, TeamCommands.commandOf, RunWaiting.ofTeam)
    case "workflow":
      return yield* of(found.component, WorkflowCommands.commandOf, RunWaiting.ofWorkflow)
  }
})

const annotations = (title: string) => ({ title, readOnlyHint: false, openWorldHint: true })

const runAgent = (services: RunServices, server: McpServer.McpServer["Service"]) =>
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
    call: Effect.fnUntraced(function*({ agent_id, ...said }) {
      return yield* run(services, { agent_id }, said, yield* Progress.make(server))
    })
  })

const runTeam = (services: RunServices, server: McpServer.McpServer["Service"]) =>
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
    call: Effect.fnUntraced(function*({ team_id, ...said }) {
      return yield* run(services, { team_id }, said, yield* Progress.make(server))
    })
  })

const runWorkflow = (services: RunServices, server: McpServer.McpServer["Service"]) =>
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
    call: Effect.fnUntraced(function*({ workflow_id, ...said }) {
      return yield* run(services, { workflow_id }, said, yield* Progress.make(server))
    })
  })

export const make = (
  services: RunServices,
  server: McpServer.McpServer["Service"]
): ReadonlyArray<McpTool.McpTool> => [
  runAgent(services, server),
  runTeam(services, server),
  runWorkflow(services, server)
]
