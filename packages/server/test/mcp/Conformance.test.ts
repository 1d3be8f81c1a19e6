// The protocol's own conformance suite against an endpoint in the service's HTTP stack, with what each revision
// requires frozen at its release, and the extension with tasks.
import { assert, describe, it } from "@effect/vitest"
import { Route } from "@svc-runtime/server"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { createRequire } from "node:module"
import * as McpEndpoint from "../../src/mcp/McpEndpoint.ts"
import * as Fixtures from "./conformance/Fixtures.ts"
import * as TaskFixtures from "./conformance/TaskFixtures.ts"

Tier.oneIn(12)

const suite = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/dist/index.js")

interface Report {
  readonly code: number
  readonly text: string
}

const judge = (url: string, revision: string): Effect.Effect<Report> =>
  Effect.callback((resume) => {
    const args = [suite, "server", "--url", url, "--requirements", revision]
    const child = execFile(process.execPath, args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resume(Effect.succeed({ code: Number(error?.code ?? 0), text: stdout + stderr }))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** The lines of the summary, scenario by scenario. */
const scenarios = ({ text }: Report) =>
  [...text.matchAll(/^(✓|✗) ([a-z0-9-]+): (\d+) passed, (\d+) failed$/gm)].map(([, , name, passed, failed]) => ({
    name: name!,
    passed: Number(passed),
    failed: Number(failed)
  }))

/** No tool here works only as a task. */
const notApplicable = new Set(["tasks-required-task-error"])

describe("the conformance suite", () => {
  it.live.each<readonly [string, number]>([["2025-11-25", 30], ["2026-07-28", 45]])(
    "the conformance suite has no objection to %s",
    ([revision, required]) =>
      Effect.gen(function*() {
        const path = "/conformance"
        const { tasks, tools } = TaskFixtures.make()
        const registrations = Fixtures.layer(tools)
        const { logs, url } = yield* TestServer.listen({
          routes: [
            Route.layer(McpEndpoint.layer({ path, registrations, tasks: Effect.succeed(tasks) }), {
              [`POST ${path}`]: "none",
              [`DELETE ${path}`]: "none"
            })
          ]
        })
        const report = yield* judge(`${url}${path}`, revision)
        const scored = scenarios(report).filter(({ name }) => !notApplicable.has(name))
        assert.deepStrictEqual(scored.filter(({ failed }) => failed > 0), [], report.text)
        assert.isAtLeast(scored.filter(({ passed }) => passed > 0).length, required, report.text)
        assert.strictEqual(report.code, 0, report.text)
        assert.deepStrictEqual(logs.filter(({ level }) => level === "ERROR"), [])
      })
  )
})
