// What is particular to a kind of component. Each kind declares one module in its folder; `ComponentRunners` composes
// the modules for the engine, which knows no component.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Message from "@svc-runtime/domain/Message"
import type * as Run from "@svc-runtime/domain/Run"
import type { Continuation } from "@svc-runtime/engine/run/Continuation"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import type { Runnable } from "@svc-runtime/engine/run/Runnable"
import type { RunMode } from "@svc-runtime/engine/run/Runners"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect, type Option, type Schema } from "effect"
import type { Component, Factory } from "../factory/Factory.ts"
import type { DetailContext, SummaryContext } from "./Discovery.ts"
import type { Registrations } from "./Registrations.ts"

/** `P` is what its runs need. */
export interface ComponentModule<C extends Component, Command extends RunCommand, E, R, Summary, Detail, P> {
  readonly kind: ComponentKind.ComponentKind
  /** The registered components and factories of this kind. */
  readonly registry: Effect.Effect<Registrations<C, E>, never, R>
  readonly isComponent: (value: unknown) => value is C
  readonly isCommand: (command: RunCommand) => command is Command
  /** Makes runs of this kind ready to be executed. */
  readonly preparer: Effect.Effect<(command: Command) => Effect.Effect<Runnable>, never, P>
  /** The command of a stored run. None if it has an unknown format. */
  readonly decode: (component: C, run: RunSnapshot) => Option.Option<Omit<Command, keyof RunMode>>
  /** Fails if the journal has an unknown format. */
  readonly checkJournal: (entries: RunSnapshot["entries"]) => Effect.Effect<unknown, Schema.SchemaError>
  /** The messages of a run that no node can execute. */
  readonly messagesIn: (entries: RunSnapshot["entries"]) => Effect.Effect<ReadonlyArray<Message.Message>>
  /** Continues paused and failed runs. */
  readonly continuation: Continuation
  /** Whether the factory can refuse a caller who only reads a run, or repeats a request that continued it. */
  readonly asksFactory: boolean
  /** The nested runs of a paused run that wait for approvals. */
  readonly waitingRuns: (output: AnyRun.Output) => ReadonlyArray<Run.Id>
  /** As it is listed. A factory is not called for it. */
  readonly toSummary: (registered: C | Factory<C>, context: SummaryContext) => Summary
  /** As it is shown. A factory is not called for it. */
  readonly toDetail: (registered: C | Factory<C>, context: DetailContext) => Detail
}

/** The registered components of a kind. */
export interface Listing<Summary> {
  readonly count: number
  readonly summaries: (context: SummaryContext) => ReadonlyArray<Summary>
}

export const listing = <C extends Component, Command extends RunCommand, E, R, Summary>(
  { registry, toSummary }: Pick<ComponentModule<C, Command, E, R, Summary, unknown, never>, "registry" | "toSummary">
): Effect.Effect<Listing<Summary>, never, R> =>
  Effect.map(registry, ({ registered }) => ({
    count: registered.length,
    summaries: (context) => registered.map((each) => toSummary(each, context))
  }))
