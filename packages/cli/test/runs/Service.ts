// The service of this project in memory, with an agent that waits for decisions, and the tool that talks to it.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { Toolkit } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Schema } from "effect"
import { cli, type Machine, place } from "../Cli.ts"

const mail = Schema.Struct({ to: Schema.String })

/** Turns of the model: a call of the tool that needs a decision, and the answer after it. */
export const asking = (id = "call_1") => [[Script.toolCall("send_mail", { to: "ann" }, id)], [Script.text("Done.")]]

/** Turns of the model: one answer each. */
export const answering = (...texts: ReadonlyArray<string>) => ({ turns: texts.map((text) => [Script.text(text)]) })

interface Options {
  readonly turns: ReadonlyArray<Script.Turn>
  readonly tool?: Partial<Tool.Options<typeof mail>>
  readonly settings?: TestServer.Options
}

/** Runs command lines against one service. */
export const open = Effect.fnUntraced(function*({ settings, tool, turns }: Options) {
  const sent: Array<unknown> = []
  const script = yield* Script.make(turns)
  const send_mail = Tool.make({
    name: "send_mail",
    parameters: mail,
    execute: (input: unknown) => {
      sent.push(input)
      return "sent"
    },
    ...(tool ?? { requiresConfirmation: true })
  })
  const agent = Agent.make({
    id: "mailer",
    model: script.model,
    tools: [send_mail, Toolkit.sleep()],
    addHistoryToContext: true
  })
  const server = yield* TestServer.make({ ...settings, agents: [agent, ...(settings?.agents ?? [])] })
  const at = yield* place
  const context = yield* Effect.context()
  const requests: Array<string> = []
  const http = async (request: Request) => {
    const { pathname, search } = new URL(request.url)
    requests.push(`${request.method} ${pathname}`)
    const body = request.body === null ? {} : { body: await request.arrayBuffer() }
    const init = { method: request.method, headers: request.headers, signal: request.signal, ...body }
    return Effect.runPromiseWith(context)(server.fetch(`${pathname}${search}`, init))
  }
  /** Without an address. */
  const find = (argv: ReadonlyArray<string>, machine: Machine = {}) => cli(argv, at, { http, ...machine })
  const svc = (argv: ReadonlyArray<string>, machine: Machine = {}) =>
    find([...argv, "--url", "http://localhost:7777"], machine)
  return { at, find, http, requests, sent, server, svc }
})

/** One document for each line. */
export const eventsOf = (stdout: string): ReadonlyArray<{ readonly event: string; readonly run_id: string }> =>
  stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
