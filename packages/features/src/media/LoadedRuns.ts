// The runs as other protocols show them: media are in the messages that clients get, because a client of another
// protocol sends no token to an address in a message. Lists of runs keep the addresses: their media would be too much.
import { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import { RunService } from "@svc-runtime/agents/runService/RunService"
import type { RepeatedRun } from "@svc-runtime/agents/runService/StoredRun"
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type { Watched } from "@svc-runtime/engine/run/events/RunWatch"
import type { RunHandle } from "@svc-runtime/engine/run/RunHandle"
import { Effect, Layer, Option, Stream } from "effect"
import * as MediaContent from "./MediaContent.ts"

const make = Effect.gen(function*() {
  const service = yield* RunService
  const load = MediaContent.make(yield* ServedDatabases)

  const whole = (run: AnyRun.Output) => MediaContent.isNeeded(run) ? load(run.session_id, run) : Effect.succeed(run)

  const loaded = (event: RunEvent.RunEvent) =>
    MediaContent.isNeeded(event) && event.session_id !== undefined
      ? load(event.session_id, event)
      : Effect.succeed(event)

  const events = <E>(stream: Stream.Stream<RunEvent.RunEvent, E>) =>
    Stream.mapArrayEffect(
      stream,
      (chunk) => chunk.some(MediaContent.isNeeded) ? Effect.forEach(chunk, loaded) : Effect.succeed(chunk)
    )

  const ofHandle = (handle: RunHandle): RunHandle => ({
    ...handle,
    events: events(handle.events),
    output: Effect.flatMap(handle.output, whole)
  })

  const ofWatched = (watched: Watched): Watched => ({ ...watched, events: events(watched.events) })

  const ofRun = (run: RepeatedRun | RunHandle): RepeatedRun | RunHandle =>
    run._tag === "Started" ? ofHandle(run) : {
      ...run,
      watched: ofWatched(run.watched),
      output: Effect.flatMap(
        run.output,
        Option.match({ onNone: () => Effect.succeedNone, onSome: (found) => Effect.asSome(whole(found)) })
      )
    }

  return RunService.of({
    ...service,
    start: (request) => Effect.map(service.start(request), ofHandle),
    startOnce: (request, key) => Effect.map(service.startOnce(request, key), ofRun),
    continue: (request) => Effect.map(service.continue(request), ofRun),
    get: (query) => Effect.flatMap(service.get(query), whole),
    output: (query) => Effect.flatMap(service.output(query), whole),
    watch: (query) => Effect.map(service.watch(query), ofWatched)
  })
})

export const layer: Layer.Layer<RunService, never, RunService | ServedDatabases> = Layer.effect(RunService, make)
