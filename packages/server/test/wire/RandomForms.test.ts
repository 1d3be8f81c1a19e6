// Whatever a form holds, the service has a response to it: never a fault, always one of the statuses of the contract,
// and what was refused left nothing behind.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as Agent from "@svc-runtime/features/Agent"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { ask, at, frames, get, leak, run, serve } from "../Wire.ts"

Tier.oneIn(8)

const agents = [
  Agent.make({ id: "plain", model: "fixed", addHistoryToContext: true }),
  Agent.make({ id: "typed", model: "fixed", inputSchema: Schema.Struct({ a: Schema.Int }) }),
  AgentFactory.make({
    id: "made",
    inputSchema: Schema.Struct({ a: Schema.optionalKey(Schema.Int) }),
    build: ({ input }) => Agent.make({ id: "made", model: "fixed", instructions: JSON.stringify(input) })
  })
]

const names = [
  "message",
  "stream",
  "background",
  "stream_events",
  "session_id",
  "user_id",
  "run_id",
  "version",
  "factory_input",
  "session_state",
  "dependencies",
  "metadata",
  "output_schema",
  "use_json_schema",
  "add_history_to_context",
  "add_dependencies_to_context",
  "add_session_state_to_context",
  "images",
  "audio",
  "videos",
  "input_files",
  "files",
  "__proto__",
  "constructor",
  ""
] as const

const values = [
  "",
  "hi",
  "true",
  "false",
  "null",
  "None",
  "0",
  "{",
  "{}",
  "[]",
  "[{}]",
  "[1]",
  "{\"a\":1}",
  "{\"a\":\"1\"}",
  "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/nowhere\"}}}",
  "{\"$ref\":\"#\"}",
  "{\"type\":[\"string\",\"null\"],\"title\":\"T\"}",
  "{\"type\":\"nonsense\",\"enum\":3}",
  "{\"pattern\":\"(\",\"type\":\"string\"}",
  "[{\"url\":\"not a url\",\"content\":\"?\"}]",
  "[{\"content\":\"AAEC\",\"mime_type\":\"image/png\"}]",
  "sa:x",
  "\u0000",
  "\ud800",
  "💥".repeat(50)
] as const

const Value = Schema.Union([Schema.Literals(values), Schema.String, Schema.Literals(values)])
const Pair = Schema.Tuple([Schema.Union([Schema.Literals(names), Schema.String]), Value])
const Form = Schema.Array(Pair).check(Schema.isMaxLength(8))
const agent = Schema.Literals(["plain", "typed", "made", "unknown"])

const statuses = [200, 202, 400, 403, 404, 409, 422]

const sound = (answer: { readonly status: number; readonly text: string; readonly json: unknown }, what: unknown) => {
  assert.include(statuses, answer.status, JSON.stringify(what))
  assert.notMatch(answer.text, leak)
  if (answer.status >= 400) {
    assert.isString(at(answer.json, "detail"))
    assert.isString(at(answer.json, "error_code"))
  } else if (answer.json === undefined) frames(answer.text)
}

describe("random forms", () => {
  it.effect.prop("a random urlencoded form is never a fault", [Form, agent], ([pairs, id]) =>
    Effect.gen(function*() {
      const server = yield* serve({ agents })
      const body = new URLSearchParams(pairs.map(([name, value]) => [name, value]))
      const answer = yield* ask(server, `/agents/${id}/runs`, { method: "POST", body })
      sound(answer, [pairs, id])
      const { json, status } = yield* get(server, "/sessions")
      assert.strictEqual(status, 200)
      assert.strictEqual(at(json, "meta", "total_count"), answer.status < 300 ? 1 : 0)
    }), { arbitrary: { runs: Tier.size(10, 100), seed: Seed.seed } })

  it.effect.prop("a random multipart form is never a fault", [Form, agent], ([pairs, id]) =>
    Effect.gen(function*() {
      const server = yield* serve({ agents })
      const form = new FormData()
      for (const [name, value] of pairs) form.append(name, name === "files" ? new File([value], `${value}.md`) : value)
      const encoded = new Response(form)
      const headers = { "content-type": encoded.headers.get("content-type")! }
      const body = yield* Effect.promise(() => encoded.arrayBuffer())
      sound(yield* ask(server, `/agents/${id}/runs`, { method: "POST", headers, body }), [pairs, id])
    }), { arbitrary: { runs: Tier.size(12, 60), seed: Seed.seed } })

  it.effect.prop(
    "a form of random bytes is never a fault",
    [Schema.String, Schema.Boolean],
    ([text, isMultipart]) =>
      Effect.gen(function*() {
        const server = yield* serve({ agents })
        const type = isMultipart ? "multipart/form-data; boundary=q" : "application/x-www-form-urlencoded"
        const body = isMultipart
          ? `--q\r\ncontent-disposition: form-data; name="${text}"\r\n\r\n${text}\r\n--q--`
          : text
        sound(
          yield* ask(server, "/agents/plain/runs", { method: "POST", headers: { "content-type": type }, body }),
          text
        )
      }),
    { arbitrary: { runs: Tier.size(12, 60), seed: Seed.seed } }
  )

  it.effect("a form with any value in any field is never a fault", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents })
      const fields = ["plain", "made"].flatMap((id) =>
        names.flatMap((name) => values.map((value) => ({ id, name, value })))
      )
      const classOf = ({ id, name }: typeof fields[number]) => `${id} ${name}`
      for (const { id, name, value } of Tier.ofEach(fields, 4, classOf)) {
        sound(yield* run(server, id, { message: "hi", stream: "no", [name]: value }), [id, name, value])
      }
      assert.strictEqual((yield* get(server, "/sessions?limit=1000")).status, 200)
      assert.deepStrictEqual(server.logs.filter(({ level }) => level === "ERROR"), [])
    }))
})
