// #region
import { CurrentPrincipal, Route, serve } from "@svc-runtime/server"
import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

const caller = HttpApiEndpoint.get("caller", "/caller", { success: Schema.Struct({ user: Schema.String }) })
  .annotateMerge(Route.requires("people:read"))
const People = HttpApi.make("people").add(HttpApiGroup.make("people").add(caller))
const handlers = HttpApiBuilder.group(
  People,
  "people",
  (handlers) =>
    handlers.handle("caller", () => CurrentPrincipal.useSync(({ user_id }) => ({ user: user_id ?? "anonymous" })))
)

const page = HttpRouter.add("GET", "/shop", HttpServerResponse.html("<h1>Shop</h1>"))

const frames = HttpRouter.middleware(
  (app) => Effect.map(app, HttpServerResponse.setHeader("x-frame-options", "DENY")),
  { global: true }
)

serve({
  routes: [Route.api(People, handlers), Route.layer(page, { "GET /shop": "none" })],
  middleware: [frames]
})
// #endregion
