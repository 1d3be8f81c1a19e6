// The modules that a start loads: those of the features that the service has, and nothing that only some requests use.
import { assert, describe, it } from "@effect/vitest"
import * as Features from "@svc-runtime/features/features"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

const program = join(import.meta.dirname, "fixtures", "loadedModules.ts")

/** Their paths, from `packages` or `node_modules` on. */
const loaded = (without: ReadonlyArray<string>) =>
  Effect.promise(() =>
    promisify(execFile)(process.execPath, [program, ...without], {
      env: { ...process.env, DATA_DIR: "memory", PORT: "0", LOG_LEVEL: "None", MODEL: "fixed" },
      maxBuffer: 1024 * 1024
    })
  ).pipe(
    Effect.map(({ stdout }) => stdout.split("\n").map((url) => url.replace(/^.*\/(?=(packages|node_modules)\/)/, "")))
  )

const names = Features.features.map(({ name }) => name)

/** What handles requests, stores data or executes jobs. */
const isLive = (path: string) => /^packages\/features\/src\/.+\/(live|Sql\w+|\w+Handlers|\w+Job)\.ts$/.test(path)

/** The options of agents, which are the same in all services, and the protocol A2A name these jobs. */
const named = [
  "packages/features/src/learning/LearningJob.ts",
  "packages/features/src/memory/ExtractionJob.ts",
  "packages/features/src/summaries/SummaryJob.ts",
  "packages/features/src/taskPush/PushJob.ts",
  "packages/features/src/taskPush/TaskPushJob.ts"
]

describe("The modules that a start loads", () => {
  it.live("a service loads what its features do", () =>
    Effect.gen(function*() {
      const paths = yield* loaded([])
      for (const name of names) assert.include(paths, `packages/features/src/${name}/live.ts`)
      // undici, SDKs of providers, the client of MCP, readers of documents, and pages are loaded when they are used
      const unused = /^node_modules\/(undici|@ai-sdk|@modelcontextprotocol|unpdf|mammoth)\/|\/httpApi(Scalar|Swagger)\./
      assert.deepStrictEqual(paths.filter((path) => unused.test(path)), [])
    }))

  it.live("a service without features loads nothing of what they do", () =>
    Effect.gen(function*() {
      const live = (yield* loaded(names)).filter(isLive)
      assert.deepStrictEqual(live.filter((path) => !named.includes(path)), [])
    }))
})
