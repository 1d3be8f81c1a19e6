// What a service logs, as data.
import { type RequestFields, RequestLine } from "@svc-runtime/http/logging/RequestLine"
import * as RunLine from "@svc-runtime/telemetry/LogLine"
import { Logger } from "effect"

export interface LogLine {
  readonly level: string
  readonly message: string
  readonly cause: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** The log line of a request. */
export interface RequestLogLine extends RequestFields {
  readonly level: string
}

/** Collects the lines of requests in a list of their own. */
export const layer = (logs: Array<LogLine>, requests: Array<RequestLogLine>) =>
  Logger.layer([
    Logger.make((line) => {
      const first: unknown = Array.isArray(line.message) ? line.message[0] : line.message
      if (first instanceof RequestLine) {
        requests.push({ ...first.fields, level: line.logLevel })
        return
      }
      const { annotations, cause, level, message } = Logger.formatStructured.log(line)
      const [text, fields] = first instanceof RunLine.LogLine
        ? [first.text, { ...annotations, ...first.fields }]
        : [[message].flat().map(String).join(" "), annotations]
      logs.push({ level, message: text, cause: cause ?? "", annotations: fields })
    })
  ])
