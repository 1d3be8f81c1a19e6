// Stores runs, with their messages and events in the order of acceptance. A store implements four ports over the same
// rows, because one statement can serve two of them. Its users require only the ports that they need.
import { Context, Layer } from "effect"
import { RunLeases } from "./RunLeases.ts"
import { RunLifecycle } from "./RunLifecycle.ts"
import { RunLog } from "./RunLog.ts"
import { RunReading } from "./RunReading.ts"

export type Ports = RunLeases | RunLifecycle | RunLog | RunReading

export class RunStore extends Context.Service<
  RunStore,
  RunLeases["Service"] & RunLifecycle["Service"] & RunLog["Service"] & RunReading["Service"]
>()("@svc-runtime/engine/run/store/RunStore") {
  static readonly portsOf = (store: RunStore["Service"]): Context.Context<Ports> =>
    Context.make(RunLifecycle, store).pipe(
      Context.add(RunLeases, store),
      Context.add(RunLog, store),
      Context.add(RunReading, store)
    )

  /** The ports of the store. */
  static readonly ports: Layer.Layer<Ports, never, RunStore> = Layer.effectContext(
    RunStore.useSync((store) => RunStore.portsOf(store))
  )
}
