// What eval run writes: how much of it, without which secrets, and what is left of an evaluation that does not end.
import { assert, describe, it } from "@effect/vitest"
import * as Cli from "@svc-runtime/cli"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestConsole } from "effect/testing"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as ShownText from "../src/evaluation/ShownText.ts"
import { documentOf, type Place, place, worldOf } from "./Cli.ts"
import { answering, capitals, completed, type Document, known, run, serviceOf } from "./Evaluating.ts"
import { Refusal } from "./FakeService.ts"

const results = ({ cwd }: Place) => readFileSync(join(cwd, "results.xml"), "utf8")

const token = "svc-pat-0123456789abcdef"

describe("the reports of svc eval run", () => {
  it.effect("JUnit has no credential, neither of the command nor what looks like one in answers", () =>
    Effect.gen(function*() {
      const http = serviceOf(answering({
        "The capital of France?": completed(`Use Authorization: Bearer abcdefghijk, or sk-live-0123456789`),
        "The capital of Italy?": new Refusal(500, { detail: `no user of ${token}` })
      })).http
      const seen: Array<string> = []
      const ran = yield* run(
        capitals,
        { http, variables: { PLATFORM_ADMIN_TOKEN: token } },
        ["--junit", "results.xml", "--json"],
        (at) => seen.push(results(at))
      )
      const [xml = ""] = seen
      assert.include(xml, "HTTP 500: no user of [redacted]")
      // a run without an answer has no line for it
      assert.match(xml, /run unknown in session eval_\w+<\/error>/)
      assert.include(xml, "Bearer [redacted]")
      for (const secret of [token, "abcdefghijk", "sk-live-0123456789"]) assert.notInclude(xml, secret)
      // answers are shown as they are, apart from the credential of the command
      assert.include(ran.stdout, "abcdefghijk")
      assert.notInclude(ran.stdout, token)
    }))

  it.effect("a long answer is rated as a whole, and its beginning is shown", () =>
    Effect.gen(function*() {
      const long = `${"word ".repeat(20_000)}Paris`
      const { http } = serviceOf(answering({
        "The capital of France?": completed(long),
        "The capital of Italy?": completed({ city: `Rome ${long}` })
      }))
      const { results } = documentOf<Document>(yield* run(capitals, { http }, ["--json"]))
      for (const { output, status } of results) {
        assert.strictEqual(status, "passed")
        assert.isBelow(String(output).length, 5000)
        assert.match(String(output), /… \(\d+ more characters\)$/)
      }
    }))

  it("a report of many answers and reasons shows less of each, and has a limited size", () => {
    assert.deepStrictEqual([1, 3906, 20_000, 210_000].map(ShownText.lengthAmong), [4096, 4096, 800, 100])
    const access = { token: undefined } as never
    assert.strictEqual(ShownText.of("a".repeat(1000), access, 800), `${"a".repeat(800)}… (200 more characters)`)
    assert.strictEqual(ShownText.ofValue({ text: "a".repeat(1000) }, access, 4), "{\"te… (1007 more characters)")
  })

  it.effect("the number of runs is limited", () =>
    Effect.gen(function*() {
      const items = Array.from({ length: 101 }, (_, at) =>
        `  - {input: "${at}", scorers: [{type: contains, texts: [a]}]}`)
      const file = ["agent_id: assistant", "iterations: 100", "items:", ...items].join("\n")
      assert.include(documentOf(yield* run(file, {}, ["--json"])).error, "10100 runs (items × iterations)")
    }))

  /** The second run does not end. */
  const interrupted = Effect.fnUntraced(function*(argv: ReadonlyArray<string>) {
    const [reached, aborted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const { http } = serviceOf(known)
    let runs = 0
    const hanging = (request: Request) => {
      if (request.method !== "POST" || ++runs < 2) return http(request)
      Effect.runSync(Deferred.succeed(reached, undefined))
      return new Promise<Response>((_, reject) =>
        request.signal.addEventListener("abort", () => {
          Effect.runSync(Deferred.succeed(aborted, undefined))
          reject(request.signal.reason)
        })
      )
    }
    const at = yield* place
    at.write("evaluation.yaml", `${capitals}concurrency: 1\n`)
    const command = ["eval", "run", "evaluation.yaml", "--junit", "results.xml", ...argv]
    return yield* Effect.gen(function*() {
      const running = yield* Effect.forkChild(Cli.run(command))
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(running)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(running)))
      // the service cancels the run whose request is given up
      yield* Deferred.await(aborted)
      return { xml: results(at), stdout: (yield* TestConsole.logLines).join("\n") }
    }).pipe(Effect.provide(worldOf(at, { http: hanging })))
  })

  it.effect("an evaluation that is interrupted gives up its runs and writes what is known", () =>
    Effect.gen(function*() {
      for (const argv of [[], ["--json"]]) {
        const { stdout, xml } = yield* interrupted(argv)
        assert.include(xml, "<testsuites name=\"capitals\" tests=\"2\" failures=\"0\" errors=\"1\"")
        assert.include(xml, "<testcase name=\"france\" classname=\"agent.assistant\"")
        assert.include(xml, "<error message=\"1 of 2 runs were not executed: The evaluation was interrupted\">")
        assert.notInclude(xml, "pass_rate")
        if (argv.length === 0) continue
        const document: Document = JSON.parse(stdout)
        assert.deepInclude(document, { error: "The evaluation was interrupted", runs_missing: 1, thresholds: [] })
        assert.lengthOf(document.results, 1)
      }
    }))

  it.effect("a service that refuses the later runs ends an evaluation, and what is known is written", () =>
    Effect.gen(function*() {
      const answers: Array<unknown> = [completed("Paris"), new Refusal(401, { detail: "Token expired" })]
      const { http } = serviceOf(() => answers.shift())
      const seen: Array<string> = []
      const argv = ["--junit", "results.xml", "--json"]
      const ran = yield* run(`${capitals}concurrency: 1\n`, { http }, argv, (at) => seen.push(results(at)))
      assert.strictEqual(ran.code, 1)
      assert.include(documentOf(ran).error, "Token expired")
      assert.include(
        documentOf(ran).hint,
        "token of a service account with the scopes agents:run and evals:write is enough"
      )
      assert.include(seen[0] ?? "", "1 of 2 runs were not executed")
    }))

  it.live("a terminal shows how many runs have ended, and how many of them did not pass", () =>
    Effect.gen(function*() {
      const shown = yield* Deferred.make<void>()
      const { http } = serviceOf(answering({ "The capital of France?": completed("Lyon") }))
      let runs = 0
      const ran = yield* run(`${capitals}concurrency: 1\n`, {
        http: async (request) => {
          // the second answer waits until the terminal has shown the first one
          if (request.method === "POST" && ++runs === 2) await Effect.runPromise(Deferred.await(shown))
          return http(request)
        },
        shown: (text) => {
          if (text.includes("Evaluating capitals  1 of 2, 1 failed")) Effect.runSync(Deferred.succeed(shown, undefined))
        }
      })
      assert.strictEqual(ran.code, 1)
    }))
})
