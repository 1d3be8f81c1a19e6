// The parts of messages and artifacts, on each wire.
import * as Json from "@svc-runtime/domain/Json"
import { Result, Schema } from "effect"
import * as Decoding from "./Decoding.ts"
import { Part } from "./Model.ts"

const contents = ["text", "raw", "url", "data"] as const

const decodePart = Decoding.decoder(Part)

/** The keys of a part whose value may be empty text or null. */
const withContent = (value: Json.Value): Json.Object => {
  const fields = { ...Decoding.named(value) }
  if (!Json.isObject(value)) return fields
  if (value["text"] === "") fields["text"] = ""
  if (value["data"] === null) fields["data"] = null
  return fields
}

/** A part of version 1.0. */
export const of10 = (value: Json.Value): Decoding.Decoded<Part> => {
  if (!Json.isObject(value)) return Decoding.invalid("Each part must be an object")
  const fields = withContent(value)
  const given = contents.filter((name) => name in fields)
  return given.length === 1
    ? decodePart(fields, "part")
    : Decoding.invalid("Each part must have exactly one of text, raw, url and data")
}

/** The flag of a part of version 0.3 whose data are not an object. */
const wrapped = "data_part_compat"

const text = Schema.optionalKey(Schema.String)

const File = Schema.Struct({ uri: text, bytes: text, mimeType: text, name: text })
const decodeFile = Decoding.decoder(File)

const decodeMetadata = Decoding.decoder(Schema.Struct({ metadata: Part.fields.metadata }))

const fileOf = (value: Json.Value | undefined): Decoding.Decoded<Part> => {
  const { fileWithBytes, fileWithUri, ...rest } = Decoding.named(value)
  const fields = {
    ...rest,
    ...(fileWithBytes === undefined ? {} : { bytes: fileWithBytes }),
    ...(fileWithUri === undefined ? {} : { uri: fileWithUri })
  }
  return Result.flatMap(decodeFile(fields, "file"), ({ bytes, mimeType, name, uri }): Decoding.Decoded<Part> => {
    const described = {
      ...(mimeType === undefined ? {} : { mediaType: mimeType }),
      ...(name === undefined ? {} : { filename: name })
    }
    if (bytes !== undefined && uri === undefined) return Result.succeed({ raw: bytes, ...described })
    return uri !== undefined && bytes === undefined
      ? Result.succeed({ url: uri, ...described })
      : Decoding.invalid("A file must have exactly one of uri and bytes")
  })
}

const dataOf = (value: Json.Value | undefined, metadata: Json.Object | undefined): Decoding.Decoded<Part> =>
  Json.isObject(value)
    ? Result.succeed({ data: metadata?.[wrapped] === true && "value" in value ? value["value"] as Json.Value : value })
    : Decoding.invalid("The data of a part must be an object")

/** A part of version 0.3: its `kind`, which may be left out, names the key with its content. */
export const of03 = (value: Json.Value): Decoding.Decoded<Part> => {
  if (!Json.isObject(value)) return Decoding.invalid("Each part must be an object")
  const fields = withContent(value)
  const kind = fields["kind"] ?? ["text", "file", "data"].find((name) => name in fields)
  return Result.flatMap(decodeMetadata(fields, "part"), ({ metadata }) => {
    const content: Decoding.Decoded<Part> = kind === "text" && typeof fields["text"] === "string"
      ? Result.succeed({ text: fields["text"] })
      : kind === "file"
      ? fileOf(fields["file"])
      : kind === "data"
      ? dataOf(fields["data"], metadata)
      : Decoding.invalid("Each part must have a text, a file or data")
    return metadata === undefined ? content : Result.map(content, (part) => ({ ...part, metadata }))
  })
}

/** The same in the JSON of Protocol Buffers: data are one level deeper. */
export const ofProto03 = (value: Json.Value): Decoding.Decoded<Part> => {
  if (!Json.isObject(value)) return Decoding.invalid("Each part must be an object")
  const { data, ...fields } = withContent(value)
  return of03(data === undefined ? fields : { ...fields, data: Json.isObject(data) ? data["data"] ?? data : data })
}

const describe = ({ filename, mediaType }: Part) => ({
  ...(mediaType === undefined ? {} : { mimeType: mediaType }),
  ...(filename === undefined ? {} : { name: filename })
})

const dataFields = ({ data = null, metadata }: Part) => {
  if (Json.isObject(data)) return { data, metadata }
  return { data: { value: data }, metadata: { ...metadata, [wrapped]: true } }
}

const withMetadata = (part: Json.Object, metadata: Json.Object | undefined): Json.Object =>
  metadata === undefined ? part : { ...part, metadata }

export const to03 = (part: Part): Json.Object => {
  const { metadata, raw, text, url } = part
  if (text !== undefined) return withMetadata({ kind: "text", text }, metadata)
  if (raw !== undefined) return withMetadata({ kind: "file", file: { bytes: raw, ...describe(part) } }, metadata)
  if (url !== undefined) return withMetadata({ kind: "file", file: { uri: url, ...describe(part) } }, metadata)
  const fields = dataFields(part)
  return withMetadata({ kind: "data", data: fields.data }, fields.metadata)
}

export const toProto03 = (part: Part): Json.Object => {
  const { metadata, raw, text, url } = part
  if (text !== undefined) return withMetadata({ text }, metadata)
  if (raw !== undefined) return withMetadata({ file: { fileWithBytes: raw, ...describe(part) } }, metadata)
  if (url !== undefined) return withMetadata({ file: { fileWithUri: url, ...describe(part) } }, metadata)
  const fields = dataFields(part)
  return withMetadata({ data: { data: fields.data } }, fields.metadata)
}
