// A service that does not migrate by itself and whose own database has pending migrations. It executes them when a
// request says so, and refuses everything else, until the service can be built.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { OAuthTokens } from "@svc-runtime/auth"
import type * as Ids from "@svc-runtime/domain/Ids"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { DatabaseIds } from "@svc-runtime/engine/database/DatabaseIds"
import * as Schemas from "@svc-runtime/engine/database/Schemas"
import type * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import { AccessControl } from "@svc-runtime/http/authorization/AccessControl"
import * as Authentication from "@svc-runtime/http/authorization/Authentication"
import type { EarlyRoutes } from "@svc-runtime/http/requests/EarlyResponses"
import { ServerSettings } from "@svc-runtime/http/Settings"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import type { Config } from "../Config.ts"
import * as Routes from "../Routes.ts"
import type * as Storage from "../Storage.ts"
import { originsOf, type Parts } from "./ApplicationOptions.ts"
import * as ApplicationParts from "./ApplicationParts.ts"
import { urlOf } from "./StartupLog.ts"

const routes = (parts: Parts, id: Ids.DatabaseId, handles: ReadonlyArray<DatabaseHandle.DatabaseHandle>) => {
  const { settings: { docs, mcp } } = parts
  const { message } = new StorageUnavailable({ cause: "Migrations are pending", pendingDatabase: id })
  return Routes.layerMigrations(
    { features: [], console: false, docs, mcp: mcp.enabled, origins: originsOf(parts), routes: [], middleware: [] },
    message
  ).pipe(
    Layer.provide(AccessControl.layer({
      ...parts.access,
      api: Routes.migrationApi,
      protocols: [],
      sockets: [],
      origins: originsOf(parts),
      hosts: parts.hosts
    })),
    Layer.provide([Authentication.authenticator(parts.access), OAuthTokens.layerDisabled]),
    Layer.provide(Authentication.verifier(parts.access)),
    Layer.provide([
      Layer.succeed(ServerSettings, parts.settings),
      Layer.succeed(DatabaseIds, [id, ...handles.map((handle) => handle.id)]),
      Layer.succeed(Schemas.Schemas, parts.schemas),
      NodeHttpServer.layerHttpServices
    ]),
    Layer.orDie
  )
}

/** `handles`: the databases beside the service's own, which are not opened before it. */
export const make = Effect.fnUntraced(function*(
  config: Config,
  parts: Parts,
  early: EarlyRoutes,
  handles: ReadonlyArray<DatabaseHandle.DatabaseHandle>
) {
  const server = yield* HttpServer.HttpServer
  const { schemaOf } = yield* ApplicationParts.storage
  const whilePending: Storage.WhilePending = Effect.fnUntraced(function*(pending) {
    for (const handle of handles) yield* parts.schemas.add(handle.id, schemaOf(config, parts.features, handle))
    // shares no layer with the service, which has a router of its own
    const app = yield* HttpRouter.toHttpEffect(routes(parts, pending.id, handles)).pipe(
      Effect.provideServiceEffect(Layer.CurrentMemoMap, Layer.makeMemoMap),
      Effect.provideService(HttpRouter.RouterConfig, Routes.routerConfig)
    )
    early.handle = yield* NodeHttpServer.makeHandler(app, { scope: yield* Effect.scope })
    yield* Schemas.logPending(pending, yield* Effect.provideService(urlOf(config), HttpServer.HttpServer, server))
  })
  return config.migrate ? undefined : whilePending
})
