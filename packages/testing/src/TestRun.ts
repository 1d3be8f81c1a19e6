// A run as a test looks at it: its end, its events, and the calls of tools in it.
import {
  type AgentEvent,
  answer,
  approve,
  type Component,
  type JsonObject,
  type Kind,
  reject,
  type RunInput,
  type RunOutput,
  type RunStream,
  type TeamEvent,
  type TeamRunOutput,
  type ToolExecution,
  type WorkflowEvent,
  type WorkflowRunOutput
} from "@svc-runtime/client"
import * as ForeignNames from "@svc-runtime/engine/userCode/ForeignNames"
import * as ForgottenAwait from "@svc-runtime/engine/userCode/ForgottenAwait"
import { mismatch } from "@svc-runtime/engine/userCode/Mistake"
import { Data, Effect, Predicate, Stream } from "effect"
import type { LogLine } from "./TestServer.ts"

interface Outputs {
  readonly agent: RunOutput
  readonly team: TeamRunOutput
  readonly workflow: WorkflowRunOutput
}

interface Events {
  readonly agent: AgentEvent
  readonly team: TeamEvent
  readonly workflow: WorkflowEvent
}

/** A call of a tool, also of a member or of a step. */
export interface CalledTool {
  readonly name: string
  readonly args: unknown
  /** What the model was given. Undefined: the call has no result, because it waits for a person for example. */
  readonly result: string | undefined
  readonly isError: boolean
}

export interface TestRun<K extends Kind = Kind> {
  readonly output: Outputs[K]
  readonly status: string
  /** The answer: text, or an object. */
  readonly content: unknown
  /** In their order. */
  readonly events: ReadonlyArray<Events[K]>
  /** In the order in which they began. */
  readonly toolCalls: ReadonlyArray<CalledTool>
  /** Warnings and errors that the service has logged during the run. */
  readonly problems: ReadonlyArray<LogLine>
  /**
   * Approves everything that the run waits for, also calls that need an approval of another person, and waits for its
   * end or its next pause.
   */
  readonly approve: () => Promise<TestRun<K>>
  /** Rejects everything that the run waits for, with a reason for the model. */
  readonly reject: (note?: string) => Promise<TestRun<K>>
  /**
   * Gives the values of fields by their names, or the answer of a question: `answer({ day: "monday" })`. The result of
   * a call that is executed elsewhere is `answer(undefined, { result })`, and steps of a router are
   * `answer(undefined, { choices })`.
   */
  readonly answer: (
    values?: JsonObject,
    more?: { readonly result?: JsonObject[string]; readonly choices?: ReadonlyArray<string> }
  ) => Promise<TestRun<K>>
}

const isExecution = (value: unknown): value is ToolExecution =>
  Predicate.hasProperty(value, "tool_call_id") && Predicate.hasProperty(value, "tool_name")

type Call = readonly [key: string, call: CalledTool]

/** Two runs can have calls of one id. */
const callOf = (runId: unknown, tool: ToolExecution): Call => [
  `${String(runId)} ${tool.tool_call_id}`,
  {
    name: tool.tool_name,
    args: tool.tool_args,
    result: tool.result ?? undefined,
    isError: tool.tool_call_error === true
  }
]

const ofEvent = (event: unknown): ReadonlyArray<Call> =>
  Predicate.hasProperty(event, "run_id") && Predicate.hasProperty(event, "tool") && isExecution(event.tool)
    ? [callOf(event.run_id, event.tool)]
    : []

const ofOutput = (output: Outputs[Kind]): ReadonlyArray<Call> =>
  Predicate.hasProperty(output, "tools") && Array.isArray(output.tools)
    ? output.tools.filter(isExecution).map((tool) => callOf(output.run_id, tool))
    : []

/** The events have the calls of members and steps too, the output also calls that wait for a person. */
const callsIn = (events: ReadonlyArray<unknown>, output: Outputs[Kind]): ReadonlyArray<CalledTool> => [
  ...new Map([...events.flatMap(ofEvent), ...ofOutput(output)]).values()
]

const problemLevels: ReadonlyArray<string> = ["WARN", "ERROR", "FATAL"]

/** A test reads the status of a run, too. Libraries keep their own in one of other promises. */
export const refused = <A>(run: Promise<A>): Promise<A> => ForgottenAwait.refused(run, ["status"])

class Unread extends Data.TaggedError("Unread")<{ readonly cause: unknown }> {}

type StreamOf<K extends Kind> = RunStream<Events[K], Outputs[K]>

interface Observing {
  readonly logs: ReadonlyArray<LogLine>
  /** Aborted when the service is closed. */
  readonly signal: AbortSignal
}

const observed = <K extends Kind>(
  stream: StreamOf<K>,
  component: Component<K>,
  { logs, signal }: Observing
): Promise<TestRun<K>> =>
  Effect.runPromise(Effect.gen(function*() {
    const before = logs.length
    const events = yield* Stream.runCollect(Stream.fromAsyncIterable(stream, (cause) => new Unread({ cause }))).pipe(
      Effect.catch(({ cause }) => Effect.die(cause))
    )
    const output: Outputs[Kind] = yield* Effect.promise(() => stream.result())
    // who may approve decides on calls with an approval too
    const decided = (decisions: () => object) =>
      refused(
        Promise.resolve().then(() => {
          const stream = component.continueStream(output, decisions() as Decisions<K>, { signal })
          return observe<K>(stream as StreamOf<K>, component, { logs, signal })
        })
      )
    // what is too much is refused by the client
    const by = (decision: typeof approve | typeof reject | typeof answer) => (...more: ReadonlyArray<unknown>) =>
      decided(() => Reflect.apply(decision, undefined, [output, ...more]))
    return {
      output: output as Outputs[K],
      status: output.status,
      content: output.content,
      events,
      toolCalls: callsIn(events, output),
      problems: logs.slice(before).filter(({ level }) => problemLevels.includes(level)),
      approve: by(approve),
      reject: by(reject),
      answer: by(answer)
    }
  }))

type Decisions<K extends Kind> = Parameters<Component<K>["continue"]>[1]

/** An agent, a team or a workflow of the service of a test. */
export interface TestComponent<K extends Kind> {
  /** Starts a run, and waits for its end or its pause. A run that failed is given too. */
  readonly run: (input: string | RunInput) => Promise<TestRun<K>>
  /** Continues a paused run with decisions, and waits again. */
  readonly continue: (run: TestRun<K>, decisions: Decisions<K>) => Promise<TestRun<K>>
}

/** A run without `await` is a promise, which has no fields of a run. */
export const awaited = <A extends object>(run: A): A => {
  if (!Predicate.isObject(run)) throw mismatch("What is looked at", "a run, as run() returns it", run)
  if ("then" in run) throw new Error("The run is a promise. Write await before it")
  return run
}

/** A run that a test leaves rejects when the service is closed, which is no failure of the test. */
const observe = <K extends Kind>(
  stream: StreamOf<K>,
  component: Component<K>,
  observing: Observing
): Promise<TestRun<K>> => {
  const run = observed<K>(stream, component, observing)
  run.catch(() => {})
  return refused(run)
}

const componentOf = <K extends Kind>(component: Component<K>, observing: Observing): TestComponent<K> => ({
  run: (input) =>
    observe<K>(component.stream(input, { signal: observing.signal }) as StreamOf<K>, component, observing),
  continue: (run, decisions) => {
    const { output } = awaited(run)
    const stream = component.continueStream(output, decisions, { signal: observing.signal })
    return observe<K>(stream as StreamOf<K>, component, observing)
  }
})

export const make = <K extends Kind>(component: Component<K>, observing: Observing): TestComponent<K> =>
  ForeignNames.refuseMethods(componentOf(component, observing), () => `service.${component.kind}(…)`)
