import { assert, describe, it } from "@effect/vitest"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Effect, Redacted } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Kills from "./Kills.ts"
import * as Subjects from "./Subjects.ts"

/** A receiver that kills the service when the first call of an event arrives, before it answers. */
const killing = (pid: () => number) =>
  Effect.acquireRelease(
    Effect.promise(() => {
      const calls: Array<string> = []
      const server = createServer((request, response) => {
        request.resume().on("end", () => {
          calls.push(String(request.headers["webhook-id"]))
          if (calls.length === 1) process.kill(pid(), "SIGKILL")
          response.writeHead(204).end()
        })
      })
      return new Promise<{ server: typeof server; calls: typeof calls }>((resolve) =>
        server.listen(0, "127.0.0.1", () => resolve({ server, calls }))
      )
    }),
    ({ server }) => Effect.sync(() => server.close().closeAllConnections())
  )

/** What the service answers. It is asked again while it does not. */
const answered = (url: () => string, init?: RequestInit) =>
  Effect.promise(() =>
    fetch(url(), init).then(
      async (response) => response.ok ? await response.json() as unknown : undefined,
      () => undefined
    )
  ).pipe(
    Effect.tap((answer) => answer === undefined ? Effect.sleep("100 millis") : Effect.void),
    Effect.repeat({ until: (answer) => answer !== undefined })
  )

const post = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

describe("a service on PostgreSQL that is killed while it calls a webhook", () => {
  it.live("a killed service calls the webhook again after its next start, with the id of the event", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* PostgresLayer.url
      const world = yield* Kills.world(Subjects.agent, {
        DATABASE_URL: Redacted.value(url),
        FETCH_ALLOW: "127.0.0.1",
        WEBHOOK_RETRY_DELAY: "1 second"
      })
      let service = yield* world.start
      const { calls, server } = yield* killing(() => service.pid)
      const receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      const webhook = yield* answered(
        () => `${service.url}/webhooks`,
        post({ url: receiver, events: ["run.completed", "run.failed"] })
      )
      const path = `/webhooks/${(webhook as { readonly id: string }).id}`
      const form = new URLSearchParams({ message: "Look", stream: "false" })
      // the service can be killed before it answers
      yield* Effect.promise(() =>
        fetch(`${service.url}/agents/buyer/runs`, { method: "POST", body: form }).then(() => {}, () => {})
      )
      assert.strictEqual(yield* service.ended, "SIGKILL")
      service = yield* world.start
      const succeeded = yield* answered(() => `${service.url}${path}/deliveries?status=succeeded`).pipe(
        Effect.tap(() => Effect.sleep("100 millis")),
        Effect.map((page) => (page as { readonly data: ReadonlyArray<{ readonly event_id: string }> }).data),
        Effect.repeat({ until: (data) => data.length > 0 })
      )
      assert.lengthOf(succeeded, 1)
      assert.isAtLeast(calls.length, 2)
      assert.deepStrictEqual([...new Set(calls)], [succeeded[0]?.event_id])
    })))
})
