// The CORS rules. An allowed origin gets headers with its own name. Any other origin gets none, except with the refusal
// of its preflight, which says why.
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { Effect } from "effect"
import { HttpEffect, HttpMiddleware, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Origins from "../authorization/Origins.ts"
import { errorResponse } from "./ErrorResponses.ts"

const variedBy = (others: string | undefined): string => others === undefined ? "Origin" : `Origin, ${others}`

/** Caches must not hand one origin's response to another, not even an error. */
const varied = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(HttpServerResponse.setHeader(response, "vary", variedBy(response.headers["vary"])))
)

/** Browsers never send one to the service's own origin. */
const isPreflight = ({ headers, method }: HttpServerRequest.HttpServerRequest, origin: string): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined &&
  Origins.ownOf(origin, headers["host"]) === undefined

/** How many refused origins the log names. */
const maxLogged = 20

/** Logs each refused origin once. */
const refusing = () => {
  const logged = new Set<string>()
  return (origin: string) => {
    const response = errorResponse(403, "FORBIDDEN", Origins.detail, { ...Origins.readableBy(origin), vary: "Origin" })
    if (logged.has(origin) || logged.size >= maxLogged) return Effect.succeed(response)
    logged.add(origin)
    return Effect.logWarning("The preflight of a page was refused. Set CORS_ORIGIN_LIST to allow its origin").pipe(
      Effect.annotateLogs({ origin: origin.slice(0, 200) }),
      LogPart.inPart("http"),
      Effect.as(response)
    )
  }
}

export const crossOrigin = (origins: Origins.Origins) => {
  const allowed = HttpMiddleware.cors({
    allowedOrigins: origins.allows,
    allowedMethods: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    // headers that a client of MCP reads and sends back, the id to search the log for, what was wrong with fields,
    // where to sign in, and how long to wait
    exposedHeaders: [
      "Mcp-Session-Id",
      "Mcp-Protocol-Version",
      "X-Request-Id",
      "Warning",
      "WWW-Authenticate",
      "Retry-After"
    ],
    credentials: true
  })
  const refuse = refusing()
  return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const { origin } = request.headers
      if (origin === undefined) return Effect.andThen(varied, app)
      if (origins.allows(origin)) return allowed(app)
      return isPreflight(request, origin) ? refuse(origin) : Effect.andThen(varied, app)
    })
}
