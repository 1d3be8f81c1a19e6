// What clients cost that ask and never read: the memory of the service for each route that responds with much, and how
// long a small read takes meanwhile. Bytes in buffers of the system are not in the memory of the
// process. What waits in the process, and copies of encoded responses, are.
import { mkdtempSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Running, start, startFlags } from "./Process.ts"

const { values } = parseArgs({
  options: {
    clients: { type: "string", default: "250" },
    seconds: { type: "string", default: "15" },
    only: { type: "string", default: "" },
    // what the same requests cost when their clients read
    read: { type: "boolean", default: false },
    // bytes that each client reads in a second
    rate: { type: "string", default: "0" },
    // the addresses of the clients, each of which is a caller of its own
    callers: { type: "string", default: "1" }
  }
})
const clients = Number(values.clients)
const millis = Number(values.seconds) * 1000
const rate = Number(values.rate)
const callers = Number(values.callers)

const key = "of-the-benchmark-of-deaf-clients"
const authorization = `Bearer ${key}`
const part = "0123456789abcde ".repeat(56 * 1024)

const say = (line: string) => process.stdout.write(`${line}\n`)
const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0)
const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time))

const dataDir = mkdtempSync(join(tmpdir(), "svc-deaf-"))
const service = await start(
  new URL("plainService.ts", import.meta.url).pathname,
  { DATA_DIR: dataDir, MODEL: "fixed", LOG_LEVEL: "Error", OS_SECURITY_KEY: key },
  "/ready",
  startFlags
)
const { host, hostname, port } = new URL(service.base)

const call = async (method: string, path: string, body?: FormData | object, headers: Record<string, string> = {}) => {
  const isForm = body instanceof FormData
  const response = await fetch(service.base + path, {
    method,
    headers: {
      authorization,
      ...(body === undefined || isForm ? {} : { "content-type": "application/json" }),
      ...headers
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) })
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`)
  return { headers: response.headers, text }
}

/** The part of the memory that objects and buffers use. The rest is room that the process keeps. */
const measured = async () => {
  const { text } = await call("GET", "/metrics/prometheus")
  return Number(/^svc_heap_used_bytes (\S+)/m.exec(text)?.[1] ?? 0)
}

const runOf = (fields: Readonly<Record<string, string | File>>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries({ stream: "false", ...fields })) form.set(name, value)
  return call("POST", "/agents/plain/runs", form)
}

const isJson = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" }

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } }
}

/** Runs of 0.9 MB with their traces, a run with a file, and a dataset. */
const fill = async () => {
  for (let n = 0; n < 6; n++) await runOf({ message: `${n} ${part}`, session_id: "long", run_id: `long-${n}` })
  await runOf({
    message: "hi",
    session_id: "file",
    run_id: "file",
    files: new File([part.repeat(5)], "a.txt", { type: "text/plain" })
  })
  await runOf({ message: "hi", session_id: "small", run_id: "small" })
  const items = Array.from({ length: 60 }, (_, n) => ({ input: `${n} ${part.slice(0, 60_000)}` }))
  const made: { id: string } = JSON.parse((await call("POST", "/datasets", { name: "large" })).text)
  for (let n = 0; n < 60; n += 10) await call("POST", `/datasets/${made.id}/items`, { put: items.slice(n, n + 10) })
  const traces: { data: ReadonlyArray<{ trace_id: string }> } = JSON.parse(
    (await call("GET", "/traces?session_id=long&limit=1")).text
  )
  const opened = await call("POST", "/mcp", initialize, isJson)
  const mcp = { ...isJson, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" }
  await call("POST", "/mcp", { jsonrpc: "2.0", method: "notifications/initialized" }, mcp)
  return { dataset: made.id, trace: traces.data[0]?.trace_id ?? "none", mcp }
}

interface Sent {
  readonly name: string
  readonly text: string
}

const requestText = (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = "") =>
  [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}`,
    `authorization: ${authorization}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === "" ? [] : ["content-type: application/json", `content-length: ${Buffer.byteLength(body)}`]),
    "",
    body
  ].join("\r\n")

/** A message of a WebSocket client, with a mask of zeros. */
const frame = (text: string) =>
  Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]).toString("latin1")

const sent = ({ dataset, mcp, trace }: Awaited<ReturnType<typeof fill>>): ReadonlyArray<Sent> => {
  const get = (name: string, path: string): Sent => ({ name, text: requestText("GET", path) })
  const tool = { name: "get_session_runs", arguments: { session_id: "long" } }
  const upgrade = { upgrade: "websocket", connection: "Upgrade", "sec-websocket-version": "13" }
  const socket = requestText("GET", "/workflows/ws", { ...upgrade, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" })
  return [
    get("session", "/sessions/long"),
    get("runs of a session", "/sessions/long/runs"),
    get("runs of an agent", "/agents/plain/runs?session_id=long"),
    get("run with a file", "/agents/plain/runs/file?session_id=file"),
    get("traces", "/traces?limit=100"),
    get("trace", `/traces/${trace}`),
    get("items", `/datasets/${dataset}/items?limit=100`),
    get("export", `/datasets/${dataset}/export?limit=100`),
    get("events", "/agents/plain/runs/long-1/events?session_id=long"),
    get("models of OpenAI", "/v1/models"),
    get("documentation", "/redoc"),
    get("OpenAPI", "/openapi.json"),
    {
      name: "run stream",
      text: requestText("POST", "/agents/plain/runs", {}, JSON.stringify({ message: part.slice(0, 900_000) }))
    },
    {
      name: "MCP",
      text: requestText(
        "POST",
        "/mcp",
        mcp,
        JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: tool })
      )
    },
    { name: "socket", text: socket + frame("{\"action\":\"ping\"}").repeat(2000) }
  ]
}

/** Linux takes each of these addresses for its own. The small reads come from 127.0.0.1. */
const addressOf = (client: number) => callers === 1 ? undefined : `127.0.1.${1 + client % callers}`

const readSlowly = (socket: Socket) =>
  socket.on("data", ({ length }) => {
    socket.pause()
    setTimeout(() => socket.resume(), length / rate * 1000).unref()
  })

const deafClient = (text: string, client: number): Socket => {
  const localAddress = addressOf(client)
  const socket = connect({
    port: Number(port),
    host: hostname,
    ...(localAddress === undefined ? {} : { localAddress })
  })
  socket.on("error", () => {})
  // the answer stays where it is
  if (values.read) socket.resume()
  else if (rate > 0) readSlowly(socket)
  else socket.pause()
  socket.write(text, "latin1")
  return socket
}

/** The least of two seconds: what the requests before have left is collected meanwhile. */
const settled = async ({ residentMemory }: Running) => {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < 20; n++) {
    least = Math.min(least, residentMemory())
    await pause(100)
  }
  return least
}

const statusOf = (text: string) =>
  new Promise<string>((resolve) => {
    const socket = connect({ port: Number(port), host: hostname })
    socket.on("error", () => resolve("error"))
    socket.once("data", (data) => {
      socket.destroy()
      resolve(data.toString("latin1", 9, 12))
    })
    socket.write(text, "latin1")
  })

const measure = async ({ name, text }: Sent) => {
  const status = await statusOf(text)
  // readers that read: what they leave is no growth of deaf ones
  for (let n = 0; n < 12; n++) await statusOf(text)
  const before = await settled(service)
  const usedBefore = await measured()
  const sockets = Array.from({ length: clients }, (_, client) => deafClient(text, client))
  let [peak, used, slowest, refused] = [0, 0, 0, 0]
  const large = { slowest: 0, served: 0, refused: 0 }
  const until = performance.now() + millis
  const readLarge = async () => {
    while (performance.now() < until) {
      const at = performance.now()
      await call("GET", "/sessions/long").then(() => large.served++, () => large.refused++)
      large.slowest = Math.max(large.slowest, performance.now() - at)
      await pause(500)
    }
  }
  // of the same caller it would wait for the others
  const reading = callers > 1 ? readLarge() : Promise.resolve()
  while (performance.now() < until) {
    const at = performance.now()
    await call("GET", "/agents/plain/runs/small?session_id=small").catch(() => refused++)
    slowest = Math.max(slowest, performance.now() - at)
    peak = Math.max(peak, service.residentMemory())
    used = Math.max(used, await measured().catch(() => 0))
    await pause(50)
  }
  await reading
  for (const socket of sockets) socket.destroy()
  say(
    `| ${name} | ${status} | ${mebibytes(before)} | +${mebibytes(peak - before)} | +${mebibytes(used - usedBefore)} | ${
      slowest.toFixed(0)
    } | ${refused} | ${large.served} | ${large.refused} | ${large.slowest.toFixed(0)} |`
  )
}

try {
  const all = sent(await fill())
  say(
    `| ${clients} clients that do not read | status | MiB before | growth | of it heap | ms of a small read | refused ` +
      "| large reads | refused | ms of a large read |"
  )
  say("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
  for (const each of all) if (values.only.split(",").some((only) => each.name.includes(only))) await measure(each)
} finally {
  await service.stop()
  rmSync(dataDir, { recursive: true })
}
