// Responses as a client of the observed service validates them: keys, their order, types and statuses.
import { assert } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { ask, at, type Fields, send } from "../Wire.ts"

export type Check = (value: unknown) => boolean
export type Shape = Readonly<Record<string, Check>>

export const string: Check = (value) => typeof value === "string"
export const integer: Check = (value) => Number.isInteger(value)
export const natural: Check = (value) => integer(value) && Number(value) >= 0
export const dateTime: Check = (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(String(value))
export const isoTime: Check = (value) => string(value) && !Number.isNaN(Date.parse(String(value)))
export const object: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value)
export const nullOr = (check: Check): Check => (value) => value === null || check(value)
export const arrayOf = (check: Check): Check => (value) => Array.isArray(value) && value.every(check)

/** The keys of an object, in their order, and a check for each. */
export const shaped = (shape: Shape): Check => (value) =>
  object(value) && Object.keys(value as object).join() === Object.keys(shape).join() &&
  Object.entries(shape).every(([key, check]) => check(at(value, key)))

const meta = shaped({
  page: natural,
  limit: natural,
  total_pages: natural,
  total_count: natural,
  search_time_ms: natural
})
export const pageOf = (check: Check) => shaped({ data: arrayOf(check), meta })

/** Errors have further keys, which clients ignore. */
export const error: Check = (value) => string(at(value, "detail")) && string(at(value, "error_code"))
export const nothing: Check = (value) => value === undefined

export interface Request {
  readonly request: string
  /** As JSON. */
  readonly body?: unknown
  /** As the client sends a form without a file. */
  readonly form?: Fields
  readonly status: number
  readonly is: Check
}

const sent = (server: TestServer.TestServer, { body, form, request }: Request) => {
  const [method = "", path = ""] = request.split(" ")
  if (body !== undefined) return send(server, method, path, body)
  return ask(server, path, { method, ...(form === undefined ? {} : { body: new URLSearchParams(form) }) })
}

export const askAll = (server: TestServer.TestServer, requests: ReadonlyArray<Request>) =>
  Effect.forEach(
    requests,
    Effect.fnUntraced(function*(request) {
      const answer = yield* sent(server, request)
      assert.strictEqual(answer.status, request.status, `${request.request}: ${answer.text}`)
      assert.isTrue(request.is(answer.json), `${request.request}: ${answer.text}`)
    }),
    { discard: true }
  )
