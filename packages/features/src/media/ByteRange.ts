// The range of bytes that a request asks for (RFC 9110, section 14). One range; several get all bytes.
import type { Headers } from "effect/http"

export interface ByteRange {
  readonly start: number
  /** Not part of the range. */
  readonly end: number
}

const single = /^bytes=(\d{0,15})-(\d{0,15})$/i

/** "none" for a range that the medium does not have. Undefined: all bytes. */
export const of = (headers: Headers.Headers, size: number, tag: string): ByteRange | "none" | undefined => {
  const [, first, last] = single.exec(headers["range"]?.trim() ?? "") ?? []
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined
  const condition = headers["if-range"]
  if (condition !== undefined && condition.trim() !== tag) return undefined
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? "none" : { start: size - length, end: size }
  }
  if (last !== "" && Number(last) < Number(first)) return undefined
  if (Number(first) >= size) return "none"
  return { start: Number(first), end: last === "" ? size : Math.min(Number(last) + 1, size) }
}
