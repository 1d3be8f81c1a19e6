// The runs of members inside of a team's run. They belong to it: they are executed where it is, are told to end with it,
// and are gone on with by making the same call again, which finds in the journal how far it has come.
import type { Run, RunEvent, TeamRun } from "@svc/domain"
import { Effect, Option } from "effect"
import type { AgentCommand } from "../agent/AgentCommand.ts"
import type { RunContext } from "../agent/RunContext.ts"
import * as SessionState from "../agent/SessionState.ts"
import { NewId } from "../NewId.ts"
import { now } from "../now.ts"
import * as RunJournal from "../run/RunJournal.ts"
import type { Component, Runnable, Start } from "../run/Runnable.ts"
import * as Team from "./Team.ts"
import type { TeamCommand } from "./TeamCommand.ts"
import type { MemberRun, TeamJournal } from "./TeamJournal.ts"

export type Prepare = (command: AgentCommand | TeamCommand) => Effect.Effect<Runnable<TeamRun.MemberResponse>>

export interface Asking {
  /** Names the call, in every attempt. */
  readonly key: string
  readonly member: Team.Member
  readonly task: string
  /** Of the team's run. */
  readonly context: RunContext
}

export interface MemberRuns {
  readonly ask: (asking: Asking) => Effect.Effect<TeamRun.MemberResponse>
  /** As far as they have come, in the order in which they were asked. */
  readonly outputs: () => ReadonlyArray<TeamRun.MemberResponse>
}

const commandOf = (command: TeamCommand, { member, task }: Asking, run_id: Run.Id): AgentCommand | TeamCommand => {
  const { entries: _, factory_input: __, lifetime: ___, team: ____, ...asked } = command
  return {
    ...asked,
    run_id,
    isolated: false,
    input: { ...asked.input, input_content: task },
    session_state: undefined,
    outputSchema: undefined,
    addHistoryToContext: undefined,
    ...(Team.isTeam(member) ? { team: member } : { agent: member })
  }
}

/** Shows what happens to a member among the events of the team. What happens inside of a member says whose it is. */
const teller = (command: TeamCommand, { emit }: Start, { tags }: Component, run_id: Run.Id): Start["emit"] => {
  if (!command.team.streamMemberEvents) return () => {}
  const its = { ...tags, run_id, parent_run_id: command.run_id, session_id: command.session_id, nested_depth: 0 }
  return (payload) => emit("run_id" in payload ? payload : { ...payload, ...its } as RunEvent.Inner)
}

export const make = Effect.fnUntraced(function*(
  command: TeamCommand,
  start: Start,
  journal: TeamJournal,
  prepare: Prepare
) {
  const newId = yield* NewId
  const { members, record } = journal
  /** Those that have not ended: paused, or told to end. */
  const unfinished = new Map<string, TeamRun.MemberResponse>()

  const begin = Effect.fnUntraced(function*(key: string) {
    const begun: MemberRun = { run_id: newId() as Run.Id, created_at: yield* now, output: undefined }
    members.set(key, begun)
    return begun
  })

  const execute = Effect.fnUntraced(function*(asking: Asking, known: MemberRun | undefined) {
    const { context, key } = asking
    const member = known ?? (yield* begin(key))
    const { created_at, run_id } = member
    const runnable = yield* prepare(commandOf(command, asking, run_id))
    const emit = teller(command, start, runnable.component, run_id)
    if (known === undefined) {
      emit(runnable.opening)
      yield* record({ kind: "begun", key, run_id, created_at })
    }
    const before = structuredClone(context.sessionState)
    const ended = yield* runnable.run({
      begun: { session_state: before, history: [] },
      createdAt: created_at,
      emit,
      cancellation: start.cancellation,
      journal: RunJournal.innerOf(start.journal, key),
      isContinued: known !== undefined
    })
    // handed over: whoever has the team's run goes on with this one
    if (Option.isNone(ended)) return yield* Effect.interrupt
    const output: TeamRun.MemberResponse = { ...ended.value.output, parent_run_id: command.run_id }
    if (ended.value.sessionState !== undefined) {
      SessionState.carry(context.sessionState, before, ended.value.sessionState)
    }
    emit(ended.value.last)
    unfinished.set(key, output)
    if (output.status === "COMPLETED" || output.status === "ERROR") {
      member.output = output
      yield* record({ kind: "ended", key, output })
    }
    return output
  })

  const runs: MemberRuns = {
    // Told to end, it comes to its own end before the call that made it does.
    ask: (asking) =>
      Effect.uninterruptible(Effect.suspend(() => {
        const known = members.get(asking.key)
        return known?.output === undefined ? execute(asking, known) : Effect.succeed(known.output)
      })),
    outputs: () => [...members].flatMap(([key, { output }]) => output ?? unfinished.get(key) ?? [])
  }
  return runs
})
