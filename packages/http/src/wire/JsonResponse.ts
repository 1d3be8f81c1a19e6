// JSON responses that can contain uploaded files. A large one is encoded in pieces, as fast as the client reads them:
// the whole text is never in memory.
import { Effect, Stream } from "effect"
import { HttpBody, HttpServerResponse } from "effect/http"

/** Responses up to this length are encoded at once. */
const small = 256 * 1024

const pieceLength = 64 * 1024

type Value = unknown

const isContainer = (value: Value): value is object =>
  typeof value === "object" && value !== null && !("toJSON" in value && typeof value.toJSON === "function")

/** Length of all texts in a value. It stops counting above the limit. */
const lengthOf = (value: Value, limit: number): number => {
  if (typeof value === "string") return value.length
  if (!isContainer(value)) return 0
  let sum = 0
  for (const inner of Object.values(value)) {
    sum += lengthOf(inner, limit)
    if (sum > limit) break
  }
  return sum
}

/** A pair of surrogates stays together. */
const endOfPiece = (text: string, start: number): number => {
  const end = start + pieceLength
  const last = text.charCodeAt(end - 1)
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end
}

function* textPieces(text: string): Generator<string> {
  yield "\""
  for (let start = 0; start < text.length;) {
    const end = endOfPiece(text, start)
    yield JSON.stringify(text.slice(start, end)).slice(1, -1)
    start = end
  }
  yield "\""
}

function* valuePieces(value: Value): Generator<string> {
  if (typeof value === "string" && value.length > pieceLength) return yield* textPieces(value)
  if (!isContainer(value) || lengthOf(value, pieceLength) <= pieceLength) return yield JSON.stringify(value) ?? "null"
  const isArray = Array.isArray(value)
  let separator = isArray ? "[" : "{"
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined && !isArray) continue
    yield isArray ? separator : `${separator}${JSON.stringify(name)}:`
    yield* valuePieces(inner)
    separator = ","
  }
  yield isArray ? "]" : "}"
}

/** Bytes of the JSON text of a value, in pieces of some length. */
export function* encode(value: Value): Generator<Uint8Array> {
  let texts: Array<string> = []
  let length = 0
  for (const text of valuePieces(value)) {
    texts.push(text)
    length += text.length
    if (length < pieceLength) continue
    yield Buffer.from(texts.join(""))
    texts = []
    length = 0
  }
  if (length > 0) yield Buffer.from(texts.join(""))
}

const inPieces = (pieces: () => Iterable<Uint8Array>, options: HttpServerResponse.Options = {}) =>
  HttpServerResponse.stream(Stream.suspend(() => Stream.fromIterable(pieces(), { chunkSize: 1 })), {
    contentType: "application/json",
    ...options
  })

function* bytesOfText(text: string): Generator<Uint8Array> {
  for (let start = 0; start < text.length;) {
    const end = endOfPiece(text, start)
    yield Buffer.from(text.slice(start, end))
    start = end
  }
}

function* bytesOfTexts(texts: ReadonlyArray<string>): Generator<Uint8Array> {
  for (const text of texts) yield* bytesOfText(text)
}

/** JSON, and lines of JSON. */
const types = new Set<string | undefined>(["application/json", "application/x-ndjson"])

/**
 * Of what is JSON already, or lines of JSON if the options say so, in texts that follow each other. Joined, a large one
 * would be copied.
 */
export const ofTexts = (
  texts: ReadonlyArray<string>,
  options: HttpServerResponse.Options = {}
): HttpServerResponse.HttpServerResponse =>
  texts.reduce((sum, { length }) => sum + length, 0) <= small
    ? HttpServerResponse.text(texts.join(""), { contentType: "application/json", ...options })
    : inPieces(() => bytesOfTexts(texts), options)

export const of = (value: object): HttpServerResponse.HttpServerResponse =>
  lengthOf(value, small) <= small
    ? HttpServerResponse.jsonUnsafe(value)
    : inPieces(() => encode(value))

/** Calls functions before the first and after the last byte of a response that is sent in pieces. */
export const around = (
  response: HttpServerResponse.HttpServerResponse,
  begin: Effect.Effect<void>,
  end: Effect.Effect<void>
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Stream" || !types.has(body.contentType)) return response
  const sent = Stream.unwrap(Effect.as(Effect.acquireRelease(begin, () => end), body.stream))
  return HttpServerResponse.setBody(response, HttpBody.stream(sent, body.contentType))
}
