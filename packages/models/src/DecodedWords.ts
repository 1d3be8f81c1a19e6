// `effect/ai` decodes each part of a stream with the schema of all parts, which costs several times as much as
// everything else that happens to the part in this package. Parts that are only words are made as they would be
// decoded, and pass the decoder by. All other parts go through it.
import { Array as Arr, Context, Effect, Stream } from "effect"
import type { Pull } from "effect"
import { Response } from "effect/ai"
import type { AiError, LanguageModel } from "effect/ai"

type Parts = Stream.Stream<Response.AnyPart, AiError.AiError>
type Encoded = Arr.NonEmptyReadonlyArray<Response.StreamPartEncoded>
type Word = Response.TextDeltaPart | Response.ReasoningDeltaPart
type EncodedWord = Response.TextDeltaPartEncoded | Response.ReasoningDeltaPartEncoded

/** Between the stream that is decoded and its reader. */
interface Link {
  /** Of the parts before they are decoded. */
  source: Pull.Pull<Encoded, AiError.AiError> | undefined
  /** What the decoder gets next. */
  held: Encoded | undefined
}

const Current = Context.Reference<Link | undefined>("@svc-runtime/models/DecodedWords", {
  defaultValue: () => undefined
})

/** Clients that authors choose can make parts that are not as they declare. */
const isWord = (part: Response.StreamPartEncoded): part is EncodedWord =>
  (part.type === "text-delta" || part.type === "reasoning-delta") && part.metadata === undefined &&
  typeof part.delta === "string" && typeof part.id === "string"

const isWords = (parts: Encoded): parts is Arr.NonEmptyReadonlyArray<EncodedWord> => parts.every(isWord)

const decoded = ({ delta, id, type }: EncodedWord): Word => Response.makePart(type, { id, delta })

/** What `effect/ai` decodes. */
export const inner = (
  parts: Stream.Stream<Response.StreamPartEncoded, AiError.AiError>
): Stream.Stream<Response.StreamPartEncoded, AiError.AiError> =>
  Stream.transformPull(parts, (source) =>
    Effect.map(Current, (link) => {
      if (link === undefined) return source
      link.source = source
      return Effect.suspend(() => {
        const { held } = link
        link.held = undefined
        return held === undefined ? source : Effect.succeed(held)
      })
    }))

const outer = (parts: Parts): Parts =>
  Stream.suspend(() => {
    const link: Link = { source: undefined, held: undefined }
    return Stream.transformPull(Stream.provideService(parts, Current, link), (decoder) =>
      Effect.succeed(Effect.suspend((): typeof decoder =>
        link.source === undefined ? decoder : Effect.flatMap(link.source, (encoded): typeof decoder => {
          if (isWords(encoded)) {
            return Effect.succeed(Arr.map(encoded, decoded))
          }
          link.held = encoded
          return decoder
        })
      )))
  })

interface Requested {
  readonly toolkit?: unknown
  readonly disableToolCallResolution?: boolean | undefined
}

/** What `effect/ai` has decoded, and the words beside it. */
export const around = (
  streamText: LanguageModel.LanguageModel["streamText"]
): LanguageModel.LanguageModel["streamText"] => {
  const untyped = streamText as unknown as (options: Requested) => Parts
  // `effect/ai` reads the stream in a fiber of its own if it calls the tools
  return ((options: Requested) =>
    options.toolkit === undefined || options.disableToolCallResolution === true
      ? outer(untyped(options))
      : untyped(options)) as unknown as typeof streamText
}
