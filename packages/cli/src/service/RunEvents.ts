// The events of a run, in their order, each once. A connection that is cut is opened again, and reading continues after
// the last event.
import type * as AgentEvent from "@svc-runtime/domain/AgentEvent"
import * as Json from "@svc-runtime/domain/Json"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as TeamEvent from "@svc-runtime/domain/TeamEvent"
import { Effect, type FileSystem, Option, type Path, Predicate, Result, Stream } from "effect"
import { Sse } from "effect/encoding"
import type { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import * as ServiceClient from "./ServiceClient.ts"

/** A run, as requests name it. */
export interface RunReference {
  readonly run_id: string
  readonly session_id: string
}

export type Event = AgentEvent.AgentEvent | TeamEvent.TeamEvent | RunEvent.RunEvent

interface Opened {
  readonly response: HttpClientResponse.HttpClientResponse
  readonly cut: (error: HttpClientError.HttpClientError) => ServiceClient.Failure
}

type Open = Effect.Effect<Opened, ServiceClient.Failure, HttpClient.HttpClient | FileSystem.FileSystem | Path.Path>

export interface Source {
  /** Starts or continues the run. Undefined for a run that is only watched. */
  readonly start?: Open | undefined
  readonly run?: RunReference | undefined
  /** The run that `start` continues. Its events begin with those of the runs inside of it that paused. */
  readonly continues?: RunReference | undefined
  /** The index of the last event that is known. */
  readonly after?: number | undefined
  /** Names of the events with which a run ends or pauses. */
  readonly ends: ReadonlyArray<string>
  readonly watch: (run: RunReference, after: number | undefined) => Open
  readonly hasEnded: (run: RunReference) => Effect.Effect<boolean, ServiceClient.Failure, HttpClient.HttpClient>
}

/** Consecutive attempts without an event. */
const maxAttempts = 12

/** The service sends a heartbeat every 15 seconds. A longer silence is a cut. */
const silence = "1 minute"

/** An event of a later version has other fields, and all of them have a name. */
const isEvent = (value: unknown): value is Event =>
  Predicate.hasProperty(value, "event") && Predicate.isString(value.event)

const broken = (event: unknown) => {
  const { content, error }: { readonly content?: unknown; readonly error?: unknown } = Predicate.isObject(event)
    ? event
    : {}
  return new ServiceClient.NoResponse({ message: `The stream broke off: ${String(error ?? content ?? "no reason")}` })
}

const noRun = new ServiceClient.NoResponse({ message: "The stream ended before the run" })

export class RunEvents {
  readonly #source: Source
  #run: RunReference | undefined
  #last: number | undefined
  #isOver = false
  /** Called before each attempt to open a cut connection, with the number of attempts without an event so far. */
  onCut: ((attempts: number) => void) | undefined

  constructor(source: Source) {
    this.#source = source
    this.#run = source.run
    this.#last = source.after
  }

  /** The run. Undefined before its first event. */
  get run(): RunReference | undefined {
    return this.#run
  }

  #note({ event, run_id, session_id }: {
    readonly event: string
    readonly run_id?: string
    readonly session_id?: string
  }): void {
    this.#run ??= this.#source.continues
    if (run_id !== undefined && session_id !== undefined) this.#run ??= { run_id, session_id }
    // a pause in the past of the run is not its end
    if (run_id === this.#run?.run_id) this.#isOver = this.#source.ends.includes(event)
  }

  readonly #open = (): Open => {
    const { start, watch } = this.#source
    if (this.#run !== undefined && (start === undefined || this.#last !== undefined)) {
      return watch(this.#run, this.#last)
    }
    return start ?? Effect.fail(noRun)
  }

  /** The events of one connection. */
  #connected({ cut, response }: Opened) {
    let previous: string | undefined
    return response.stream.pipe(
      Stream.mapError((error) => cut(error)),
      Stream.timeout(silence),
      Stream.decodeText,
      Stream.pipeThroughChannel(Sse.decode<ServiceClient.Failure, unknown>()),
      Stream.mapError((error): ServiceClient.Failure =>
        error._tag === "Retry" || error._tag === "SseError"
          ? new ServiceClient.NoResponse({ message: "The stream is no stream of events" })
          : error
      ),
      Stream.mapEffect(({ data, id }) => {
        const event: unknown = Option.getOrNull(Json.parse(data))
        // an event without an index says why the service cannot send the others; the parser repeats the last id
        if (id === undefined || id === previous || !isEvent(event)) return Effect.fail(broken(event))
        previous = id
        const index = Number(id)
        if (this.#last !== undefined && index <= this.#last) return Effect.succeed([])
        this.#last = index
        this.#note(event)
        return Effect.succeed([event])
      }),
      Stream.flatMap(Stream.fromIterable)
    )
  }

  /** A stream that ends before the run does was cut. */
  readonly #hasEnded = () => this.#run === undefined ? Effect.succeed(false) : this.#source.hasEnded(this.#run)

  /** Reads all events. */
  forEach<R>(use: (event: Event) => Effect.Effect<void, never, R>) {
    return Effect.gen({ self: this }, function*() {
      for (let attempt = 0; !this.#isOver; attempt++) {
        const before = this.#last
        const reading = Effect.flatMap(
          ServiceClient.repeated(this.#open()),
          (opened) => Stream.runForEach(this.#connected(opened), use)
        )
        const result = yield* Effect.result(
          Effect.andThen(reading, Effect.suspend(() => this.#isOver ? Effect.succeed(true) : this.#hasEnded()))
        )
        if (Result.isSuccess(result) && result.success) return
        const failure = Result.isFailure(result) ? result.failure : undefined
        if (failure !== undefined && !ServiceClient.isTransient(failure)) return yield* failure
        if (this.#isOver) return
        if (this.#last !== before) attempt = 0
        if (attempt >= maxAttempts - 1) return yield* failure ?? noRun
        this.onCut?.(attempt + 1)
        yield* Effect.sleep(ServiceClient.retryDelay(attempt, failure))
      }
    })
  }
}
