// The engine's port over the modules of all kinds of components.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Message from "@svc-runtime/domain/Message"
import * as Run from "@svc-runtime/domain/Run"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { now } from "@svc-runtime/engine/now"
import { componentKey, storedComponents } from "@svc-runtime/engine/run/leases/TakeoverRules"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import type { Runnable } from "@svc-runtime/engine/run/Runnable"
import { type NotRestored, type RunMode, Runners } from "@svc-runtime/engine/run/Runners"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect, Layer } from "effect"
import type { Component } from "../factory/Factory.ts"
import { FactoryResolver } from "../factory/FactoryResolver.ts"
import * as BackgroundCancels from "../nested/BackgroundCancels.ts"
import * as RemoteCancels from "../remote/RemoteCancels.ts"
import type { ComponentModule } from "./ComponentModule.ts"
import * as Restoration from "./Restoration.ts"
import { StoredComponents } from "./StoredComponents.ts"

/** A module together with its services. Its own types stay inside. */
export interface KindRunner {
  /** Undefined if the command is of another kind. */
  readonly prepare: (command: RunCommand) => Effect.Effect<Runnable> | undefined
  readonly restore: (run: RunSnapshot, mode: RunMode) => Effect.Effect<RunCommand, NotRestored>
  readonly components: () => ReadonlyArray<string>
  readonly waitingRuns: (output: AnyRun.Output) => ReadonlyArray<Run.Id>
  readonly messagesIn: (entries: RunSnapshot["entries"]) => Effect.Effect<ReadonlyArray<Message.Message>>
}

export const make = <C extends Component, Command extends RunCommand, E, R, P>(
  module: ComponentModule<C, Command, E, R, unknown, unknown, P>
): Effect.Effect<KindRunner, never, FactoryResolver | P | R | StoredComponents> =>
  Effect.gen(function*() {
    const { isCommand, kind, messagesIn, waitingRuns } = module
    const registry = yield* module.registry
    const prepare = yield* module.preparer
    return {
      prepare: (command) => isCommand(command) ? prepare(command) : undefined,
      restore: Restoration.make(module, {
        registry,
        resolver: yield* FactoryResolver,
        stored: yield* StoredComponents
      }),
      components: () => registry.registered.map(({ id }) => componentKey({ kind, component_id: id })),
      waitingRuns,
      messagesIn
    }
  })

export const layer = <R>(
  runners: Readonly<Record<ComponentKind.ComponentKind, Effect.Effect<KindRunner, never, R>>>
): Layer.Layer<Runners, never, R | ApprovalStore | StoredComponents> =>
  Layer.effect(
    Runners,
    Effect.gen(function*() {
      const approvals = yield* ApprovalStore
      const kinds = yield* Effect.all(runners)
      const stored = (yield* StoredComponents) === undefined ? [] : [storedComponents]
      const all = Object.values(kinds)

      return Runners.of({
        prepare: (command) => {
          for (const { prepare } of all) {
            const prepared = prepare(command)
            if (prepared !== undefined) return prepared
          }
          return Effect.die(new Error(`The command of the run ${command.run_id} is of no kind of component`))
        },
        closeApprovals: Effect.fnUntraced(function*(output: AnyRun.Output) {
          const waiting = kinds[AnyRun.componentOf(output).kind].waitingRuns(output)
          const at = yield* now
          yield* Effect.forEach(
            new Set([Run.Id.make(output.run_id), ...waiting]),
            (run) => approvals.closeForRun(run, "CANCELLED", at),
            { discard: true }
          )
        }),
        withJobs: (completion) => Effect.flatMap(RemoteCancels.withCancels(completion), BackgroundCancels.withCancels),
        messagesIn: ({ entries, kind }) => kinds[kind].messagesIn(entries),
        restore: (run, mode) => kinds[run.kind].restore(run, mode),
        components: () => [...all.flatMap(({ components }) => components()), ...stored]
      })
    })
  )
