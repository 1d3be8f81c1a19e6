// All routes, and their common middleware: error bodies, limits, CORS rules.
import { type CurrentPrincipal, Databases as DatabaseEndpoints, ServiceApi } from "@svc-runtime/api"
import type { Configured } from "@svc-runtime/features/Feature"
import * as Features from "@svc-runtime/features/features"
import * as LoadedRuns from "@svc-runtime/features/media/LoadedRuns"
import { AccessControl } from "@svc-runtime/http/authorization/AccessControl"
import { ChangeRecorder } from "@svc-runtime/http/authorization/ChangeRecorder"
import type { ConsoleOAuth } from "@svc-runtime/http/authorization/ConsoleOAuth"
import type { McpOAuth } from "@svc-runtime/http/authorization/McpOAuth"
import type { Origins } from "@svc-runtime/http/authorization/Origins"
import { Forms } from "@svc-runtime/http/forms/Forms"
import * as RequestRecord from "@svc-runtime/http/logging/RequestRecord"
import { accessControl } from "@svc-runtime/http/middleware/accessControl"
import * as Authorization from "@svc-runtime/http/middleware/Authorization"
import * as ContractErrors from "@svc-runtime/http/middleware/ContractErrors"
import { crossOrigin } from "@svc-runtime/http/middleware/Cors"
import { errorResponse, errorResponses } from "@svc-runtime/http/middleware/ErrorResponses"
import * as RequestReadLimiter from "@svc-runtime/http/middleware/RequestReadLimiter"
import { mcpPath, ServerSettings, type Settings } from "@svc-runtime/http/Settings"
import { requestSpan } from "@svc-runtime/http/telemetry/RequestSpan"
import { ByteSize, Context, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import * as ConsoleRoutes from "./console/ConsoleRoutes.ts"
import * as Docs from "./Docs.ts"
import { Agents } from "./handlers/Agents.ts"
import { Approvals } from "./handlers/Approvals.ts"
import { Databases } from "./handlers/Databases.ts"
import { Runs } from "./handlers/Runs.ts"
import { ServiceAccounts } from "./handlers/ServiceAccounts.ts"
import { Sessions } from "./handlers/Sessions.ts"
import { System } from "./handlers/System.ts"
import { Teams } from "./handlers/Teams.ts"
import { Workflows } from "./handlers/Workflows.ts"
import * as McpEndpoint from "./mcp/McpEndpoint.ts"
import * as ServiceTools from "./mcp/ServiceTools.ts"
import * as OAuthRoutes from "./oauth/OAuthRoutes.ts"
import * as OuterErrors from "./openai/OuterErrors.ts"
import * as Protocols from "./Protocols.ts"
import * as AddedRoutes from "./routes/AddedRoutes.ts"
import { toScoped } from "./routes/DeclaredRoute.ts"
import type { OuterMiddleware } from "./routes/OuterMiddleware.ts"
import type { Route } from "./routes/Route.ts"
import * as WorkflowSocket from "./ws/WorkflowSocket.ts"

export interface Options {
  readonly features: ReadonlyArray<Configured>
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
  /** Of the responses of all requests. Default: a budget of its own. */
  readonly responses?: RequestReadLimiter.Budgets | undefined
}

const handlers = (features: ReadonlyArray<Configured>) =>
  Layer.mergeAll(
    System,
    Databases,
    Agents,
    Teams,
    Workflows,
    Sessions,
    Runs,
    ServiceAccounts,
    Approvals,
    ...features.map((feature) => feature.handlers)
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
const outerMiddleware = (api: ServiceApi.AnyApi, options: Options) =>
  HttpRouter.middleware<{ provides: CurrentPrincipal }>()(
    Effect.gen(function*() {
      const { limits } = yield* ServerSettings
      const changes = Option.getOrUndefined(yield* Effect.serviceOption(ChangeRecorder))
      const admit = accessControl(
        yield* AccessControl,
        {
          maxBodySize: ByteSize.bytes(limits.jsonBody),
          limited: (yield* Forms).limited,
          responses: options.responses ?? RequestReadLimiter.budgetsOf(limits)
        },
        changes
      )
      const { docs, mcp } = options
      const ofProtocols = options.protocols === undefined ? [] : Protocols.servedOf(options.protocols)
      const added = options.routes.flatMap(({ declared }) => declared.flatMap(toScoped))
      const errors = errorResponses({ api, docs, mcp, protocols: ofProtocols, added })
      const cors = crossOrigin(options.origins)
      const openai = options.protocols?.openai
      if (openai === undefined || !openai.enabled) return (app) => requestSpan(errors(cors(admit(app))))
      const shaped = OuterErrors.shaped(openai.prefix)
      return (app) => requestSpan(shaped(errors(cors(admit(app)))))
    }),
    { global: true }
  ).pipe(Layer.provide(Forms.layer))

export { routerConfig } from "@svc-runtime/http/requests/routerConfig"

export type { OuterMiddleware }

/** The routes of all groups. The types of the groups of features are not known. */
const apiLayer = (api: ServiceApi.AnyApi) =>
  // @effect-diagnostics-next-line unsafeEffectTypeAssertion:off because `handlers` has the groups of the same features
  HttpApiBuilder.layer(api) as Layer.Layer<
    never,
    never,
    Exclude<Layer.Services<ReturnType<typeof HttpApiBuilder.layer>>, HttpApiGroup.Service<string, string>>
  >

export const layer = (options: Options) =>
  Layer.mergeAll(
    Docs.layer(options.docs, Features.apiOf(options.features), options.routes),
    ConsoleRoutes.layer(options.console, options.consoleOAuth),
    WorkflowSocket.layer.pipe(Layer.provide(Forms.layer)),
    AddedRoutes.layer(options.routes, options.middleware),
    options.protocols === undefined
      ? Layer.empty
      : Protocols.layer(options.protocols).pipe(Layer.provide(LoadedRuns.layer)),
    options.oauth === undefined ? Layer.empty : OAuthRoutes.layer(options.oauth),
    options.mcp
      ? McpEndpoint.layer({ path: mcpPath, registrations: ServiceTools.layer, tasks: ServiceTools.tasks }).pipe(
        Layer.provide(LoadedRuns.layer)
      )
      : Layer.empty
  ).pipe(
    Layer.provide(named.layer),
    Layer.merge(apiLayer(Features.apiOf(options.features))),
    Layer.provide(handlers(options.features)),
    Layer.provide(outerMiddleware(Features.apiOf(options.features), options))
  )

/** The endpoints of a service that waits for its migrations. */
const MigrationApi = ServiceApi.empty.add(DatabaseEndpoints)

export const migrationApi = ServiceApi.untyped(MigrationApi)

/** Executes migrations, and refuses all other requests with 503. */
export const layerMigrations = (options: Options, detail: string) =>
  HttpRouter.add("*", "/*", errorResponse(503, "SERVICE_UNAVAILABLE", detail)).pipe(
    Layer.merge(HttpApiBuilder.layer(MigrationApi)),
    Layer.provide(Databases),
    Layer.provide([ContractErrors.layer, Authorization.layer]),
    Layer.provide(outerMiddleware(migrationApi, options))
  )
