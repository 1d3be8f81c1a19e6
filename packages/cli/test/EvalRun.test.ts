// eval run: what is sent for a file, how answers are rated, and what makes it fail.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { ScriptedModel } from "@svc-runtime/test-support"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { cli, documentOf, type Place, place } from "./Cli.ts"
import { answering, capitals, completed, type Document, known, run, serviceOf } from "./Evaluating.ts"
import { Refusal } from "./FakeService.ts"

describe("svc eval run", () => {
  it.effect("each item is a run in a session of its own, without memories, and the answers are rated", () =>
    Effect.gen(function*() {
      const service = serviceOf(known)
      const ran = yield* run(capitals, { http: service.http }, ["--json"])
      assert.strictEqual(ran.code, 0)
      const document = documentOf<Document>(ran)
      assert.deepInclude(document, { name: "capitals", agent_id: "assistant", passed: true, pass_rate: 1 })
      assert.deepStrictEqual(document.results.map(({ name, status }) => [name, status]), [
        ["france", "passed"],
        ["italy", "passed"]
      ])
      const runs = service.requests.filter(({ method }) => method === "POST")
      const forms = runs.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))
      for (const [index, { session_id, ...form }] of forms.entries()) {
        assert.match(session_id ?? "", new RegExp(`^eval_\\w+_${index + 1}$`))
        assert.strictEqual(runs[index]?.headers.get("idempotency-key"), session_id)
        assert.deepInclude(form, { stream: "false", memory: "false", evaluation: "true", on_disconnect: "cancel" })
      }
    }))

  it.effect("a threshold that is not reached makes it fail, and JUnit has a case for each run and threshold", () =>
    Effect.gen(function*() {
      const http = serviceOf(answering({ "The capital of France?": completed("<It> is \u0000\"Lyon\"") })).http
      const read = (at: Place) => readFileSync(join(at.cwd, "results.xml"), "utf8")
      const seen: Array<string> = []
      const file = capitals + "thresholds: {pass_rate: 0.5, scores: {contains: 0}}\n"
      const ran = yield* run(file, { http }, ["--junit", "results.xml"], (at) => seen.push(read(at)))
      assert.strictEqual(ran.code, 1)
      assert.include(ran.stdout, "1 of 2  failed  france  contains 0.00: The output does not contain: Paris")
      assert.include(ran.stdout, "scores.contains is 0, at least 0")
      assert.include(ran.stderr, "pass_rate is 0, below 0.5")
      const [xml = ""] = seen
      assert.include(xml, "<testsuites name=\"capitals\" tests=\"4\" failures=\"3\" errors=\"0\"")
      assert.include(xml, "<testcase name=\"france\" classname=\"agent.assistant\"")
      assert.include(xml, "&lt;It&gt; is \uFFFD&quot;Lyon&quot;")
      assert.include(xml, "<failure message=\"pass_rate is 0, below 0.5\">")
      assert.include(
        xml,
        "<testcase name=\"scores.contains is at least 0\" classname=\"agent.assistant\" time=\"0.000\"/>"
      )
    }))

  it.effect("a failing item passes if the thresholds allow it", () =>
    Effect.gen(function*() {
      const http = serviceOf(answering({ "The capital of Italy?": completed("Rome") })).http
      const ran = yield* run(capitals + "thresholds: {pass_rate: 0.5}\n", { http }, ["--json"])
      assert.strictEqual(ran.code, 0)
      assert.strictEqual(documentOf<Document>(ran).pass_rate, 0.5)
    }))

  it.effect("each item is repeated as often as iterations says, and the mean counts all of them", () =>
    Effect.gen(function*() {
      const contents = ["Paris", "Lyon", "Rome", "Rome"]
      const http = serviceOf(() => completed(contents.shift())).http
      const ran = yield* run(`${capitals}iterations: 2\nconcurrency: 1\n`, { http }, ["--json"])
      const { results, scorers } = documentOf<Document>(ran)
      assert.deepStrictEqual(results.map(({ status }) => status), ["passed", "failed", "passed", "passed"])
      assert.deepStrictEqual(scorers, [{ name: "contains", mean: 0.75, pass_rate: 0.75 }])
    }))

  it.effect("a run that fails is an error of its item, and one that pauses is cancelled", () =>
    Effect.gen(function*() {
      const service = serviceOf(
        answering({
          "The capital of France?": { run_id: "paused", status: "PAUSED" },
          "The capital of Italy?": { run_id: "failed", status: "ERROR", content: "provider is down" }
        }),
        { "POST /agents/assistant/runs/paused/cancel": {} }
      )
      const ran = yield* run(capitals, { http: service.http }, ["--json"])
      assert.strictEqual(ran.code, 1)
      const { results, scorers } = documentOf<Document>(ran)
      assert.deepStrictEqual(results.map(({ error, status }) => [status, error]), [
        ["error", "The run paused and was cancelled"],
        ["error", "The run ended as ERROR: provider is down"]
      ])
      assert.deepInclude(scorers[0], { mean: 0 })
      assert.lengthOf(service.requests.filter(({ url }) => url.includes("/runs/paused/cancel?session_id=eval_")), 1)
    }))

  it.effect("the file of the documentation passes with the answers of the quickstart", () =>
    Effect.gen(function*() {
      const documents = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "reference", "cli.md"), "utf8")
      const [, file = ""] = /^```yaml\n([^]*?)^```$/m.exec(documents) ?? []
      const called = (tool_name: string, tool_args: object) => ({ tools: [{ tool_name, tool_args, result: "done" }] })
      const { http } = serviceOf(answering({
        "What is 17 times 23?": completed("It is 391", called("calculate", { expression: "17 times 23" })),
        "What is the time in Europe/Paris?": completed("Noon", called("get_time", { timezone: "Europe/Paris" }))
      }))
      const ran = yield* run(file, { http })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.include(ran.stdout, "scores.contains is 1, at least 0.95")
    }))

  it.effect("a busy service is called again with the same key, and other failures are errors of their items", () =>
    Effect.gen(function*() {
      const busy = new Refusal(429, { detail: "Too many runs" })
      const answers: Array<unknown> = [busy, completed("Paris"), new Refusal(500, { detail: "broken" })]
      const service = serviceOf(() => answers.shift())
      const running = yield* Effect.forkChild(
        run(`${capitals}concurrency: 1\n`, { http: service.http }, ["--json"])
      )
      // the time at which it is called again depends on the answer, which comes at a time of its own
      yield* Effect.forkChild(Effect.forever(Effect.andThen(TestClock.adjust("1 second"), Effect.yieldNow)))
      const { results } = documentOf<Document>(yield* Fiber.join(running))
      assert.deepStrictEqual(results.map(({ error, status }) => [status, error]), [
        ["passed", null],
        ["error", "HTTP 500: broken"]
      ])
      const keys = service.requests.flatMap(({ headers }) => headers.get("idempotency-key") ?? [])
      assert.strictEqual(keys.length, 3)
      assert.strictEqual(keys[0], keys[1])
    }))

  it.effect("a run that takes too long is an error of its item, and its request is given up", () =>
    Effect.gen(function*() {
      const [reached, given] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { http } = serviceOf(known)
      const hanging = (request: Request) => {
        if (request.method !== "POST") return http(request)
        Effect.runSync(Deferred.succeed(reached, undefined))
        return new Promise<Response>((_, reject) =>
          request.signal.addEventListener("abort", () => {
            Effect.runSync(Deferred.succeed(given, undefined))
            reject(request.signal.reason)
          })
        )
      }
      const file = "agent_id: assistant\ntimeout: 5\nitems: [{input: a, scorers: [{type: json_schema, schema: {}}]}]\n"
      const running = yield* Effect.forkChild(run(file, { http: hanging }, ["--json"]))
      yield* Deferred.await(reached)
      yield* TestClock.adjust("6 seconds")
      const { results } = documentOf<Document>(yield* Fiber.join(running))
      assert.deepInclude(results[0], { name: "item 1", error: "The run did not end within 5 seconds" })
      yield* Deferred.await(given)
    }))

  it.effect("a service that refuses the credential or has no such agent ends the evaluation", () =>
    Effect.gen(function*() {
      const refused = serviceOf(new Refusal(403, { detail: "Insufficient permissions" }))
      const variables = { PLATFORM_ADMIN_TOKEN: "t" }
      const forbidden = documentOf(yield* run(capitals, { http: refused.http, variables }, ["--json"]))
      assert.include(forbidden.error, "Insufficient permissions")
      assert.include(forbidden.hint ?? "", "agents:run and evals:write")
      const absent = serviceOf(new Refusal(404, { detail: "Agent not found" }))
      const ran = yield* run(capitals, { http: absent.http }, ["--json"])
      assert.strictEqual(ran.code, 1)
      assert.strictEqual(documentOf(ran).error, "The service has no agent 'assistant' (Agent not found)")
    }))

  it.effect("an invalid file is refused with its problem, before the service is called", () =>
    Effect.gen(function*() {
      const item = "items: [{input: a, expected_output: b, scorers: [{type: exact}]}]"
      const cases: ReadonlyArray<readonly [file: string, problem: string]> = [
        [item, "set exactly one of agent_id, team_id and workflow_id"],
        [`agent_id: a\nteam_id: b\n${item}`, "set exactly one of agent_id, team_id and workflow_id"],
        [`agent_id: a\nthresholds: {scores: {other: 1}}\n${item}`, "thresholds.scores has 'other'"],
        ["agent_id: a\nitems: [{input: a}]", "item 'item 1' has no scorers"],
        ["agent_id: a\nitems: [{input: a}]\nscorers: [{type: exact}]", "has no expected_output"],
        ["agent_id: a\nitems: [{input: a}]\nscorers: [{type: tool_trajectory}]", "has no expected_tool_calls"],
        [
          "agent_id: a\nitems: [{input: a}]\nscorers: [{type: json_schema, schema: {$ref: '#/$defs/b'}}]",
          "line 3: scorers[0].schema should be a JSON Schema with references to its own definitions"
        ],
        [`agent_id: a\nscorers: [{type: exact}]\n${item}`, "two scorers named 'exact'"],
        [`agent_id: a\nname: ${"n".repeat(256)}\n${item}`, "line 2: name should have at most 255 characters"],
        [
          `agent_id: a\nitems: [{input: a, expected_output: b, scorers: [${
            Array.from({ length: 21 }, (_, at) => `{type: exact, name: s${at}}`).join()
          }]}]`,
          "item 'item 1' has more than 20 scorers"
        ],
        [
          `agent_id: a\nscorers: [{type: contains, texts: [a]}]\nitems: [{name: i, input: a}, {name: i, input: b}]`,
          "'i'"
        ]
      ]
      for (const [file, problem] of cases) {
        const ran = yield* run(file, {}, ["--json"])
        assert.strictEqual(ran.code, 1, file)
        const { error } = documentOf(ran)
        assert.include(error, "Invalid evaluation evaluation.yaml: ")
        assert.include(error, problem)
      }
    }))

  it.effect("a file whose form is wrong is refused with the field and the line of each problem", () =>
    Effect.gen(function*() {
      const item = "items: [{input: a, expected_output: b, scorers: [{type: exact}]}]"
      const cases: ReadonlyArray<readonly [file: string, problem: string]> = [
        ["items: [", "line 1: Expected ','"],
        ["agent_id: a\nitems:\n  - {input: a, scorers: [}\n  - {input: b}", "line 3: Expected ','"],
        ["agent_id: a\n\titems: []", "line 2: Tabs cannot be used for YAML indentation"],
        ["agent_id: a\nname: 'n\n", "line 2: Unterminated quoted YAML scalar"],
        ["agent_id: a\nname: *n\nitems: []", "line 2: Unknown YAML alias '*n'"],
        ["", "the file should be a valid object"],
        ["agent_id: a\nitmes: []", "line 2: itmes is not a known key; items is missing"],
        ["agent_id: a\nitems: []", "line 2: items is empty"],
        [`agent_id: a\niterations: 0.5\n${item}`, "line 2: iterations should be a valid integer"],
        [`agent_id: a\nthresholds:\n  pass_rate: 2\n${item}`, "line 3: thresholds.pass_rate should be a value between"],
        [
          "agent_id: a\nitems:\n  - input: a\n  - name: b\n    scorers:\n      - type: exac\n",
          "line 4: items[1].input is missing; line 6: items[1].scorers[0] should be an object with 'type' 'exact', "
        ],
        // the beginning of a value in brackets is not YAML
        ["agent_id: a\nitems:\n  - {input: a,\n     scorrs: []}", "items[0].scorrs is not a known key"]
      ]
      for (const [file, problem] of cases) {
        const { error } = documentOf(yield* run(file, {}, ["--json"]))
        assert.include(error, `Invalid evaluation evaluation.yaml: ${problem}`)
      }
      const at = yield* place
      at.write("evaluation.json", "{\"agent_id\": \"a\", \"itmes\": []}")
      const { error } = documentOf(yield* cli(["eval", "run", "evaluation.json", "--json"], at, {}))
      assert.strictEqual(error, "Invalid evaluation evaluation.json: itmes is not a known key; items is missing")
      // finding a line of a large file takes too long
      const large = `# ${"x".repeat(100_000)}\n`
      for (const [text, problem] of [["agent_id: a\nitmes: []", "itmes is not"], ["items: [", "Expected ','"]]) {
        const { error } = documentOf(yield* run(`${large}${text}`, {}, ["--json"]))
        assert.include(error, `Invalid evaluation evaluation.yaml: ${problem}`)
      }
    }))

  it.effect("a file that is missing, and JUnit that cannot be written, are errors before any run", () =>
    Effect.gen(function*() {
      const at = yield* place
      const missing = yield* cli(["eval", "run", "none.json", "--json"], at, {})
      assert.include(documentOf(missing).error, "Could not read none.json: no such file or directory")
      const service = serviceOf(known)
      for (const file of ["none/results.xml", "."]) {
        const ran = yield* run(capitals, { http: service.http }, ["--junit", file, "--json"])
        assert.include(documentOf(ran).error, `Could not write ${file}`)
      }
      assert.deepStrictEqual(service.calls(), [])
    }))

  it.live("the answers and the tool calls of an agent of the service are rated", () =>
    Effect.scoped(Effect.gen(function*() {
      const { call, make, text, toolCall } = { call: { city: "Paris" }, ...ScriptedModel }
      const script = yield* make([[toolCall("weather", call)], [text("{\"degrees\": 20}")]])
      const weather = Tool.make({
        name: "weather",
        parameters: Schema.Struct({ city: Schema.String }),
        execute: () => "20"
      })
      const agent = Agent.make({ id: "assistant", model: script.model, tools: [weather] })
      const server = yield* TestServer.make({ agents: [agent] })
      const http = (request: Request) => Effect.runPromise(server.fetch(new URL(request.url).pathname, request))
      const file = `
agent_id: assistant
items:
  - input: The weather in Paris?
    expected_output: {degrees: 20}
    expected_tool_calls: [{name: weather, arguments: {city: Paris}}]
scorers:
  - type: exact
  - type: tool_trajectory
    order: exact
  - type: json_schema
    schema: {type: object, properties: {degrees: {type: integer}}, required: [degrees]}
`
      const ran = yield* run(file, { http }, ["--json"])
      const { results } = documentOf<Document>(ran)
      assert.strictEqual(results[0]?.status, "passed", JSON.stringify(results))
      assert.deepStrictEqual(results[0]?.scores.map(({ score, scorer }) => [scorer, score]), [
        ["exact", 1],
        ["tool_trajectory", 1],
        ["json_schema", 1]
      ])
    })))
})
