// A service that is closed, an issuer whose tokens it accepts, and what Ann has in it.
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import { RequiredScope } from "@svc-runtime/api"
import * as Agent from "@svc-runtime/features/Agent"
import { Api } from "@svc-runtime/features/Api"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tokens from "@svc-runtime/test-support/Tokens"
import { Context, Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { always, ask, at, second, serve } from "../Wire.ts"
import type { Request, Subject } from "./Endpoints.ts"

/** Made once: making keys takes longer than most tests. */
let made: Tokens.Issuer | undefined
export const theIssuer = Effect.suspend(() =>
  made === undefined
    ? Effect.tap(Tokens.issuer("RS256", "k1"), (issuer) => Effect.sync(() => void (made = issuer)))
    : Effect.succeed(made)
)

/** The id of the service is the audience that tokens have to name. */
const audience = "svc"

export const claims = (sub: string | undefined, scopes: ReadonlyArray<string>) => ({
  ...(sub === undefined ? {} : { sub }),
  scopes: [...scopes],
  aud: audience,
  exp: second + 3600
})

export const token = (sub: string | undefined, ...scopes: ReadonlyArray<string>) =>
  Effect.flatMap(theIssuer, (issuer) => issuer.sign(claims(sub, scopes)))

const withToken = (request: RequestInit | undefined, bearer: string | undefined): RequestInit =>
  bearer === undefined
    ? request ?? {}
    : { ...request, headers: { ...request?.headers as Record<string, string>, authorization: `Bearer ${bearer}` } }

export const call = (server: TestServer.TestServer, { init, path }: Request, bearer?: string) =>
  ask(server, path, withToken(init, bearer))

export const agents = Effect.gen(function*() {
  const { model } = yield* always(Script.text("Hello."))
  return ["assistant", "other"].map((id) => Agent.make({ id, name: id, model }))
})

const teams = Effect.map(
  agents,
  ([member]) =>
    ["desk", "other"].map((id) =>
      Team.make({ id, name: id, model: member?.model, members: member === undefined ? [] : [member] })
    )
)

const workflows = [
  Workflow.make({ id: "brief", steps: [() => "Brief."] }),
  Workflow.make({ id: "other", steps: [() => "Other."] })
]

/** Written once for each process. The run of vitest removes its temporary files. */
let keySet: string | undefined

/** As `authorization` of a service. */
export const closed = Effect.map(theIssuer, (issuer): NonNullable<TestServer.Options["authorization"]> => {
  if (keySet === undefined) {
    keySet = join(mkdtempSync(join(tmpdir(), "svc-keys-")), "jwks.json")
    writeFileSync(keySet, JSON.stringify({ keys: [issuer.publicJwk] }))
  }
  return { enabled: true, jwksFile: keySet, verifyAudience: true }
})

/** The scopes of all endpoints, and the one that their handlers require as well. */
export const everything: ReadonlyArray<string> = (() => {
  const scopes = new Set(["metrics:scrape"])
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const scope = Context.getOrUndefined(endpoint.annotations, RequiredScope)
      if (scope !== undefined && scope !== "none") scopes.add(scope)
    }
  })
  return [...scopes]
})()

export const serveClosed = (options: TestServer.Options = {}) =>
  Effect.gen(function*() {
    return yield* serve({
      agents: yield* agents,
      teams: yield* teams,
      workflows,
      authorization: yield* closed,
      ...options
    })
  })

export const serveOpen = Effect.gen(function*() {
  return yield* serve({ agents: yield* agents, teams: yield* teams, workflows })
})

const start = (
  server: TestServer.TestServer,
  path: string,
  names: Readonly<Record<string, string>>,
  bearer?: string
) => {
  const body = new URLSearchParams({ message: "hello", stream: "false", ...names })
  return call(server, { path, init: { method: "POST", body } }, bearer)
}

/** A session with a run in it; and one with the run of a team, and of a workflow, for callers who may run one. */
export const seed = Effect.fnUntraced(function*(
  server: TestServer.TestServer,
  bearer?: string,
  user = "ann",
  message = "hello"
) {
  const subject: Subject = {
    agent: "assistant",
    session: `${user}s`,
    run: `${user}-1`,
    account: "none",
    approval: "none",
    memory: `${user}-memory`,
    learning: `user_profile_${user}`
  }
  const { run, session } = subject
  const names = { session_id: session, run_id: run, user_id: user, message }
  yield* start(server, "/agents/assistant/runs", names, bearer)
  for (const [path, suffix] of [["/teams/desk/runs", "-team"], ["/workflows/brief/runs", "-flow"]] as const) {
    yield* start(server, path, { ...names, session_id: `${session}${suffix}`, run_id: `${run}${suffix}` }, bearer)
  }
  return subject
})

/** A memory of a user, made by an admin. */
export const seedMemory = (server: TestServer.TestServer, admin?: string, user = "ann") =>
  call(server, {
    path: `/memories/${user}-memory`,
    init: {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ memory: "likes a cup of green tea", topics: ["drinks"], user_id: user })
    }
  }, admin)

/** A learning about a user, made by an admin. */
export const seedLearning = (server: TestServer.TestServer, admin?: string, user = "ann") =>
  call(server, {
    path: "/learnings",
    init: {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ learning_type: "user_profile", user_id: user, content: { name: "Ann of the Glade" } })
    }
  }, admin)

/** An account and its token, made by an admin. */
export const mint = Effect.fnUntraced(function*(
  server: TestServer.TestServer,
  admin: string,
  body: Readonly<Record<string, unknown>>
) {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ allow_privileged_scopes: true, ...body })
  }
  const answer = yield* call(server, { path: "/service-accounts", init }, admin)
  return { id: String(at(answer.json, "id")), token: String(at(answer.json, "token")) }
})
