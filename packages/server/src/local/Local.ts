// Runs without a service: `agent.run("…")` in a program. This has its settings, the client of everything else, and the
// same for programs that use Effect.
import type { Agent } from "@svc-runtime/agents/agent/define/Agent"
import { kindOf } from "@svc-runtime/agents/nested/InnerCommand"
import type { Team } from "@svc-runtime/agents/team/Team"
import type { AnyWorkflow } from "@svc-runtime/agents/workflow/define/Node"
import type { Component, Options, RunReference, Svc, SvcConnectionError, SvcError } from "@svc-runtime/client"
import { Context, Effect, Layer, Stream } from "effect"
import type { LocalOptions } from "./LocalOptions.ts"
import type { LocalService } from "./LocalService.ts"
import * as Program from "./Program.ts"

export type { LocalOptions } from "./LocalOptions.ts"
export type { RunEvents, Runs } from "./Runs.ts"

/**
 * Says where the runs of this program are stored, and with what they are executed. Without it they are stored in
 * memory, or where `DATABASE_URL` or `DATA_DIR` says. Call it before the first run.
 *
 * ```ts
 * import { Agent, Local } from "@svc-runtime/server"
 *
 * Local.configure({ dataDir: "data" })
 *
 * const assistant = Agent.make({ id: "assistant" })
 * const run = await assistant.run({ message: "My name is Ann.", session_id: "first" })
 * console.log(run.content)
 * ```
 */
export const configure = Program.configure

/** The client of the service in this program: its sessions, runs, memories and everything else. */
export const client = (): Promise<Svc> => Program.open().then(({ client }) => client)

/**
 * Waits for the runs of this program, and closes what they use. A program need not call it, because that happens when
 * it has nothing else to do.
 */
export const close = Program.close

// With Effect

/** Runs components in this process. */
export class LocalRuns
  extends Context.Service<LocalRuns, LocalService>()("@svc-runtime/server/local/Local/LocalRuns")
{}

/** The service in which components run, until the layer is closed. It waits for the runs. */
export const layer = (options: LocalOptions = {}) =>
  Layer.effect(
    LocalRuns,
    Effect.flatMap(Effect.promise(() => import("./LocalService.ts")), ({ make }) => make(options))
  )

type AnyComponent = Agent | AnyWorkflow | Team

type KindOf<C extends AnyComponent> = C extends Agent ? "agent" : C extends Team ? "team" : "workflow"

type Of<C extends AnyComponent> = Component<KindOf<C>>

type Input<C extends AnyComponent> = Parameters<Of<C>["run"]>[0]

type Decisions<C extends AnyComponent> = Parameters<Of<C>["continue"]>[1]

type Output<C extends AnyComponent> = Awaited<ReturnType<Of<C>["run"]>>

type Event<C extends AnyComponent> = ReturnType<Of<C>["stream"]> extends AsyncIterable<infer E> ? E : never

type Failure = SvcConnectionError | SvcError

const found = <C extends AnyComponent>(component: C): Effect.Effect<Of<C>, SvcError, LocalRuns> =>
  Effect.flatMap(LocalRuns, ({ add, client }) => {
    const kind = kindOf(component)
    const refusal = add(kind, component)
    return refusal === undefined ? Effect.succeed(client[kind](component.id) as never) : Effect.fail(refusal)
  })

const attempt = <A>(call: (options: Options) => Promise<A>): Effect.Effect<A, Failure> =>
  Effect.tryPromise({ try: (signal) => call({ signal }), catch: (error) => error as Failure })

const streamed = <A>(events: AsyncIterable<A>): Stream.Stream<A, Failure> =>
  Stream.fromAsyncIterable(events, (error) => error as Failure)

/**
 * Starts a run, and returns it at its end or its pause.
 */
export const run = <C extends AnyComponent>(
  component: C,
  input: Input<C>
): Effect.Effect<Output<C>, Failure, LocalRuns> =>
  Effect.flatMap(
    found(component),
    (each) => attempt((options) => each.run(input, options) as Promise<Output<C>>)
  )

/** Starts a run, and returns its events. */
export const stream = <C extends AnyComponent>(
  component: C,
  input: Input<C>
): Stream.Stream<Event<C>, Failure, LocalRuns> =>
  Stream.unwrap(
    Effect.map(found(component), (each) => streamed<Event<C>>(each.stream(input) as never))
  )

const resume = <C extends AnyComponent>(
  component: C,
  paused: RunReference,
  decisions: Decisions<C>
): Effect.Effect<Output<C>, Failure, LocalRuns> =>
  Effect.flatMap(
    found(component),
    (each) => attempt((options) => each.continue(paused, decisions, options) as Promise<Output<C>>)
  )

const resumeStream = <C extends AnyComponent>(
  component: C,
  paused: RunReference,
  decisions: Decisions<C>
): Stream.Stream<Event<C>, Failure, LocalRuns> =>
  Stream.unwrap(
    Effect.map(
      found(component),
      (each) => streamed<Event<C>>(each.continueStream(paused, decisions) as never)
    )
  )

export {
  /** Continues a paused run with decisions, and returns it at its end or its next pause. */
  resume as continue,
  /** Continues a paused run with decisions, and returns the events that follow. */
  resumeStream as continueStream
}
