// The runs as other protocols show them: media are in the messages that clients get, because a client of another
// protocol sends no token to an address in a message. Lists of runs keep the addresses: their media would be too much.
import { firstFound } from "@svc-runtime/agents/database/firstFound"
import { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import { RunService } from "@svc-runtime/agents/runService/RunService"
import type { RepeatedRun } from "@svc-runtime/agents/runService/StoredRun"
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Media from "@svc-runtime/domain/Media"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { wholeMedium } from "@svc-runtime/engine/media/wholeMedium"
import type { Watched } from "@svc-runtime/engine/run/events/RunWatch"
import type { RunHandle } from "@svc-runtime/engine/run/RunHandle"
import { Effect, Layer, Option, Stream } from "effect"

// The media of a run with their bytes, for protocols whose clients cannot fetch an address of this service.

/** Of all media of a run or of an event. Those beyond keep their addresses. */
const maxBytes = 8 * 1024 * 1024

type Medium = Media.Image | Media.Audio | Media.Video | Media.File
type List = ReadonlyArray<Medium> | null | undefined

const lists = ["images", "audio", "videos", "files"] as const

/** A run, an event or a step. */
type Holder = { readonly [Name in (typeof lists)[number]]?: List } & {
  readonly response_audio?: Media.Audio | null | undefined
  readonly step_results?: ReadonlyArray<Holder> | null | undefined
}

const hasAddress = (medium: Medium): boolean => medium.id !== undefined && medium.url === `/media/${medium.id}`

const mediaOf = (holder: Holder): ReadonlyArray<Medium> =>
  holder.response_audio === undefined || holder.response_audio === null
    ? lists.flatMap((name) => holder[name] ?? [])
    : [holder.response_audio, ...lists.flatMap((name) => holder[name] ?? [])]

/** Whether there is something to load. */
const isNeeded = (given: object): boolean => {
  const holder: Holder = given
  return mediaOf(holder).some(hasAddress) || (holder.step_results?.some(isNeeded) ?? false)
}

const decoder = new TextDecoder()

/** Documents of a type of text have their text. */
const contentOf = (bytes: Uint8Array, name: (typeof lists)[number], { mime_type = "" }: Medium): string =>
  name === "files" && mime_type.startsWith("text/") ? decoder.decode(bytes) : Buffer.from(bytes).toString("base64")

type Bytes = Effect.Effect<Option.Option<Uint8Array>, StorageUnavailable>

const mediaContent = (served: ServedDatabases["Service"]) => {
  const bytesOf = (session: Session.Id, id: string, size: number) =>
    firstFound(served, served.ids, ({ database }): Bytes => wholeMedium(database.media, session, id, size))

  return Effect.fnUntraced(
    function*<A extends object>(session: string, given: A): Effect.fn.Return<A, StorageUnavailable> {
      let left = maxBytes
      const loaded = Effect.fnUntraced(function*(medium: Medium, name: (typeof lists)[number]) {
        const { id, size, url: _, ...rest } = medium
        if (id === undefined || size === undefined || size > left || !hasAddress(medium)) return medium
        left -= size
        const bytes = yield* bytesOf(Session.Id.make(session), id, size)
        if (Option.isNone(bytes)) return medium
        return { ...rest, id, size, content: contentOf(bytes.value, name, medium) }
      })

      const load = Effect.fnUntraced(function*(holder: Holder): Effect.fn.Return<Holder, StorageUnavailable> {
        if (!isNeeded(holder)) return holder
        const changed: { -readonly [Name in keyof Holder]: Holder[Name] } = { ...holder }
        for (const name of lists) {
          const list = holder[name]
          if (list !== undefined && list !== null) {
            changed[name] = yield* Effect.forEach(list, (medium) => loaded(medium, name))
          }
        }
        const { response_audio, step_results } = holder
        if (response_audio !== undefined && response_audio !== null) {
          changed.response_audio = yield* loaded(response_audio, "audio")
        }
        // clients are shown the media of the last step
        const last = step_results?.at(-1)
        if (last !== undefined) changed.step_results = [...(step_results ?? []).slice(0, -1), yield* load(last)]
        return changed
      })

      return (yield* load(given as Holder)) as A
    }
  )
}

const make = Effect.gen(function*() {
  const service = yield* RunService
  const load = mediaContent(yield* ServedDatabases)

  const whole = (run: AnyRun.Output) => isNeeded(run) ? load(run.session_id, run) : Effect.succeed(run)

  const loaded = (event: RunEvent.RunEvent) =>
    isNeeded(event) && event.session_id !== undefined
      ? load(event.session_id, event)
      : Effect.succeed(event)

  const events = <E>(stream: Stream.Stream<RunEvent.RunEvent, E>) =>
    Stream.mapArrayEffect(
      stream,
      (chunk) => chunk.some(isNeeded) ? Effect.forEach(chunk, loaded) : Effect.succeed(chunk)
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
