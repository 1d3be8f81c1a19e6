// One embedded database with all migrations for all test files of a run of vitest, which use copies of it:
// `test.globalSetup: ["@svc-runtime/test-support/pglite-global-setup"]`. It is made when the first test file asks for
// it.
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import * as LazyServer from "./internal/LazyServer.ts"

const program = fileURLToPath(new URL("internal/prepareDatabase.ts", import.meta.url))

/** The path of the file. A process of its own makes it, because vitest answers its workers meanwhile. */
const prepared = Effect.callback<string>((resume) => {
  const file = join(tmpdir(), "prepared-database")
  const child = spawn(process.execPath, ["--liftoff-only", program, file], { stdio: ["ignore", "ignore", "inherit"] })
  child.once("close", (code) => resume(Effect.succeed(code === 0 ? file : "")))
})

export default async function setup(project: TestProject): Promise<() => void> {
  const { close, port } = await Effect.runPromise(LazyServer.answer(prepared))
  project.provide("svcPglitePort", port)
  return close
}
