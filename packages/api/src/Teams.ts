// Teams and their runs.
import { Checkpoint, Ids, Run, RunEvent, Session, Team, TeamRun } from "@svc/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ContinueForm } from "./ContinueForm.ts"
import { BadRequest, NotFound, Unavailable } from "./Errors.ts"
import { IntText } from "./IntText.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { requires } from "./RequiredScope.ts"
import { ResumeForm } from "./ResumeForm.ts"
import { accepted, CancelAccepted, formErrors, formOf, fromEvent, idempotent, resumeErrors } from "./RunEndpoints.ts"
import { RunForm } from "./RunForm.ts"

const team = { team_id: Team.Id }
const teamRun = { team_id: Team.Id, run_id: Run.Id }

/** Of a run that begins or goes on. */
const answers = [TeamRun.Output, HttpApiSchema.StreamSse({ data: RunEvent.RunEvent }), accepted] as const

export class Teams extends HttpApiGroup.make("teams")
  .add(
    HttpApiEndpoint.get("list", "/teams", { success: Schema.Array(Team.Listed) })
      .annotateMerge(requires("teams:read"))
      .annotate(OpenApi.Identifier, "get_teams"),
    HttpApiEndpoint.get("get", "/teams/:team_id", { params: team, success: Team.Listed, error: NotFound })
      .annotateMerge(requires("teams:read"))
      .annotate(OpenApi.Identifier, "get_team"),
    HttpApiEndpoint.post("createRun", "/teams/:team_id/runs", {
      params: team,
      headers: idempotent,
      payload: formOf(RunForm),
      success: answers,
      error: formErrors
    })
      .annotateMerge(requires("teams:run"))
      .annotate(OpenApi.Identifier, "create_team_run"),
    HttpApiEndpoint.get("listRuns", "/teams/:team_id/runs", {
      params: team,
      query: { session_id: Session.Id, status: Schema.optionalKey(Schema.String) },
      success: Schema.Array(TeamRun.Record),
      error: [BadRequest, NotFound, Unavailable]
    })
      .annotateMerge(requires("teams:read"))
      .annotate(OpenApi.Identifier, "list_team_runs"),
    HttpApiEndpoint.get("getRun", "/teams/:team_id/runs/:run_id", {
      params: teamRun,
      query: { session_id: Session.Id },
      success: TeamRun.Output,
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requires("teams:read"))
      .annotate(OpenApi.Identifier, "get_team_run"),
    HttpApiEndpoint.get("listCheckpoints", "/teams/:team_id/runs/:run_id/checkpoints", {
      params: teamRun,
      query: { session_id: Session.Id },
      success: Checkpoint.List,
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requires("teams:read"))
      .annotate(OpenApi.Identifier, "list_team_run_checkpoints"),
    HttpApiEndpoint.get("getCheckpoint", "/teams/:team_id/runs/:run_id/checkpoints/:message_index", {
      params: { ...teamRun, message_index: IntText },
      query: { session_id: Session.Id },
      success: Checkpoint.TeamSnapshot,
      error: [BadRequest, NotFound, Unavailable]
    })
      .annotateMerge(requires("teams:read"))
      .annotate(OpenApi.Identifier, "get_team_run_checkpoint"),
    HttpApiEndpoint.post("forkSession", "/teams/:team_id/sessions/:session_id/fork", {
      params: { ...team, session_id: Session.Id },
      query: { user_id: Schema.optionalKey(Ids.UserIdInput) },
      success: Session.Forked,
      error: [BadRequest, NotFound, Unavailable]
    })
      .annotateMerge(requires("teams:run"))
      .annotate(OpenApi.Identifier, "fork_team_session"),
    HttpApiEndpoint.get("listEvents", "/teams/:team_id/runs/:run_id/events", {
      params: teamRun,
      ...fromEvent,
      success: HttpApiSchema.StreamSse({ data: RunEvent.RunEvent }),
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requires("teams:read"))
      .annotate(OpenApi.Identifier, "get_team_run_events"),
    HttpApiEndpoint.post("resumeRun", "/teams/:team_id/runs/:run_id/resume", {
      params: teamRun,
      payload: formOf(ResumeForm),
      success: HttpApiSchema.StreamSse({ data: Schema.Union([RunEvent.RunEvent, RunEvent.Control]) }),
      error: resumeErrors
    })
      .annotateMerge(requires("teams:run"))
      .annotate(OpenApi.Identifier, "resume_team_run"),
    HttpApiEndpoint.post("continueRun", "/teams/:team_id/runs/:run_id/continue", {
      params: teamRun,
      headers: idempotent,
      payload: formOf(ContinueForm),
      success: answers,
      error: formErrors
    })
      .annotateMerge(requires("teams:run"))
      .annotate(OpenApi.Identifier, "continue_team_run"),
    HttpApiEndpoint.post("cancelRun", "/teams/:team_id/runs/:run_id/cancel", {
      params: teamRun,
      query: { session_id: Schema.optionalKey(Session.Id) },
      success: CancelAccepted,
      error: [BadRequest, NotFound, Unavailable]
    })
      .annotateMerge(requires("teams:run"))
      .annotate(OpenApi.Identifier, "cancel_team_run")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Teams", description: "Teams and their runs" }))
{}
