// The events of a run. After a cut the stream connects again and reads on from the last event.
import { type Call, type Connection, isTransient, pause, retryDelay } from "./Connection.ts"
import type { RunReference } from "./RunReference.ts"
import { SvcConnectionError, SvcRunError } from "./SvcError.ts"
import { eventWithText } from "./Text.ts"

interface AnyEvent {
  readonly event: string
  readonly content?: unknown
  /** The new part of the answer. */
  readonly text?: string
  readonly reason?: unknown
  readonly run_id?: string
  readonly session_id?: string
  /** The outer run, for a run inside of another run. */
  readonly parent_run_id?: string | null | undefined
  /** The workflow around the run of a step. */
  readonly workflow_run_id?: string | null | undefined
  /** The number of workflows around a workflow. */
  readonly nested_depth?: number | undefined
}

/** A continued run begins with the events of what has paused inside of it. */
const isInner = ({ nested_depth: depth = 0, parent_run_id: parent, workflow_run_id: workflow }: AnyEvent): boolean =>
  depth > 0 || [parent, workflow].some((outer) => outer !== undefined && outer !== null)

export interface Source<Output> {
  readonly connection: Connection
  /** The request that starts or continues the run; none to watch a run from an event on. */
  readonly start?: (() => Promise<Call>) | undefined
  readonly run?: RunReference | undefined
  /** Index of the last event that the caller has. */
  readonly after?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Names of the events with which a run ends or pauses. */
  readonly ends: ReadonlyArray<string>
  /** The stream has an event for the end of the run. */
  readonly hasEnd: boolean
  readonly watch: (run: RunReference, after: number | undefined) => Call
  readonly get: (run: RunReference) => Promise<Output>
}

/** An event without an index is none of the run: it says why the service cannot send the others. */
const brokenBy = ({ path }: Call, value: unknown): SvcConnectionError => {
  const { content, error } = (value ?? {}) as { readonly content?: unknown; readonly error?: unknown }
  return new SvcConnectionError(path, new Error(String(error ?? content ?? "it broke")))
}

interface Iteration<Event> extends AsyncIterableIterator<Event, void> {
  readonly return: (value?: void | PromiseLike<void>) => Promise<IteratorResult<Event, void>>
}

/** Why a request is aborted whose events are read no more. */
const left = new Error("The stream was left")

/** Attempts in a row without an event. */
const maxAttempts = 12

/**
 * The events of a run, in their order, each once. Only one loop can read it at a time.
 *
 * A cut connection is opened again, and the stream reads on after the last event. A first connection that fails is
 * an error, as it is for `run`. The stream ends when the run ends or pauses.
 *
 * @example
 * const stream = svc.agent("assistant").stream("What is 17 times 23?")
 * for await (const event of stream) {
 *   if (event.event === "RunContent") process.stdout.write(event.text)
 * }
 */
export class RunStream<Event extends AnyEvent, Output extends { readonly status?: unknown }>
  implements AsyncIterable<Event>
{
  readonly #source: Source<Output>
  #run: RunReference | undefined
  #last: number | undefined
  /** A stream that never began fails as other requests do. */
  #wasOpen = false
  #isOver = false
  #isRead = false
  /** Called before each new attempt to open a cut connection, with the number of attempts without an event so far. */
  onCut: ((attempts: number) => void) | undefined

  constructor(source: Source<Output>) {
    this.#source = source
    this.#run = source.run
    this.#last = source.after
  }

  /** The run. Undefined before its first event. */
  get run(): RunReference | undefined {
    return this.#run
  }

  /** Index of the last event that was read. A later `watch` can continue after it. */
  get lastEventIndex(): number | undefined {
    return this.#last
  }

  #note(given: AnyEvent) {
    const { event, run_id, session_id } = given
    if (this.#run === undefined && !isInner(given) && run_id !== undefined && session_id !== undefined) {
      this.#run = { run_id, session_id }
    }
    // a pause in the past of the run is not its end
    if (run_id === this.#run?.run_id) this.#isOver = this.#source.ends.includes(event)
  }

  async *#read(call: Call, signal: AbortSignal): AsyncGenerator<Event, void> {
    const events = await this.#source.connection.open({ ...call, signal })
    this.#wasOpen = true
    for await (const [id, value] of events) {
      if (id === undefined) throw brokenBy(call, value)
      const index = Number(id)
      if (this.#last !== undefined && index <= this.#last) continue
      const event = eventWithText(value as Event)
      this.#last = index
      this.#note(event)
      yield event
    }
  }

  async #next(): Promise<Call> {
    const { start, watch } = this.#source
    if (this.#run !== undefined && (start === undefined || this.#last !== undefined)) {
      return watch(this.#run, this.#last)
    }
    if (start === undefined) throw new TypeError("A run to watch needs its id")
    return start()
  }

  /** Checks that a stream has ended because the run did, and was not cut. */
  async #hasEnded(): Promise<boolean> {
    if (!this.#source.hasEnd) return true
    if (this.#run === undefined) return false
    const { status } = await this.#source.get(this.#run)
    return status !== "PENDING" && status !== "RUNNING"
  }

  async *#all(signal: AbortSignal): AsyncGenerator<Event, void> {
    const { connection } = this.#source
    const limit = connection.reopens ? maxAttempts : 1
    for (let attempt = 0; !this.#isOver; attempt++) {
      const before = this.#last
      let failure: unknown
      try {
        yield* this.#read(await this.#next(), signal)
        if (this.#isOver || await this.#hasEnded()) return
      } catch (error) {
        if (!this.#wasOpen || !isTransient(error)) throw error
        failure = error
      }
      if (this.#isOver) return
      if (this.#last !== before) attempt = 0
      if (attempt >= limit - 1) {
        throw failure ?? new SvcConnectionError("The stream", new Error("it was cut before the run ended"))
      }
      this.onCut?.(attempt + 1)
      await pause(retryDelay(attempt, failure), signal)
    }
  }

  async *#events(signal: AbortSignal): AsyncGenerator<Event, void> {
    if (this.#isRead) throw new TypeError("Another loop reads this stream")
    this.#isRead = true
    try {
      yield* this.#all(signal)
    } catch (error) {
      if (error !== left) throw error
    } finally {
      this.#isRead = false
    }
  }

  /** A loop that is left closes its connection, also while it waits for an event. */
  [Symbol.asyncIterator](): Iteration<Event> {
    const control = new AbortController()
    const { signal } = this.#source
    const events = this.#events(signal === undefined ? control.signal : AbortSignal.any([signal, control.signal]))
    const iterator: Iteration<Event> = {
      next: () => events.next(),
      return: () => {
        control.abort(left)
        return events.return()
      },
      [Symbol.asyncIterator]: () => iterator
    }
    return iterator
  }

  /**
   * The text of the answer of an agent or a team, as it is written. It is never taken back: it ends with an
   * `SvcRunError` if the run fails, is cancelled or pauses, so that there is no whole answer. If the run is resumed in
   * the middle of its answer, as after a crash of its node, the error has the status `RUNNING`: the model answers
   * again, and `result()` waits for that answer. Text is read from the events, so a loop reads either.
   */
  get textStream(): AsyncIterableIterator<string, void> {
    return this.#text()
  }

  async *#text(): AsyncGenerator<string, void> {
    /** Text of an answer that the model has not finished. */
    let isAnswering = false
    for await (const { content, event, reason, run_id, text = "" } of this as AsyncIterable<AnyEvent>) {
      const run = this.#run
      // a team has the events of its members too
      if (run === undefined || event === undefined || run_id !== run.run_id) continue
      switch (event.replace(/^Team/, "")) {
        case "RunContent":
          if (text === "") break
          isAnswering = true
          yield text
          break
        case "ModelRequestCompleted":
          isAnswering = false
          break
        case "RunContinued":
          if (isAnswering) throw new SvcRunError("RUNNING", "The model answers again: the text so far is void", run)
          break
        case "RunError":
          throw new SvcRunError("ERROR", String(content ?? "The run failed"), run)
        case "RunCancelled":
          throw new SvcRunError("CANCELLED", String(reason), run)
        case "RunPaused":
          throw new SvcRunError("PAUSED", String(content), run)
      }
    }
  }

  /** Reads the rest of the stream, and returns the run as it is stored. */
  async result(): Promise<Output> {
    for await (const _ of this) continue
    if (this.#run === undefined) throw new SvcConnectionError("The stream", new Error("it had no event"))
    return this.#source.get(this.#run)
  }
}
