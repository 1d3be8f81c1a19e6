// A new run of an agent or a team that starts with messages of another one: a fork, another answer, or a run that
// starts where one has ended.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Run from "@svc-runtime/domain/Run"
import { now } from "@svc-runtime/engine/now"
import type { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import * as InheritedOptions from "@svc-runtime/engine/run/InheritedOptions"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import type { RunHandle } from "@svc-runtime/engine/run/RunHandle"
import * as SessionLimit from "@svc-runtime/engine/run/SessionLimit"
import * as SharedOptions from "@svc-runtime/engine/run/SharedOptions"
import type { StoredRuns } from "@svc-runtime/engine/run/store/StoredRuns"
import { Effect, Option } from "effect"
import * as AgentFork from "../agent/continue/AgentFork.ts"
import * as AgentRunOptions from "../agent/define/AgentRunOptions.ts"
import type { AgentCommand } from "../agent/execute/AgentCommand.ts"
import type { Resolved } from "../factory/FactoryResolver.ts"
import * as Team from "../team/Team.ts"
import type { TeamCommand } from "../team/TeamCommand.ts"
import * as Workflow from "../workflow/Workflow.ts"
import type { ClaimedFields } from "./ClaimedFields.ts"
import type { AnyComponent } from "./Components.ts"
import type { ForkOptions } from "./ContinueRequest.ts"
import { type Continuing, subjectOf } from "./Continuing.ts"
import * as RunIdentity from "./RunIdentity.ts"
import * as RunInputChecks from "./RunInputChecks.ts"
import * as StoredRun from "./StoredRun.ts"

export interface Dependencies {
  readonly claimed: ClaimedFields["Service"]
  readonly engine: RunEngine["Service"]
  readonly runs: StoredRuns["Service"]
}

export const isRequested = ({ fork, from, regenerate }: ForkOptions): boolean => fork || regenerate || from !== "end"

const isReplacing = ({ regenerate, replaceOriginal }: ForkOptions): boolean => regenerate && replaceOriginal

/** Another branch of the session: it comes after the run before the other one. */
const replacing = (run_id: Run.Id): Pick<RunCommand, "place" | "replaces"> => ({
  replaces: run_id,
  place: { known: [{ run_id, isBefore: true }], otherwise: "leaf" }
})

const commandOf = (
  { component, ...made }: Resolved<AnyComponent>,
  command: Omit<AgentCommand, "agent">
): Effect.Effect<RunCommand> => {
  if (Workflow.isWorkflow(component)) return Effect.die(new Error("A run of a workflow is never forked"))
  const complete: AgentCommand | TeamCommand = Team.isTeam(component)
    ? { ...command, ...made, team: component }
    : { ...command, ...made, agent: component }
  return Effect.succeed(complete)
}

export const make = ({ claimed, engine, runs }: Dependencies) => {
  const replaceOriginal = ({ run }: Continuing, options: ForkOptions) =>
    isReplacing(options) ? Effect.flatMap(now, (at) => runs.supersede(run, at)) : Effect.void

  /** The run that an equal request with the same key has started. None when there is none yet. */
  const forked = Effect.fnUntraced(function*(continuing: Continuing, options: ForkOptions) {
    const known = yield* StoredRun.repeated(engine, subjectOf(continuing), continuing.filter)
    // the first request may have stopped before it had done this
    if (Option.isSome(known)) yield* replaceOriginal(continuing, options)
    return known
  })

  const fork = Effect.fnUntraced(
    function*(continuing: Continuing, options: ForkOptions) {
      const { claim: { subject }, component, request, run } = continuing
      const { background, caller: { principal }, input, stream } = request
      const { from, regenerate } = options
      const decided = yield* RunIdentity.ofFork(options, claimed, principal)
      const entries = yield* AgentFork.plan(run, { from, input, regenerate, isReplacing: isReplacing(options) })
      const command: Omit<AgentCommand, "agent"> = {
        // the new run starts with messages of another one
        ...AgentRunOptions.withoutHistory,
        ...InheritedOptions.of(options),
        ...SessionLimit.ofCaller(principal),
        ...subject,
        user_id: run.user_id ?? undefined,
        isolated: false,
        input: AnyRun.inputOf(run.output),
        ...(isReplacing(options) ? replacing(run.run_id) : {}),
        stream,
        background,
        ...SharedOptions.ofInnerRun(decided),
        entries
      }
      const handle = yield* Effect.flatMap(
        Effect.tap(
          component,
          (resolved) => Effect.mapError(RunInputChecks.ofRun(resolved.component, command), RunInputChecks.rejected)
        ).pipe(
          Effect.flatMap((resolved) => commandOf(resolved, command))
        ),
        engine.start
      ).pipe(Effect.catchTag("ComponentOutdated", Effect.die))
      yield* replaceOriginal(continuing, options)
      return handle
    },
    (fork, continuing, options) =>
      // an equal request with the same key was faster
      Effect.catchTag(fork, "RunExists", () =>
        Effect.flatMap(
          forked(continuing, options),
          Option.match({
            onNone: () => Effect.fail(continuing.continuation.resumedByAnother(continuing.run)),
            onSome: (run): Effect.Effect<StoredRun.RepeatedRun | RunHandle> => Effect.succeed(run)
          })
        ))
  )

  return { fork, forked }
}
