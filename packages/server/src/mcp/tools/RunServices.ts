// What the tools about runs are made of, and the request that a call came with.
import type {
  AgentRegistry,
  ApprovalStore,
  IdempotencyStore,
  RunEngine,
  RunService,
  StoredRuns,
  TeamRegistry,
  WorkflowRegistry
} from "@svc/runtime"
import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import type * as FactoryResolution from "../../handlers/FactoryResolution.ts"

export interface RunServices {
  readonly agents: AgentRegistry["Service"]
  readonly teams: TeamRegistry["Service"]
  readonly workflows: WorkflowRegistry["Service"]
  readonly approvals: ApprovalStore["Service"]
  readonly engine: RunEngine["Service"]
  readonly service: RunService["Service"]
  readonly idempotency: IdempotencyStore["Service"]
  readonly runs: StoredRuns["Service"]
  readonly resolution: FactoryResolution.Options
}

/** Factories may look at it. */
export const currentRequest = Effect.map(
  Effect.serviceOption(HttpServerRequest.HttpServerRequest),
  Option.getOrNull
)
