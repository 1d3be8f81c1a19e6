// Packs of compressed lines. A line is the JSON of the spans of one row, which has no line breaks. A pack is small
// enough that one of its lines is read fast, and large enough that what its lines have in common is stored once.
import { Option } from "effect"
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib"

/** Characters of a pack with several lines. */
const maxLength = 64 * 1024

/** A damaged pack must not take more memory than any pack has. */
const maxOutputLength = 64 * 1024 * 1024

/** Level 1 is as small as 3 for such lines, and faster. */
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export interface Pack {
  readonly body: Uint8Array
  /** Of its lines, before they are compressed. */
  readonly bytes: number
}

const packOf = (lines: ReadonlyArray<string>): Pack => {
  const text = lines.join("\n")
  return { body: zstdCompressSync(text, options), bytes: Buffer.byteLength(text) }
}

/** Of a line, from 0. */
export interface Place {
  readonly pack: number
  readonly line: number
}

export interface Packed {
  readonly packs: ReadonlyArray<Pack>
  /** Of each line. */
  readonly places: ReadonlyArray<Place>
}

/** Packs lines in their order. A line that is longer than a pack has one of its own. */
export const of = (lines: ReadonlyArray<string>): Packed => {
  const packs: Array<Pack> = []
  const places: Array<Place> = []
  let [first, length] = [0, 0]
  const end = (next: number) => {
    packs.push(packOf(lines.slice(first, next)))
    first = next
    length = 0
  }
  for (const [index, line] of lines.entries()) {
    if (index > first && length + line.length > maxLength) end(index)
    places.push({ pack: packs.length, line: index - first })
    length += line.length
  }
  if (lines.length > first) end(lines.length)
  return { packs, places }
}

export const empty: Pack = packOf([])

/** None: the pack is damaged. */
export const linesOf = (body: Uint8Array): Option.Option<ReadonlyArray<string>> => {
  try {
    return Option.some(zstdDecompressSync(body, { maxOutputLength }).toString().split("\n"))
  } catch {
    return Option.none()
  }
}

/** Without the text of some lines. The others keep their places. */
export const without = (body: Uint8Array, removed: ReadonlyArray<number>): Option.Option<Pack> =>
  Option.map(linesOf(body), (lines) => packOf(lines.map((line, place) => removed.includes(place) ? "" : line)))
