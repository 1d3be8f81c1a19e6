// What the journal of a team's run says of its members: which runs they were asked in, and how those ended. What is in
// these runs is in journals of their own, each under the call that it answers.
import { type Json, Run, TeamRun, Time } from "@svc/domain"
import { Effect, Schema } from "effect"
import * as RunJournal from "../run/RunJournal.ts"

/** A member is asked. `key` names the call, and is the same whenever it is made. */
const Begun = Schema.Struct({
  kind: Schema.Literal("begun"),
  key: Schema.String,
  run_id: Run.Id,
  created_at: Time.EpochSeconds
})

/** A member has answered, or has failed. One that waits for a person has not ended. */
const Ended = Schema.Struct({ kind: Schema.Literal("ended"), key: Schema.String, output: TeamRun.MemberResponse })

const Entry = Schema.Union([Begun, Ended])
export type Entry = typeof Entry.Type

const codec = Schema.toCodecJson(Entry)
const decode = Schema.decodeUnknownEffect(Schema.Array(codec))
const encode = Schema.encodeSync(codec)

export interface MemberRun {
  readonly run_id: Run.Id
  readonly created_at: number
  /** Undefined as long as it has not ended. */
  output: TeamRun.MemberResponse | undefined
}

export interface TeamJournal {
  /** By the keys of the calls, in the order in which they were made. */
  readonly members: Map<string, MemberRun>
  readonly record: (entry: Entry) => Effect.Effect<void>
}

const key = "team"

/** What the entries of a team's journal say of its members. */
export const membersIn = Effect.fnUntraced(function*(entries: RunJournal.RunJournal["entries"]) {
  const members = new Map<string, MemberRun>()
  for (const entry of yield* Effect.orDie(decode(RunJournal.innerEntries(entries, key)))) {
    if (entry.kind === "begun") {
      members.set(entry.key, { run_id: entry.run_id, created_at: entry.created_at, output: undefined })
    } else {
      const member = members.get(entry.key)
      if (member !== undefined) member.output = entry.output
    }
  }
  return members
})

export const open = Effect.fnUntraced(function*(outer: RunJournal.RunJournal) {
  const journal = RunJournal.innerOf(outer, key)
  const members = yield* membersIn(outer.entries)
  const opened: TeamJournal = { members, record: (entry) => journal.record(encode(entry) as Json.Object) }
  return opened
})
