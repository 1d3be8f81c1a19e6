// eval run with an agent of the service as the judge.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import { ScriptedModel } from "@svc-runtime/test-support"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { documentOf } from "./Cli.ts"
import { completed, type Document, known, run, serviceOf } from "./Evaluating.ts"
import { type RecordedRequest, Refusal } from "./FakeService.ts"

const judged = (scorer: string) => `
agent_id: assistant
items:
  - name: france
    input: The capital of France?
    expected_output: Paris
    scorers: [{type: judge, agent_id: judge, ${scorer}}]
`

/** A service whose judge answers with these in their order. */
const judgedBy = (...answers: ReadonlyArray<unknown>) => {
  const verdicts = [...answers]
  return serviceOf(known, { "POST /agents/judge/runs": () => verdicts.shift() })
}

const score = Effect.fnUntraced(function*(scorer: string, service: ReturnType<typeof judgedBy>) {
  const ran = yield* run(judged(scorer), { http: service.http }, ["--json"])
  const [result] = documentOf<Document>(ran).results
  return { ...result?.scores[0], status: result?.status }
})

const formsTo = (requests: ReadonlyArray<RecordedRequest>) =>
  requests.filter(({ url }) => url.endsWith("/judge/runs"))
    .map(({ body }) => Object.fromEntries(new URLSearchParams(body)))

/** The blocks of a message, by the tags with its id. */
const blocksIn = (message = "") =>
  [...message.matchAll(/^<(\w+)-(\w+)>\n([^]*?)\n<\/\1-\2>$/gm)].map(([, name, , text]) => [name, text])

describe("a judge of svc eval run", () => {
  it.effect("the judge is shown input, criteria and answer, and decides in the shape that it is asked for", () =>
    Effect.gen(function*() {
      const service = judgedBy(completed({ passed: true, reason: "It names Paris" }))
      const found = yield* score("name: polite, criteria: It names a city, guidelines: Be strict", service)
      assert.deepInclude(found, {
        scorer: "polite",
        score: 1,
        passed: true,
        reason: "It names Paris",
        status: "passed"
      })
      const [form = {}] = formsTo(service.requests)
      assert.deepStrictEqual(blocksIn(form["message"]), [
        ["input", "The capital of France?"],
        ["criteria", "It names a city"],
        ["answer", "It is Paris"]
      ])
      assert.include(form["message"] ?? "", "Be strict")
      assert.deepStrictEqual(JSON.parse(form["output_schema"] ?? "").required, ["passed", "reason"])
      assert.deepInclude(form, { memory: "false", evaluation: "true", on_disconnect: "cancel", stream: "false" })
      assert.match(form["session_id"] ?? "", /^eval_\w+_1_scorer_1$/)
    }))

  it.effect("scores from 1 to 10 pass from 7 on, unless the threshold says otherwise", () =>
    Effect.gen(function*() {
      const six = { score: 6, reason: "Short" }
      const numeric = "criteria: It is good, scoring_strategy: numeric"
      assert.deepInclude(yield* score(numeric, judgedBy(completed(six))), { score: 0.6, passed: false })
      assert.deepInclude(yield* score(`${numeric}, threshold: 0.6`, judgedBy(completed(six))), { passed: true })
    }))

  it.effect("without criteria the judge compares with the expected output", () =>
    Effect.gen(function*() {
      // an agent without structured output answers with text
      const service = judgedBy(completed("{\"score\": 9, \"reason\": \"The same\"}"))
      assert.deepInclude(yield* score("name: same", service), { scorer: "same", score: 0.9, passed: true })
      assert.deepInclude(blocksIn(formsTo(service.requests)[0]?.["message"]), ["expected_answer", "Paris"])
    }))

  it.effect("a judge without a verdict is asked a second time in another session, then there is no score", () =>
    Effect.gen(function*() {
      const criteria = "criteria: It is good"
      const once = judgedBy(completed("Well done!"), completed({ passed: false, reason: "No" }))
      assert.deepInclude(yield* score(criteria, once), { score: 0, passed: false, reason: "No" })
      const sessions = formsTo(once.requests).map(({ session_id }) => session_id)
      assert.strictEqual(sessions[1], `${sessions[0]}_again`)
      const never = judgedBy(completed("Well done!"), completed({ passed: "yes", reason: "Yes" }))
      const found = yield* score(criteria, never)
      assert.deepInclude(found, { score: null, passed: false, status: "failed" })
      assert.include(found.reason ?? "", "no usable verdict")
      const failing = judgedBy({ run_id: "r", status: "ERROR", content: "provider is down" })
      const none = yield* score(criteria, failing)
      assert.strictEqual(none.reason, "The judge did not answer. The run ended as ERROR: provider is down")
    }))

  it.effect("the session and the key of a judge are its own and valid, whatever its name is", () =>
    Effect.gen(function*() {
      const judges = ["j", "j_again", "höflich", "礼貌", "new\\nline", "x".repeat(255)].map((name) =>
        `{type: judge, agent_id: judge, criteria: c, name: "${name}"}`
      )
      const file = `agent_id: assistant\nitems: [{input: a}]\nscorers: [${judges.join(", ")}]\n`
      const service = serviceOf(known, { "POST /agents/judge/runs": completed("no verdict") })
      yield* run(file, { http: service.http }, ["--json"])
      const keys = service.requests.flatMap(({ headers }) => headers.get("idempotency-key") ?? [])
      // one of the item, and two of each judge
      assert.strictEqual(new Set(keys).size, 13)
      for (const key of keys) assert.match(key, /^eval_\w{1,60}$/)
      assert.deepStrictEqual(formsTo(service.requests).map(({ session_id }) => session_id), keys.slice(1))
    }))

  it.effect("a judge that the service does not have, or that has nothing to compare with, ends the evaluation", () =>
    Effect.gen(function*() {
      const absent = judgedBy(new Refusal(404, { detail: "Agent not found" }))
      const ran = yield* run(judged("criteria: It is good"), { http: absent.http }, ["--json"])
      assert.strictEqual(ran.code, 1)
      assert.strictEqual(documentOf(ran).error, "The service has no agent 'judge' (Agent not found)")
      const file = judged("name: same").replace("    expected_output: Paris\n", "")
      assert.include(documentOf(yield* run(file, {}, ["--json"])).error, "has no expected_output")
    }))

  it.live("an agent of a real service judges", () =>
    Effect.scoped(Effect.gen(function*() {
      const assistant = yield* ScriptedModel.make([[ScriptedModel.text("Paris, of course.")]])
      const judge = yield* ScriptedModel.make([[ScriptedModel.text("{\"passed\": true, \"reason\": \"A city\"}")]])
      const server = yield* TestServer.make({
        agents: [
          Agent.make({ id: "assistant", model: assistant.model }),
          Agent.make({ id: "judge", model: judge.model })
        ]
      })
      const http = (request: Request) => Effect.runPromise(server.fetch(new URL(request.url).pathname, request))
      const ran = yield* run(judged("criteria: It names a city"), { http }, ["--json"])
      const [result] = documentOf<Document>(ran).results
      assert.deepInclude(result?.scores[0], { score: 1, passed: true, reason: "A city" }, JSON.stringify(result))
    })))
})
