// A service with workflows, and clients with authenticated sockets.
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, second } from "../Wire.ts"
import { askingFlow, first, plainFlow } from "../wire/Flows.ts"
import { open } from "./SocketClient.ts"

/** A workflow that waits until it is let go. */
export const gated = Effect.gen(function*() {
  const [reached, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const wait = Step.make({
    name: "wait",
    run: () => Effect.as(Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate)), "waited")
  })
  const workflow = Workflow.make({ id: "gated", steps: [first, wait] })
  return { workflow, reached: Deferred.await(reached), release: Deferred.succeed(gate, undefined) }
})

export const serve = Effect.fnUntraced(function*(options: TestServer.Options = {}) {
  yield* TestClock.setTime(second * 1000)
  return yield* TestServer.listen({ workflows: [plainFlow, askingFlow], ...options })
})

export const connect = Effect.fnUntraced(function*(...target: Parameters<typeof open>) {
  const client = yield* open(...target)
  yield* client.next
  return client
})

type Client = Effect.Success<ReturnType<typeof connect>>

/** The messages until an event of this kind, which is the last of them. */
export const until = Effect.fnUntraced(function*(client: Client, kind: string) {
  const frames: Array<unknown> = []
  while (at(frames.at(-1), "event") !== kind) frames.push(yield* client.next)
  return frames
})

export const kinds = (frames: ReadonlyArray<unknown>) => frames.map((frame) => at(frame, "event"))

export const fetched = (url: string, path: string) =>
  Effect.promise(() => fetch(url + path).then((response) => response.json() as Promise<unknown>))

export const start = { action: "start-workflow", workflow_id: "plain", message: "go", session_id: "s", run_id: "r" }
export const error = (text: string) => ({ event: "error", error: text })
