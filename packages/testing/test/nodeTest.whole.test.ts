// The samples of documents that are tests, under the test runner of Node.
import { execFile } from "node:child_process"
import { globSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"

const folder = join(import.meta.dirname, "documents")

describe("node:test", () => {
  it("tests of node:test use the kit as those of vitest do", async () => {
    const files = globSync("*.ts", { cwd: folder }).map((file) => join(folder, file))
    // node refuses to run tests inside of what it takes for a run of tests
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const args = ["--test", "--test-reporter=tap", "--test-isolation=none", ...files]
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 240_000 })
      .catch((error: { readonly stdout: string }) => error)
    assert.match(stdout, /^# fail 0$/m, stdout)
    assert.match(stdout, /^# pass 16$/m, stdout)
  })
})
