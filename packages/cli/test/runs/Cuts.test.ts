// A run whose stream of events is cut.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { answering, eventsOf, open } from "./Service.ts"

/** A body whose connection breaks after this text. */
const broken = (text: string) =>
  new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (text === "") return controller.error(new TypeError("the connection was closed"))
      controller.enqueue(new TextEncoder().encode(text))
      text = ""
    }
  })

describe("svc run whose connection is cut", () => {
  it.live(
    "wherever the stream breaks off, each event is printed once, and one run is started",
    () =>
      Effect.gen(function*() {
        const { http, svc } = yield* open(answering(...Array.from({ length: 9 }, () => "Hello.")))
        const whole = eventsOf((yield* svc(["run", "agent/mailer", "Hi", "--json"])).stdout).map(({ event }) => event)
        assert.isAbove(whole.length, 2)
        for (const [kept] of whole.entries()) {
          let isCut = false
          const cut = async (request: Request) => {
            const response = await http(request)
            if (isCut || !request.url.endsWith("/runs")) return response
            isCut = true
            const events = (await response.text()).split("\n\n").slice(0, kept)
            const half = events.length === 0 ? "" : `${events.join("\n\n")}\n\nevent: RunCont`
            return new Response(broken(half), { headers: { "content-type": "text/event-stream" } })
          }
          const { code, stderr, stdout } = yield* svc(["run", "agent/mailer", "Hi", "--json"], { http: cut })
          assert.strictEqual(code, 0, stderr)
          assert.isTrue(isCut)
          assert.deepStrictEqual(eventsOf(stdout).map(({ event }) => event), whole, `${kept} events before the cut`)
          assert.lengthOf(new Set(eventsOf(stdout).map(({ run_id }) => run_id)), 1)
        }
      }),
    30_000
  )

  it.live("a response that is no stream is an error that asks for the address", () =>
    Effect.gen(function*() {
      const { http, svc } = yield* open(answering("Hello."))
      const page = (request: Request) =>
        request.url.endsWith("/runs")
          ? new Response("<html>", { headers: { "content-type": "text/html" } })
          : http(request)
      const { code, stderr } = yield* svc(["run", "agent/mailer", "Hi"], { http: page })
      assert.strictEqual(code, 1)
      assert.include(
        stderr,
        "http://localhost:7777/agents/mailer/runs responded with text/html. Is it the address of a service of Svc? (HTTP 200)"
      )
    }))
})
