// Everything that is served, and what stands around all of it: error bodies, limits, cross-origin rules.
import { Api } from "@svc/api"
import { ByteSize, Effect, Layer } from "effect"
import { HttpIncomingMessage, HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as Docs from "./Docs.ts"
import { Agents } from "./handlers/Agents.ts"
import { Sessions } from "./handlers/Sessions.ts"
import { System } from "./handlers/System.ts"
import * as ContractErrors from "./middleware/ContractErrors.ts"
import * as Cors from "./middleware/Cors.ts"
import { errorResponses } from "./middleware/ErrorResponses.ts"
import { ServerSettings } from "./Settings.ts"

export interface Options {
  readonly docs: boolean
  /** Origins that browsers may call from. */
  readonly corsOrigins: ReadonlyArray<string>
}

const handlers = Layer.mergeAll(System, Agents, Sessions).pipe(Layer.provide(ContractErrors.layer))

const limits = HttpRouter.middleware(
  Effect.gen(function*() {
    const { limits } = yield* ServerSettings
    const jsonBody = ByteSize.bytes(limits.jsonBody)
    return (app) => Effect.provideService(app, HttpIncomingMessage.MaxBodySize, jsonBody)
  }),
  { global: true }
)

/** Ids are as long as the limit of the headers lets them be, and paths are spelled in one way only. */
export const routerConfig = { caseSensitive: true, maxParamLength: Number.MAX_SAFE_INTEGER }

export const layer = (options: Options) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(Api),
    Docs.layer(options.docs),
    limits,
    HttpRouter.middleware(errorResponses(options), { global: true }),
    Cors.layer(options.corsOrigins)
  ).pipe(Layer.provide(handlers))
