// Requests about runs that the service refuses: what the error says, and what can be done next.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { documentOf } from "../Cli.ts"
import { alive, fakeService } from "../FakeService.ts"
import { answering, asking, open } from "./Service.ts"

Tier.oneIn(3)

describe("a request that the service refuses", () => {
  it.live("the error of a refused request says whether a run was started or continued", () =>
    Effect.gen(function*() {
      const { svc } = yield* open({ turns: asking() })
      const started = yield* svc(["run", "agent/none", "Hi"])
      assert.include(
        started.stderr,
        "Starting a run of agent/none failed: Agent not found: 'none'. The service has 'mailer'. GET /agents lists all. (HTTP 404)\n"
      )
      yield* svc(["run", "agent/mailer", "Write"])
      const id = documentOf<{ runs: ReadonlyArray<{ run_id: string }> }>(yield* svc(["runs", "list", "--json"]))
        .runs[0]?.run_id ?? ""
      yield* svc(["runs", "cancel", id])
      const continued = yield* svc(["runs", "continue", id])
      assert.strictEqual(continued.code, 1)
      assert.match(continued.stderr, /^Continuing the run failed: .+ \(HTTP \d+\)$/m)
    }))

  it.live("the error about a component that the service does not have lists its components", () =>
    Effect.gen(function*() {
      const { svc } = yield* open(answering())
      for (const more of [[], ["--background"]]) {
        const { hint } = documentOf(yield* svc(["run", "agent/none", "Hi", "--json", ...more]))
        assert.strictEqual(hint, "The service has agent/mailer.")
      }
      const talk = yield* svc(["chat", "agent/none"], { terminal: true, replies: ["Hi", ""] })
      assert.include(talk.stderr, "GET /agents lists all. (HTTP 404). The service has agent/mailer.\n")
    }))

  it.live("a field that the service does not know is shown once on standard error, and not with --json", () =>
    Effect.gen(function*() {
      const { http, svc } = yield* open(answering("One.", "Two."))
      const misspelt = async (request: Request) => {
        const response = await http(request)
        const headers = new Headers(response.headers)
        headers.set("warning", "299 - \"The field 'mesage' is unknown. Is 'message' meant?\"")
        return new Response(response.body, { status: response.status, headers })
      }
      const ran = yield* svc(["run", "agent/mailer", "Hi"], { http: misspelt })
      assert.strictEqual(ran.stderr.match(/The field 'mesage' is unknown\. Is 'message' meant\?\n/g)?.length, 1)
      assert.strictEqual((yield* svc(["run", "agent/mailer", "Hi", "--json"], { http: misspelt })).stderr, "")
    }))

  it.live("the error about an address of another program says so", () =>
    Effect.gen(function*() {
      const { svc } = yield* open(answering())
      const page = new Response("<html>", { status: 404, headers: { "content-type": "text/html" } })
      const ran = yield* svc(["run", "agent/mailer", "Hi"], { http: async () => page.clone() })
      assert.include(
        ran.stderr,
        "HTTP 404 from http://localhost:7777/health. That is a web page: is it the address of a service of Svc?"
      )
      const other = Response.json({ detail: "Not Found" }, { status: 404 })
      const healthy = async (request: Request) =>
        request.url.endsWith("/health") ? Response.json({ status: "ok" }) : other.clone()
      assert.include(
        (yield* svc(["run", "agent/mailer", "Hi"], { http: healthy })).stderr,
        "(auth mode: unknown; is it the address of a service of Svc?)"
      )
      const machine = { http: healthy, variables: { PLATFORM_ADMIN_TOKEN: "token" } }
      assert.match(
        (yield* svc(["run", "agent/mailer", "Hi"], machine)).stderr,
        /http:\/\/localhost:7777\/\S+: Not Found\. Is it the address of a service of Svc\?/
      )
    }))

  it.live("a person sees that the connection of a run was cut, and the answer reads on", () =>
    Effect.gen(function*() {
      const { http, svc } = yield* open(answering("Hello."))
      let isCut = false
      let refused = 0
      const cut = async (request: Request) => {
        if (isCut && refused++ < 7) throw new TypeError("refused")
        const answer = await http(request)
        if (!request.url.endsWith("/runs")) return answer
        isCut = true
        const [begin = ""] = (await answer.text()).split("\n\n", 1)
        return new Response(`${begin}\n\n`, { headers: { "content-type": "text/event-stream" } })
      }
      const ran = yield* svc(["run", "agent/mailer", "Hi"], { http: cut })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.strictEqual(ran.written, "Hello.\n")
      assert.strictEqual(
        ran.stderr.match(/The service does not respond\. The answer continues when it does\./g)?.length,
        1
      )
    }))

  it.live("a token that is refused in the middle of a run is followed by how to see its end", () =>
    Effect.gen(function*() {
      const { http, svc } = yield* open(answering("Hello."))
      let id = ""
      const cut = async (request: Request) => {
        if (id !== "") return Response.json({ detail: "Invalid or expired token" }, { status: 401 })
        const answer = await http(request)
        if (!request.url.endsWith("/runs")) return answer
        const events = (await answer.text()).split("\n\n")
        const answered = events.findLastIndex((event) => event.startsWith("event: RunContent\n"))
        const begin = events.slice(0, answered + 1).join("\n\n")
        id = /"run_id":"([^"]+)"/.exec(begin)?.[1] ?? ""
        return new Response(`${begin}\n\n`, { headers: { "content-type": "text/event-stream" } })
      }
      const ran = yield* svc(["run", "agent/mailer", "Hi"], { http: cut })
      assert.strictEqual(ran.code, 1)
      assert.include(ran.stderr, "Following the run failed: Invalid or expired token (HTTP 401)")
      assert.include(ran.stderr, `Then follow the run with svc runs watch ${id}.`)
      // the error has a line of its own
      assert.strictEqual(ran.written, "Hello.\n")
    }))

  it.live("a credential that may not list components gets a name to try, and no claim that there are none", () =>
    Effect.gen(function*() {
      const { http, svc } = yield* open(answering())
      const limited = (hidden: RegExp) => (request: Request) =>
        hidden.test(new URL(request.url).pathname)
          ? Response.json({ detail: "Insufficient scopes" }, { status: 403 })
          : http(request)
      const nothing = documentOf(yield* svc(["run", "mailer", "Hi", "--json"], { http: limited(/s$/) }))
      assert.deepStrictEqual(nothing, {
        error: "No component 'mailer' was found",
        hint: "The credential may not list agents, teams and workflows: try agent/mailer."
      })
      const some = documentOf(yield* svc(["run", "none", "Hi", "--json"], { http: limited(/^\/(teams|workflows)$/) }))
      assert.deepStrictEqual(some, {
        error: "No component 'none' was found",
        hint: "The service has agent/mailer. The credential may not list teams and workflows: try team/none."
      })
    }))

  it.live("a credential without the scope is followed by who can make another one", () =>
    Effect.gen(function*() {
      const { svc } = yield* open(answering())
      const http = () => Response.json({ detail: "Insufficient scopes" }, { status: 403 })
      const found = alive({ auth_mode: "security_key" })
      const service = fakeService({ "http://localhost:7777": { ...found, "GET /sessions": http } })
      const ran = yield* svc(["sessions", "list", "--json"], {
        http: service.http,
        variables: { PLATFORM_ADMIN_TOKEN: "svc_pat_small" }
      })
      assert.strictEqual(
        documentOf(ran).hint,
        "Export a token with the scope as PLATFORM_ADMIN_TOKEN. An operator makes one with svc tokens create."
      )
    }))
})
