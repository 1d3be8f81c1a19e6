// The files of an answer in a journal: a reference to the store of media instead of their bytes.
import type * as Media from "@svc-runtime/domain/Media"
import type * as Session from "@svc-runtime/domain/Session"
import { Effect, Option } from "effect"
import { Prompt } from "effect/ai"
import { Base64 } from "effect/encoding"
import { retryUntilAvailable } from "../node/retryUntilAvailable.ts"
import type { MediaStore } from "./MediaStore.ts"
import { wholeMedium } from "./wholeMedium.ts"

type Part = Prompt.AssistantMessagePart

/** In the place of bytes. */
export const referenceTo = ({ id, size }: { readonly id: string; readonly size: number }): string =>
  `svc-media:${id}:${size}`

const reference = /^svc-media:([0-9a-f]{64}):(\d{1,15})$/

const isFile = (part: Part): part is Prompt.FilePart => part.type === "file"

/** The answer as a journal has it. `stored` are its files, in their order. */
export const referenced = (answer: Prompt.Prompt, stored: ReadonlyArray<Media.File>): Prompt.Prompt => {
  if (stored.length === 0) return answer
  const rest = [...stored]
  const toReference = (part: Part): Part => {
    const { id, size } = isFile(part) ? rest.shift() ?? {} : {}
    return isFile(part) && id !== undefined && size !== undefined ? { ...part, data: referenceTo({ id, size }) } : part
  }
  return Prompt.fromMessages(
    answer.content.map((message) =>
      message.role === "assistant" ? { ...message, content: message.content.map(toReference) } : message
    )
  )
}

/** Undefined: the part is no file, or has its bytes. */
export const referenceIn = (part: { readonly type: string; readonly data?: unknown }) => {
  const found = part.type === "file" && typeof part.data === "string" ? reference.exec(part.data) : null
  return found === null ? undefined : { reference: found[0], id: found[1] ?? "", size: Number(found[2]) }
}

/** Bytes. */
export const sizeOf = (part: Parameters<typeof referenceIn>[0]): number | undefined => referenceIn(part)?.size

const hasReference = (message: Prompt.Message): message is Prompt.AssistantMessage =>
  message.role === "assistant" && message.content.some((part) => referenceIn(part) !== undefined)

/** The answer with the bytes of its files. A file that was removed is left out. */
export const restored = Effect.fnUntraced(
  function*(store: MediaStore["Service"], session: Session.Id, answer: Prompt.Prompt) {
    if (!answer.content.some(hasReference)) return answer
    const restore = Effect.fnUntraced(function*(part: Part) {
      const found = referenceIn(part)
      if (found === undefined) return [part]
      const bytes = yield* Effect.orDie(retryUntilAvailable(wholeMedium(store, session, found.id, found.size)))
      return Option.toArray(bytes).map((data): Part => ({ ...part as Prompt.FilePart, data: Base64.encode(data) }))
    })
    const messages = yield* Effect.forEach(
      answer.content,
      (message): Effect.Effect<Prompt.Message> =>
        hasReference(message)
          ? Effect.map(Effect.forEach(message.content, restore), (parts) => ({ ...message, content: parts.flat() }))
          : Effect.succeed(message)
    )
    return Prompt.fromMessages(messages)
  }
)
