// How the tests ask, and how they read what came back: raw requests in, status, headers, bytes and JSON out. Nothing
// here knows the schemas of the API, because it is they that are on trial.
import { assert } from "@effect/vitest"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

/** What every test's clock says until it is moved. */
export const second = 1_795_223_413
export const dateTime = "2026-11-21T01:10:13Z"

export const serve = (options?: TestServer.Options) =>
  Effect.andThen(TestClock.setTime(second * 1000), TestServer.make(options))

/**
 * A clock that skips time without waking what sleeps: background tasks wake thousands of times in a day. What sleeps
 * wakes with the clock of the test.
 */
export const skippingClock = Effect.map(Clock.clockWith(Effect.succeed), (testClock) => {
  let skipped = 0
  const clock = TestServer.clockOf(testClock)
  const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() + skipped
  const skipping = {
    ...clock,
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe() + BigInt(skipped) * 1_000_000n
  }
  return { clock: skipping, skip: (seconds: number) => Effect.sync(() => void (skipped += seconds * 1000)) }
})

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Undefined when the body is not JSON. */
  readonly json: unknown
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const ask = Effect.fnUntraced(function*(server: TestServer.TestServer, path: string, init?: RequestInit) {
  const response = yield* server.fetch(path, init)
  const text = yield* Effect.promise(() => response.text())
  const answer: Answer = { status: response.status, headers: response.headers, text, json: parse(text) }
  return answer
})

export const get = (server: TestServer.TestServer, path: string) => ask(server, path)

const asText = (body: unknown) => typeof body === "string" ? body : JSON.stringify(body)

/** With a JSON body: a text is sent as it is. */
export const send = (server: TestServer.TestServer, method: string, path: string, body: unknown) =>
  ask(server, path, { method, headers: { "content-type": "application/json" }, body: asText(body) })

export const post = (server: TestServer.TestServer, path: string, body: unknown) => send(server, "POST", path, body)

export type Fields = Readonly<Record<string, string>>

/** A run by an urlencoded form. */
export const run = (server: TestServer.TestServer, agent: string, fields: Fields) =>
  ask(server, `/agents/${agent}/runs`, { method: "POST", body: new URLSearchParams(fields) })

/** A run that waits for its output. */
export const runWhole = (server: TestServer.TestServer, agent: string, fields: Fields) =>
  run(server, agent, { stream: "false", ...fields })

/** A run by a multipart form, which is there as a whole before it is sent. */
export const upload = Effect.fnUntraced(function*(
  server: TestServer.TestServer,
  agent: string,
  fields: Fields,
  files: ReadonlyArray<File> = []
) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const file of files) form.append("files", file)
  const encoded = new Response(form)
  const headers = { "content-type": encoded.headers.get("content-type") ?? "" }
  const body = yield* Effect.promise(() => encoded.arrayBuffer())
  return yield* ask(server, `/agents/${agent}/runs`, { method: "POST", headers, body })
})

export interface Frame {
  readonly kind: string
  readonly id: number
  readonly data: Readonly<Record<string, unknown>>
}

const frame = /^event: (\w+)\nid: (\d+)\ndata: ([^\n]+)\n\n/

/** Takes a stream apart, byte for byte: anything between the frames is a failure. */
export const frames = (text: string): ReadonlyArray<Frame> => {
  const found: Array<Frame> = []
  let rest = text
  while (rest !== "") {
    const match = frame.exec(rest)
    if (match === null) throw new Error(`Not a frame: ${rest.slice(0, 200)}`)
    found.push({ kind: match[1]!, id: Number(match[2]), data: JSON.parse(match[3]!) })
    rest = rest.slice(match[0].length)
  }
  return found
}

export const runFrames = Effect.fnUntraced(function*(server: TestServer.TestServer, agent: string, fields: Fields) {
  const answer = yield* run(server, agent, fields)
  assert.strictEqual(answer.status, 200, answer.text)
  return frames(answer.text)
})

export const kindsOf = (all: ReadonlyArray<Frame>): ReadonlyArray<string> => all.map(({ kind }) => kind)

/** What is found under a path of keys. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined | null)?.[key], value)

export const list = (value: unknown, ...path: ReadonlyArray<string | number>): ReadonlyArray<unknown> => {
  const found = at(value, ...path)
  assert.isTrue(Array.isArray(found), `no array: ${JSON.stringify(found)}`)
  return found as ReadonlyArray<unknown>
}

/** One key of every item of a list. */
export const column = (value: unknown, key: string): ReadonlyArray<unknown> => list(value).map((item) => at(item, key))

export const keysOf = (value: unknown): ReadonlyArray<string> => Object.keys(value as object).sort()

export const hasKeys = (value: unknown, ...keys: ReadonlyArray<string>) =>
  assert.deepStrictEqual(keysOf(value), [...keys].sort())

/** The object without some of its keys. */
export const without = (value: unknown, ...keys: ReadonlyArray<string>): unknown =>
  Object.fromEntries(Object.entries(value as object).filter(([key]) => !keys.includes(key)))

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** What no response may let out: a stack, a path of this machine, the name of a library. */
export const leak = /\n\s+at |node_modules|\/packages\/|\.ts[:"]|file:\/\/|FiberFailure|SchemaError/

/** The one body of all errors. */
export const failed = (answer: Answer, status: number, error_code: string, detail?: string | RegExp) => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.strictEqual(answer.headers.get("content-type"), "application/json")
  const hint = status === 404 && at(answer.json, "hint") !== undefined ? ["hint"] : []
  const extra = status === 422 ? ["errors"] : status === 500 ? ["request_id"] : hint
  hasKeys(answer.json, "detail", "error_code", ...extra)
  assert.strictEqual(at(answer.json, "error_code"), error_code)
  if (typeof detail === "string") assert.strictEqual(at(answer.json, "detail"), detail)
  if (detail instanceof RegExp) assert.match(String(at(answer.json, "detail")), detail)
  assert.notMatch(answer.text, leak)
}

/** `detail`: the beginning of the text. */
export const notFound = (answer: Answer, detail = "") => {
  failed(answer, 404, "NOT_FOUND")
  assert.isTrue(String(at(answer.json, "detail")).startsWith(detail), answer.text)
}
export const badRequest = (answer: Answer, detail?: string | RegExp) => failed(answer, 400, "BAD_REQUEST", detail)

/** A continuation whose decisions are unknown, misspelt or missing. */
export const undecided = (answer: Answer, detail?: string | RegExp) => failed(answer, 422, "VALIDATION_ERROR", detail)

/** A 422 and its problems, each as `[loc, type]`. */
export const invalid = (
  answer: Answer,
  ...problems: ReadonlyArray<readonly [ReadonlyArray<string | number>, string]>
) => {
  failed(answer, 422, "VALIDATION_ERROR")
  const errors = list(answer.json, "errors")
  for (const error of errors) hasKeys(error, "loc", "msg", "type")
  assert.deepStrictEqual<unknown>(
    errors.map((error) => [at(error, "loc"), at(error, "type")]),
    problems,
    answer.text
  )
}

/** A model that says the same however often it is asked. */
export const always = (...turn: ReadonlyArray<Script.Step>) => Script.make(Array.from({ length: 100 }, () => turn))
