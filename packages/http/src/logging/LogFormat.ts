// The two forms of a log line: one for people at a terminal, and JSON for programs.
import { LogLine } from "@svc-runtime/telemetry/LogLine"
import * as SpanTracer from "@svc-runtime/telemetry/SpanTracer"
import { Array, Logger, References } from "effect"
import { styleText } from "node:util"
import * as FailureText from "./FailureText.ts"
import { RequestLine } from "./RequestLine.ts"

const styles: Readonly<Record<string, Parameters<typeof styleText>[0]>> = {
  FATAL: "red",
  ERROR: "red",
  WARN: "yellow",
  INFO: "green"
}

/** Without a character that JSON escapes. */
const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** As JSON. Most texts of a line are short and plain, for which `JSON.stringify` is slower. */
const quoted = (text: string): string => plain.test(text) ? `"${text}"` : JSON.stringify(text)

/** An error in a value may have a JSON with all its fields. */
function withTexts(this: unknown, key: string, value: unknown): unknown {
  const held: unknown = Reflect.get(Object(this), key)
  return FailureText.isFailure(held) ? FailureText.of(held) : value
}

/** A value that is no JSON, such as one with a cycle, does not prevent its line. */
const jsonOf = (value: unknown): string => {
  if (typeof value === "string") return quoted(value)
  try {
    return JSON.stringify(value, withTexts) ?? "null"
  } catch {
    return JSON.stringify(typeof value === "object" ? Object.prototype.toString.call(value) : String(value))
  }
}

/** Texts without blanks stay as they are; control characters are escaped, as they would reach the terminal. */
const shown = (value: unknown): string => {
  if (FailureText.isFailure(value)) return FailureText.of(value)
  return typeof value === "string" && /^[\w:.,/@+-]+$/.test(value) ? value : jsonOf(value)
}

const pairsOf = (fields: object): ReadonlyArray<string> =>
  Object.entries(fields).flatMap(([key, value]) => value === undefined ? [] : [`${key}=${shown(value)}`])

const styled = (level: string): string => styleText(styles[level] ?? "dim", level, { stream: process.stderr })

/** What a line says, and what it adds, such as an error. */
const joined = ([first = "", ...rest]: ReadonlyArray<string>): string =>
  rest.length === 0 ? first : `${first}: ${rest.join(" ")}`

const annotationsOf = ({ fiber }: Logger.Options<unknown>) => fiber.getRef(References.CurrentLogAnnotations)

/** The time, the level, the message and the fields in one line, and the cause below it. */
export const readable: Logger.Logger<unknown, string> = Logger.make((line) => {
  const [first] = Array.ensure(line.message)
  const start = [line.date.toISOString(), styled(line.logLevel.toUpperCase())]
  if (first instanceof RequestLine) {
    const { method, route, status, ...fields } = first.fields
    return [...start, method, route, status, ...pairsOf(fields)].join(" ")
  }
  if (first instanceof LogLine) {
    const { part: _, ...fields } = { ...annotationsOf(line), ...first.fields }
    return [...start, first.text, ...pairsOf(fields)].join(" ")
  }
  const { part: _, ...fields } = annotationsOf(line)
  const texts = Array.ensure(line.message).map((piece) => typeof piece === "string" ? piece : shown(piece))
  const text = [...start, joined(texts), ...pairsOf(fields)].join(" ")
  return line.cause.reasons.length === 0 ? text : `${text}\n${FailureText.of(line.cause)}`
})

/** The part of the service that a line is about. */
export const partOf = (line: Logger.Options<unknown>): unknown => {
  const [first] = Array.ensure(line.message)
  if (first instanceof RequestLine) return "http"
  return first instanceof LogLine ? first.part : annotationsOf(line)["part"] ?? "service"
}

const messageOf = (pieces: ReadonlyArray<unknown>): string =>
  joined(
    pieces.map((piece) =>
      typeof piece === "string" ? piece : FailureText.isFailure(piece) ? FailureText.of(piece) : jsonOf(piece)
    )
  )

/** Fields that every line has come first, and no annotation replaces them. */
const keysOfLines = new Set(["time", "level", "part", "message", "cause"])

/** Of the span around, unless the line names a trace itself. */
const traceOf = ({ fiber }: Logger.Options<unknown>, fields: object): string => {
  if ("trace_id" in fields || SpanTracer.of(fiber) === undefined) return ""
  const span = SpanTracer.parentOf(fiber)
  return span?.sampled === true ? `,"trace_id":"${span.traceId}"` : ""
}

const fieldsOf = (annotations: Readonly<Record<string, unknown>>, replaced: object): string => {
  let fields = ""
  for (const key in annotations) {
    const value = annotations[key]
    if (key === "part" || value === undefined || key in replaced) continue
    fields += `,${quoted(keysOfLines.has(key) ? `${key}_` : key)}:${jsonOf(value)}`
  }
  return fields
}

/** The time of a line in ISO 8601. Lines of the same second share its text. */
const timeText = (): (date: Date) => string => {
  let [second, text] = [Number.NaN, ""]
  return (date) => {
    const millis = date.getTime() % 1000
    if (date.getTime() - millis !== second) {
      second = date.getTime() - millis
      text = date.toISOString().slice(0, -4)
    }
    return `${text}${String(millis).padStart(3, "0")}Z`
  }
}

/** One object without nested fields for each line. `node` is the name of this process. */
export const json = (node: string | undefined): Logger.Logger<unknown, string> => {
  const nodeField = node === undefined ? "" : `"node":${JSON.stringify(node)},`
  const timeOf = timeText()
  const none = {}
  return Logger.make((line) => {
    const pieces = Array.ensure(line.message)
    const [first] = pieces
    const start = `{"time":"${timeOf(line.date)}","level":"${line.logLevel.toUpperCase()}","part":`
    if (first instanceof RequestLine) return `${start}"http",${nodeField}${first.toJsonFields()}}`
    const annotations = annotationsOf(line)
    const own = "node" in annotations ? "" : nodeField
    if (first instanceof LogLine) {
      const naming = "trace_id" in first.fields ? first.fields : annotations
      const fields = fieldsOf(annotations, first.fields) + fieldsOf(first.fields, none) + traceOf(line, naming)
      return `${start}"${first.part}",${own}"message":${quoted(first.text)}${fields}}`
    }
    const part = jsonOf(annotations["part"] ?? "service")
    const text = quoted(messageOf(pieces))
    const failure = line.cause.reasons.length === 0
      ? ""
      : `,"cause":${JSON.stringify(FailureText.of(line.cause))}`
    return `${start}${part},${own}"message":${text}${fieldsOf(annotations, none)}${
      traceOf(line, annotations)
    }${failure}}`
  })
}
