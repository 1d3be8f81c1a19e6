// The requests of the documents, as a reader sends them to the quickstart one after the other. Placeholders such as
// RUN_ID are ids of earlier answers.
import { assert, describe, it } from "@effect/vitest"
import * as Json from "@svc-runtime/domain/Json"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import { Effect } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { type CurlCommand, curlCommandsIn } from "./curlCommands.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const quickstart = fileURLToPath(new URL("../src/quickstart.ts", import.meta.url))

/** Documents whose requests are all for the quickstart. */
const documents = [
  "README",
  "docs/start/parts",
  "docs/start/quick-start",
  "docs/guides/components",
  "docs/guides/evaluations",
  "docs/guides/knowledge",
  "docs/guides/memory",
  "docs/guides/schedules",
  "docs/guides/sessions",
  "docs/operate/traces",
  "docs/guides/webhooks"
]

/** Where a reader has the files of requests. */
const folders = [root, join(root, "packages/examples/documents")]

const address = /^(http:\/\/)?(localhost|127\.0\.0\.1):7777/

interface Answer {
  readonly path: string
  readonly json: Json.Value
}

/** The first value of a key, at any depth. */
const valueOf = (value: Json.Value | undefined, key: string): string | undefined => {
  if (Json.isList(value)) return value.map((item) => valueOf(item, key)).find((found) => found !== undefined)
  if (!Json.isObject(value)) return undefined
  const own = value[key]
  return typeof own === "string" ? own : valueOf(Object.values(value), key)
}

/** `RUN_ID` is the `run_id` of the last answer with one, or the id in the last answer of `/runs`. */
const idOf = (name: string, answers: ReadonlyArray<Answer>): string | undefined => {
  const [key, path] = [name.toLowerCase(), `/${name.toLowerCase().replace(/_id$/, "s")}`]
  const found = answers.map(({ json }) => valueOf(json, key)).find((id) => id !== undefined)
  return found ?? valueOf(answers.find((answer) => answer.path === path)?.json, "id")
}

/** In `/schedules/ID`, `ID` stands for a `SCHEDULE_ID`. */
const named = (text: string): string =>
  text.replaceAll(/\/([a-z]+)s\/ID\b/g, (_, kind: string) => `/${kind}s/${kind.toUpperCase()}_ID`)

const placeholders = /\$?\b([A-Z]+_ID)\b/g

/** Undefined: no earlier answer has what a placeholder stands for. */
const filled = (text: string, answers: ReadonlyArray<Answer>): string | undefined => {
  const ids = Array.from(named(text).matchAll(placeholders), ([, name]) => idOf(name!, answers))
  return ids.includes(undefined) ? undefined : named(text).replaceAll(placeholders, () => String(ids.shift()))
}

const fileOf = (name: string): string =>
  folders.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? name

const bodyOf = ({ body, form }: CurlCommand): BodyInit | undefined => {
  if (form.length === 0) return body
  const data = new FormData()
  for (const [name, value] of form) {
    if (!value.startsWith("@")) data.set(name, value)
    else data.set(name, new Blob([readFileSync(fileOf(value.slice(1)))]), basename(value))
  }
  return data
}

/** Whether the answer has every field that the document shows; of an object inside, the shown fields. */
const includes = (value: Json.Value | undefined, shown: Json.Value): boolean => {
  if (!Json.isObject(shown)) return value === shown
  return Json.isObject(value) && Object.entries(shown).every(([key, part]) => includes(value[key], part))
}

describe("the requests of the documents", () => {
  it.live(
    "every request of a document about the quickstart is answered as the document shows, or else with success",
    () =>
      Effect.gen(function*() {
        const service = yield* ServiceProcess.start(quickstart, {
          DATA_DIR: yield* TemporaryDirectory.withDatabase,
          PORT: "0",
          MODEL: "demo"
        })
        const answers: Array<Answer> = []
        const failures: Array<string> = []
        for (const document of documents) {
          const commands = curlCommandsIn(readFileSync(join(root, `${document}.md`), "utf8"))
          assert.isAbove(commands.length, 0, document)
          for (const command of commands) {
            const [url, body] = [filled(command.url, answers), filled(command.body ?? "", answers)]
            const path = url?.replace(address, "") ?? ""
            const what = `${document}: ${command.method} ${command.url}`
            if (url === undefined || body === undefined || !address.test(url)) {
              failures.push(`${what} cannot be sent`)
              continue
            }
            const { headers, method } = command
            const sent = bodyOf({ ...command, body: command.body === undefined ? undefined : body })
            const response = yield* Effect.promise(() =>
              fetch(service.url + path, { method, headers, body: sent ?? null })
            )
            const text = yield* Effect.promise(() => response.text())
            const isJson = /json/.test(response.headers.get("content-type") ?? "")
            const json: Json.Value = isJson ? JSON.parse(text) : {}
            const { fields, status } = command.shown ?? { fields: {}, status: undefined }
            const isExpected = status === undefined ? response.ok : response.status === status && includes(json, fields)
            if (!isExpected) failures.push(`${what} is answered ${response.status} ${text}`)
            if (isJson) answers.unshift({ path, json })
          }
        }
        assert.deepStrictEqual(failures, [])
      }).pipe(Effect.scoped)
  )
})
