// Prompts as a person meets them: in a terminal, typed key by key.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { build, inTerminal, noTerminal } from "./Process.ts"
import { withService } from "./RunningService.ts"

Tier.oneIn(6)

beforeAll(async () => {
  await build()
})

const env = { PLATFORM_ADMIN_TOKEN: "admin" }

describe.skipIf(noTerminal !== undefined)("a prompt in a terminal", () => {
  it("a key alone answers nothing: the line does", () =>
    withService(async ({ revoked, url }) => {
      const { code, stdout } = await inTerminal(
        ["tokens", "revoke", "x", "--url", url],
        [["[y/N] ", "maybe\r"], ["[y/N] ", "y"], ["y", "\u007F"], ["\u001B", "n\r"]],
        { env }
      )
      assert.strictEqual(code, 0, stdout)
      assert.include(stdout, "Expected y or n.")
      assert.include(stdout, "Nothing was changed")
      assert.strictEqual(revoked(), 0)
    }))

  it("questions are on standard error, and a file gets the result alone", () =>
    withService(async ({ revoked, url }, folder) => {
      const stdoutFile = join(folder, "out")
      const { code, stdout: shown } = await inTerminal(
        ["tokens", "revoke", "x", "--url", url],
        [["Administrative credential:", "admin\r"], ["Revoke x on", "y\r"]],
        { stdoutFile }
      )
      assert.strictEqual(code, 0, shown)
      assert.strictEqual(revoked(), 1)
      assert.notInclude(shown, "admin\r")
      assert.match(readFileSync(stdoutFile, "utf8"), /Revoked x\. Its tokens stop working with their next request\.\n$/)
      assert.notInclude(readFileSync(stdoutFile, "utf8"), "?")
    }))

  it("a template is chosen by its number, and lines that are typed ahead answer the next question", () =>
    withService(async (_, folder) => {
      const { code, stdout } = await inTerminal(["create"], [["Template [1]:", "9999\r2\rmine\r"]], { cwd: folder })
      assert.strictEqual(code, 0, stdout)
      assert.include(stdout, "Expected a number from 1 to ")
      assert.include(stdout, "Created mine")
      assert.isTrue(existsSync(join(folder, "mine", ".env")))
    }))

  it("nothing but Enter chooses the default", () =>
    withService(async (_, folder) => {
      const { code, stdout } = await inTerminal(
        ["create"],
        [["Template [1]:", "\r"], ["Project name [agentos]:", "\r"]],
        { cwd: folder }
      )
      assert.strictEqual(code, 0, stdout)
      assert.include(stdout, "Created agentos")
    }))

  it("a terminal of twenty columns shows the whole question", () =>
    withService(async ({ revoked, url }) => {
      const { code, stdout } = await inTerminal(["tokens", "revoke", "x", "--url", url], [["[y/N]", "y\r"]], {
        env,
        columns: 20
      })
      assert.strictEqual(code, 0, stdout)
      assert.include(stdout.replaceAll(/[\r\n]/g, ""), "Its tokens stop working for good. [y/N]")
      assert.strictEqual(revoked(), 1)
    }))
})
