// Files of people, which become the media of a run, and files of an answer for people.
import type * as Adapter from "@svc-runtime/channels/Adapter"
import type { ChannelError } from "@svc-runtime/channels/ChannelError"
import type * as Media from "@svc-runtime/domain/Media"
import { NewId } from "@svc-runtime/engine/NewId"
import type { UploadedFile } from "@svc-runtime/http/forms/FormBody"
import * as Uploads from "@svc-runtime/http/forms/Uploads"
import type { AnyMedium } from "@svc-runtime/protocols/run/RunPiece"
import { Effect, Result, Semaphore } from "effect"
import type { LiveChannel } from "./LiveChannels.ts"
import { call } from "./PlatformCalls.ts"
import * as Sentences from "./Sentences.ts"

/** Milliseconds for one file. */
const downloading = 60_000

const mebibyte = 1024 * 1024

/** The bytes of files that are in memory at a time, as a multiple of what one message may have. */
const atOnce = 4

const isTemporary = ({ reason }: ChannelError): boolean => reason === "temporary" || reason === "rate_limited"

/** What the files of a message are: media, or a sentence that says why they cannot be read. */
export type Received = Result.Result<Media.Media, string>

/** `bytes`: of the files of one message. */
export const receiving = (bytes: number) => {
  const total = Math.ceil(bytes / mebibyte)
  const permits = Semaphore.makeUnsafe(total * atOnce)

  const download = Effect.fnUntraced(function*(
    { adapter: { download } }: LiveChannel,
    files: ReadonlyArray<Adapter.SentFile>
  ): Effect.fn.Return<Received, ChannelError> {
    if (download === undefined) return Result.fail(Sentences.noFiles)
    const uploads: Array<UploadedFile> = []
    let left = bytes
    for (const file of files) {
      const { mediaType = "", name = "", size = 0 } = file
      if (size > left) return Result.fail(Sentences.tooLarge(bytes))
      const limit = left
      const read = yield* Effect.result(
        call((context) => download(file, context), { bytes: limit, timeout: downloading })
      )
      if (Result.isFailure(read)) {
        if (isTemporary(read.failure)) return yield* Effect.fail(read.failure)
        yield* Effect.logWarning("A file of a person could not be downloaded", read.failure.message)
        return Result.fail(Sentences.notDownloaded(name))
      }
      if (read.success.length > left) return Result.fail(Sentences.tooLarge(bytes))
      left -= read.success.length
      uploads.push({ field: "files", name, contentType: mediaType, bytes: read.success })
    }
    const media = yield* Effect.result(Uploads.toMedia(uploads, yield* NewId))
    return Result.isSuccess(media) ? Result.succeed(media.success) : Result.fail(Sentences.unknownFile)
  })

  /** Their bytes count until the end of `use`. Fails when the platform can give them later. */
  return <A, E, R>(
    channel: LiveChannel,
    files: ReadonlyArray<Adapter.SentFile>,
    use: (received: Received) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, ChannelError | E, R> => {
    if (files.length === 0) return use(Result.succeed({}))
    const known = files.every(({ size }) => size !== undefined)
      ? files.reduce((sum, { size = 0 }) => sum + size, 0)
      : bytes
    return permits.withPermits(Math.min(total, Math.max(1, Math.ceil(known / mebibyte))))(
      Effect.flatMap(download(channel, files), use)
    )
  }
}

const types = { image: "image/png", audio: "audio/mpeg", video: "video/mp4", file: "application/octet-stream" } as const

const nameOf = ({ kind, medium }: AnyMedium, mediaType: string, index: number): string => {
  const given = "filename" in medium ? medium.filename : undefined
  const extension = medium.format ?? mediaType.split(";")[0]?.split("/")[1] ?? "bin"
  return given ?? `${kind}-${index + 1}.${extension}`
}

/** What people get of the media of an answer: files, addresses in the web, and what cannot be sent. */
export const ofAnswer = (media: ReadonlyArray<AnyMedium>, limit: number) => {
  const files: Array<Adapter.File> = []
  const notes: Array<string> = []
  for (const [index, each] of media.entries()) {
    const { content, mime_type, url = "" } = each.medium
    const mediaType = mime_type ?? types[each.kind]
    const name = nameOf(each, mediaType, index)
    const isText = each.kind === "file" && mediaType.startsWith("text/")
    const bytes = content === undefined ? undefined : Buffer.from(content, isText ? "utf8" : "base64")
    if (bytes !== undefined && bytes.length <= limit) files.push({ name, mediaType, bytes: new Uint8Array(bytes) })
    else notes.push(/^https?:\/\//i.test(url) ? url : Sentences.notSent(name))
  }
  return { files, notes }
}
