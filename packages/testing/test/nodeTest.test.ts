// The kit under the test runner of Node.
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"

describe("node:test", () => {
  it("tests of node:test use the kit as those of vitest do", async () => {
    const file = join(import.meta.dirname, "documents", "nodeTest.ts")
    // node refuses to run tests inside of what it takes for a run of tests
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const { stdout } = await promisify(execFile)(process.execPath, ["--test", "--test-reporter=tap", file], {
      env,
      timeout: 120_000
    })
    assert.match(stdout, /^# pass 2$/m)
    assert.match(stdout, /^# fail 0$/m)
  })
})
