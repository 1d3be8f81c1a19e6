// The port through which the engine gets something that it can execute, of any kind of component.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Message from "@svc-runtime/domain/Message"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect, Schema } from "effect"
import { ByteLimits } from "../limits/ByteLimits.ts"
import type { Lifetime } from "./Lifetime.ts"
import type { RunCommand } from "./RunCommand.ts"
import type { Runnable } from "./Runnable.ts"
import type { RunSnapshot } from "./store/RunReads.ts"
import type { RunCompletion } from "./store/RunWrites.ts"

/** A component that was made for a request. The engine hands it to the runners. */
export interface ResolvedComponent {
  readonly component: { readonly id: string }
  readonly lifetime: Lifetime | undefined
}

/** How a resumed run is executed. */
export interface RunMode extends Pick<RunCommand, "stream" | "background"> {
  /** For the caller who continues the run. Left out when there is none, as after a restart. */
  readonly resolved?: ResolvedComponent | undefined
}

/** Why a stored run cannot be executed. The text is shown to callers who may see the run. */
export class NotRestored extends Schema.TaggedError<NotRestored>()("NotRestored", {
  /** Whether trying again later, or on another node, may succeed. */
  isTransient: Schema.Boolean,
  reason: Schema.String
}) {}

export class Runners extends Context.Service<Runners, {
  /** The command is of a known kind of component. */
  readonly prepare: (command: RunCommand) => Effect.Effect<Runnable>
  /** Closes the approvals for which a cancelled run and its nested runs wait. */
  readonly closeApprovals: (output: AnyRun.Output) => Effect.Effect<void, StorageUnavailable>
  readonly restore: (run: RunSnapshot, mode: RunMode) => Effect.Effect<RunCommand, NotRestored>
  /** The messages of a run that no node can execute, as its journal has them. */
  readonly messagesIn: (run: Pick<RunSnapshot, "entries" | "kind">) => Effect.Effect<ReadonlyArray<Message.Message>>
  /** Adds the jobs that follow from the end of a run. They are stored with it. */
  readonly withJobs: (completion: RunCompletion) => Effect.Effect<RunCompletion>
  /** What this service can execute, as `componentKey` names it. */
  readonly components: () => ReadonlyArray<string>
}>()("@svc-runtime/engine/run/Runners") {}

/** Limits the size of the values of each execution. */
export const limited = (runners: Runners["Service"], limits: ByteLimits): Runners["Service"] => ({
  ...runners,
  prepare: (command) =>
    Effect.map(runners.prepare(command), (runnable): Runnable => ({
      ...runnable,
      run: (start) => Effect.provideService(runnable.run(start), ByteLimits, limits)
    }))
})
