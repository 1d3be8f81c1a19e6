// The messages of the leader of an unfinished run.
import * as AgentProgress from "../agent/AgentProgress.ts"
import * as RunJournal from "../run/RunJournal.ts"
import type { RunSnapshot } from "../run/RunStore.ts"
import * as Leader from "./Leader.ts"
import type { Team } from "./Team.ts"

export const messagesOf = (team: Team, snapshot: RunSnapshot) =>
  AgentProgress.messagesOf(Leader.shown(team), { ...snapshot, entries: RunJournal.ownEntries(snapshot.entries) })
