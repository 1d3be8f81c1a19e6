// Recipes that need several processes, a browser or databases.
import { assert, describe, it } from "@effect/vitest"
import * as database from "@svc-runtime/examples/recipes/database"
import { application } from "@svc-runtime/examples/recipes/limits"
import * as refund from "@svc-runtime/examples/recipes/refund"
import { readOnTheOther } from "@svc-runtime/examples/recipes/two-nodes"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { scriptedModel, testService, text, toolCall } from "@svc-runtime/testing"
import { Effect, Redacted } from "effect"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { rolldown } from "rolldown"
import * as Browser from "../../../console/test/Browser.ts"
import * as Program from "./Program.ts"

const served = async (url: string) => {
  const page = readFileSync(join(Program.recipes, "react-page.tsx"), "utf8").replace("http://127.0.0.1:7777", url)
  const sources: Readonly<Record<string, string>> = {
    [join(Program.recipes, "entry.tsx")]: `import { createRoot } from "react-dom/client"
import { Chat } from "./page.tsx"
createRoot(document.getElementById("root")).render(<Chat sessionId="s" />)`,
    [join(Program.recipes, "page.tsx")]: page
  }
  const bundle = await rolldown({
    input: Object.keys(sources)[0]!,
    plugins: [{
      name: "sources",
      resolveId: (id) => Object.keys(sources).find((path) => path === id || path === join(Program.recipes, id)),
      load: (id) => sources[id]
    }],
    platform: "browser",
    transform: { define: { "process.env.NODE_ENV": "\"production\"" } }
  })
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false })
  await bundle.close()
  return output[0].code
}

/** A collector that keeps the requests that it gets while the script runs with these settings. */
const collected = async (file: string) => {
  const requests: Array<IncomingMessage> = []
  const collector = createServer((request, response) => {
    requests.push(request)
    request.resume().once("end", () => response.end())
  }).listen(0, "127.0.0.1")
  await once(collector, "listening")
  const settings = parseEnv(readFileSync(join(Program.recipes, file), "utf8"))
  const endpoint = new URL(settings["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "")
  const { port } = collector.address() as AddressInfo
  const { code, stderr } = await Program.node("script.ts", {
    ...settings as Record<string, string>,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}${endpoint.pathname === "/" ? "" : endpoint.pathname}`
  })
  collector.close()
  assert.strictEqual(code, 0, stderr)
  return requests
}

describe("recipes that take long", () => {
  it("the commands of the terminal find and approve the call", async () => {
    const model = scriptedModel([toolCall("refund", { order: 18 }), "Done."])
    await using service = await testService({ ...refund.application, model, listen: true })
    refund.refunded.length = 0
    const { code, stderr, stdout } = await Program.shell("terminal.sh", { PLATFORM_URL: service.url })
    assert.strictEqual(code, 0, stderr)
    assert.include(stdout, "approved")
    await service.until(() => refund.refunded.length === 1)
  })

  it.live("the page of React shows the answer of the agent", () =>
    Effect.gen(function*() {
      const model = scriptedModel([[text("Te", "a.")]])
      const service = yield* Effect.acquireRelease(
        Effect.promise(() => testService({ ...application, limits: {}, model, listen: true })),
        (service) => Effect.promise(() => service.close())
      )
      const code = yield* Effect.promise(() => served(service.url))
      const browser = yield* Browser.launch
      yield* Effect.promise(async () => {
        const tab = await (await browser.newContext()).newPage()
        const html = "<!doctype html><div id=\"root\"></div><script type=\"module\" src=\"/page.js\"></script>"
        await tab.route(`${service.url}/page.html`, (route) => route.fulfill({ contentType: "text/html", body: html }))
        await tab.route(`${service.url}/page.js`, (route) =>
          route.fulfill({ contentType: "text/javascript", body: code }))
        await tab.goto(`${service.url}/page.html`)
        await tab.locator("input").fill("What?")
        await tab.getByRole("button", { name: "Send" }).click()
        await tab.locator("p.assistant").getByText("Tea.", { exact: true }).waitFor()
      })
    }).pipe(Effect.scoped))

  it("the runner of Node executes the scripted test", async () => {
    const { code, stdout } = await Program.node("scripted.test.ts", {}, ["--test"])
    assert.strictEqual(code, 0, stdout)
    assert.match(stdout, /pass 1/)
  })

  it("a script runs an agent without a server", async () => {
    const { code, stderr, stdout } = await Program.node("script.ts")
    assert.strictEqual(code, 0, stderr)
    assert.match(stdout, /^COMPLETED \S[^]*\nRuns in this session: 1\n$/)
  })

  it("traces are sent to the path of Langfuse with its headers, and to Phoenix", async () => {
    const [langfuse] = await collected("langfuse.env")
    assert.strictEqual(langfuse?.url, "/api/public/otel/v1/traces")
    assert.strictEqual(langfuse?.headers["authorization"], "Basic cGs6c2s=")
    assert.strictEqual(langfuse?.headers["x-langfuse-ingestion-version"], "4")
    const [phoenix] = await collected("phoenix.env")
    assert.strictEqual(phoenix?.url, "/v1/traces")
  })

  it("the runs of an agent are in the database that it declares", async () => {
    const model = scriptedModel(["Hello.", "Hello."])
    await using service = await testService({ ...database.application, model })
    await service.agent("north").run({ message: "Hi", session_id: "of-north" })
    await service.agent("assistant").run({ message: "Hi", session_id: "of-the-service" })
    const { data } = await service.client.sessions.list({ db_id: "north-db" })
    assert.deepStrictEqual(data.map(({ session_id }) => session_id), ["of-north"])
  })

  it("a copy of the data directory has what was stored", async () => {
    const { code, stderr, stdout } = await Program.shell("backup.sh")
    assert.strictEqual(code, 0, stderr)
    assert.deepStrictEqual(stdout.match(/Runs in this session: \d/g), [
      "Runs in this session: 1",
      "Runs in this session: 2"
    ])
  })

  it.live("a run that was started on one node is read on the other", () =>
    Effect.gen(function*() {
      const DATABASE_URL = Redacted.value(yield* PostgresLayer.url)
      const quickstart = join(Program.recipes, "..", "quickstart.ts")
      const [one, other] = yield* Effect.forEach(["one", "other"], (NODE_NAME) =>
        ServiceProcess.start(quickstart, { DATABASE_URL, PORT: "0", NODE_NAME }), { concurrency: 2 })
      const { status } = yield* Effect.promise(() =>
        readOnTheOther(one!.url, other!.url)
      )
      assert.strictEqual(status, "COMPLETED")
    }).pipe(Effect.scoped))
})
