// Every route × every credential, with the exact status and body. The routes are read out of the API;
// what a caller who is let in gets is the response of the open service to the same request.
import { assert, describe, it, layer } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as Tokens from "@svc-runtime/test-support/Tokens"
import { Clock, Context, Effect, Layer } from "effect"
import { type Answer, second, skippingClock, uuid } from "../Wire.ts"
import { call, claims, everything, mint, seed, seedMemory, serveClosed, serveOpen, theIssuer, token } from "./Closed.ts"
import { type Endpoint, endpoints } from "./Endpoints.ts"

const nowhere = {
  agent: "assistant",
  session: "anns",
  run: "ann-1",
  account: "none",
  approval: "none",
  memory: "none",
  learning: "none"
}

interface Refused {
  readonly status: number
  readonly error_code: string
  readonly detail: string
}

const unauthenticated = (detail: string): Refused => ({ status: 401, error_code: "UNAUTHENTICATED", detail })

const isRefused = (answer: Answer, { detail, error_code, status }: Refused, what: string) => {
  assert.strictEqual(answer.status, status, `${what}: ${answer.text}`)
  assert.deepStrictEqual(answer.json, { detail, error_code }, what)
  assert.strictEqual(answer.headers.get("content-type"), "application/json", what)
  assert.strictEqual(answer.headers.get("www-authenticate"), status === 401 ? "Bearer" : null, what)
}

/** Ids, names of nodes and of callers differ from one service to the next, and the metrics after each request. */
const comparable = (answer: Answer) => ({
  status: answer.status,
  text: answer.text.startsWith("# HELP ")
    ? "metrics"
    : answer.text.replaceAll(new RegExp(uuid.source.slice(1, -1), "g"), "<id>")
      .replaceAll(/test#[0-9a-f-]+/g, "<node>").replaceAll(/"seconds_since_heartbeat":\d+/g, "")
      // a caller of an open service has no name
      .replaceAll(/"(author|created_by)":"ann"/g, "\"$1\":null")
})

/** About the caller, who needs no scope for it. */
const isAboutCaller = ({ route }: Endpoint) => route === "GET /caller" || route.includes(" /channels/links")
/** Signed by a platform: `Channels.test.ts` in `wire` sends such requests. */
const isOfPlatform = ({ route }: Endpoint) => route.endsWith(" /channels/:channel_id/events")
const isOpen = (endpoint: Endpoint) => endpoint.scope === "none" && !isAboutCaller(endpoint) && !isOfPlatform(endpoint)
const guarded = endpoints.filter((endpoint) => !isOpen(endpoint) && !isOfPlatform(endpoint))
const scoped = guarded.filter((endpoint) => !isAboutCaller(endpoint))

const account = unauthenticated("Invalid or expired service account token")

/** Credentials that are not accepted anywhere. */
const strangers = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const issuer = yield* theIssuer
  const thief = yield* Tokens.issuer("RS256", "k1")
  // each route takes a minute of the clock
  const good = { ...claims("ann", everything), exp: second + 86_400 }
  const admin = yield* token("root", "platform:admin")
  const revoked = yield* mint(server, admin, { name: "revoked", scopes: everything })
  yield* call(server, { path: `/service-accounts/${revoked.id}`, init: { method: "DELETE" } }, admin)
  const credentials: ReadonlyArray<readonly [name: string, token: string | undefined, Refused]> = [
    ["no token", undefined, unauthenticated("Authorization header missing")],
    ["an empty token", " ", unauthenticated("Authorization header missing")],
    ["a malformed token", "abc", unauthenticated("Invalid token: it is not a JSON Web Token")],
    ["an expired token", yield* issuer.sign({ ...good, exp: second - 60 }), unauthenticated("Token has expired")],
    ["another key", yield* thief.sign(good), unauthenticated("Invalid token: its signature does not fit")],
    [
      "another audience",
      yield* issuer.sign({ ...good, aud: "elsewhere" }),
      unauthenticated("Invalid token audience - token not valid for this Svc instance")
    ],
    ["alg none", Tokens.forge({ alg: "none" }, good), unauthenticated("Invalid token: it is not signed with RS256")],
    [
      "HS256 with the public key for a secret",
      yield* Tokens.signWithSecret(good, issuer.publicPem),
      unauthenticated("Invalid token: it is not signed with RS256")
    ],
    [
      "an unknown key id",
      yield* issuer.sign(good, { kid: "unknown" }),
      unauthenticated("Invalid token: No verification keys configured")
    ],
    ["a reserved subject", yield* issuer.sign({ ...good, sub: "sa:bot" }), unauthenticated("Invalid token subject")],
    ["a revoked account", revoked.token, account],
    ["an account that never was", "svc_pat_0000", account]
  ]
  return credentials
})

describe("unauthenticated callers get the same response on every route, before anything else is checked", () => {
  it.effect("every unaccepted credential gets the same response", () =>
    Effect.gen(function*() {
      const { clock, skip } = yield* skippingClock
      const server = yield* Effect.provideService(serveClosed(), Clock.Clock, clock)
      const [none, ...credentials] = yield* strangers(server)
      for (const [place, endpoint] of guarded.entries()) {
        for (const [name, bearer, refused] of [none!, ...Tier.some(credentials, 2, place)]) {
          isRefused(yield* call(server, endpoint.request(nowhere), bearer), refused, `${endpoint.route}, ${name}`)
        }
        // a caller with too many failed attempts in one minute is refused with 429
        yield* skip(61)
      }
    }))

  it.effect("an account is unauthenticated from the second on in which it expires", () =>
    Effect.gen(function*() {
      const { clock, skip } = yield* skippingClock
      const server = yield* Effect.provideService(serveClosed(), Clock.Clock, clock)
      const issuer = yield* theIssuer
      const admin = yield* issuer.sign({ ...claims("root", ["platform:admin"]), exp: second + 2 * 86_400 })
      const { token } = yield* mint(server, admin, { name: "short", scopes: everything, expires_in_days: 1 })
      yield* skip(86_399)
      assert.strictEqual((yield* call(server, { path: "/agents" }, token)).status, 200)
      yield* skip(1)
      for (const endpoint of guarded) {
        isRefused(yield* call(server, endpoint.request(nowhere), token), account, endpoint.route)
        yield* skip(61)
      }
    }))

  it.effect.each(["/unknown", "/agents/x/y/z", "/sessions/a/b/c/d"])(
    "an unknown route %s is not found only by authenticated callers",
    (path) =>
      Effect.gen(function*() {
        const server = yield* serveClosed()
        isRefused(yield* call(server, { path }), unauthenticated("Authorization header missing"), path)
        const known = yield* call(server, { path }, yield* token("ann"))
        assert.strictEqual(known.status, 404)
        const method = yield* call(server, { path: "/agents", init: { method: "DELETE" } })
        isRefused(method, unauthenticated("Authorization header missing"), "a method that is not there")
        assert.strictEqual(
          (yield* call(server, { path: "/agents", init: { method: "DELETE" } }, yield* token("ann"))).status,
          405
        )
      })
  )
})

describe("the response to a caller without the scope names it", () => {
  const missing = ({ scope }: Endpoint): Refused => ({
    status: 403,
    error_code: "FORBIDDEN",
    detail: `Insufficient permissions. Required scope(s): ${scope}`
  })

  /** Everything but what is needed, and what looks like it. */
  const nearly = ({ scope }: Endpoint): ReadonlyArray<string> => {
    const [resource = "", action = ""] = scope.split(":")
    return [
      ...everything.filter((held) => held !== scope),
      `${resource}:*`,
      "*:*",
      "*",
      `${resource}`,
      `${resource.toUpperCase()}:${action}`,
      ` ${scope}`,
      `${resource}:elsewhere:${action === "read" ? "run" : "read"}`,
      scope === "config:write" ? "system:read" : "system:write"
    ]
  }

  it.effect("every route refuses callers without its scope, whatever other scopes they have", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const admin = yield* token("root", "platform:admin")
      for (const [index, endpoint] of scoped.entries()) {
        const { route, scope } = endpoint
        const account = yield* mint(server, admin, {
          name: `nearly-${index}`,
          scopes: everything.filter((held) => held !== scope)
        })
        const bearers = {
          "no scopes": yield* token("ann"),
          "other scopes": yield* token("ann", ...nearly(endpoint)),
          "an account without it": account.token
        }
        const request = endpoint.request(nowhere)
        for (const [name, bearer] of Object.entries(bearers)) {
          isRefused(yield* call(server, request, bearer), missing(endpoint), `${route}, ${name}`)
        }
        const another = yield* call(server, request, yield* token("ann", scope.replace(":", ":elsewhere:")))
        // a list has those components that the caller may see
        if (["GET /agents", "GET /teams", "GET /workflows"].includes(route)) {
          assert.deepStrictEqual([another.status, another.json], [200, []], route)
        } else isRefused(another, missing(endpoint), `${route}, the scope for another one`)
      }
    }))
})

const seedAll = Effect.fnUntraced(function*(server: TestServer.TestServer, bearer?: string, admin?: string) {
  yield* seedMemory(server, admin)
  return { server, subject: yield* seed(server, bearer) }
})

const seededOpen = Effect.flatMap(serveOpen, (server) => seedAll(server))

const seededClosed = Effect.gen(function*() {
  const admin = yield* token("root", "platform:admin")
  return yield* seedAll(yield* serveClosed(), yield* token("ann", "agents:run", "teams:run", "workflows:run"), admin)
})

/** Two services for all routes that only read. */
class Read extends Context.Service<Read, {
  readonly open: Effect.Success<typeof seededOpen>
  readonly closed: Effect.Success<typeof seededClosed>
}>()("@svc-runtime/server/test/Read") {
  static readonly layer = Layer.effect(
    Read,
    Effect.gen(function*() {
      return Read.of({ open: yield* seededOpen, closed: yield* seededClosed })
    })
  )
}

/** New services, with data where the request is about some. */
const emptyOpen = Effect.map(serveOpen, (server) => ({ server, subject: nowhere }))
const emptyClosed = Effect.map(serveClosed(), (server) => ({ server, subject: nowhere }))
const hasSubject = ({ isAboutUser, isOwned }: Endpoint) => isAboutUser || isOwned

layer(Read.layer)("who is let in gets what an open service responds with", (it) => {
  Tier.oneIn(6)

  const isRead = ({ route }: Endpoint) => route.startsWith("GET ")

  /** An open service mints no accounts and records no changes. A webhook has a secret of its own. */
  const different = ["GET /audit", "GET /audit/export", "POST /service-accounts", "POST /webhooks"]

  const expected = Effect.fnUntraced(function*(endpoint: Endpoint) {
    if (different.includes(endpoint.route)) return undefined
    const { server, subject } = isRead(endpoint)
      ? (yield* Read).open
      : yield* (hasSubject(endpoint) ? seededOpen : emptyOpen)
    return comparable(yield* call(server, endpoint.request(subject)))
  })

  const grantedWith = Effect.fnUntraced(function*(
    endpoint: Endpoint,
    open: ReturnType<typeof comparable> | undefined,
    scopes: ReadonlyArray<string>
  ) {
    const { server, subject } = isRead(endpoint)
      ? (yield* Read).closed
      : yield* (hasSubject(endpoint) ? seededClosed : emptyClosed)
    const answer = yield* call(server, endpoint.request(subject), yield* token("ann", ...scopes))
    if (open === undefined) assert.strictEqual(answer.status, isRead(endpoint) ? 200 : 201, answer.text)
    else assert.deepStrictEqual(comparable(answer), open, scopes.join(", "))
  })

  /** The scopes of which each one alone is enough, beside the further scopes. */
  const sufficient = ({ route, scope }: Endpoint): ReadonlyArray<string> => [
    scope,
    scope.replace(":", ":*:"),
    "platform:admin",
    ...(scope.startsWith("config:") ? [scope.replace("config:", "system:")] : []),
    ...(route.includes(":agent_id") ? [scope.replace(":", ":assistant:")] : []),
    ...(route.includes(":team_id") ? [scope.replace(":", ":desk:")] : []),
    ...(route.includes(":workflow_id") ? [scope.replace(":", ":brief:")] : [])
  ]

  /** Without them, the response has a part of what an open service shows. */
  const shown = (route: string) => route === "GET /config" ? ["agents:read", "teams:read", "workflows:read"] : []

  it.effect.each(scoped.map((endpoint, place) => ({ endpoint, place, route: endpoint.route })))(
    "an authorized caller of $route gets the answer of an open service",
    ({ endpoint, place, route }) =>
      Effect.gen(function*() {
        const open = yield* expected(endpoint)
        if (endpoint.furtherScopes.length > 0) {
          const refused = yield* call(
            yield* serveClosed(),
            endpoint.request(nowhere),
            yield* token("ann", endpoint.scope)
          )
          assert.strictEqual(refused.status, 403, refused.text)
        }
        // a route that writes needs new services for each grant
        const granted = Tier.some(sufficient(endpoint), isRead(endpoint) ? 3 : 1, place)
        for (const scope of granted) {
          yield* grantedWith(endpoint, open, [scope, ...endpoint.furtherScopes, ...shown(route)])
        }
      })
  )

  it.effect.each(endpoints.filter(isOpen))("$route is open, and ignores tokens", (endpoint) =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      for (const bearer of [undefined, "abc", "svc_pat_0000", yield* token("ann")]) {
        const answer = yield* call(server, endpoint.request(nowhere), bearer)
        assert.strictEqual(answer.status, 200)
      }
    }))
})
