// What agents and teams have in common as kinds of components: a model runs them, also the leader of a team.
import type * as Json from "@svc-runtime/domain/Json"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import { Effect } from "effect"
import * as AgentJournal from "../agent/execute/AgentJournal.ts"
import * as AgentOrTeam from "../nested/AgentOrTeam.ts"
import * as TeamContinuation from "../team/TeamContinuation.ts"
import * as TeamJournal from "../team/TeamJournal.ts"

export const modelRun = {
  preparer: AgentOrTeam.preparer,
  checkJournal: (entries: ReadonlyArray<Json.Object>) =>
    Effect.andThen(AgentJournal.decode(RunJournal.ownEntries(entries)), TeamJournal.check(entries)),
  asksFactory: false,
  waitingRuns: TeamContinuation.waitingRuns
}
