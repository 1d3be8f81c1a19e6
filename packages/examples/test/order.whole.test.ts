// The tool of the quickstart that needs an approval, as a newcomer tries it.
import { assert, describe, it } from "@effect/vitest"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import { Effect, Schedule } from "effect"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const file = fileURLToPath(new URL("../src/quickstart.ts", import.meta.url))

interface Json {
  readonly [key: string]: any // oxlint-disable-line typescript/no-explicit-any -- raw answers are read as they are
}

const json = (url: string, init?: RequestInit) =>
  Effect.promise(async () => await (await fetch(url, init)).json() as Json)

describe("The order tool of the quickstart", () => {
  it.live("An order waits for an approval, and is made once it is approved.", () =>
    Effect.gen(function*() {
      const directory = join(yield* TemporaryDirectory.make, "data")
      const { url } = yield* ServiceProcess.start(file, { DATA_DIR: directory, PORT: "0", MODEL: "demo" })
      const runs = `${url}/agents/assistant/runs`
      const body = new URLSearchParams({ message: "Order a box of tea.", session_id: "orders", stream: "false" })
      const paused = yield* json(runs, { method: "POST", body })
      assert.strictEqual(paused["status"], "PAUSED")
      const { data } = yield* json(`${url}/approvals?status=pending&run_id=${paused["run_id"]}`)
      assert.deepStrictEqual(data.map(({ tool_name }: Json) => tool_name), ["order"])
      const approved = yield* json(`${url}/approvals/${data[0].id}/resolve`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ status: "approved" })
      })
      assert.strictEqual(approved["status"], "approved")
      const over = yield* Effect.repeat(json(`${runs}/${paused["run_id"]}?session_id=orders`), {
        until: ({ status }) => !["PAUSED", "PENDING", "RUNNING"].includes(status),
        schedule: Schedule.spaced("50 millis")
      })
      assert.strictEqual(over["status"], "COMPLETED")
      assert.include(over["content"], "Ordered: ")
    }).pipe(Effect.scoped))
})
