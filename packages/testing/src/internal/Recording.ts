// A file with recorded answers of a model. It has neither prompts nor keys: a request is a hash in it.
import { Effect, Result, Schema } from "effect"
import type { LanguageModel, Response } from "effect/ai"
import { Tool } from "effect/ai"
import { hash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

const File = Schema.Struct({
  version: Schema.Literal(1),
  answers: Schema.Array(Schema.Struct({
    request: Schema.String,
    // what they are is decided by the model that plays them back
    parts: Schema.Array(Schema.Record(Schema.String, Schema.Json))
  }))
})

type Answer = typeof File.Type["answers"][number]

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(File))

export interface Recording {
  /** The answer that was recorded for this request; for the same request again, the next one. */
  readonly take: (request: string) => ReadonlyArray<Response.AnyPartEncoded> | undefined
  /** Stores an answer, and gives it as it is played back. */
  readonly add: (request: string, parts: ReadonlyArray<Response.AnyPart>) => ReadonlyArray<Response.AnyPartEncoded>
}

/** Without the marks of classes. Bytes are text, as they are encoded. */
const plain = (value: unknown): string =>
  JSON.stringify(
    value,
    (key, each: unknown) =>
      key.startsWith("~") ? undefined : each instanceof Uint8Array ? Buffer.from(each).toString("base64") : each
  )

/** What a request is recognized by: the messages, the tools and the format of the answer. */
export const keyOf = (method: string, { prompt, tools }: LanguageModel.ProviderOptions, format: unknown): string => {
  const declared = tools.map((tool) => ({ name: tool.name, schema: Tool.getJsonSchema(tool) }))
  return hash("sha256", plain([method, prompt.content, declared, format]))
}

/** Ids and times of the provider, and its HTTP headers, are not a part of the answer. */
const encoded = (
  parts: ReadonlyArray<Response.AnyPart>
): ReadonlyArray<Response.AnyPartEncoded & Answer["parts"][number]> =>
  parts.filter(({ type }) => type !== "response-metadata").map((part) => {
    if (part.type === "finish") return JSON.parse(plain({ ...part, response: undefined }))
    if (part.type !== "tool-result") return JSON.parse(plain(part))
    return JSON.parse(plain({ ...part, result: part.encodedResult, encodedResult: undefined }))
  })

/** A text says what is wrong with the file. */
export const read = (path: string): Effect.Effect<Recording, string> =>
  Effect.suspend(() => {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "{ \"version\": 1, \"answers\": [] }"
    const stored = decode(text)
    if (Result.isFailure(stored)) {
      return Effect.fail(`${path} has no recorded answers. Remove it, and record them again`)
    }
    const answers: Array<Answer> = [...stored.success.answers]
    const taken = new Map<string, number>()
    const recording: Recording = {
      take: (request) => {
        const index = taken.get(request) ?? 0
        const answer = answers.filter((each) => each.request === request)[index]
        taken.set(request, index + 1)
        return answer?.parts as ReadonlyArray<Response.AnyPartEncoded> | undefined
      },
      add: (request, parts) => {
        const answer = { request, parts: encoded(parts) }
        answers.push(answer)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(`${path}.new`, `${JSON.stringify({ version: 1, answers }, null, 2)}\n`)
        renameSync(`${path}.new`, path)
        return answer.parts
      }
    }
    return Effect.succeed(recording)
  })
