// All routes, and their common middleware: error bodies, limits, CORS rules.
import { Api, type CurrentPrincipal, Databases as DatabaseEndpoints } from "@svc/api"
import { ByteSize, Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { AccessControl } from "./authorization/AccessControl.ts"
import type { McpOAuth } from "./authorization/McpOAuth.ts"
import type { Origins } from "./authorization/Origins.ts"
import type { ConsoleOAuth } from "./console/ConsoleOAuth.ts"
import * as ConsoleRoutes from "./console/ConsoleRoutes.ts"
import * as Docs from "./Docs.ts"
import { Forms } from "./forms/Forms.ts"
import { Agents } from "./handlers/Agents.ts"
import { Approvals } from "./handlers/Approvals.ts"
import { Components } from "./handlers/Components.ts"
import { Databases } from "./handlers/Databases.ts"
import { Datasets } from "./handlers/Datasets.ts"
import { EvalRuns } from "./handlers/EvalRuns.ts"
import { Experiments } from "./handlers/Experiments.ts"
import { Feedback } from "./handlers/Feedback.ts"
import { Knowledge } from "./handlers/Knowledge.ts"
import { Learnings } from "./handlers/Learnings.ts"
import { Media } from "./handlers/Media.ts"
import { Memories } from "./handlers/Memories.ts"
import { Metrics } from "./handlers/Metrics.ts"
import { Registry } from "./handlers/Registry.ts"
import { Runs } from "./handlers/Runs.ts"
import { Schedules } from "./handlers/Schedules.ts"
import { ServiceAccounts } from "./handlers/ServiceAccounts.ts"
import { Sessions } from "./handlers/Sessions.ts"
import { System } from "./handlers/System.ts"
import { Teams } from "./handlers/Teams.ts"
import { Traces } from "./handlers/Traces.ts"
import { UserMemories } from "./handlers/UserMemories.ts"
import { Webhooks } from "./handlers/Webhooks.ts"
import { Workflows } from "./handlers/Workflows.ts"
import * as RequestRecord from "./logging/RequestRecord.ts"
import * as McpEndpoint from "./mcp/McpEndpoint.ts"
import * as ServiceTools from "./mcp/ServiceTools.ts"
import * as LoadedRuns from "./media/LoadedRuns.ts"
import { accessControl } from "./middleware/accessControl.ts"
import * as Authorization from "./middleware/Authorization.ts"
import * as ContractErrors from "./middleware/ContractErrors.ts"
import { crossOrigin } from "./middleware/Cors.ts"
import { errorResponse, errorResponses } from "./middleware/ErrorResponses.ts"
import * as RequestReadLimiter from "./middleware/RequestReadLimiter.ts"
import * as OAuthRoutes from "./oauth/OAuthRoutes.ts"
import * as OuterErrors from "./openai/OuterErrors.ts"
import * as Protocols from "./Protocols.ts"
import * as AddedRoutes from "./routes/AddedRoutes.ts"
import { toScoped } from "./routes/DeclaredRoute.ts"
import type { OuterMiddleware } from "./routes/OuterMiddleware.ts"
import type { Route } from "./routes/Route.ts"
import { mcpPath, ServerSettings, type Settings } from "./Settings.ts"
import { requestSpan } from "./telemetry/RequestSpan.ts"
import * as WorkflowSocket from "./ws/WorkflowSocket.ts"

export interface Options {
  readonly console: boolean
  readonly consoleOAuth?: ConsoleOAuth | undefined
  readonly docs: boolean
  readonly mcp: boolean
  readonly oauth?: McpOAuth | undefined
  readonly protocols?: Settings["protocols"] | undefined
  /** Origins that browsers may call from. */
  readonly origins: Origins
  /** Those of the application. */
  readonly routes: ReadonlyArray<Route>
  readonly middleware: ReadonlyArray<Layer.Layer<never, unknown, OuterMiddleware>>
}

const handlers = Layer.mergeAll(
  System,
  Databases,
  Agents,
  Teams,
  Workflows,
  Sessions,
  Runs,
  Memories,
  ServiceAccounts,
  Approvals,
  Learnings,
  Knowledge,
  UserMemories,
  Metrics,
  Traces,
  EvalRuns,
  Feedback,
  Media,
  Components,
  Datasets,
  Experiments,
  Registry,
  Schedules,
  Webhooks
).pipe(
  Layer.provide([ContractErrors.layer, Authorization.layer, Forms.layer])
)

/** Notes the routes of requests that are not of the API: access control has those. */
const named = HttpRouter.middleware((app) =>
  Effect.withFiber((fiber) => {
    const { route } = Context.getUnsafe(fiber.context, HttpRouter.RouteContext)
    const record = RequestRecord.of(Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest))
    if (record !== undefined) record.route = route.path
    return app
  })
)

/** From the outside in. Refusals of access control get the headers of the CORS rules. */
const outerMiddleware = (options: Options) =>
  HttpRouter.middleware<{ provides: CurrentPrincipal }>()(
    Effect.gen(function*() {
      const { limits } = yield* ServerSettings
      const admit = accessControl(yield* AccessControl, {
        maxBodySize: ByteSize.bytes(limits.jsonBody),
        maxJsonValues: limits.jsonValues,
        responses: RequestReadLimiter.budgetsOf(limits)
      })
      const { docs, mcp } = options
      const ofProtocols = options.protocols === undefined ? [] : Protocols.servedOf(options.protocols)
      const added = options.routes.flatMap(({ declared }) => declared.flatMap(toScoped))
      // one list for all services without routes of their own, because what is made of it is kept by the list
      const served = added.length === 0 ? ofProtocols : [...ofProtocols, ...added]
      const errors = errorResponses({ docs, mcp, protocols: served })
      const cors = crossOrigin(options.origins)
      const openai = options.protocols?.openai
      if (openai === undefined || !openai.enabled) return (app) => requestSpan(errors(cors(admit(app))))
      const shaped = OuterErrors.shaped(openai.prefix)
      return (app) => requestSpan(shaped(errors(cors(admit(app)))))
    }),
    { global: true }
  )

export { routerConfig } from "./http/routerConfig.ts"

export type { OuterMiddleware }

export const layer = (options: Options) =>
  Layer.mergeAll(
    Docs.layer(options.docs, options.routes),
    ConsoleRoutes.layer(options.console, options.consoleOAuth),
    WorkflowSocket.layer,
    AddedRoutes.layer(options.routes, options.middleware),
    options.protocols === undefined
      ? Layer.empty
      : Protocols.layer(options.protocols).pipe(Layer.provide(LoadedRuns.layer)),
    options.oauth === undefined ? Layer.empty : OAuthRoutes.layer(options.oauth),
    options.mcp
      ? McpEndpoint.layer({ path: mcpPath, registrations: ServiceTools.layer }).pipe(Layer.provide(LoadedRuns.layer))
      : Layer.empty
  ).pipe(
    Layer.provide(named.layer),
    Layer.merge(HttpApiBuilder.layer(Api)),
    Layer.provide(handlers),
    Layer.provide(outerMiddleware(options))
  )

/** The endpoints of a service that waits for its migrations. */
class MigrationApi extends HttpApi.make("svc").add(DatabaseEndpoints) {}

/** Executes migrations, and refuses all other requests with 503. */
export const layerMigrations = (options: Options, detail: string) =>
  HttpRouter.add("*", "/*", errorResponse(503, "SERVICE_UNAVAILABLE", detail)).pipe(
    Layer.merge(HttpApiBuilder.layer(MigrationApi)),
    Layer.provide(Databases),
    Layer.provide([ContractErrors.layer, Authorization.layer]),
    Layer.provide(outerMiddleware(options))
  )
