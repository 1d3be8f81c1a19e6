// Makes the executions of this node: each is connected to its lease, to the writer of events and to its watchers.
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Context, Effect, Layer } from "effect"
import { EventWriter } from "../events/EventWriter.ts"
import { RunWatch } from "../events/RunWatch.ts"
import { ThisNode } from "../leases/ThisNode.ts"
import { RunLog } from "../store/RunLog.ts"
import * as Execution from "./Execution.ts"

export class ExecutionMaker extends Context.Service<ExecutionMaker, {
  readonly make: (known: Execution.Known) => Effect.Effect<Execution.Execution>
}>()("@svc-runtime/engine/run/engine/ExecutionMaker") {
  static readonly layer: Layer.Layer<ExecutionMaker, never, EventWriter | RunLog | RunWatch | ThisNode> = Layer.effect(
    ExecutionMaker,
    Effect.gen(function*() {
      const { heartbeat } = yield* ThisNode
      const parts: Execution.Parts = {
        log: yield* RunLog,
        heartbeat,
        onPending: (yield* EventWriter).onPending,
        onStored: (yield* RunWatch).changed,
        instruments: yield* Instruments
      }
      return { make: (known) => Execution.make(parts, known) }
    })
  )
}
