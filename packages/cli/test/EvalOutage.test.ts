// eval run of a service that is busy, or away for some time: requests are repeated until the time of a run is over.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import { TestClock } from "effect/testing"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Outage } from "../src/evaluation/Outage.ts"
import * as RatedRun from "../src/evaluation/RatedRun.ts"
import { documentOf, type Place } from "./Cli.ts"
import { completed, type Document, run, serviceOf } from "./Evaluating.ts"
import { Refusal } from "./FakeService.ts"

const file = `
agent_id: assistant
concurrency: 1
timeout: 300
scorers: [{type: contains, texts: [Yes]}]
items: [{input: a}, {input: b}, {input: c}]
`

const yes = completed("Yes")

const refused = () => {
  throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:7777") })
}

const hangUp = () => {
  throw new TypeError("fetch failed", { cause: new Error("socket hang up") })
}

const badGateway = new Refusal(502, { detail: "Bad Gateway" })

const alive = { status: "ok" }

/** What it responds to the requests of runs, and to the checks of its health, in their order. The last repeats. */
interface Responses {
  readonly runs: ReadonlyArray<unknown>
  readonly health?: ReadonlyArray<unknown>
  /** Since the service failed first. */
  readonly clock?: { seconds: number }
}

const inOrder = (responses: ReadonlyArray<unknown>) => {
  const remaining = [...responses]
  return (): unknown => {
    const response = remaining.length > 1 ? remaining.shift() : remaining[0]
    return typeof response === "function" ? response() : response
  }
}

const serviceWith = ({ health = [alive], runs }: Responses) =>
  // the first check is that of the command
  serviceOf(inOrder(runs), { "GET /health": inOrder([alive, ...health]) })

/** Evaluates. The clock stands until the service fails. */
const evaluate = Effect.fnUntraced(function*(responses: Responses, argv: ReadonlyArray<string> = ["--json"]) {
  const failed = yield* Deferred.make<void>()
  const service = serviceWith(responses)
  const http = (request: Request) => {
    const fails = Effect.sync(() => Deferred.doneUnsafe(failed, Effect.void))
    return service.http(request).then((response) => {
      if (!response.ok) Effect.runSync(fails)
      return response
    }, (error: unknown) => {
      Effect.runSync(fails)
      throw error
    })
  }
  let xml = ""
  const read = ({ cwd }: Place) => {
    xml = readFileSync(join(cwd, "results.xml"), "utf8")
  }
  const running = yield* Effect.forkChild(run(file, { http }, ["--junit", "results.xml", ...argv], read))
  yield* Deferred.await(failed)
  const tick = Effect.suspend(() => {
    if (responses.clock !== undefined) responses.clock.seconds += 1
    return TestClock.adjust("1 second")
  })
  yield* Effect.forkChild(Effect.forever(Effect.andThen(tick, Effect.yieldNow)))
  const ran = yield* Fiber.join(running)
  const keys = service.requests.flatMap(({ headers }) => headers.get("idempotency-key") ?? [])
  return { ran, xml, requests: keys.map((key) => Number(key.split("_").at(-1))) }
})

const outcomesOf = ({ results }: Document) => results.map(({ error, status }) => [status, error])

const passed = ["passed", null]

Tier.oneIn(6)

describe("svc eval run, while the service does not respond", () => {
  it.effect("a request whose connection is lost or refused is repeated with its key when the service responds", () =>
    Effect.gen(function*() {
      for (const lost of [hangUp, refused, badGateway]) {
        const responses = { runs: [yes, lost, yes], health: [refused, badGateway, alive] }
        const { ran, requests } = yield* evaluate(responses)
        assert.strictEqual(ran.code, 0)
        assert.deepStrictEqual(requests, [1, 2, 2, 3])
        assert.deepStrictEqual(outcomesOf(documentOf(ran)), [passed, passed, passed])
      }
    }))

  it.effect("a log has a line when its runs begin to wait, and one when it responds again", () =>
    Effect.gen(function*() {
      const { ran } = yield* evaluate({ runs: [yes, hangUp, yes], health: [refused, refused, alive] }, [])
      assert.strictEqual(ran.code, 0)
      assert.deepStrictEqual(ran.stderr.split("\n").filter((line) => line.startsWith("The service")), [
        "The service does not respond (socket hang up). Its runs wait for it.",
        "The service responds again."
      ])
    }))

  it.live("a terminal shows that its runs wait", () =>
    Effect.gen(function*() {
      let isShown = false
      const { http } = serviceWith({ runs: [hangUp, yes], health: [() => isShown ? alive : refused()] })
      const ran = yield* run(file, {
        http,
        shown: (text) => {
          isShown ||= text.includes("0 of 3, waiting for the service")
        }
      })
      assert.strictEqual(ran.code, 0)
    }))

  it.effect("a service that stays away ends the run that was lost with an error, and then the evaluation", () =>
    Effect.gen(function*() {
      const reason = /^The service has not responded for 3\d\d seconds \(connect ECONNREFUSED 127.0.0.1:7777\)$/
      const { ran, requests, xml } = yield* evaluate({ runs: [yes, refused], health: [refused] })
      assert.strictEqual(ran.code, 1)
      const document = documentOf<Document>(ran)
      assert.deepStrictEqual(requests, [1, 2])
      assert.match(document.error ?? "", reason)
      assert.strictEqual(document.hint, "See whether it is up with svc status.")
      assert.deepInclude(document, { passed: false, runs_missing: 1, thresholds: [] })
      const [first, second, ...others] = document.results
      assert.deepInclude(first, { status: "passed", error: null })
      assert.match(second?.error ?? "", /^The service has not responded for \d+ seconds \(connect ECONNREFUSED/)
      assert.deepStrictEqual(others, [])
      assert.include(xml, "<error message=\"1 of 3 runs were not executed: The service has not responded for 3")
    }))

  it.effect("the next outage has its own time, also if a run ended in the one before", () =>
    Effect.gen(function*() {
      const clock = { seconds: 0 }
      // as long as the run that is lost
      const health = [() => clock.seconds >= 300 ? alive : refused()]
      const { ran, requests } = yield* evaluate({ runs: [yes, refused, refused, yes], health, clock })
      const document = documentOf<Document>(ran)
      assert.deepStrictEqual(requests, [1, 2, 3, 3])
      assert.deepStrictEqual(document.results.map(({ status }) => status), ["passed", "error", "passed"])
      assert.strictEqual(document.runs_missing, 0)
    }))

  it.effect("people see the results so far, how many runs are missing, and the reason", () =>
    Effect.gen(function*() {
      const { ran } = yield* evaluate({ runs: [yes, refused], health: [refused] }, [])
      assert.strictEqual(ran.code, 1)
      assert.match(ran.stdout, /contains +0\.500 +50\.0%/)
      assert.match(
        ran.stderr,
        /1 of 3 runs were not executed\nThe service has not responded for 3\d\d seconds .*\nSee whether/
      )
    }))

  it.effect("a run that the service cancelled, because the connection was lost, has this reason", () =>
    Effect.gen(function*() {
      const cancelled = { run_id: "r", status: "CANCELLED", content: "cancelled" }
      const { ran } = yield* evaluate({ runs: [yes, hangUp, cancelled, yes] })
      assert.deepStrictEqual(outcomesOf(documentOf(ran)), [
        passed,
        ["error", "The connection to the service was lost (socket hang up), which cancelled the run"],
        passed
      ])
    }))
})

describe("svc eval run, whose own client refuses a request", () => {
  it.effect("the request is no outage: its run is an error at once", () =>
    Effect.gen(function*() {
      const client = HttpClient.make((request) => {
        const cause = new TypeError("Invalid character in header content")
        return Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.EncodeError({ request, cause })
          })
        )
      })
      const fail = Effect.die(new Error("it is taken for an outage"))
      const outage = Outage.of({ begin: () => fail, end: Effect.void, problem: Effect.undefined })
      const { problem } = yield* RatedRun.execute({ url: "http://localhost:7777" }, {
        component: { kind: "agent", id: "assistant" },
        message: "a",
        session_id: "s",
        timeout: 300,
        options: {}
      }).pipe(Effect.provideService(Outage, outage), Effect.provideService(HttpClient.HttpClient, client))
      assert.include(problem ?? "", "Invalid character in header content")
    }))
})

describe("svc eval run, while the service is busy", () => {
  it.effect("a run that is refused for the whole time says that it did not start", () =>
    Effect.gen(function*() {
      const busy = new Refusal(429, { detail: "Too many runs" })
      const { ran } = yield* evaluate({ runs: [yes, busy] })
      const reason = "The run did not start within 300 seconds, because the service was busy (HTTP 429: Too many runs)"
      assert.deepStrictEqual(outcomesOf(documentOf(ran)), [passed, ["error", reason], ["error", reason]])
    }))

  it.effect("a run whose service stops or starts for the whole time says that it did not end", () =>
    Effect.gen(function*() {
      const { ran } = yield* evaluate({ runs: [yes, new Refusal(503, { detail: "The service is stopping" })] })
      const [, second] = documentOf<Document>(ran).results
      assert.strictEqual(
        second?.error,
        "The run did not end within 300 seconds, because the service was busy (HTTP 503: The service is stopping)"
      )
    }))
})
