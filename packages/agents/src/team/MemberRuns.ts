// The runs inside of a run: of members of a team, and of components that are tools. They are executed and cancelled
// with it. They resume by repeating the same call, which finds their progress in the journal.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import type { Cancellation } from "@svc-runtime/engine/run/engine/Cancellation"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import type { ComponentIdentity, Start } from "@svc-runtime/engine/run/Runnable"
import * as StateChange from "@svc-runtime/engine/session/StateChange"
import type { RunContext } from "@svc-runtime/engine/tool/RunContext"
import { type Duration, Effect, Option } from "effect"
import type { AgentCommand } from "../agent/execute/AgentCommand.ts"
import * as InnerRunsJournal from "../agent/execute/InnerRunsJournal.ts"
import * as CallRun from "../nested/CallRun.ts"
import * as InnerCommand from "../nested/InnerCommand.ts"
import * as InnerTimeLimit from "./InnerTimeLimit.ts"
import type { TeamCommand } from "./TeamCommand.ts"

export interface MemberRequest {
  /** The key of the call, the same in every attempt. */
  readonly key: string
  /** In the journal. Left out: the id of the member. */
  readonly id?: string | undefined
  readonly member: InnerCommand.InnerComponent
  readonly task: Json.Value
  /** Called before the member starts, unless it started in an earlier attempt. */
  readonly onBegin?: Effect.Effect<void> | undefined
  /** Of the outer run. */
  readonly sessionState: RunContext["sessionState"]
  /** Undefined: none. */
  readonly timeout?: Duration.Duration | undefined
  /** Whether the events of its run are shown. Left out: as those of its id. */
  readonly isShown?: boolean | undefined
  /** Inside of that of the outer run. Left out: that one. */
  readonly cancellation?: Cancellation | undefined
  /** Fields of its command. */
  readonly given?: InnerCommand.Given | undefined
}

export interface MemberRuns {
  readonly ask: (asking: MemberRequest) => Effect.Effect<AnyRun.Output>
  /** Repeats what the run of a call that has ended has changed in a state. */
  readonly restore: (key: string, state: RunContext["sessionState"]) => void
  /** Why a run inside of the call with this key cannot continue. Undefined: they can, or have ended. */
  readonly lost: (call: string) => string | undefined
  /** Ends paused and unstarted members when the outer run is cancelled. */
  readonly end: Effect.Effect<void>
  /** The member runs with their progress, in the order of the calls. */
  readonly outputs: () => ReadonlyArray<AnyRun.Output>
}

/** The run around the member runs. */
export interface Outer {
  readonly command: AgentCommand | TeamCommand
  /** Of the team, or of the agent. */
  readonly id: string
  readonly start: Start
  readonly journal: InnerRunsJournal.InnerRunsJournal
  readonly prepare: InnerCommand.Prepare
  /** By its id in the journal. */
  readonly memberOf: (id: string) => InnerCommand.InnerComponent | undefined
  /** Whether the events of its runs are shown. */
  readonly isShown: (id: string) => boolean
}

/** Shows events of a member in the stream of the outer run. Nested events have their own ids already. */
const emitterOf = ({ command, start: { emit } }: Outer, { tags }: ComponentIdentity, run_id: Run.Id): Start["emit"] => {
  const its = { ...tags, run_id, parent_run_id: command.run_id, session_id: command.session_id, nested_depth: 0 }
  return (payload) => {
    if (!("run_id" in payload)) return emit({ ...payload, ...its } as RunEvent.Inner)
    if ("parent_run_id" in payload) return emit(payload)
    // of a workflow, or of an executor in it
    const parent_run_id = payload.run_id === run_id ? command.run_id : run_id
    emit({ ...payload, parent_run_id } as RunEvent.Inner)
  }
}

const idOf = ({ id, member }: MemberRequest): string => id ?? member.id

export const make = Effect.fnUntraced(function*(outer: Outer) {
  const { command, journal, start } = outer
  const newId = yield* NewId
  const recall = start.memberHistory ?? (() => Effect.succeed([]))
  const { members, record } = journal
  /** Unfinished ones: paused or cancelled. */
  const unfinished = new Map<string, AnyRun.Output>()

  const begin = Effect.fnUntraced(function*(asking: MemberRequest) {
    const { key, task } = asking
    const run_id = newId() as Run.Id
    const begun: InnerRunsJournal.MemberRun = {
      member_id: idOf(asking),
      task,
      run_id,
      created_at: yield* now,
      output: undefined
    }
    members.set(key, begun)
    return begun
  })

  /** Kept in memory too: a run can resume in the process in which it paused. */
  const written = new Map<string, Array<Json.Object>>()

  const journalOf = (key: string): RunJournal.RunJournal => {
    const inner = RunJournal.innerOf(start.journal, key)
    const mine = written.get(key) ?? []
    written.set(key, mine)
    return {
      ...inner,
      entries: [...inner.entries, ...mine],
      record: (entry, emit) => Effect.tap(inner.record(entry, emit), () => Effect.sync(() => mine.push(entry)))
    }
  }

  const execute = Effect.fnUntraced(function*(asking: MemberRequest, known: InnerRunsJournal.MemberRun | undefined) {
    const { key, onBegin = Effect.void, sessionState, task, timeout } = asking
    if (known === undefined) yield* onBegin
    const member = known ?? (yield* begin(asking))
    const { created_at, run_id } = member
    const runnable = yield* InnerCommand.prepared(outer, asking.member, task, run_id, asking.given)
    const member_id = idOf(asking)
    const isShown = asking.isShown ?? outer.isShown(member_id)
    const emit = isShown ? emitterOf(outer, runnable.component, run_id) : () => {}
    if (known === undefined) {
      emit(runnable.startEvent)
      yield* record({ kind: "begun", key, member_id, task, run_id, created_at })
    }
    const { component, history: limit, skipsUnfinished } = runnable
    const history = limit === 0 ? [] : yield* recall({ component, team: outer.id, limit, skipsUnfinished })
    const before = structuredClone(sessionState)
    const run = (cancellation: Cancellation) =>
      start.journal.underLease(
        "idempotent",
        runnable.run({
          snapshot: { session_state: before, history },
          createdAt: created_at,
          emit,
          cancellation,
          journal: journalOf(key),
          memberHistory: recall,
          isContinued: known !== undefined
        })
      )
    const { cancellation = start.cancellation } = asking
    const ended = yield* (timeout === undefined
      ? run(cancellation)
      : InnerTimeLimit.within(cancellation, timeout, run))
    // handed over: the node that acquires the team's run resumes this one
    if (Option.isNone(ended)) return yield* Effect.interrupt
    const output: AnyRun.Output = { ...ended.value.output, parent_run_id: command.run_id }
    const state = ended.value.stateChanges
    StateChange.applyTo(sessionState, state)
    emit(ended.value.endEvent)
    unfinished.set(key, output)
    const isLate = output.status === "CANCELLED" && start.cancellation.reason === undefined
    if (output.status === "COMPLETED" || output.status === "ERROR" || isLate) {
      member.output = output
      yield* record({ kind: "ended", key, output, ...(state === undefined ? {} : { state }) })
    }
    return output
  })

  const cutOff = (key: string, known: InnerRunsJournal.MemberRun) => {
    const { cancellation: { reason = "" }, journal } = start
    return Effect.map(CallRun.cancelled(command, known, RunJournal.innerOf(journal, key).entries, reason), (output) => {
      if (output !== undefined) unfinished.set(key, output)
    })
  }

  const endOf = (key: string, known: InnerRunsJournal.MemberRun): Effect.Effect<unknown> => {
    const id = known.member_id
    const member = outer.memberOf(id)
    const isOver = known.output !== undefined || unfinished.get(key)?.status === "CANCELLED"
    if (isOver) return Effect.void
    if (member === undefined) return cutOff(key, known)
    const sessionState = structuredClone(start.snapshot.session_state)
    return execute({ key, id, member, task: known.task, sessionState }, known)
  }

  const runs: MemberRuns = {
    // A cancelled member run ends before its call does.
    ask: (asking) =>
      Effect.uninterruptible(Effect.suspend(() => {
        const known = members.get(asking.key)
        if (known?.output === undefined) return execute(asking, known)
        StateChange.applyTo(asking.sessionState, known.state)
        return Effect.succeed(known.output)
      })),
    restore: (key, state) => StateChange.applyTo(state, members.get(key)?.state),
    lost: (call) => {
      const id = InnerRunsJournal.unfinishedIn(members, call)
        // only a function has the component of a run of its own
        .find((each) => CallRun.componentIn(each) === undefined && outer.memberOf(each) === undefined)
      return id && `A run inside of this call was not finished, and ${InnerRunsJournal.lost(id)}`
    },
    end: Effect.uninterruptible(
      Effect.suspend(() => Effect.forEach([...members], ([key, known]) => endOf(key, known), { discard: true }))
    ),
    outputs: () => [...members].flatMap(([key, { output }]) => output ?? unfinished.get(key) ?? [])
  }
  return runs
})
