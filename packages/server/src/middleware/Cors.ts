// The CORS rules. An allowed origin gets headers with its own name. Any other origin gets none, and its preflight is
// answered as a method that the path does not have.
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
    allowedMethods: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    // headers that a client of MCP reads and sends back, and the id to search the log for
    exposedHeaders: ["Mcp-Session-Id", "Mcp-Protocol-Version", "X-Request-Id"],
    credentials: true
  })
  return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      const { origin } = headers
      return origin !== undefined && origins.has(origin) ? allowed(app) : Effect.andThen(varied, app)
    })
}
