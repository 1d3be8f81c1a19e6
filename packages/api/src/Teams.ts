// Teams and their runs.
import * as Checkpoint from "@svc-runtime/domain/Checkpoint"
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Team from "@svc-runtime/domain/Team"
import * as TeamRun from "@svc-runtime/domain/TeamRun"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { definitionEndpoints } from "./DefinitionEndpoints.ts"
import { Conflict, NotFound } from "./Errors.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { requires } from "./RequiredScope.ts"
import { conversationEndpoints, runEndpoints } from "./RunEndpoints.ts"

const shape = { id: Team.Id, output: TeamRun.Output, event: RunEvent.RunEvent }
const runs = runEndpoints("team", shape)
const conversation = conversationEndpoints("team", {
  ...shape,
  record: TeamRun.Record,
  snapshot: Checkpoint.TeamSnapshot
})
const definitions = definitionEndpoints("team", Team.Id)

export class Teams extends HttpApiGroup.make("teams")
  .add(
    HttpApiEndpoint.get("list", "/teams", { success: Schema.Array(Team.Listed) })
      .annotateMerge(requires("teams:read"))
      .annotate(OpenApi.Identifier, "get_teams"),
    HttpApiEndpoint.get("get", "/teams/:team_id", {
      params: { team_id: Team.Id },
      success: Team.Listed,
      error: [Conflict, NotFound]
    })
      .annotateMerge(requires("teams:read"))
      .annotate(OpenApi.Identifier, "get_team"),
    definitions.create,
    definitions.update,
    definitions.remove,
    runs.createRun,
    conversation.listRuns,
    conversation.getRun,
    conversation.listCheckpoints,
    conversation.getCheckpoint,
    conversation.forkSession,
    runs.listEvents,
    runs.resumeRun,
    conversation.continueRun,
    runs.cancelRun
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Teams", description: "Teams and their runs" }))
{}
