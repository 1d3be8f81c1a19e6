// Prompts as a person meets them: in a terminal, typed key by key.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Sample from "@svc/testing/Sample"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, inTerminal, noTerminal } from "./Process.ts"

Sample.oneTestIn(3)

beforeAll(async () => {
  await build()
})

const account = { id: "id-x", name: "x", principal: "sa:x", token_prefix: "svc_pat_abc", scopes: ["agents:run"] }

/** A service with one account, and a folder. Revoked accounts are counted. */
const withService = async (
  use: (service: { readonly url: string; readonly revoked: () => number }, folder: string) => Promise<void>
) => {
  let revoked = 0
  const server = createServer((request, response) => {
    const answer = (status: number, body?: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(body && JSON.stringify(body))
    if (request.headers.authorization === "Bearer wrong") return answer(401, { detail: "wrong" })
    if (request.method === "DELETE") {
      revoked += 1
      return answer(204)
    }
    if (request.url?.startsWith("/service-accounts") === true) {
      return answer(200, { data: [account], meta: { page: 1, limit: 100, total_pages: 1, total_count: 1 } })
    }
    return answer(200, {
      name: "Svc",
      version: "1.2.3",
      auth_mode: "security_key",
      mcp: { enabled: true, path: "/mcp", oauth: null }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const folder = mkdtempSync(join(tmpdir(), "svc-prompts-"))
  try {
    await use({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, revoked: () => revoked }, folder)
  } finally {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

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
      assert.include(stdout, "Created mine from agentos-aws")
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
      assert.include(stdout, "Created agentos from agentos-docker")
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
