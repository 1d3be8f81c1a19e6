// Vectors of texts: how they are stored (float32, little endian), compared, and shortened to one bit for each number.
import { Option } from "effect"

/** The longest vector that is stored. */
export const maxDimensions = 4096

/** Bytes of one number. */
export const bytesOfNumber = 4

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/** Whether the vector can be stored: finite numbers, of a bounded count, and not all zero, which has no direction. */
export const isUsable = (vector: ArrayLike<number>, dimensions: number = vector.length): boolean => {
  if (vector.length === 0 || vector.length > maxDimensions || vector.length !== dimensions) return false
  let isZero = true
  for (let index = 0; index < vector.length; index++) {
    const number = Math.fround(vector[index] ?? Number.NaN)
    if (!Number.isFinite(number)) return false
    if (number !== 0) isZero = false
  }
  return !isZero
}

/** Makes a vector, if the numbers are usable as one. */
export const fromNumbers = (numbers: ReadonlyArray<number>): Option.Option<Float32Array> =>
  isUsable(numbers) ? Option.some(Float32Array.from(numbers)) : Option.none()

export const toBytes = (vector: Float32Array): Uint8Array => {
  if (isLittleEndian) return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength).slice()
  const view = new DataView(new ArrayBuffer(vector.length * bytesOfNumber))
  vector.forEach((number, index) => view.setFloat32(index * bytesOfNumber, number, true))
  return new Uint8Array(view.buffer)
}

const read = (bytes: Uint8Array): Float32Array => {
  if (isLittleEndian) return new Float32Array(bytes.slice().buffer)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Float32Array.from(
    { length: bytes.length / bytesOfNumber },
    (_, index) => view.getFloat32(index * bytesOfNumber, true)
  )
}

/** Reads a vector, if the bytes are a usable one with these dimensions. */
export const fromBytes = (bytes: Uint8Array, dimensions?: number): Option.Option<Float32Array> => {
  if (bytes.length % bytesOfNumber !== 0) return Option.none()
  const length = bytes.length / bytesOfNumber
  if (length > maxDimensions || length !== (dimensions ?? length)) return Option.none()
  const vector = read(bytes)
  return isUsable(vector) ? Option.some(vector) : Option.none()
}

/** One digit for each number: 1 if it is not negative. The text of a value of the SQL type `bit`. */
export const signBits = (vector: Float32Array): string => {
  let bits = ""
  for (const number of vector) bits += number < 0 ? "0" : "1"
  return bits
}

/** In how many places the signs differ: a coarse distance. Infinite for vectors of different lengths. */
export const signDistance = (left: Float32Array, right: Float32Array): number => {
  if (left.length !== right.length) return Number.POSITIVE_INFINITY
  let distance = 0
  for (let index = 0; index < left.length; index++) {
    if (((left[index] ?? 0) < 0) !== ((right[index] ?? 0) < 0)) distance++
  }
  return distance
}

/** The cosine of the angle between two vectors: 1 for the same direction. 0 for vectors of different lengths. */
export const cosine = (left: Float32Array, right: Float32Array): number => {
  if (left.length !== right.length) return 0
  let [product, ofLeft, ofRight] = [0, 0, 0]
  for (let index = 0; index < left.length; index++) {
    const [a, b] = [left[index] ?? 0, right[index] ?? 0]
    product += a * b
    ofLeft += a * a
    ofRight += b * b
  }
  return ofLeft === 0 || ofRight === 0 ? 0 : product / (Math.sqrt(ofLeft) * Math.sqrt(ofRight))
}
