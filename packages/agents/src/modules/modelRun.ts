// What agents and teams have in common as kinds of components: a model runs them, also the leader of a team.
import type * as Json from "@svc-runtime/domain/Json"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import { Effect } from "effect"
import * as InnerContinuation from "../agent/continue/InnerContinuation.ts"
import * as AgentJournal from "../agent/execute/AgentJournal.ts"
import * as InnerRunsJournal from "../agent/execute/InnerRunsJournal.ts"
import * as AgentOrTeam from "../nested/AgentOrTeam.ts"

export const modelRun = {
  preparer: AgentOrTeam.preparer,
  checkJournal: (entries: ReadonlyArray<Json.Object>) =>
    Effect.andThen(AgentJournal.decode(RunJournal.ownEntries(entries)), InnerRunsJournal.check(entries)),
  asksFactory: false,
  waitingRuns: InnerContinuation.waitingRuns
}
