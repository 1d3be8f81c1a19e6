// A reader of files as its author defines it. For its files it wins over the readers of the service.
import type * as Json from "@svc-runtime/domain/Json"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import type * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Data, Duration } from "effect"

export interface File {
  readonly bytes: Uint8Array
  readonly name: string | undefined
  /** The media type, with its parameters. */
  readonly type: string | undefined
}

/** A text of a file: all of it, or a page, a message, a record. */
export interface Document {
  readonly text: string
  /** Where the text is in its file. Each of its chunks has it. */
  readonly metadata?: Json.Object | undefined
}

/** The file has no text that can be read. Its owner reads the message. */
export class Unreadable extends Data.TaggedError("Unreadable")<{ readonly message: string }> {}

export interface Options {
  /** Lower-case letters, digits and `_`: a `reader_id` of uploads. */
  readonly id: string
  /** The name for people. Default: the key. */
  readonly name?: string | undefined
  /** What it reads. Default: none. */
  readonly description?: string | undefined
  /** The files that it reads: extensions (`.eml`), media types (`message/rfc822`) and whole names (`Dockerfile`). */
  readonly types: ReadonlyArray<string>
  /** Keys of chunkers, the default first. Default: `DocumentChunker`, `FixedSizeChunker`, `RecursiveChunker`. */
  readonly chunkers?: ReadonlyArray<string> | undefined
  /** The time for one content. Default: a minute. */
  readonly timeout?: Duration.Input | undefined
  /** Fails with `Unreadable` to tell the owner of the file why. What else is thrown is logged only. */
  readonly read: (file: File, signal: AbortSignal) => UserCode.Returned<ReadonlyArray<Document>>
}

export interface Reader {
  readonly _tag: "Reader"
  readonly id: string
  readonly name: string
  readonly description: string
  readonly types: ReadonlyArray<string>
  readonly chunkers: ReadonlyArray<string>
  readonly timeout: Duration.Duration
  readonly read: Options["read"]
}

const kinds: AuthorOptions.Kinds<keyof Options> = {
  id: "text",
  name: "text",
  description: "text",
  types: "list",
  chunkers: "list",
  timeout: "any",
  read: "function"
}

const idRule = /^[a-z][a-z0-9_]{0,63}$/
const typeRule = /^(?:\.[a-z][a-z0-9]{0,15}|[\w.+-]+\/[\w.+-]+|[^./\\][^/\\]{0,99})$/

/**
 * A reader of files, for the option `readers` of `Knowledge.make`. It runs in the process of the service: what takes
 * long belongs into a process of its own.
 *
 * Throws an `Error` that names the reader and the option if an option is invalid.
 *
 * ```ts
 * import { Knowledge, Reader } from "@svc-runtime/server"
 *
 * const mail = Reader.make({
 *   id: "mail",
 *   types: [".eml", "message/rfc822"],
 *   read: ({ bytes }) => {
 *     const [head = "", ...paragraphs] = new TextDecoder().decode(bytes).split(/\r?\n\r?\n/)
 *     if (paragraphs.length === 0) throw new Reader.Unreadable({ message: "The mail has no text" })
 *     const subject = /^Subject: (.*)$/m.exec(head)?.[1] ?? ""
 *     return [{ text: paragraphs.join("\n\n"), metadata: { subject } }]
 *   }
 * })
 *
 * Knowledge.make({ name: "mails", readers: [mail] })
 * ```
 */
export const make = (options: Options): Reader => {
  const owner = AuthorOptions.ownerOf("Reader", options)
  AuthorOptions.check(owner, options, kinds)
  const { id, read, types = [] } = options
  if (read === undefined) throw new Mistake(`${owner} has no read. Give it the function that reads a file`)
  if (id === undefined || !idRule.test(id)) throw new Mistake(`${owner}: id must be lower-case letters, digits and '_'`)
  if (id.endsWith("reader")) throw new Mistake(`${owner}: id must not end with 'reader', which callers may leave out`)
  const unusable = types.find((type) => !typeRule.test(type) || type !== type.toLowerCase() && /[./]/.test(type))
  if (types.length === 0 || unusable !== undefined) {
    throw new Mistake(`${owner}: types must be extensions (.eml), media types (message/rfc822) or names of files`)
  }
  return {
    _tag: "Reader",
    id,
    name: options.name ?? id,
    description: options.description ?? "",
    types,
    chunkers: options.chunkers ?? ["DocumentChunker", "FixedSizeChunker", "RecursiveChunker"],
    timeout: Validate.duration(owner, "timeout", options.timeout ?? Duration.minutes(1)),
    read
  }
}
