// Agents and their runs.
import { Agent, AgentEvent, Checkpoint, Ids, Run, RunEvent, Session } from "@svc/domain"
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

const agent = { agent_id: Agent.Id }
const agentRun = { agent_id: Agent.Id, run_id: Run.Id }

/** Of a run that begins or goes on. */
const answers = [Run.Output, HttpApiSchema.StreamSse({ data: AgentEvent.AgentEvent }), accepted] as const

export class Agents extends HttpApiGroup.make("agents")
  .add(
    HttpApiEndpoint.get("list", "/agents", { success: Schema.Array(Agent.Detail) })
      .annotateMerge(requires("agents:read"))
      .annotate(OpenApi.Identifier, "get_agents"),
    HttpApiEndpoint.get("get", "/agents/:agent_id", { params: agent, success: Agent.Detail, error: NotFound })
      .annotateMerge(requires("agents:read"))
      .annotate(OpenApi.Identifier, "get_agent"),
    HttpApiEndpoint.post("createRun", "/agents/:agent_id/runs", {
      params: agent,
      headers: idempotent,
      payload: formOf(RunForm),
      success: answers,
      error: formErrors
    })
      .annotateMerge(requires("agents:run"))
      .annotate(OpenApi.Identifier, "create_agent_run"),
    HttpApiEndpoint.get("listRuns", "/agents/:agent_id/runs", {
      params: agent,
      query: { session_id: Session.Id, status: Schema.optionalKey(Schema.String) },
      success: Schema.Array(Run.Record),
      error: [BadRequest, NotFound, Unavailable]
    })
      .annotateMerge(requires("agents:read"))
      .annotate(OpenApi.Identifier, "list_agent_runs"),
    HttpApiEndpoint.get("getRun", "/agents/:agent_id/runs/:run_id", {
      params: agentRun,
      query: { session_id: Session.Id },
      success: Run.Output,
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requires("agents:read"))
      .annotate(OpenApi.Identifier, "get_agent_run"),
    HttpApiEndpoint.get("listCheckpoints", "/agents/:agent_id/runs/:run_id/checkpoints", {
      params: agentRun,
      query: { session_id: Session.Id },
      success: Checkpoint.List,
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requires("agents:read"))
      .annotate(OpenApi.Identifier, "list_agent_run_checkpoints"),
    HttpApiEndpoint.get("getCheckpoint", "/agents/:agent_id/runs/:run_id/checkpoints/:message_index", {
      params: { ...agentRun, message_index: IntText },
      query: { session_id: Session.Id },
      success: Checkpoint.Snapshot,
      error: [BadRequest, NotFound, Unavailable]
    })
      .annotateMerge(requires("agents:read"))
      .annotate(OpenApi.Identifier, "get_agent_run_checkpoint"),
    HttpApiEndpoint.post("forkSession", "/agents/:agent_id/sessions/:session_id/fork", {
      params: { ...agent, session_id: Session.Id },
      query: { user_id: Schema.optionalKey(Ids.UserIdInput) },
      success: Session.Forked,
      error: [BadRequest, NotFound, Unavailable]
    })
      .annotateMerge(requires("agents:run"))
      .annotate(OpenApi.Identifier, "fork_agent_session"),
    HttpApiEndpoint.get("listEvents", "/agents/:agent_id/runs/:run_id/events", {
      params: agentRun,
      ...fromEvent,
      success: HttpApiSchema.StreamSse({ data: AgentEvent.AgentEvent }),
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requires("agents:read"))
      .annotate(OpenApi.Identifier, "get_agent_run_events"),
    HttpApiEndpoint.post("resumeRun", "/agents/:agent_id/runs/:run_id/resume", {
      params: agentRun,
      payload: formOf(ResumeForm),
      success: HttpApiSchema.StreamSse({ data: Schema.Union([AgentEvent.AgentEvent, RunEvent.Control]) }),
      error: resumeErrors
    })
      .annotateMerge(requires("agents:run"))
      .annotate(OpenApi.Identifier, "resume_agent_run"),
    HttpApiEndpoint.post("continueRun", "/agents/:agent_id/runs/:run_id/continue", {
      params: agentRun,
      headers: idempotent,
      payload: formOf(ContinueForm),
      success: answers,
      error: formErrors
    })
      .annotateMerge(requires("agents:run"))
      .annotate(OpenApi.Identifier, "continue_agent_run"),
    HttpApiEndpoint.post("cancelRun", "/agents/:agent_id/runs/:run_id/cancel", {
      params: agentRun,
      query: { session_id: Schema.optionalKey(Session.Id) },
      success: CancelAccepted,
      error: [BadRequest, NotFound, Unavailable]
    })
      .annotateMerge(requires("agents:run"))
      .annotate(OpenApi.Identifier, "cancel_agent_run")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Agents", description: "Agents and their runs" }))
{}
