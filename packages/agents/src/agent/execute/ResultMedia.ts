// The media of results of tools: stored before the result is, and listed by the run when the call is answered.
import type * as Media from "@svc-runtime/domain/Media"
import * as GeneratedMedia from "@svc-runtime/engine/media/GeneratedMedia"
import type { MediaStore } from "@svc-runtime/engine/media/MediaStore"
import { MediaResult } from "@svc-runtime/engine/tool/MediaResult"
import type { RunContext } from "@svc-runtime/engine/tool/RunContext"
import { ToolFailed } from "@svc-runtime/engine/tool/Tool"
import { Effect, Result } from "effect"
import type { Answered } from "./AgentJournal.ts"
import * as Text from "./Text.ts"
import type { Turn } from "./Turn.ts"

interface Caller {
  readonly context: RunContext
  readonly media: MediaStore["Service"]
}

interface Call {
  readonly turn: Turn
  readonly index: number
}

const lineOf = ({ mime_type, size, url }: Media.File): string => `[${mime_type}, ${size} bytes: ${url}]`

const failed = ({ message }: { readonly message: string }) => new ToolFailed({ message })

/** The result as the model reads it. Results without media stay as they are. */
export const stored = ({ context, media }: Caller, { index, turn }: Call, returned: unknown) =>
  returned instanceof MediaResult
    ? Effect.gen(function*() {
      const text = yield* Effect.fromResult(Result.mapError(Text.ofResult(returned.content), failed))
      const made = returned.media.map(({ bytes, mediaType }) => ({ bytes, mime_type: mediaType }))
      const files = yield* Effect.mapError(
        GeneratedMedia.stored(media, context.sessionId, made, "The media of the result"),
        failed
      )
      turn.media.set(index, files)
      return [text, ...files.map(lineOf)].filter((line) => line !== "").join("\n")
    })
    : Effect.succeed(returned)

/** The field of the journal entry of the call. */
export const listed = ({ index, turn }: Call): Pick<Answered, "media"> => {
  const media = turn.media.get(index)
  return media === undefined ? {} : { media }
}
