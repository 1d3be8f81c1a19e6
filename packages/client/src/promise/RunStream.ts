// The events of a run. After a cut the stream connects again and reads on from the last event.
import { type Call, type Connection, isTransient, patience, pause } from "./Connection.ts"
import { messages } from "./ServerSentEvents.ts"
import { SvcConnectionError } from "./SvcError.ts"

/** A run, as most calls need it. */
export interface RunReference {
  readonly run_id: string
  readonly session_id: string
}

interface AnyEvent {
  readonly event: string
  readonly run_id?: string
  readonly session_id?: string
}

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
  /** Whether the stream has an event for the end. */
  readonly hasEnd: boolean
  readonly watch: (run: RunReference, after: number | undefined) => Call
  readonly get: (run: RunReference) => Promise<Output>
}

/** Attempts in a row without an event. */
const mostAttempts = 12

/**
 * The events of a run, in their order, each once. Only one loop can read it.
 *
 * A cut connection is opened again, and the stream reads on after the last event. It ends when the run ends or pauses.
 *
 * @example
 * const stream = svc.agent("assistant").stream("What is 17 times 23?")
 * for await (const event of stream) {
 *   if (event.event === "RunContent") process.stdout.write(String(event.content))
 * }
 */
export class RunStream<Event extends AnyEvent, Output extends { readonly status?: unknown }>
  implements AsyncIterable<Event>
{
  readonly #source: Source<Output>
  #run: RunReference | undefined
  #last: number | undefined
  #isOver = false

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

  #note({ event, run_id, session_id }: AnyEvent) {
    if (this.#run === undefined && run_id !== undefined && session_id !== undefined) this.#run = { run_id, session_id }
    if (this.#source.ends.includes(event) && run_id === this.#run?.run_id) this.#isOver = true
  }

  async *#read(call: Call): AsyncGenerator<Event, void> {
    const response = await this.#source.connection.open({ ...call, signal: this.#source.signal })
    if (response.body === null) return
    for await (const { data, id } of messages(response.body)) {
      const index = id === undefined || id === "" ? undefined : Number(id)
      if (index !== undefined && this.#last !== undefined && index <= this.#last) continue
      const event: Event = JSON.parse(data)
      this.#last = index ?? this.#last
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

  async #hasEnded(): Promise<boolean> {
    if (this.#isOver || !this.#source.hasEnd || this.#run === undefined) return true
    const { status } = await this.#source.get(this.#run)
    return status !== "PENDING" && status !== "RUNNING"
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void> {
    const { signal } = this.#source
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const before = this.#last
      let failure: unknown
      try {
        yield* this.#read(await this.#next())
      } catch (error) {
        if (signal?.aborted === true) throw signal.reason
        // a stream that is cut fails with an error of the platform
        if (!isTransient(error) && !(error instanceof TypeError)) throw error
        failure = error
      }
      if (this.#isOver || (failure === undefined && await this.#hasEnded())) return
      if (this.#last !== before) attempt = 0
      if (attempt === mostAttempts - 1 && failure !== undefined) throw failure
      await pause(patience(attempt, failure), signal)
    }
    throw new SvcConnectionError("The stream", new Error("it was cut many times without an event"))
  }

  /** Reads the rest of the stream, and returns the run as it is stored. */
  async result(): Promise<Output> {
    for await (const _ of this) continue
    if (this.#run === undefined) throw new SvcConnectionError("The stream", new Error("it had no event"))
    return this.#source.get(this.#run)
  }
}
