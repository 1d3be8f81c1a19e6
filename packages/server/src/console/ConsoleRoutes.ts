// `/console/`: the console's page and its files. They are the same for every caller: the page calls the API with the
// token of the person who uses it. Its paths are relative, so it works behind any prefix of a proxy.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as ConsoleOAuth from "@svc-runtime/http/authorization/ConsoleOAuth"
import { Effect, type FileSystem, Layer, type Path } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as StaticFile from "../StaticFile.ts"
import * as ConsoleFiles from "./ConsoleFiles.ts"

export const paths: ReadonlyArray<string> = ["/console", "/console/*"]

/** The page executes its own script only, and calls its own service and the authorization server only. */
const guardsOf = (oauth: ConsoleOAuth.ConsoleOAuth | undefined) => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    `connect-src ${ConsoleOAuth.sourcesOf(oauth)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types dompurify"
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin"
})

const toPage = HttpServerResponse.empty({ status: 307, headers: { location: "console/" } })

const notFound = HttpServerResponse.jsonUnsafe({ detail: "Not Found", error_code: "NOT_FOUND" }, { status: 404 })

const notBuilt = ({ message }: ConsoleFiles.ConsoleNotBuilt) =>
  Effect.as(
    Effect.logError(message),
    HttpServerResponse.jsonUnsafe({ detail: message, error_code: "SERVICE_UNAVAILABLE" }, { status: 503 })
  )

const routes = (oauth: ConsoleOAuth.ConsoleOAuth | undefined) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const guards = guardsOf(oauth)
    const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
    let loaded: ReadonlyMap<string, StaticFile.StaticFile> | undefined
    const load = Effect.suspend(() =>
      loaded === undefined
        ? Effect.tap(Effect.provide(ConsoleFiles.load(guards), services), (files) =>
          Effect.sync(() => {
            loaded = files
          }))
        : Effect.succeed(loaded)
    )
    const file = (name: string) =>
      Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        const found = (yield* load).get(name)
        return found === undefined ? notFound : StaticFile.respond(request, found)
      }).pipe(Effect.catchTag("ConsoleNotBuilt", notBuilt))
    // the router reads both spellings as one path, and the page's relative paths need the slash
    yield* router.add(
      "GET",
      "/console",
      Effect.flatMap(
        HttpServerRequest.HttpServerRequest,
        ({ url }) => url.split("?")[0]?.endsWith("/") === true ? file(ConsoleFiles.page) : Effect.succeed(toPage)
      )
    )
    const signIn = HttpServerResponse.jsonUnsafe(ConsoleOAuth.documentOf(oauth), {
      headers: { ...guards, "cache-control": "no-cache" }
    })
    yield* router.add("GET", "/console/sign-in.json", signIn)
    yield* router.add(
      "GET",
      "/console/:file",
      Effect.flatMap(HttpRouter.params, ({ file: name = "" }) => file(name))
    )
  }))

export const layer = (isEnabled: boolean, oauth: ConsoleOAuth.ConsoleOAuth | undefined) =>
  isEnabled ? Layer.provide(routes(oauth), NodeHttpServer.layerHttpServices) : Layer.empty
