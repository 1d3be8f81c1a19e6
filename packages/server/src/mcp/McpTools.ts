// The tools of the service: what the HTTP API does, for assistants.
import {
  AgentRegistry,
  ApprovalStore,
  Databases,
  FactoryResolver,
  IdempotencyStore,
  RunEngine,
  RunService,
  StoredRuns,
  TeamRegistry,
  WorkflowRegistry
} from "@svc/runtime"
import { Effect, Layer } from "effect"
import { McpServer } from "effect/ai"
import * as System from "../handlers/System.ts"
import * as SessionReading from "../sessions/SessionReading.ts"
import { ServerSettings } from "../Settings.ts"
import * as McpTool from "./McpTool.ts"
import * as CancelRunTool from "./tools/CancelRunTool.ts"
import * as ConfigTool from "./tools/ConfigTool.ts"
import * as ContinueRunTool from "./tools/ContinueRunTool.ts"
import type { RunServices } from "./tools/RunServices.ts"
import * as RunTools from "./tools/RunTools.ts"
import * as SessionTools from "./tools/SessionTools.ts"

export const layer = Layer.unwrap(Effect.gen(function*() {
  const databases = yield* Databases
  const server = yield* McpServer.McpServer
  const services: RunServices = {
    agents: yield* AgentRegistry,
    approvals: yield* ApprovalStore,
    engine: yield* RunEngine,
    service: yield* RunService,
    runs: yield* StoredRuns,
    idempotency: yield* IdempotencyStore,
    teams: yield* TeamRegistry,
    workflows: yield* WorkflowRegistry,
    resolution: { resolver: yield* FactoryResolver, largestInput: (yield* ServerSettings).limits.jsonBody }
  }
  return McpTool.layer([
    ConfigTool.make(yield* System.config),
    ...RunTools.make(services, server),
    ContinueRunTool.make(services, server),
    CancelRunTool.make(services),
    ...SessionTools.make(SessionReading.make(databases))
  ])
}))
