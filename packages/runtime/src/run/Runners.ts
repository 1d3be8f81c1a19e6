// From what was asked, or from what is stored of it, to something that can be executed: the one place that knows every
// kind of component.
import { AnyRun, Run, type StorageUnavailable, type TeamRun } from "@svc/domain"
import { ModelCatalog, type ModelRef } from "@svc/models/ModelCatalog"
import * as UnusableModel from "@svc/models/UnusableModel"
import { Cause, Context, Effect, Layer, Option, Schema } from "effect"
import * as Agent from "../agent/Agent.ts"
import * as AgentCommand from "../agent/AgentCommand.ts"
import * as AgentJournal from "../agent/AgentJournal.ts"
import { AgentRegistry } from "../agent/AgentRegistry.ts"
import * as AgentRunner from "../agent/AgentRunner.ts"
import { ApprovalStore } from "../approval/ApprovalStore.ts"
import type { Registrations } from "../component/Registrations.ts"
import type { Component } from "../factory/Factory.ts"
import { factoryRun, untrusted } from "../factory/FactoryContext.ts"
import { type FactoryFailure, FactoryPermissionError, FactoryValidationError } from "../factory/FactoryErrors.ts"
import * as FactoryInput from "../factory/FactoryInput.ts"
import { FactoryResolver, type Resolved } from "../factory/FactoryResolver.ts"
import { now } from "../now.ts"
import * as Team from "../team/Team.ts"
import * as TeamCommand from "../team/TeamCommand.ts"
import * as TeamJournal from "../team/TeamJournal.ts"
import { TeamRegistry } from "../team/TeamRegistry.ts"
import * as TeamRunner from "../team/TeamRunner.ts"
import * as ExecutorApprovals from "../workflow/ExecutorApprovals.ts"
import * as Journal from "../workflow/Journal.ts"
import * as Workflow from "../workflow/Workflow.ts"
import * as WorkflowCommand from "../workflow/WorkflowCommand.ts"
import { WorkflowRegistry } from "../workflow/WorkflowRegistry.ts"
import * as WorkflowRunner from "../workflow/WorkflowRunner.ts"
import { retryUntilAvailable } from "./retryUntilAvailable.ts"
import * as RunJournal from "./RunJournal.ts"
import type { Runnable } from "./Runnable.ts"
import type { RunSnapshot } from "./RunStore.ts"
import { componentKey } from "./TakeoverRules.ts"

/** What a model answers. */
type AgentOrTeamCommand = AgentCommand.AgentCommand | TeamCommand.TeamCommand

export type RunCommand = AgentOrTeamCommand | WorkflowCommand.WorkflowCommand

/** How a run that goes on is to be executed. */
export interface RunMode extends Pick<RunCommand, "stream" | "background"> {
  /** For the caller who goes on with it. Left out: for nobody but the run, as after a restart. */
  readonly resolved?: Resolved<Component> | undefined
}

/** What is particular to agents, teams or workflows when one of their runs goes on. */
interface Kind<C extends Component, E> {
  readonly registry: Registrations<C, E>
  readonly is: (component: unknown) => component is C
  /** None when what is stored cannot be read. */
  readonly decode: (component: C, resting: RunSnapshot) => Option.Option<Omit<RunCommand, keyof RunMode>>
  /** Fails when the journal cannot be read. */
  readonly check: (entries: RunSnapshot["entries"]) => Effect.Effect<unknown, Schema.SchemaError>
}

/** Why there is nothing to execute. The text is shown to those who may see the run. */
export class NotRestored extends Schema.TaggedError<NotRestored>()("NotRestored", {
  /** Whether trying again later, or on another node, may succeed. */
  isPassing: Schema.Boolean,
  reason: Schema.String
}) {}

/** A factory that refuses without a caller does so each time; one that fails may be back soon. */
const notMade = ({ component_id, kind }: RunSnapshot, error: FactoryFailure) => {
  const isRefusal = error instanceof FactoryPermissionError || error instanceof FactoryValidationError
  const does = isRefusal ? "refuses to make" : "failed to make"
  return new NotRestored({ isPassing: !isRefusal, reason: `The ${kind} factory '${component_id}' ${does} it again` })
}

const unreadable = ({ kind }: RunSnapshot) =>
  Effect.fail(
    new NotRestored({
      isPassing: false,
      reason: `What is stored of it does not have the form that this version reads for a run of this ${kind}`
    })
  )

export class Runners extends Context.Service<Runners, {
  readonly prepare: (command: RunCommand) => Effect.Effect<Runnable>
  /** Closes the approvals that a cancelled run, and those inside of it, have waited for. */
  readonly closeApprovals: (output: AnyRun.Output) => Effect.Effect<void, StorageUnavailable>
  readonly restore: (resting: RunSnapshot, manner: RunMode) => Effect.Effect<RunCommand, NotRestored>
  /** What this service can execute, as `componentKey` names it. */
  readonly components: () => ReadonlyArray<string>
}>()("@svc/runtime/run/Runners") {
  static readonly layer: Layer.Layer<
    Runners,
    never,
    AgentRegistry | ApprovalStore | FactoryResolver | ModelCatalog | TeamRegistry | WorkflowRegistry
  > = Layer.effect(
    Runners,
    Effect.gen(function*() {
      const models = yield* ModelCatalog
      const agents = yield* AgentRegistry
      const teams = yield* TeamRegistry
      const approvals = yield* ApprovalStore
      const resolver = yield* FactoryResolver
      const workflows = yield* WorkflowRegistry

      const modelOf = (ref: ModelRef) =>
        Effect.catch(models.resolve(ref), (error) => Effect.succeed(UnusableModel.make(models.describe(ref), error)))

      const surroundingsOf = Effect.fnUntraced(function*({ model, reasoningModel }: Agent.Agent) {
        const surroundings: AgentRunner.Dependencies = {
          model: yield* modelOf(model ?? models.defaultModel),
          reasoning: reasoningModel === undefined ? undefined : yield* modelOf(reasoningModel),
          approvals
        }
        return surroundings
      })

      // of those that cannot be looked up nothing is known, and the run waits on
      const approvalsOf = (run: Run.Id) =>
        Effect.orElseSucceed(Effect.flatMap(now, (time) => approvals.listByRun(run, time)), () => [])

      const endApprovals = (run: Run.Id) =>
        Effect.orDie(
          retryUntilAvailable(Effect.flatMap(now, (time) => approvals.closeForRun(run, "CANCELLED", time)))
        )

      /** Of the run and of those inside of it that wait for them. */
      const closeApprovals = Effect.fnUntraced(function*(output: AnyRun.Output) {
        const waiting = AnyRun.isWorkflow(output)
          ? (output.step_requirements ?? []).flatMap(ExecutorApprovals.runsOf)
          : AnyRun.membersOf(output).filter(({ status }) => status === "PAUSED").map(({ run_id }) =>
            Run.Id.make(run_id)
          )
        const at = yield* now
        yield* Effect.forEach(
          new Set([Run.Id.make(output.run_id), ...waiting]),
          (run) => approvals.closeForRun(run, "CANCELLED", at),
          { discard: true }
        )
      })

      const prepareAgent = (command: AgentCommand.AgentCommand) =>
        Effect.map(surroundingsOf(command.agent), (surroundings) => AgentRunner.make(command, surroundings))

      const prepareSpoken = (command: AgentOrTeamCommand): Effect.Effect<Runnable<TeamRun.MemberResponse>> =>
        "team" in command
          ? Effect.map(
            surroundingsOf(command.team.leader),
            (leader) => TeamRunner.make(command, { leader, prepare: prepareSpoken })
          )
          : prepareAgent(command)

      const again = Effect.fnUntraced(
        function*<C extends Component, E>({ find }: Registrations<C, E>, resting: RunSnapshot) {
          const { component_id, kind, session_id, user_id } = resting
          const found = yield* Effect.mapError(
            find(component_id as C["id"]),
            () => new NotRestored({ isPassing: true, reason: `This node has no ${kind} '${component_id}'` })
          )
          const made = resolver.resolve(found, {
            userId: user_id,
            sessionId: session_id,
            trusted: untrusted,
            request: null,
            run: factoryRun(resting),
            input: FactoryInput.ofRun(resting)
          })
          return yield* Effect.mapError(made, (error) => notMade(resting, error))
        },
        (made, _, { kind, run_id }) =>
          Effect.tapError(
            made,
            (error) =>
              Effect.annotateLogs(Effect.logError(`A run cannot be resumed without its ${kind}`, Cause.fail(error)), {
                run_id
              })
          )
      )

      const restore = <C extends Component, E>({ check, decode, is, registry }: Kind<C, E>) =>
        Effect.fnUntraced(function*(resting: RunSnapshot, { resolved, ...manner }: RunMode) {
          const { component, lifetime } = resolved === undefined
            ? yield* again(registry, resting)
            : is(resolved.component)
            ? { ...resolved, component: resolved.component }
            : yield* unreadable(resting)
          yield* Effect.catchTag(check(resting.entries), "SchemaError", () => unreadable(resting))
          const decoded = decode(component, resting)
          if (Option.isNone(decoded)) return yield* unreadable(resting)
          // what was made here is the run's from now on
          if (resolved === undefined) lifetime?.handOver()
          return { ...decoded.value, ...manner, lifetime } as RunCommand
        }, Effect.scoped)

      const restored = {
        agent: restore({
          registry: agents,
          is: Agent.isAgent,
          decode: AgentCommand.decode,
          check: (entries) => AgentJournal.decode(RunJournal.ownEntries(entries))
        }),
        team: restore({
          registry: teams,
          is: Team.isTeam,
          decode: TeamCommand.decode,
          check: (entries) =>
            Effect.andThen(AgentJournal.decode(RunJournal.ownEntries(entries)), TeamJournal.check(entries))
        }),
        workflow: restore({
          registry: workflows,
          is: Workflow.isWorkflow,
          decode: WorkflowCommand.decode,
          check: Journal.decode
        })
      }

      const keysOf = (kind: RunSnapshot["kind"], registered: ReadonlyArray<{ readonly id: string }>) =>
        registered.map(({ id }) => componentKey({ kind, component_id: id }))

      return Runners.of({
        prepare: (command) =>
          "workflow" in command
            ? Effect.succeed(WorkflowRunner.make(command, { prepare: prepareSpoken, approvalsOf, endApprovals }))
            : prepareSpoken(command),
        closeApprovals,
        restore: (resting, manner) => restored[resting.kind](resting, manner),
        components: () => [
          ...keysOf("agent", agents.registered),
          ...keysOf("team", teams.registered),
          ...keysOf("workflow", workflows.registered)
        ]
      })
    })
  )
}
