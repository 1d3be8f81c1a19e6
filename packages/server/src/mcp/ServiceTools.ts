// The tools of the service: what the HTTP API does, for assistants.
import { Databases } from "@svc-runtime/agents/database/Databases"
import { RunService } from "@svc-runtime/agents/runService/RunService"
import { currentPeers } from "@svc-runtime/domain/Worker"
import * as McpOptions from "@svc-runtime/http/mcpTool/McpOptions"
import * as McpTool from "@svc-runtime/http/mcpTool/McpTool"
import * as ToolAccess from "@svc-runtime/http/mcpTool/ToolAccess"
import { ServerSettings } from "@svc-runtime/http/Settings"
import { Effect, Layer } from "effect"
import { McpServer } from "effect/ai"
import * as System from "../handlers/System.ts"
import * as SessionReading from "../sessions/SessionReading.ts"
import * as ComponentPrompts from "./ComponentPrompts.ts"
import * as ComponentResources from "./ComponentResources.ts"
import * as SessionResource from "./SessionResource.ts"
import * as RunTasks from "./tasks/RunTasks.ts"
import * as CancelRunTool from "./tools/CancelRunTool.ts"
import * as ConfigTool from "./tools/ConfigTool.ts"
import * as ContinueRunTool from "./tools/ContinueRunTool.ts"
import * as RunResult from "./tools/RunResult.ts"
import * as RunTools from "./tools/RunTools.ts"
import * as SessionTools from "./tools/SessionTools.ts"

const runTasks = Effect.gen(function*() {
  const service = yield* RunService
  const { mcp: { options = {} } } = yield* ServerSettings
  const result = RunResult.ofMode(options.resultMode ?? "trimmed")
  return { result, ...RunTasks.make(service, result, yield* currentPeers) }
})

/** The runs that calls of the tools have begun, as tasks. Undefined without these tools. */
export const tasks = Effect.gen(function*() {
  const { mcp: { options = {} } } = yield* ServerSettings
  if (!McpOptions.hasTag(options, "core")) return undefined
  const { share, tasks } = yield* runTasks
  yield* share
  return tasks
})

export const layer = Layer.unwrap(Effect.gen(function*() {
  const databases = yield* Databases
  const server = yield* McpServer.McpServer
  const service = yield* RunService
  const { mcp: { options = {} } } = yield* ServerSettings
  const { result, ...made } = yield* runTasks
  const config = yield* System.config
  const access = yield* ToolAccess.make
  const core = [
    ConfigTool.make(access, config, yield* System.storedComponents),
    ...RunTools.make(service, server, result, made),
    ContinueRunTool.make(service, server, result, made),
    CancelRunTool.make(service)
  ]
  const hasCore = McpOptions.hasTag(options, "core")
  const hasSessions = McpOptions.hasTag(options, "session")
  const reading = { ...SessionReading.make(databases), access }
  const tools = McpTool.layer([
    ...(hasCore ? core : []),
    ...(hasSessions ? SessionTools.make(reading) : []),
    ...(options.tools ?? [])
  ])
  const components = Layer.mergeAll(ComponentResources.layer(config, access), ComponentPrompts.layer(config))
  return Layer.mergeAll(
    tools,
    hasCore ? components : Layer.empty,
    hasSessions ? SessionResource.layer(reading) : Layer.empty
  )
}))
