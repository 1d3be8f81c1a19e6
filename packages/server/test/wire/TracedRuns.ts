// A service that stores traces, and their trees as texts.
import { TraceBuffer } from "@svc-runtime/features/traces/TraceWriter"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { ask, at, get, list, post, serve } from "../Wire.ts"

export const serveTraced = (options: TestServer.Options) =>
  serve({ traces: new TraceBuffer({ hasContent: true }), ...options })

/** On a real port, with all spans beside the stored ones. */
export const listenTraced = Effect.fnUntraced(function*(options: TestServer.Options) {
  const sink = SpanSink.memory()
  const { url } = yield* TestServer.listen({ traces: new TraceBuffer({ hasContent: true }), spans: sink, ...options })
  const server: TestServer.TestServer = {
    fetch: (path, init) => Effect.promise(() => globalThis.fetch(`${url}${path}`, init)),
    logs: []
  }
  return { server, spans: sink.spans, url }
})

export const start = (server: TestServer.TestServer, path: string, fields: Readonly<Record<string, string>> = {}) =>
  ask(server, path, {
    method: "POST",
    body: new URLSearchParams({ message: "How are you?", stream: "false", user_id: "ann", ...fields })
  })

const shown = (node: unknown): string => {
  const value = (name: string) => {
    const text = at(node, name)
    return text === undefined ? "" : ` ${name}=${typeof text === "string" ? text : JSON.stringify(text)}`
  }
  const isOk = at(node, "status") === "OK"
  const status = isOk ? "" : ` ${String(at(node, "status"))}`
  // what models are asked is long
  const content = at(node, "type") === "LLM" ? value("error") : `${value("input")}${value("output")}${value("error")}`
  return `${String(at(node, "type"))} ${String(at(node, "name"))}${status}${value("step_type")}${content}`
    .replaceAll("\n", "\\n")
}

const lines = (nodes: ReadonlyArray<unknown>, indent = ""): ReadonlyArray<string> =>
  nodes.flatMap((node) => [`${indent}${shown(node)}`, ...lines(list(at(node, "spans") ?? []), `${indent}  `)])

/** The newest trace, and its tree: a line for each node. */
export const newest = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const traces = list((yield* get(server, "/traces")).json, "data")
  const detail = (yield* get(server, `/traces/${String(at(traces[0], "trace_id"))}`)).json
  return { traces, detail, tree: lines(list(detail, "tree")) }
})

/** The lines of all traces. */
export const all = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const details = list((yield* post(server, "/traces/search", {})).json, "data")
  return details.flatMap((detail) => lines(list(detail, "tree")))
})
