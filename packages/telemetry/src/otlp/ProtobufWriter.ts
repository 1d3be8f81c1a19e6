// Writes the wire format of Protocol Buffers into one growing buffer. A message inside of another is written first, and
// moved when its length needs more than one byte.
const encoder = new TextEncoder()

const [varint, fixed64, delimited, fixed32] = [0, 1, 2, 5]

/** Up to there, characters are written faster than by the encoder: names and ids. */
const fewCharacters = 64

const digit = (code: number): number => code <= 57 ? code - 48 : code - 87

export class ProtobufWriter {
  bytes: Uint8Array<ArrayBuffer>
  length = 0
  #view: DataView

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity)
    this.#view = new DataView(this.bytes.buffer)
  }

  #reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count))
    grown.set(this.bytes.subarray(0, this.length))
    this.bytes = grown
    this.#view = new DataView(grown.buffer)
  }

  #varint(value: number): void {
    this.#reserve(10)
    if (value < 128) {
      this.bytes[this.length++] = value
      return
    }
    let rest = value
    while (rest > 127) {
      this.bytes[this.length++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    this.bytes[this.length++] = rest
  }

  #tag(field: number, type: number): void {
    this.#varint(field * 8 + type)
  }

  /** Begins a message. The result is for `end`. */
  begin(field: number): number {
    this.#tag(field, delimited)
    this.#reserve(1)
    return ++this.length
  }

  /** Ends the message that begins at `start`. */
  end(start: number): void {
    const size = this.length - start
    if (size < 128) {
      this.bytes[start - 1] = size
      return
    }
    let width = 1
    for (let rest = size; rest > 127; rest = Math.floor(rest / 128)) width++
    this.#reserve(width)
    this.bytes.copyWithin(start + width - 1, start, this.length)
    this.length = start - 1
    this.#varint(size)
    this.length += size
  }

  message(field: number, write: () => void): void {
    const start = this.begin(field)
    write()
    this.end(start)
  }

  text(field: number, value: string): void {
    this.#reserve(16 + value.length * 3)
    const start = this.begin(field)
    if (value.length > fewCharacters || !this.#ascii(value)) {
      this.length = start + encoder.encodeInto(value, this.bytes.subarray(start)).written
    }
    this.end(start)
  }

  /** False if it has other characters. */
  #ascii(value: string): boolean {
    const { bytes, length } = this
    for (let at = 0; at < value.length; at++) {
      const code = value.charCodeAt(at)
      if (code > 127) return false
      bytes[length + at] = code
    }
    this.length += value.length
    return true
  }

  /** Bytes that are given as hexadecimal digits. */
  hex(field: number, digits: string): void {
    this.#tag(field, delimited)
    this.#varint(digits.length / 2)
    this.#reserve(digits.length / 2)
    const { bytes, length } = this
    for (let at = 0; at < digits.length; at += 2) {
      bytes[length + at / 2] = digit(digits.charCodeAt(at)) * 16 + digit(digits.charCodeAt(at + 1))
    }
    this.length += digits.length / 2
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** A whole number that is not negative. */
  natural(field: number, value: number): void {
    this.#tag(field, varint)
    this.#varint(value)
  }

  /** A whole number with a sign, as 64 bits. */
  integer(field: number, value: number): void {
    if (value >= 0) return this.natural(field, value)
    this.#tag(field, varint)
    this.#reserve(10)
    let rest = BigInt.asUintN(64, BigInt(value))
    while (rest > 127n) {
      this.bytes[this.length++] = Number(rest & 127n) | 128
      rest >>= 7n
    }
    this.bytes[this.length++] = Number(rest)
  }

  double(field: number, value: number): void {
    this.#tag(field, fixed64)
    this.#reserve(8)
    this.#view.setFloat64(this.length, value, true)
    this.length += 8
  }

  /** Nanoseconds, which a number cannot hold. */
  nanoseconds(field: number, microseconds: number): void {
    this.#tag(field, fixed64)
    this.#reserve(8)
    const low = (microseconds % 2 ** 32) * 1000
    const high = Math.floor(microseconds / 2 ** 32) * 1000 + Math.floor(low / 2 ** 32)
    this.#view.setUint32(this.length, low % 2 ** 32, true)
    this.#view.setUint32(this.length + 4, high, true)
    this.length += 8
  }

  word(field: number, value: number): void {
    this.#tag(field, fixed32)
    this.#reserve(4)
    this.#view.setUint32(this.length, value, true)
    this.length += 4
  }
}
