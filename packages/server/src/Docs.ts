// The documentation pages: `/openapi.json`, `/docs` (to try requests), `/redoc` (to read) and the page to which a
// sign-in from `/docs` returns. The pages contain their scripts and need no network. They have megabytes, so they are
// made at their first request.
import type { ServiceApi } from "@svc-runtime/api"
import * as OpenApiDocument from "@svc-runtime/features/document/OpenApiDocument"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { HttpApiScalar, HttpApiSwagger, OpenApi } from "effect/http-api"
import type { Route } from "./routes/Route.ts"
import * as RouteDocument from "./routes/RouteDocument.ts"

/** Swagger shows a text of JSON lines as one quoted string, and would send it so. */
const unquoted = `requestInterceptor: (request) => {
          if (request.headers["Content-Type"] === "application/x-ndjson") {
            try {
              const text = JSON.parse(request.body)
              if (typeof text === "string") request.body = text
            } catch {}
          }
          return request
        },`

const place = `dom_id: "#swagger-ui",`

/** Renders a page of the library with one request in memory. */
const rendered = (page: Layer.Layer<never, never, HttpRouter.HttpRouter>, path: string) =>
  Effect.gen(function*() {
    const { dispose, handler } = HttpRouter.toWebHandler(page.pipe(Layer.provide(HttpServer.layerServices)), {
      disableLogger: true
    })
    const response = yield* Effect.promise(() => handler(new Request(`http://localhost${path}`)))
    const html = yield* Effect.promise(() => response.text())
    yield* Effect.promise(dispose)
    return HttpServerResponse.html(html.replace(place, () => `${place} ${unquoted}`))
  })

const withRoutes = (documented: ServiceApi.AnyApi, added: RouteDocument.Part) => {
  const described = Context.getUnsafe(
    documented.annotations as Context.Context<OpenApi.Transform>,
    OpenApi.Transform
  )
  return documented.annotate(
    OpenApi.Transform,
    (document) => RouteDocument.added(described(document), added)
  )
}

/** Without fonts, buttons and links of others. The types of the library do not have all options. */
const scalar = {
  withDefaultFonts: false,
  customCss: "a[href^='https://www.scalar.com'] { display: none }",
  hideClientButton: true,
  showDeveloperTools: "never",
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true }
}

/** The page cannot ask another host, whatever its script does. */
const alone = HttpServerResponse.setHeader(
  "content-security-policy",
  "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; base-uri 'none'; frame-ancestors 'none'"
)

/** The page asks the identity provider for tokens. No other page can show it in a frame, and steal clicks on it. */
const unframed = HttpServerResponse.setHeader("content-security-policy", "frame-ancestors 'none'")

/** Passes the response of the identity provider to the page that requested the sign-in, and closes. */
const oauthRedirect = unframed(HttpServerResponse.html(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Signed in</title></head>
<body>
<script>
  const pending = window.opener && window.opener.swaggerUIRedirectOauth2
  const response = new URLSearchParams(location.hash.length > 1 ? location.hash.slice(1) : location.search)
  if (pending && response.get("state") === pending.state) {
    if (response.has("code")) pending.auth.code = response.get("code")
    pending.callback({ auth: pending.auth, token: Object.fromEntries(response), isValid: true, redirectUrl: pending.redirectUrl })
    window.close()
  } else {
    document.body.textContent = "This page belongs to a sign-in that was started from /docs."
  }
</script>
</body>
</html>`))

const pages = (documented: ServiceApi.AnyApi, routes: ReadonlyArray<Route>) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const added = RouteDocument.merged(routes.map(({ document }) => document()))
    const api = routes.length === 0 ? documented : withRoutes(documented, added)
    const docs = yield* Effect.cached(
      Effect.map(rendered(HttpApiSwagger.layer(api, { path: "/docs" }), "/docs"), unframed)
    )
    const redoc = yield* Effect.cached(
      Effect.map(rendered(HttpApiScalar.layer(api, { path: "/redoc", scalar }), "/redoc"), alone)
    )
    const document = yield* Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(api))))
    yield* router.add("GET", "/openapi.json", document)
    yield* router.add("GET", "/docs", docs)
    yield* router.add("GET", "/docs/oauth2-redirect", Effect.succeed(oauthRedirect))
    yield* router.add("GET", "/redoc", redoc)
  }))

export const layer = (
  enabled: boolean,
  served: ServiceApi.AnyApi,
  routes: ReadonlyArray<Route> = []
): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  enabled ? pages(OpenApiDocument.documentedOf(served), routes) : Layer.empty
