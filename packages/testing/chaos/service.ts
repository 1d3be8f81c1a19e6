// The service that dies: the real one, with points around its store, its model and whatever it does to the world.
import { ApprovalStore, RunStore } from "@svc/runtime"
import { Application, Config, HttpServer, run } from "@svc/server"
import { resolve } from "@svc/server/authorization/AuthorizationOptions"
import { greet } from "@svc/server/Greeting"
import * as Logging from "@svc/server/Logging"
import * as Recovery from "@svc/server/Recovery"
import * as Routes from "@svc/server/Routes"
import * as Storage from "@svc/server/Storage"
import { Duration, Effect, Layer, References } from "effect"
import { HttpRouter } from "effect/http"
import * as Components from "./Components.ts"
import * as PointedFetch from "./PointedFetch.ts"
import * as PointedStore from "./PointedStore.ts"

const storage = (config: Config) =>
  Layer.merge(
    Layer.effect(RunStore, RunStore.useSync((store) => RunStore.of(PointedStore.make(store)))),
    Layer.effect(ApprovalStore, ApprovalStore.useSync((store) => ApprovalStore.of(PointedStore.approvals(store))))
  ).pipe(Layer.provideMerge(Storage.layer(config)))

const assemble = Effect.gen(function*() {
  const config = yield* Config
  const access = yield* Effect.fromResult(resolve({}, "svc"))
  const models = { model: config.model, openaiBaseUrl: config.openaiBaseUrl }
  const routes = Application.layerRoutes({
    agents: [Components.buyer, Components.clerk],
    teams: [Components.desk],
    workflows: [Components.purchase],
    settings: {
      id: "svc",
      name: "Chaos",
      description: undefined,
      version: "0",
      startedAt: 0,
      authMode: access.settings.mode,
      docs: false,
      mcp: { enabled: false },
      allowedHosts: undefined,
      limits: config.limits,
      availableModels: [],
      quickPrompts: {}
    },
    databaseId: "svc-db",
    node: Recovery.nodeName(config),
    drainTimeout: "1 second",
    nodeTimeout: config.databaseUrl === undefined ? undefined : Duration.toSeconds(config.nodeTimeout),
    models,
    factoryTimeout: config.factoryTimeout,
    corsOrigins: [],
    hosts: undefined,
    access
  })
  const served = HttpRouter.serve(routes, {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: Routes.routerConfig
  })
  return Layer.effectDiscard(greet(config, models, access)).pipe(
    Layer.provide(served),
    Layer.provide(HttpServer.layer(config)),
    Layer.provide(storage(config)),
    Layer.provide(Logging.layer(config.logLevel)),
    Layer.provide(Layer.succeed(References.TracerEnabled, false))
  )
})

PointedFetch.install()
run(Layer.unwrap(assemble))
