// Agents and their runs.
import * as Agent from "@svc-runtime/domain/Agent"
import * as AgentEvent from "@svc-runtime/domain/AgentEvent"
import * as Checkpoint from "@svc-runtime/domain/Checkpoint"
import * as Run from "@svc-runtime/domain/Run"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { definitionEndpoints } from "./DefinitionEndpoints.ts"
import { Conflict, NotFound } from "./Errors.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { requires } from "./RequiredScope.ts"
import { conversationEndpoints, runEndpoints } from "./RunEndpoints.ts"

const shape = { id: Agent.Id, output: Run.Output, event: AgentEvent.AgentEvent }
const runs = runEndpoints("agent", shape)
const conversation = conversationEndpoints("agent", { ...shape, record: Run.Record, snapshot: Checkpoint.Snapshot })
const definitions = definitionEndpoints("agent", Agent.Id)

export class Agents extends HttpApiGroup.make("agents")
  .add(
    HttpApiEndpoint.get("list", "/agents", { success: Schema.Array(Agent.Detail) })
      .annotateMerge(requires("agents:read"))
      .annotate(OpenApi.Identifier, "get_agents"),
    HttpApiEndpoint.get("get", "/agents/:agent_id", {
      params: { agent_id: Agent.Id },
      success: Agent.Detail,
      error: [Conflict, NotFound]
    })
      .annotateMerge(requires("agents:read"))
      .annotate(OpenApi.Identifier, "get_agent"),
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
  .annotateMerge(OpenApi.annotations({ title: "Agents", description: "Agents and their runs" }))
{}
