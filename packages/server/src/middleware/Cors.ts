// Which pages may call the service from a browser. An allowed origin is named back to itself; any other gets no
// permission at all, and its preflight is a method that the path does not have.
import { Effect } from "effect"
import { HttpEffect, HttpMiddleware, HttpServerRequest, HttpServerResponse } from "effect/http"

/** None by default. `*` is dropped: with credentials it would let every page on the web call. */
export const originsOf = (configured: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(configured.filter((origin) => origin !== "*"))

/** Caches must not hand one origin's answer to another, not even an error. */
const varied = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(HttpServerResponse.setHeader(response, "vary", "Origin"))
)

export const crossOrigin = (origins: ReadonlySet<string>) => {
  const allowed = HttpMiddleware.cors({
    allowedOrigins: (origin) => origins.has(origin),
    allowedMethods: ["GET", "POST", "PATCH", "DELETE", "OPTIONS"],
    // what a client of MCP has to read and send back
    exposedHeaders: ["Mcp-Session-Id", "Mcp-Protocol-Version"],
    credentials: true
  })
  return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      const { origin } = headers
      return origin !== undefined && origins.has(origin) ? allowed(app) : Effect.andThen(varied, app)
    })
}
