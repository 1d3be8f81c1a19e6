// Watching a run from anywhere: its node has the last events in memory; all other nodes follow the stored
// events until the run has ended. A watcher of an execution that was lost follows the stored events from where it is.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect, Latch, Layer, Option, Semaphore, Stream } from "effect"
import * as ReadLimiter from "../../limits/ReadLimiter.ts"
import type { Loop } from "../../node/BackgroundLoops.ts"
import { DatabaseLiveness, unawaited } from "../../node/DatabaseLiveness.ts"
import type { Execution } from "../engine/Execution.ts"
import { Executions } from "../engine/Executions.ts"
import { ThisNode } from "../leases/ThisNode.ts"
import { RunHandedOver } from "../RunErrors.ts"
import { RunLog } from "../store/RunLog.ts"
import { RunReading } from "../store/RunReading.ts"
import type { ReadEvents, RunFilter } from "../store/RunReads.ts"
import type { EventFeed } from "./EventFeed.ts"
import * as EventText from "./EventText.ts"
import * as RunFollower from "./RunFollower.ts"

export interface WatchRequest {
  readonly run_id: Run.Id
  /** Undefined if only the id of the run is known. */
  readonly session_id: Session.Id | undefined
  readonly filter: RunFilter
  /** Those behind this index are wanted; -1 for all of them. */
  readonly after: number
  /** Waits for the continuation of a paused run. The events of others end with the pause. */
  readonly acrossPauses?: boolean | undefined
}

export interface OutputRequest {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
  readonly filter: RunFilter
}

type Failure = StorageUnavailable | RunHandedOver

export interface Watched {
  /** At the moment of asking. */
  readonly status: Run.Status
  /** How many events the run had then. */
  readonly count: number
  readonly events: Stream.Stream<RunEvent.RunEvent, Failure>
}

export class RunWatch extends Context.Service<RunWatch, {
  /** None when there is no such run that the caller may see. */
  readonly watch: (request: WatchRequest) => Effect.Effect<Option.Option<Watched>, StorageUnavailable>
  /** All events of an execution, and those of its successors if it is lost. */
  readonly eventsOf: (execution: Execution) => Watched["events"]
  /** None when there is no such run that the caller may see. */
  readonly output: (request: OutputRequest) => Effect.Effect<Option.Option<AnyRun.Output>, Failure>
  /** Something of the run is stored: signals it to the nodes that follow the run. */
  readonly changed: (run: Run.Id) => void
  /** Wakes the callers that wait for runs of other nodes. */
  readonly wakeFollowing: () => void
  /** Wakes all waiting callers. */
  readonly wake: () => void
  readonly loops: Readonly<Record<"readSignalled" | "pollFollowed" | "readPaused" | "pollPaused", Loop>>
}>()("@svc-runtime/engine/run/events/RunWatch") {
  static readonly layer: Layer.Layer<
    RunWatch,
    never,
    DatabaseLiveness | Executions | RunLog | RunReading | ThisNode
  > = Layer.effect(RunWatch, Effect.suspend(() => make))
}

/** The topic of signals of one run between nodes that share a database. */
const runTopic = (run: Run.Id) => `run ${run}`

/** Events that are read at a time, so that no watcher needs memory for a whole run. */
const page = 500

/** How long a read may take when callers no longer wait. Their last frames need time as well. */
const lastRead = "1 second"

/** Pages that are read at a time, so that many watchers do not keep runs from being stored. */
const maxReading = 8

const sizeOf = (events: ReadonlyArray<RunEvent.RunEvent>): number =>
  events.reduce((sum, event) => sum + EventText.of(event).length, 0)

/** Greater than the index of any event: reads the status alone. */
const noEvents = { after: 2 ** 31 - 1, limit: 0 }

/** It is not executed, and may wait to be continued. */
export const isSettled = (status: Run.Status): boolean => !Run.isActive(status)

interface Source extends RunFollower.Followed {
  /** The run is not executed here. */
  readonly isElsewhere: boolean
}

const ofFeed = (feed: EventFeed): Source => ({ feed, release: () => {}, isElsewhere: false })

const make = Effect.gen(function*() {
  const [log, runs, executions] = [yield* RunLog, yield* RunReading, yield* Executions]
  const { executing } = executions
  const { pollInterval, signals } = yield* ThisNode
  const liveness = yield* DatabaseLiveness
  const reading = Semaphore.makeUnsafe(maxReading)

  const following = {
    log,
    interval: "25 millis",
    onFollow: (run: Run.Id, signal: () => void) => signals.follow(runTopic(run), signal)
  } as const
  const follower = RunFollower.make({ ...following, pollInterval, isOver: isSettled })
  /** Follows paused runs as well. */
  const pauseFollower = RunFollower.make({ ...following, pollInterval: "1 second", isOver: Run.hasEnded })

  const wakeFollowing = () => {
    follower.wake()
    pauseFollower.wake()
  }

  /** Open when no caller waits for any run. */
  const closing = Latch.makeUnsafe(false)

  const wake = () => {
    if (executions.isClosing) closing.openUnsafe()
    for (const { events } of executing.values()) events.feed.wake()
    wakeFollowing()
  }

  // when the executor is closed: waiting callers get the error that the run resumes elsewhere or later
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      executions.isClosing = true
      wake()
    })
  )

  const feedOf = (run: Run.Id): EventFeed | undefined => {
    const feed = executing.get(run)?.events.feed
    return feed?.state() === "open" ? feed : undefined
  }

  /** `stored`: the number of its stored events, from which on all of its watchers share a feed. */
  const sourceOf = (run: Run.Id, stored: number, acrossPauses = false): Source => {
    const feed = feedOf(run)
    if (feed !== undefined) return ofFeed(feed)
    return { ...(acrossPauses ? pauseFollower : follower).follow(run, stored), isElsewhere: true }
  }

  /** An execution that broke off continues elsewhere, too. */
  const mustEnd = ({ feed, isElsewhere }: Source): boolean =>
    executions.isClosing || (executions.isStopping && (isElsewhere || feed.state() === "broken"))

  /** A database that does not reply keeps no caller waiting when the service stops. */
  const unlessClosing = <A, E>(run_id: Run.Id, read: Effect.Effect<A, E>): Effect.Effect<A, E | RunHandedOver> =>
    Effect.raceFirst(
      unawaited(read),
      closing.await.pipe(
        Effect.andThen(Effect.sleep(lastRead)),
        Effect.andThen(Effect.fail(new RunHandedOver({ run_id, reason: "stopping" })))
      )
    )

  /** Where no feed is given, the first events come from the store. */
  const follow = (
    { acrossPauses = false, after, filter, run_id, session_id }: WatchRequest,
    feed: () => EventFeed | undefined,
    pieces: ReadLimiter.Pieces
  ) =>
    Stream.suspend(() => {
      const first = feed()
      /** Releases the memory of the page that is not sent yet. */
      let release = () => {}
      let source = first && ofFeed(first)
      let next = Math.max(0, after + 1)
      type Step = readonly [ReadonlyArray<RunEvent.RunEvent>, Option.Option<void>]
      const over: Step = [[], Option.none()]
      const isOver = acrossPauses ? Run.hasEnded : isSettled

      const shown = (events: ReadonlyArray<RunEvent.RunEvent>): Step => {
        next = (events.at(-1)?.event_index ?? next - 1) + 1
        return [events, Option.some(undefined)]
      }

      const reserve = (bytes: number) => {
        release()
        release = pieces.reserve(bytes)
      }

      const bytesOf = (events: ReadonlyArray<RunEvent.RunEvent>) => pieces.isCounted ? sizeOf(events) : 0

      // asked again with the permit: others have read meanwhile
      const readPage: Effect.Effect<Option.Option<ReadEvents>, StorageUnavailable> = Effect.flatMap(
        reading.withPermit(Effect.suspend(() => {
          if (pieces.isFull()) return Effect.undefined
          return Effect.tap(
            log.readEvents(session_id, run_id, filter, { after: next - 1, limit: page }),
            (read) => Effect.sync(() => reserve(Option.isSome(read) ? bytesOf(read.value.events) : 0))
          )
        })),
        (read) => read === undefined ? Effect.andThen(pieces.waitForRoom, readPage) : Effect.succeed(read)
      )

      const stored = Effect.fnUntraced(function*() {
        const read = yield* unlessClosing(run_id, readPage)
        // removed while it was watched
        if (Option.isNone(read)) return over
        const { count, events, status } = read.value
        const found = shown(events)
        if (!isOver(status) && events.length < page) source ??= sourceOf(run_id, count, acrossPauses)
        if (events.length > 0) return found
        if (isOver(status) || source === undefined) return over
        if (mustEnd(source)) return yield* new RunHandedOver({ run_id, reason: "stopping" })
        yield* source.feed.news
        return yield* step
      })

      const step: Effect.Effect<Step, Failure> = Effect.suspend(() => {
        // the page before was sent
        reserve(0)
        // the run was continued here
        const own = acrossPauses && source?.isElsewhere === true ? feedOf(run_id) : undefined
        if (own !== undefined) {
          source?.release()
          source = ofFeed(own)
        }
        const events = source?.feed.from(next)
        if (source === undefined || events === undefined) return stored()
        if (events.length > 0) {
          // they are in memory once, and their frames once for each watcher
          const bytes = bytesOf(events)
          if (bytes > ReadLimiter.smallPiece && pieces.isFull()) return Effect.andThen(pieces.waitForRoom, step)
          reserve(bytes)
          return Effect.succeed(shown(events))
        }
        const isComplete = source.feed.state() === "complete"
        if (isComplete && (!acrossPauses || source.isElsewhere)) return Effect.succeed(over)
        if (mustEnd(source)) return Effect.fail(new RunHandedOver({ run_id, reason: "stopping" }))
        if (source.feed.state() === "open") return Effect.andThen(source.feed.news, step)
        source.release()
        source = undefined
        return stored()
      })

      return Stream.paginate(undefined as void, () => step).pipe(
        Stream.ensuring(Effect.sync(() => {
          reserve(0)
          source?.release()
        }))
      )
    })

  const look = ({ filter, run_id, session_id }: OutputRequest) => log.readEvents(session_id, run_id, filter, noEvents)

  const outputAfter = (
    read: Effect.Effect<Option.Option<ReadEvents>, Failure>,
    request: OutputRequest
  ): ReturnType<RunWatch["Service"]["output"]> =>
    Effect.gen(function*() {
      const { filter, run_id, session_id } = request
      const found = yield* read
      if (Option.isNone(found)) return Option.none()
      if (!Run.isActive(found.value.status)) return yield* runs.find(session_id, run_id, filter)
      yield* Effect.acquireUseRelease(
        Effect.sync(() => sourceOf(run_id, found.value.count)),
        (source) => {
          const { feed } = source
          const ended: Effect.Effect<void, RunHandedOver> = Effect.suspend(() => {
            if (feed.state() !== "open") return Effect.void
            return mustEnd(source)
              ? Effect.fail(new RunHandedOver({ run_id, reason: "stopping" }))
              : Effect.andThen(feed.news, ended)
          })
          return ended
        },
        ({ release }) => Effect.sync(release)
      )
      return yield* outputAfter(unlessClosing(run_id, look(request)), request)
    })

  return RunWatch.of({
    watch: Effect.fnUntraced(function*(request) {
      const { filter, run_id, session_id } = request
      const limiter = yield* ReadLimiter.ReadLimiter
      const found = yield* log.readEvents(session_id, run_id, filter, noEvents)
      return Option.map(found, ({ count, status }): Watched => ({
        status,
        count: Math.max(count, feedOf(run_id)?.next() ?? 0),
        events: follow(request, () => feedOf(run_id), limiter.pieces)
      }))
    }),
    eventsOf: ({ command: { session_id }, events, run_id }) => {
      const request = { run_id, session_id, filter: { owner: Owner.anyone }, after: events.first - 1 }
      return Stream.unwrap(
        Effect.map(
          ReadLimiter.ReadLimiter,
          (limiter) => follow(request, () => events.feed, limiter.pieces)
        )
      )
    },
    output: (request) => outputAfter(liveness.orFail(look(request)), request),
    changed: (run) => signals.publish(runTopic(run)),
    wakeFollowing,
    wake,
    loops: {
      ...follower.loops,
      readPaused: pauseFollower.loops.readSignalled,
      pollPaused: pauseFollower.loops.pollFollowed
    }
  })
})
