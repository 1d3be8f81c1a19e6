// A caller without the right sees nothing of a paused run through any way in, does not continue it and leaves it as it
// is. The ways are read out of the protocols: a new one needs a request in Doors.ts.
import { assert, describe, it, layer } from "@effect/vitest"
import { defaultProtocols } from "@svc-runtime/http/Settings"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Effect, Layer } from "effect"
import * as Protocols from "../../src/Protocols.ts"
import * as Mcp from "../mcp/Mcp.ts"
import type { Answer } from "../Wire.ts"
import { call, claims, everything, mint, theIssuer, token } from "./Closed.ts"
import { all, doors, marker, paused, routes, type Run, served, tools, waits } from "./Doors.ts"

const stored = Effect.fnUntraced(function*(server: TestServer.TestServer, { session }: Run) {
  const ann = yield* token("ann", ...all)
  const texts = yield* Effect.forEach(
    [`/sessions/${session}`, `/sessions/${session}/runs`],
    (path) => Effect.map(call(server, { path }, ann), ({ text }) => text)
  )
  assert.isTrue(texts.every((text) => text.includes(marker)), texts.join("\n"))
  return texts
})

const limited = Effect.flatMap(theIssuer, (issuer) => issuer.sign({ ...claims("ann", all), session_id: "claimed" }))

const ofTenant = (sub: string, ...scopes: ReadonlyArray<string>) =>
  Effect.flatMap(theIssuer, (issuer) => issuer.sign({ ...claims(sub, scopes), org: "acme" }))

type Bearer = (server: TestServer.TestServer) => Effect.Effect<string>

const strangers: Readonly<Record<string, Bearer>> = {
  "another user": () => token("bob", ...all),
  "a token without a subject": () => token(undefined, ...all),
  "a token without a scope": () => token("ann"),
  "a token with odd scopes": () =>
    token("ann", "agents:other:run", "agents:PRESS:run", "AGENTS:run", "agents:run ", "agent:run", "*:run", "run", ""),
  "a token for another session": () => limited,
  "the same subject of a tenant": () => ofTenant("ann", ...all),
  "an admin of a tenant": () => ofTenant("root", "platform:admin"),
  "another user with a role for everything": () => token("bob", "role:everything"),
  "a token with a role without the scope": () => token("ann", "role:reader", "role:none"),
  "a service account": (server) =>
    Effect.gen(function*() {
      const admin = yield* token("root", "platform:admin")
      return (yield* mint(server, admin, { name: "bot", scopes: everything })).token
    })
}

class Served extends Context.Service<
  Served,
  Effect.Success<ReturnType<typeof served>> & {
    readonly bearer: string
    readonly run: Run
    readonly before: ReadonlyArray<string>
  }
>()("@svc-runtime/server/test/ProtocolDoors/Served") {
  static readonly layer = (bearer: Bearer) =>
    Layer.effect(
      Served,
      Effect.gen(function*() {
        const made = yield* served()
        const { server } = made
        const run = yield* paused(made, "anns")
        return Served.of({ ...made, run, bearer: yield* bearer(server), before: yield* stored(server, run) })
      })
    )
}

const third = Math.ceil(doors.length / 3)

describe.each(Object.entries(strangers))("%s", (who, bearer) => {
  layer(Served.layer(bearer))((it) => {
    // in the fast tier each of three strangers tries another third of the doors
    it.effect.each(Tier.some(doors, third, Object.keys(strangers).indexOf(who)))(
      "%s shows and changes nothing of a run of another one",
      ([name, door]) =>
        Effect.gen(function*() {
          const { bearer, before, run, seen, server } = yield* Served
          const { status, text } = yield* door(run)(server, bearer)
          assert.isBelow(status, 500, text)
          assert.notInclude(text, marker, name)
          assert.strictEqual(seen.published, 0, name)
          if (who.includes("scope")) assert.strictEqual(seen.built, 1, name)
          assert.deepStrictEqual(yield* stored(server, run), before, name)
        })
    )
  })
})

/** What each door does, for a run of its own: it starts or continues one, or it does not. */
const through = Effect.fnUntraced(function*(bearer: string) {
  const made = yield* served()
  const { seen, server } = made
  const acting: Array<string> = []
  const answers: Array<readonly [name: string, answer: Answer]> = []
  for (const [place, [name, door]] of doors.filter((each) => !waits(each)).entries()) {
    const run = yield* paused(made, String(place))
    const { calls, published } = seen
    answers.push([name, yield* door(run)(server, bearer)])
    // some respond when the run is accepted: its events end when it does, or waits again
    const events = `/agents/press/runs/${run.run}/events?session_id=${run.session}`
    const { status, text } = yield* call(server, { path: events }, yield* token("ann", ...all))
    assert.strictEqual(status, 200, text)
    if (seen.calls > calls || seen.published > published) acting.push(name)
  }
  return { acting, answers }
})

const starting = [
  "A2A SendMessage",
  "A2A SendStreamingMessage",
  "A2A message/send",
  "A2A message/stream",
  "AG-UI that begins a branch",
  "MCP continue_run",
  "MCP run_agent",
  "MCP tasks/update",
  "POST /a2a/agents/:id/message::send",
  "POST /a2a/agents/:id/message::stream",
  "POST /a2a/agents/:id/v1/message::send",
  "POST /a2a/agents/:id/v1/message::stream",
  "POST /a2a/message/send",
  "POST /a2a/message/stream",
  "POST /agents/:id/agui",
  "POST /agents/:id/chat",
  "POST /copilotkit/agent/:id/run",
  "POST /v1/chat/completions",
  "POST /v1/responses",
  "a chat that is answered again",
  "a response after another one",
  "a response with an item of another one",
  "a run after another one"
]

describe("the route of runs is mapped to another scope", () => {
  it.effect("a caller without it starts and continues no run through any door", () =>
    Effect.gen(function*() {
      const { acting } = yield* through(yield* token("ann", ...everything))
      assert.deepStrictEqual(acting, [])
    }))

  it.effect("a role with its scopes opens the same doors as the scopes", () =>
    Effect.gen(function*() {
      const { acting } = yield* through(yield* token("ann", "role:everything"))
      assert.deepStrictEqual(acting.toSorted(), starting)
    }))

  it.effect("the owner of a run with it gets through each door, and some of them start or continue a run", () =>
    Effect.gen(function*() {
      const { acting, answers } = yield* through(yield* token("ann", ...all))
      // the receiver of a push is no public address, and there are no teams and workflows
      const unusable = /push|run_team|run_workflow/i
      const refused = answers.flatMap(([name, { status, text }]) =>
        !unusable.test(name) && (status >= 400 || /"error":\{|RUN_ERROR|"isError":true/.test(text))
          ? [`${name}: ${status} ${text}`]
          : []
      )
      assert.deepStrictEqual(refused, [])
      assert.deepStrictEqual(acting.toSorted(), starting)
    }))
})

describe("a token for one session", () => {
  it.effect("a token for one session finds its run through each door that names a session, whatever its name", () =>
    Effect.gen(function*() {
      const naming = doors.filter(([name]) => /agui|\/chat$|chat_id|copilotkit\/agent/.test(name))
      assert.lengthOf(naming, 7)
      for (const [place, [name, door]] of naming.entries()) {
        const made = yield* served()
        const run = yield* paused(made, String(place), limited)
        const { status, text } = yield* door(run)(made.server, yield* limited)
        assert.strictEqual(status, 200, `${name}: ${text}`)
        assert.notInclude(text, "RUN_ERROR", name)
        if (name.endsWith("/stop")) assert.deepStrictEqual(text, `{"stopped":true}`, name)
        if (/stream$|connect$/.test(name)) assert.include(text, marker, name)
      }
    }))
})

describe("a new way in", () => {
  it("each route of a protocol has a request here, and each kind of component has the same routes", () => {
    const served = Protocols.routesOf(defaultProtocols).map(({ method, path }) => `${method} ${path}`)
    const generic = served.map((route) => route.replace(/\/(teams|workflows)\/:id/, "/agents/:id"))
    assert.sameMembers(Object.keys(routes), [...new Set(generic)])
  })

  it.effect("each tool of MCP has a request here", () =>
    Effect.gen(function*() {
      const { server } = yield* served()
      const session = yield* Mcp.open(server, { bearer: yield* token("root", "platform:admin") })
      assert.sameMembers(Object.keys(tools), [...yield* Mcp.toolNames(session)])
    }))
})
