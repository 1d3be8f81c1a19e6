// A run of a team: a run of its leader under the team's id, with nested member runs.
import type * as Run from "@svc-runtime/domain/Run"
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import * as RunLogLines from "@svc-runtime/engine/run/RunLogLines"
import type { Runnable, RunResult, Start } from "@svc-runtime/engine/run/Runnable"
import { spanOfRun } from "@svc-runtime/engine/run/spanOfRun"
import { Effect, Option } from "effect"
import type { Agent } from "../agent/define/Agent.ts"
import type { Dependencies } from "../agent/execute/AgentExecution.ts"
import * as AgentRunner from "../agent/execute/AgentRunner.ts"
import * as HookStages from "../agent/execute/hooks/HookStages.ts"
import type { InnerRunsJournal } from "../agent/execute/InnerRunsJournal.ts"
import { isSerialized } from "../agent/execute/isSerialized.ts"
import * as ComponentTool from "../nested/ComponentTool.ts"
import type { Prepare } from "../nested/InnerCommand.ts"
import * as InnerRunEvents from "./InnerRunEvents.ts"
import * as InnerRuns from "./InnerRuns.ts"
import * as Leader from "./Leader.ts"
import * as TaskList from "./TaskList.ts"
import * as Team from "./Team.ts"
import { type TeamCommand, toLeader } from "./TeamCommand.ts"

// The iterations of a team in mode `tasks`: when its leader has finished and tasks are open, the leader is shown the
// list and called again.

interface Options {
  readonly journal: InnerRunsJournal
  readonly list: TaskList.TaskList
  readonly maximum: number
  readonly emit: (payload: RunEvent.TeamPayload) => void
}

const startIteration = ({ emit, maximum: max_iterations }: Options, iteration: number): void =>
  emit({ event: "TeamTaskIterationStarted", iteration, max_iterations })

/** The message to a leader that has finished. Undefined if the team has finished. */
const followUp = (options: Options) =>
  Effect.fnUntraced(function*() {
    const { emit, journal, list, maximum: max_iterations } = options
    const task_summary = TaskList.summaryOf(list)
    const goal = list.goal()
    emit({
      event: "TeamTaskStateUpdated",
      task_summary,
      goal_complete: TaskList.isDone(list),
      tasks: list.all(),
      ...(goal === undefined ? {} : { completion_summary: goal })
    })
    const { iteration } = journal
    emit({ event: "TeamTaskIterationCompleted", iteration, max_iterations, task_summary })
    if (TaskList.isDone(list) || iteration >= max_iterations) return undefined
    journal.iteration = iteration + 1
    startIteration(options, journal.iteration)
    yield* journal.record({ kind: "iteration", iteration: journal.iteration })
    return `${task_summary}. Continue with the others, or say with mark_all_complete that the request is fulfilled.\n\n${
      TaskList.linesOf(list)
    }`
  })

export interface Parts {
  /** Of the leader. */
  readonly leader: Dependencies
  /** Starts member runs. */
  readonly prepare: Prepare
}

/** The result of the leader's run is the result of the team's run. */
const outputOf = (
  { agent_id: _, agent_name: __, member_responses: ___, ...fields }: Run.Output,
  members: ReadonlyArray<TeamRun.InnerResponse>,
  { team }: TeamCommand
): TeamRun.Output => ({
  ...fields,
  team_id: team.id,
  team_name: team.name,
  ...(members.length === 0 ? {} : { member_responses: members })
})

const endEventOf = (last: RunEvent.Payload, { member_responses }: TeamRun.Output): RunEvent.Payload => {
  const event = RunEvent.ofLeader(last as RunEvent.AgentPayload)
  return event.event === "TeamRunCompleted" && member_responses !== undefined ? { ...event, member_responses } : event
}

/** Approvals of the leader's calls are approvals of the team. */
const withTeamAsSource = ({ approvals, ...dependencies }: Dependencies): Dependencies => ({
  ...dependencies,
  isLeader: true,
  approvals: {
    ...approvals,
    create: (approval, root) =>
      approvals.create({ ...approval, source_type: "team", agent_id: null, team_id: approval.agent_id }, root)
  }
})

const execute = Effect.fnUntraced(
  function*(command: TeamCommand, { leader: dependencies, prepare }: Parts, start: Start) {
    const { team } = command
    const outer = {
      agent: team.leader,
      command,
      id: team.id,
      prepare,
      members: { memberOf: (id: string) => team.members.get(id), isShown: () => team.streamMemberEvents }
    }
    const ended = yield* InnerRuns.around(outer, start, ({ agent: bound, durable, journal, members, own }) => {
      const list = TaskList.make(journal, start.emit)
      const agent = Leader.withTools(team, bound, Leader.toolsOf(team, members.ask, list))
      const rounds = { journal, list, maximum: team.maxIterations, emit: start.emit }
      const leader = AgentRunner.make({ ...toLeader(command), agent }, {
        ...withTeamAsSource(dependencies),
        durable,
        followUp: team.mode === "tasks" ? followUp(rounds) : undefined
      })
      if (team.mode === "tasks" && !start.isContinued) startIteration(rounds, journal.iteration)
      return leader.run({ ...start, journal: own, emit: InnerRunEvents.ofTeam(start, own, ComponentTool.of(bound)) })
    })
    return Option.map(ended, ({ inner, result: { endEvent: last, output, ...rest } }): RunResult<TeamRun.Output> => {
      const whole = outputOf(output, inner, command)
      return { output: whole, endEvent: endEventOf(last, whole), ...rest }
    })
  }
)

/** The team observes everything that its members observe in the session. */
const speakersIn = (member: Team.Member): ReadonlyArray<Agent> =>
  Team.isTeam(member) ? [member.leader, ...[...member.members.values()].flatMap(speakersIn)] : [member]

/** A run of a team as a Runnable. */
export const make = (command: TeamCommand, parts: Parts): Runnable<TeamRun.Output> => {
  const { run_id, team } = command
  const { component, entries, history, options, skipsUnfinished, startEvent: opening } = AgentRunner.make(
    toLeader(command),
    parts.leader
  )
  const { agent_id: team_id, ...data } = component.data
  return {
    component: {
      kind: "team",
      id: team.id,
      tags: { team_id: team.id, team_name: team.name },
      data: { ...data, team_id: team_id ?? team.id },
      metadata: component.metadata
    },
    options,
    storesEvents: team.leader.storeEvents,
    history,
    skipsUnfinished,
    limits: team.limits,
    isSerialized: speakersIn(team).some((agent) => isSerialized({ ...toLeader(command), agent })),
    startEvent: RunEvent.ofLeader(opening as RunEvent.AgentPayload),
    entries,
    run: (start) => {
      const { id, name } = team
      const executing = RunLogLines.withIds(execute(command, parts, start), { run_id, team_id: id })
      const hidesInput = HookStages.hidesInput({ agent: team.leader })
      return spanOfRun(executing, command, start, { component: { kind: "team", id, name }, hidesInput })
    }
  }
}
