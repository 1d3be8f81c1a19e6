// The entries of the journal of a team, or of an agent with components as tools, about the runs inside of it: which
// there are, and how they ended. The journal of a member run is nested under its call.
import type * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import * as TeamRun from "@svc-runtime/domain/TeamRun"
import * as TeamTask from "@svc-runtime/domain/TeamTask"
import * as Time from "@svc-runtime/domain/Time"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import * as StateChange from "@svc-runtime/engine/session/StateChange"
import { Effect, Schema } from "effect"
import * as CallKey from "./calls/CallKey.ts"

/** The start of a member run. `key` identifies the call in every attempt. */
const DelegationStarted = Schema.Struct({
  kind: Schema.Literal("begun"),
  key: Schema.String,
  member_id: Schema.String,
  task: Schema.Json,
  run_id: Run.Id,
  created_at: Time.EpochSeconds
})

/** A member has answered or failed. A paused one has not ended. */
const Ended = Schema.Struct({
  kind: Schema.Literal("ended"),
  key: Schema.String,
  output: TeamRun.InnerResponse,
  /** Its changes of the session state. */
  state: Schema.optionalKey(StateChange.StateChange)
})

/** The new version of a task. */
const Changed = Schema.Struct({ kind: Schema.Literal("task"), key: Schema.String, task: TeamTask.Task })

/** The goal is reached, even if tasks are open. */
const Reached = Schema.Struct({ kind: Schema.Literal("goal"), summary: Schema.String })

/** The start of the leader's next iteration. */
const Iterated = Schema.Struct({ kind: Schema.Literal("iteration"), iteration: Schema.Natural })

const Entry = Schema.Union([DelegationStarted, Ended, Changed, Reached, Iterated])
export type Entry = typeof Entry.Type

const codec = Schema.toCodecJson(Entry)
const decode = Schema.decodeUnknownEffect(Schema.Array(codec))
const encode = Schema.encodeSync(codec)

export interface MemberRun {
  readonly member_id: string
  readonly task: Json.Value
  readonly run_id: Run.Id
  readonly created_at: number
  /** Undefined until it ends. */
  output: TeamRun.InnerResponse | undefined
  /** Merged into the session state when a replay skips the call. */
  state?: StateChange.StateChange | undefined
}

export interface InnerRunsJournal {
  /** By the keys of the calls, in their order. */
  readonly members: Map<string, MemberRun>
  /** By the keys of the calls that created them. */
  readonly tasks: Map<string, TeamTask.Task>
  goal: string | undefined
  /** From 1. */
  iteration: number
  readonly record: (entry: Entry) => Effect.Effect<void>
}

const key = "team"

const played = (entries: ReadonlyArray<Entry>, resumedAt = 0): Omit<InnerRunsJournal, "record"> => {
  const state: Omit<InnerRunsJournal, "record"> = {
    members: new Map(),
    tasks: new Map(),
    goal: undefined,
    iteration: 1
  }
  for (const [index, entry] of entries.entries()) {
    switch (entry.kind) {
      case "begun": {
        const { created_at, member_id, run_id, task } = entry
        state.members.set(entry.key, { member_id, task, run_id, created_at, output: undefined })
        break
      }
      case "ended": {
        const member = state.members.get(entry.key)
        if (member === undefined) break
        member.output = entry.output
        member.state = index < resumedAt ? undefined : entry.state
        break
      }
      case "task":
        state.tasks.set(entry.key, entry.task)
        break
      case "goal":
        state.goal = entry.summary
        break
      case "iteration":
        state.iteration = entry.iteration
        break
    }
  }
  return state
}

/** Fails for unreadable entries. */
export const check = (entries: RunJournal.RunJournal["entries"]) => decode(RunJournal.innerEntries(entries, key))

/** The state of the members from the entries of a team's journal. */
export const membersIn = Effect.fnUntraced(function*(entries: RunJournal.RunJournal["entries"]) {
  return played(yield* Effect.orDie(decode(RunJournal.innerEntries(entries, key)))).members
})

/** The ids of the components whose runs inside of a call have not ended. `call`: its key. */
export const unfinishedIn = (members: InnerRunsJournal["members"], call: string): ReadonlyArray<string> =>
  [...members].flatMap(([key, { member_id, output }]) =>
    output === undefined && (key === call || key.startsWith(CallKey.part(call, ""))) ? [member_id] : []
  )

/** Why a run inside of a call cannot continue. `id`: of its component. */
export const lost = (id: string): string => `there is no '${id.slice(id.indexOf("/") + 1)}' any more`

export const open = Effect.fnUntraced(function*(outer: RunJournal.RunJournal) {
  const journal = RunJournal.innerOf(outer, key)
  const state = played(yield* Effect.orDie(decode(journal.entries)), journal.resumedAt)
  const opened: InnerRunsJournal = { ...state, record: (entry) => journal.record(encode(entry) as Json.Object) }
  return opened
})
