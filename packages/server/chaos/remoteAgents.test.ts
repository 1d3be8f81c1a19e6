// A service that is killed while a remote agent works for it, at each moment of the conversation.
import { assert, describe, it } from "@effect/vitest"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Queue } from "effect"
import { fileURLToPath } from "node:url"
import * as RemoteServer from "../test/a2a/RemoteServer.ts"
import { at, list } from "../test/Wire.ts"

const file = fileURLToPath(new URL("../test/a2a/remote-service.ts", import.meta.url))

const starting = Effect.fnUntraced(function*(remote: RemoteServer.RemoteServer, env: Readonly<Record<string, string>>) {
  const DATA_DIR = yield* TemporaryDirectory.withDatabase
  // @effect-diagnostics-next-line returnEffectInGen:off because a test starts it several times
  return ServiceProcess.start(file, {
    DATA_DIR,
    PORT: "0",
    MODEL: "demo",
    FETCH_ALLOW: "127.0.0.1",
    REMOTE_URL: remote.url,
    ...env
  })
})

const run_id = "0b5f9a36-6f0e-4d55-9a52-0a1b2c3d4e5f"

const send = (url: string, path: string, fields: Readonly<Record<string, string>> = {}) =>
  Effect.promise(() =>
    fetch(`${url}${path}`, { method: "POST", body: new URLSearchParams({ session_id: "s", ...fields }) })
  )

const begin = (url: string) =>
  send(url, "/agents/far/runs", { message: "hi", stream: "false", background: "true", run_id })

/** The run when it does not execute any more. */
const settled = (url: string) =>
  Effect.promise(() => fetch(`${url}/agents/far/runs/${run_id}?session_id=s`).then((response) => response.json())).pipe(
    Effect.tap(() => Effect.sleep("50 millis")),
    Effect.repeat({ until: (run: unknown) => at(run, "status") !== "RUNNING" && at(run, "status") !== "PENDING" })
  )

const sentIn = ({ received }: RemoteServer.RemoteServer) =>
  received.filter(({ method }) => method === "SendStreamingMessage").map(({ params }) =>
    at(params, "message", "messageId")
  )

describe("a service that is killed beside a remote agent", () => {
  // each starts two processes
  Tier.oneIn(5)

  it.live(
    "a service that is killed while its remote task works continues with the same task, and sends nothing twice",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const remote = yield* RemoteServer.make(({ method }, response) => {
          if (method === "GetTask") return RemoteServer.rpc(response, RemoteServer.task("COMPLETED", "Hello."))
          RemoteServer.stream(response, RemoteServer.task("WORKING"), RemoteServer.text("Hel", false))
        })
        const start = yield* starting(remote, {})
        const first = yield* start
        const answer = yield* send(first.url, "/agents/far/runs", { message: "hi", stream: "true", run_id })
        const reader = answer.body!.getReader()
        // the task is in the journal before its text is shown
        let shown = ""
        while (!shown.includes("Hel")) {
          const part = yield* Effect.promise(() => reader.read())
          shown += new TextDecoder().decode(part.value)
        }
        yield* first.end("SIGKILL")
        const second = yield* start
        assert.deepInclude(yield* settled(second.url), { status: "COMPLETED", content: "Hello." })
        assert.strictEqual(sentIn(remote).length, 1)
      }))
  )

  it.live(
    "a service that is killed while it sends a message asks a person whether that arrived",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const sent = yield* Deferred.make<void>()
        const remote = yield* RemoteServer.make(() => Deferred.doneUnsafe(sent, Effect.void))
        const start = yield* starting(remote, {})
        const first = yield* start
        yield* begin(first.url)
        yield* Deferred.await(sent)
        yield* first.end("SIGKILL")
        const second = yield* start
        const run = yield* settled(second.url)
        assert.strictEqual(at(run, "status"), "PAUSED")
        assert.deepInclude(list(at(run, "tools"))[0], { tool_name: "send_to_remote_agent", outcome_unknown: true })
        assert.strictEqual(sentIn(remote).length, 1)
      }))
  )

  it.live(
    "a service that is killed while it sends a message sends it again under its id to an agent that recognizes it",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const sent = yield* Deferred.make<void>()
        const remote = yield* RemoteServer.make((_, response) => {
          if (Deferred.doneUnsafe(sent, Effect.void)) return
          RemoteServer.stream(response, RemoteServer.task("COMPLETED", "Hello."))
          response.end()
        })
        const start = yield* starting(remote, { REMOTE_DEDUPLICATES: "true" })
        const first = yield* start
        yield* begin(first.url)
        yield* Deferred.await(sent)
        yield* first.end("SIGKILL")
        const second = yield* start
        assert.deepInclude(yield* settled(second.url), { status: "COMPLETED", content: "Hello." })
        const [one, other] = sentIn(remote)
        assert.strictEqual(one, other)
      }))
  )

  it.live(
    "a service that is killed while its run waits for an answer sends the answer to the same task",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const remote = yield* RemoteServer.make(({ params }, response) => {
          const isAnswer = at(params, "message", "taskId") === "task"
          RemoteServer.stream(response, RemoteServer.task("WORKING"))
          response.end(RemoteServer.frame(
            isAnswer
              ? RemoteServer.task("COMPLETED", "Hello Bern.")
              : RemoteServer.status("INPUT_REQUIRED", "Which city?")
          ))
        })
        const start = yield* starting(remote, {})
        const first = yield* start
        yield* begin(first.url)
        const paused = yield* settled(first.url)
        assert.strictEqual(at(paused, "status"), "PAUSED")
        yield* first.end("SIGKILL")
        const second = yield* start
        const tool = list(at(paused, "tools")).at(-1)
        assert.strictEqual(at(tool, "tool_args", "question"), "Which city?")
        const tools = [{
          tool_call_id: at(tool, "tool_call_id"),
          user_input_schema: [{ name: "answer", value: "Bern" }]
        }]
        yield* send(second.url, `/agents/far/runs/${run_id}/continue`, {
          tools: JSON.stringify(tools),
          stream: "false"
        })
        assert.deepInclude(yield* settled(second.url), { status: "COMPLETED", content: "Hello Bern." })
        assert.deepStrictEqual(at(remote.received.at(-1)?.params, "message", "parts"), [{ text: "Bern" }])
        assert.strictEqual(sentIn(remote).length, 2)
      }))
  )

  it.live(
    "a service that is killed after its run was cancelled cancels the remote task",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const cancels = yield* Queue.unbounded<unknown>()
        let count = 0
        const remote = yield* RemoteServer.make(({ method, params }, response) => {
          if (method !== "CancelTask") {
            RemoteServer.stream(response, RemoteServer.task("WORKING"))
            return void response.end(RemoteServer.frame(RemoteServer.status("INPUT_REQUIRED", "Which city?")))
          }
          Queue.offerUnsafe(cancels, params)
          // the service is killed before the first answer
          if (count++ > 0) RemoteServer.rpc(response, RemoteServer.task("CANCELED"))
        })
        const start = yield* starting(remote, {})
        const first = yield* start
        yield* begin(first.url)
        yield* settled(first.url)
        yield* send(first.url, `/agents/far/runs/${run_id}/cancel`)
        yield* Queue.take(cancels)
        yield* first.end("SIGKILL")
        yield* start
        assert.deepStrictEqual(yield* Queue.take(cancels), { id: "task" })
      }))
  )
})
