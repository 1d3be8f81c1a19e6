// A new run of an agent or a team that starts with messages of another one: a fork, another answer, or a run that
// starts where one has ended.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Message from "@svc-runtime/domain/Message"
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
import { isSystem } from "../agent/execute/context/Conversation.ts"
import type { Resolved } from "../factory/FactoryResolver.ts"
import * as Team from "../team/Team.ts"
import type { TeamCommand } from "../team/TeamCommand.ts"
import * as Workflow from "../workflow/Workflow.ts"
import type { ClaimedFields } from "./ClaimedFields.ts"
import type { AnyComponent } from "./Components.ts"
import type { ForkOptions } from "./ContinueRequest.ts"
import { type Continuing, subjectOf } from "./Continuing.ts"
import * as LeftPath from "./LeftPath.ts"
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

/** Where the new run is in the tree of its session, and which messages it has as its own. */
interface Beginning extends Pick<RunCommand, "place" | "replaces"> {
  readonly isOwn: (message: Message.Message) => boolean
}

/** It continues the other run. */
const after = (run_id: Run.Id): Beginning => ({
  place: { known: [{ run_id }], otherwise: "leaf" },
  isOwn: () => false
})

/** Another branch: it has the first messages of the other run, and comes after the run before it. */
const within = (run_id: Run.Id, isOwn: Beginning["isOwn"]): Beginning => ({
  replaces: run_id,
  place: { known: [{ run_id, isBefore: true }], otherwise: "leaf" },
  isOwn
})

/** It has all messages of its path. */
const first = (run_id: Run.Id): Beginning => ({
  replaces: run_id,
  place: { known: [], otherwise: "first" },
  isOwn: () => true
})

const isCopied = ({ from_history }: Message.Message): boolean => from_history

/** Runs whose messages are looked at: a history has no more. */
const maxRuns = 1000

/** Runs that have not ended, of which the last changed ones are looked at. */
const maxOpen = 20

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
  /** Messages of a run can be copies of earlier ones: the new run begins in the one that has the last of them. */
  const beginningOf = Effect.fnUntraced(function*(
    { filter, run }: Continuing,
    { isWhole, messages }: AgentFork.Kept
  ) {
    if (isWhole) return after(run.run_id)
    const kept = messages.filter((message) => !isSystem(message))
    const hasCopies = run.output.messages?.some(isCopied) === true
    if (!hasCopies || !kept.every(isCopied)) return within(run.run_id, (message) => !isCopied(message))
    const { database, session_id } = run
    let run_id = run.run_id
    for (let looked = 0; kept.length > 0 && looked < maxRuns; looked++) {
      const previous = yield* runs.previous({ database, session_id, run_id })
      if (Option.isNone(previous)) break
      run_id = previous.value
      const earlier = yield* runs.find(session_id, run_id, filter)
      const own = new Set(
        Option.toArray(earlier).flatMap(({ messages = [] }) =>
          messages.flatMap((each) => isCopied(each) ? [] : each.id)
        )
      )
      if (kept.some(({ id }) => own.has(id))) return within(run_id, ({ id }) => own.has(id))
    }
    return first(run.run_id)
  })

  /** They leave the path with the run that is replaced, which itself becomes REGENERATED. */
  const openBehind = Effect.fnUntraced(function*({ filter, run }: Continuing, options: ForkOptions) {
    const { component, owner } = filter
    if (!isReplacing(options) || component === undefined) return []
    const { run_id, session_id } = run
    const found = yield* LeftPath.by(
      {
        onPath: (statuses) =>
          Effect.map(
            runs.search({ filter: { owner, component }, session_id, isOnPath: true, statuses, limit: maxOpen }),
            (page) => page.runs
          ),
        places: (session_id, run_ids) => runs.places(session_id, run_ids, { component })
      },
      { known: [{ run_id, isBefore: true }], otherwise: "leaf" },
      { isEdit: true, isWhole: true }
    )
    return found.filter((each) => each.run_id !== run_id)
  })

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
      const forking: AgentFork.ForkRequest = { from, input, regenerate }
      const kept = yield* AgentFork.kept(run, forking)
      const { isOwn, ...place } = yield* beginningOf(continuing, kept)
      const command: Omit<AgentCommand, "agent"> = {
        // the new run starts with messages of another one
        ...AgentRunOptions.withoutHistory,
        ...InheritedOptions.of(options),
        ...SessionLimit.ofCaller(principal),
        ...subject,
        user_id: run.user_id ?? undefined,
        isolated: false,
        input: AnyRun.inputOf(run.output),
        ...place,
        stream,
        background,
        ...SharedOptions.ofInnerRun(decided),
        entries: AgentFork.entriesOf(run, forking, kept, isOwn)
      }
      const behind = yield* openBehind(continuing, options)
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
      for (const { run_id, session_id } of behind) {
        yield* Effect.ignore(engine.cancel({ run_id, session_id, filter: continuing.filter }), { log: true })
      }
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
