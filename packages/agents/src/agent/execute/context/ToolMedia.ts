// Images and documents that tools return, in requests to models: the newest ones, by reference until a request is sent.
// The text of a result names them too, so a model that cannot read them knows of them.
import type * as Media from "@svc-runtime/domain/Media"
import type * as Session from "@svc-runtime/domain/Session"
import * as JournalMedia from "@svc-runtime/engine/media/JournalMedia"
import type { MediaStore } from "@svc-runtime/engine/media/MediaStore"
import { wholeMedium } from "@svc-runtime/engine/media/wholeMedium"
import { retryUntilAvailable } from "@svc-runtime/engine/node/retryUntilAvailable"
import type { Model } from "@svc-runtime/models/Model"
import * as ReadableMedia from "@svc-runtime/models/ReadableMedia"
import { Effect, Option } from "effect"
import { Prompt } from "effect/ai"
import type { ShownMedia } from "../../define/ContextLimits.ts"

type Result = Extract<Prompt.ToolMessage["content"][number], { readonly type: "tool-result" }>
type Output = NonNullable<Result["modelOutput"]>[number]

/** Larger ones are refused by providers: 5 MB as base64. */
const largest = 3_750_000

/** The media of a message that models can read, as parts of its result. */
export const partsOf = (media: ReadonlyArray<Media.File>): ReadonlyArray<Prompt.FilePart> =>
  media.flatMap(({ filename, id, mime_type: mediaType = "", size }) =>
    id === undefined || size === undefined || size > largest || !ReadableMedia.isReadable(mediaType) ? [] : [
      Prompt.filePart({
        mediaType,
        data: JournalMedia.referenceTo({ id, size }),
        ...(filename === undefined ? {} : { fileName: filename })
      })
    ]
  )

const mediaIn = (part: Prompt.Part): ReadonlyArray<Output> =>
  part.type === "tool-result" ? (part.modelOutput ?? []).filter(({ type }) => type === "file") : []

const allMediaIn = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Output> =>
  messages.flatMap((message) => message.role === "tool" ? message.content.flatMap(mediaIn) : [])

/** How many media the results have. */
export const count = (messages: ReadonlyArray<Prompt.Message>): number => allMediaIn(messages).length

const withMedia = ({ id, isFailure, name, options, providerExecuted, result }: Result, media: ReadonlyArray<Output>) =>
  Prompt.toolResultPart({
    id,
    name,
    isFailure,
    providerExecuted,
    result,
    options,
    ...(media.length === 0 ? {} : { modelOutput: media as NonNullable<Result["modelOutput"]> })
  })

/** The messages with these media in the results. */
const keeping = (
  messages: ReadonlyArray<Prompt.Message>,
  kept: (media: Output) => ReadonlyArray<Output>,
  finished: (media: ReadonlyArray<Output>, result: Result) => ReadonlyArray<Output> = (media) => media
): ReadonlyArray<Prompt.Message> =>
  messages.map((message) => {
    if (message.role !== "tool" || !message.content.some((part) => mediaIn(part).length > 0)) return message
    const content = message.content.map((part) => {
      const media = mediaIn(part)
      if (part.type !== "tool-result" || media.length === 0) return part
      const shown = media.flatMap(kept)
      return withMedia(part, shown.length === 0 ? [] : finished(shown, part))
    })
    return Prompt.toolMessage({ content, options: message.options })
  })

/** The messages without media. */
export const without = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Prompt.Message> =>
  count(messages) === 0 ? messages : keeping(messages, () => [])

/** The same of a prompt. */
export const stripped = (prompt: Prompt.Prompt): Prompt.Prompt =>
  count(prompt.content) === 0 ? prompt : Prompt.fromMessages(without(prompt.content))

/** The messages with the newest media that fit. */
export const newest = (
  messages: ReadonlyArray<Prompt.Message>,
  { maxBytes, newest: limit }: ShownMedia
): ReadonlyArray<Prompt.Message> => {
  const all = allMediaIn(messages)
  if (all.length === 0) return messages
  let bytes = 0
  const fitting = all.toReversed().filter((part, index) => {
    bytes += JournalMedia.sizeOf(part) ?? 0
    return index < limit && bytes <= maxBytes
  })
  const kept = new Set(fitting)
  return kept.size === all.length ? messages : keeping(messages, (part) => kept.has(part) ? [part] : [])
}

export interface ToolMedia {
  /** The prompt as this model gets it. */
  readonly resolved: (prompt: Prompt.Prompt, model: Model) => Effect.Effect<Prompt.Prompt>
  /** Whether a request had media. */
  readonly hasShown: () => boolean
}

interface Around {
  readonly store: MediaStore["Service"]
  readonly session: Session.Id
  readonly settings: ShownMedia
  /** The provider has refused what requests had. */
  readonly leftOut: { readonly isOn: boolean }
}

export const make = ({ leftOut, session, settings, store }: Around): ToolMedia => {
  const known = new Map<string, Uint8Array | undefined>()
  let hasShown = false

  const bytesOf = Effect.fnUntraced(function*(reference: string, id: string, size: number) {
    if (known.has(reference)) return known.get(reference)
    const found = yield* Effect.orDie(retryUntilAvailable(wholeMedium(store, session, id, size)))
    known.set(reference, Option.getOrUndefined(found))
    return Option.getOrUndefined(found)
  })

  /** With the type that its bytes have: providers compare the two. Undefined: it is no such file, or was removed. */
  const restored = Effect.fnUntraced(function*(part: Output, model: Model) {
    const found = JournalMedia.referenceIn(part)
    if (found === undefined || part.type !== "file") return undefined
    const data = yield* bytesOf(found.reference, found.id, found.size)
    const mediaType = data === undefined ? undefined : ReadableMedia.typeOf(data)
    if (data === undefined || mediaType === undefined) return undefined
    if (settings.shows === "known" && model.reads?.(mediaType) !== true) return undefined
    return Prompt.filePart({ ...part, mediaType, data })
  })

  const resolved = Effect.fnUntraced(function*(prompt: Prompt.Prompt, model: Model) {
    const parts = allMediaIn(prompt.content)
    if (parts.length === 0) return prompt
    if (leftOut.isOn) return stripped(prompt)
    const files = new Map<Output, Output>()
    for (const part of parts) {
      const file = yield* restored(part, model)
      if (file !== undefined) files.set(part, file)
    }
    if (files.size > 0) hasShown = true
    const textOf = ({ result }: Result) =>
      Prompt.textPart({ text: typeof result === "string" ? result : JSON.stringify(result) })
    return Prompt.fromMessages(keeping(
      prompt.content,
      (part) => {
        const file = files.get(part)
        return file === undefined ? [] : [file]
      },
      (media, result) => [textOf(result), ...media]
    ))
  })

  return { resolved, hasShown: () => hasShown }
}
