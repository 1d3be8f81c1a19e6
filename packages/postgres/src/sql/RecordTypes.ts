// Rows inside of rows, such as `row(1, 2)`, as the text that PostgreSQL has for them: the client of the database knows
// no type for them, and would take their bytes for a text.
import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"
import { Hex } from "effect/encoding"

const record = 2249
const recordArray = 2287

const quoted = (text: string): string => /^$|[\s"(),\\]/.test(text) ? `"${text.replaceAll(/["\\]/g, "$&$&")}"` : text

const textOf = (value: unknown): string => {
  if (value === null) return ""
  if (typeof value === "boolean") return value ? "t" : "f"
  if (value instanceof Uint8Array) return quoted(`\\x${Hex.encode(value)}`)
  if (value instanceof Date) return quoted(value.toISOString())
  return quoted(typeof value === "object" ? JSON.stringify(value) : String(value))
}

const refused = (message: string) => Result.fail(new PgTypes.CodecError({ message }))

const decodeWith = (types: PgTypes.Registry) => (bytes: Uint8Array): Result.Result<string, PgTypes.CodecError> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const texts: Array<string> = []
  let at = 4
  for (let fields = view.getInt32(0); fields > 0; fields--) {
    if (at + 8 > bytes.length) return refused("The fields of a record end too early")
    const [oid, size] = [view.getUint32(at), view.getInt32(at + 4)]
    at += 8
    const value = size < 0 ? Result.succeed(null) : PgTypes.decode(bytes.subarray(at, at + size), oid, 1, types)
    if (Result.isFailure(value)) return Result.fail(value.failure)
    texts.push(textOf(value.success))
    at += Math.max(0, size)
  }
  return Result.succeed(`(${texts.join()})`)
}

export const make = (): PgTypes.Registry => {
  const types = PgTypes.makeRegistry()
  const codec: PgTypes.Codec<string> = {
    decode: decodeWith(types),
    encode: () => refused("A record is not sent")
  }
  types.register(record, codec, { arrayOid: recordArray })
  return types
}
