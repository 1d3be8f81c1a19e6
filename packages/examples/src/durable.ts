// A run that outlives its server. It starts a service and a long run, kills the service in
// the middle with `kill -9`, starts it again, and shows that the same stream continues. The service is this same file,
// started with `serve`.
import { Agent, serve, Tool } from "@svc-runtime/server"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const stepMillis = Number(process.env["STEP_MILLIS"] ?? 1200)

const measure = Tool.make({
  name: "measure",
  description: "Measures the water at every station, one after the other",
  parameters: { type: "object", properties: { station: { type: "string" } } },
  // it only reads: when it was cut off it is made again
  effects: "read",
  execute: async () => {
    await pause(stepMillis)
    return "The water stands at 2.31 m."
  }
})

export const hydrologist = Agent.make({ id: "hydrologist", model: "demo", tools: [measure] })

const colours = { grey: 90, green: 32, red: 31, bold: 1 } as const
const paint = (colour: keyof typeof colours, text: string) =>
  process.stdout.isTTY ? `\u001b[${colours[colour]}m${text}\u001b[0m` : text
const say = (text: string) => process.stdout.write(`${text}\n`)

interface Service {
  readonly url: string
  readonly child: ChildProcess
}

const start = async (directory: string): Promise<Service> => {
  const child = spawn(process.execPath, [import.meta.filename, "serve"], {
    env: { ...process.env, DATA_DIR: directory, PORT: "0", NODE_NAME: "durable", MODEL: "demo", LOG_LEVEL: "Info" },
    stdio: ["ignore", "ignore", "pipe"]
  })
  let output = ""
  // the pipe stays open: a service ends when it cannot write its log
  for await (const piece of child.stderr.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    output += String(piece)
    const [, url] = /listens on (http:\/\/[^\s"(]+)/.exec(output) ?? []
    if (url !== undefined) {
      child.stderr.resume()
      return { url, child }
    }
  }
  throw new Error(`The service did not start. Its output:\n${output}`)
}

interface Event {
  readonly id: string
  readonly event: string
}

async function* eventsOf(url: string, init: RequestInit): AsyncGenerator<Event> {
  const response = await fetch(url, init)
  const decoder = new TextDecoder()
  let text = ""
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    const blocks = text.split("\n\n")
    text = blocks.pop() ?? ""
    for (const block of blocks) {
      const [, id] = /^id: (.*)$/m.exec(block) ?? []
      const [, event = ""] = /^event: (.*)$/m.exec(block) ?? []
      if (id !== undefined) yield { id, event }
    }
  }
}

const path = "/agents/hydrologist/runs"

/** Shows events until one of them is what is waited for, and gives the index of the last one. */
const show = async (events: AsyncIterable<Event>, until: string): Promise<string> => {
  let last = ""
  for await (const { event, id } of events) {
    say(`  ${paint("grey", id.padStart(2))}  ${event}`)
    last = id
    if (event === until) break
  }
  return last
}

const play = async (directory: string) => {
  const first = await start(directory)
  say(paint("bold", `\nA service at ${first.url} is asked to measure the water.\n`))
  const body = new URLSearchParams({ message: "measure the water, please", run_id: "tide", session_id: "tide" })
  const last = await show(eventsOf(first.url + path, { method: "POST", body }), "ToolCallStarted")
  first.child.kill("SIGKILL")
  await once(first.child, "close")
  say(paint("red", `\nkill -9 ${first.child.pid}: it is gone, in the middle of a call.\n`))
  const second = await start(directory)
  say(paint("green", `Started again at ${second.url}. A watcher asks for the events after event ${last}.\n`))
  const headers = { "last-event-id": last }
  await show(eventsOf(`${second.url}${path}/tide/events?session_id=tide`, { headers }), "RunCompleted")
  const run = await (await fetch(`${second.url}${path}/tide?session_id=tide`)).json() as { readonly content: string }
  say(paint("bold", `\n${run.content}\n`))
  second.child.kill("SIGTERM")
  await once(second.child, "close")
}

if (import.meta.main) {
  if (process.argv[2] === "serve") serve({ agents: [hydrologist] })
  else {
    const directory = mkdtempSync(join(tmpdir(), "svc-durable-"))
    await play(join(directory, "data")).finally(() => rmSync(directory, { recursive: true, force: true }))
  }
}
