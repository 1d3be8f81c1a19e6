// The media of a run with their bytes, for protocols whose clients cannot fetch an address of this service.
import { firstFound } from "@svc-runtime/agents/database/firstFound"
import type { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import type * as Media from "@svc-runtime/domain/Media"
import * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { wholeMedium } from "@svc-runtime/engine/media/wholeMedium"
import { Effect, Option } from "effect"

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
export const isNeeded = (given: object): boolean => {
  const holder: Holder = given
  return mediaOf(holder).some(hasAddress) || (holder.step_results?.some(isNeeded) ?? false)
}

const decoder = new TextDecoder()

/** Documents of a type of text have their text. */
const contentOf = (bytes: Uint8Array, name: (typeof lists)[number], { mime_type = "" }: Medium): string =>
  name === "files" && mime_type.startsWith("text/") ? decoder.decode(bytes) : Buffer.from(bytes).toString("base64")

type Bytes = Effect.Effect<Option.Option<Uint8Array>, StorageUnavailable>

export const make = (served: ServedDatabases["Service"]) => {
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
