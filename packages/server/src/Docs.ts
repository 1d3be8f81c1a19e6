// The documentation pages: `/openapi.json`, `/docs` (to try requests), `/redoc` (to read) and the page to which a
// sign-in from `/docs` returns. The pages contain their scripts and need no network. They have megabytes, so they are
// made at their first request, and kept.
import type { ServiceApi } from "@svc-runtime/api"
import * as OpenApiDocument from "@svc-runtime/features/document/OpenApiDocument"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import { HttpApiScalar, HttpApiSwagger, OpenApi } from "effect/http-api"
import type { Route } from "./routes/Route.ts"
import * as RouteDocument from "./routes/RouteDocument.ts"
import * as StaticFile from "./StaticFile.ts"

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
    return html.replace(place, () => `${place} ${unquoted}`)
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

const html = "text/html; charset=utf-8"

/** No page can be framed: another page could lead a click to it. */
const guards = (policy: string) => ({
  "content-security-policy": `${policy}; base-uri 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer"
})

const own = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:"

/** The page cannot ask another host, whatever its script does. */
const alone = guards(own)

/** A sign-in asks the identity provider for a token. */
const withConnections = guards(`${own}; connect-src *`)

/** Passes the response of the identity provider to the page that requested the sign-in, and closes. */
const oauthRedirect = `<!doctype html>
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
</html>`

const pages = (documented: ServiceApi.AnyApi, routes: ReadonlyArray<Route>) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const added = RouteDocument.merged(routes.map(({ document }) => document()))
    const api = routes.length === 0 ? documented : withRoutes(documented, added)
    const serve = Effect.fnUntraced(
      function*(path: HttpRouter.PathInput, text: Effect.Effect<string>, contentType: string, headers = {}) {
        // a client that disconnects meanwhile does not end it for all others
        const file = yield* Effect.cached(
          Effect.uninterruptible(Effect.flatMap(text, (text) => StaticFile.ofText(text, { contentType, headers })))
        )
        yield* router.add(
          "GET",
          path,
          Effect.flatMap(
            HttpServerRequest.HttpServerRequest,
            (request) => Effect.map(file, (file) => StaticFile.respond(request, file))
          )
        )
      }
    )
    const document = Effect.sync(() => JSON.stringify(OpenApi.fromApi(api)))
    yield* serve("/openapi.json", document, "application/json", { "x-content-type-options": "nosniff" })
    yield* serve("/docs", rendered(HttpApiSwagger.layer(api, { path: "/docs" }), "/docs"), html, withConnections)
    yield* serve(
      "/docs/oauth2-redirect",
      Effect.succeed(oauthRedirect),
      html,
      guards("default-src 'none'; script-src 'unsafe-inline'")
    )
    yield* serve("/redoc", rendered(HttpApiScalar.layer(api, { path: "/redoc", scalar }), "/redoc"), html, alone)
  }))

export const layer = (
  enabled: boolean,
  served: ServiceApi.AnyApi,
  routes: ReadonlyArray<Route> = []
): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  enabled ? pages(OpenApiDocument.documentedOf(served), routes) : Layer.empty
