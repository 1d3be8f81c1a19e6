// What the service says when it is up: where it is, what answers, where it keeps things, and who may call.
import { defaultModel, type ModelOptions } from "@svc/runtime"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import type { Config } from "./Config.ts"
import { version } from "./version.ts"

const describeModel = (name: string) =>
  name === "demo"
    ? "the demo model (set MODEL and a provider's key for a real one)"
    : name

export const greet = Effect.fnUntraced(function*(config: Config, models: ModelOptions) {
  const { address } = yield* HttpServer.HttpServer
  const port = "port" in address ? address.port : config.port
  const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`
  const database = config.databaseUrl === undefined ? `the embedded database in ${config.dataDir}` : "PostgreSQL"
  yield* Effect.logInfo(`Svc ${version} answers on ${url}${config.docs ? ` (documentation: ${url}/docs)` : ""}`)
  yield* Effect.logInfo(`Model: ${describeModel(defaultModel(models))}. Sessions: ${database}`)
  yield* Effect.logInfo(`Open: whoever can reach this address may call. It is bound to ${config.host}`)
})
