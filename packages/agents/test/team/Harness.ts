// Runs teams in an engine over stores in memory: a leader and members with scripts, and what can be seen of a run.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import type { RunHandle } from "@svc-runtime/engine/run/RunHandle"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Option } from "effect"
import { eventsOf, open, session } from "../../../engine/test/run/Engine.ts"
import type { TeamCommand } from "../../src/team/TeamCommand.ts"
import { commandOf } from "../agent/Harness.ts"

export const askTeam = (team: Team.Team, given: Partial<TeamCommand> = {}): TeamCommand => {
  const { agent: _, ...command } = commandOf(team.leader)
  return { ...command, team, ...given }
}

/** An agent that says what is in its script. */
export const member = Effect.fnUntraced(function*(
  id: string,
  turns: ReadonlyArray<Script.Turn>,
  options: Partial<Agent.Options> = {}
) {
  const script = yield* Script.make(turns)
  const name = `${id.slice(0, 1).toUpperCase()}${id.slice(1)}`
  return { script, agent: Agent.make({ id, name, model: script.model, ...options }) }
})

/** A team whose leader says what is in the script. */
export const teamOf = Effect.fnUntraced(function*(
  members: ReadonlyArray<Team.Member>,
  turns: ReadonlyArray<Script.Turn>,
  options: Partial<Team.Options> = {}
) {
  const script = yield* Script.make(turns)
  return { script, team: Team.make({ id: "desk", name: "Desk", members, model: script.model, ...options }) }
})

const outputOf = (handle: RunHandle) => Effect.map(handle.output, (output) => output as TeamRun.Output)

/** Runs a team to its end. */
export const run = Effect.fnUntraced(function*(team: Team.Team, given: Partial<TeamCommand> = {}) {
  const service = yield* open({ teams: [team] })
  const handle = yield* service.engine.start(askTeam(team, given))
  const events = yield* eventsOf(handle)
  return { ...service, events, output: yield* outputOf(handle) }
})

export const delegate = (member_id: string, task: string, id?: string) =>
  Script.toolCall("delegate_task_to_member", { member_id, task }, id)

/** Who says an event, and which. */
export const eventLines = (events: ReadonlyArray<RunEvent.RunEvent>): ReadonlyArray<string> =>
  events.map((event) => `${whoOf(event)} ${event.event}`)

/** Of agents and teams. */
export const whoOf = (event: RunEvent.RunEvent): string =>
  "team_id" in event ? event.team_id : "agent_id" in event ? event.agent_id : ""
export const parentOf = (event: RunEvent.RunEvent) => "parent_run_id" in event ? event.parent_run_id : undefined

export const stored = Effect.fnUntraced(function*({ runs }: Pick<Effect.Success<ReturnType<typeof open>>, "runs">) {
  const found = yield* runs.list(session, { owner: Owner.anyone })
  return Option.getOrElse(found, () => [])
})

export const storedSession = ({ sessions }: Pick<Effect.Success<ReturnType<typeof open>>, "sessions">) =>
  Effect.flatMap(sessions.find(session, Owner.anyone), Effect.fromOption)
