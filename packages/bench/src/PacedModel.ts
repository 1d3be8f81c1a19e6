// A model that answers a given number of words, one at a time. Each word is the moment at which it was sent, so that a
// reader knows its delay.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface PacedModel {
  readonly url: string
  readonly stop: () => Promise<void>
}

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${
    JSON.stringify({
      id: "paced",
      created: 0,
      model: "paced",
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }]
    })
  }\n\n`

/** What a moment looks like in an answer. */
export const moments = /@(\d+\.\d+)@/g

/** Milliseconds that are the same in every part of this process. */
export const moment = (): number => performance.timeOrigin + performance.now()

const lastOf = (body: string) => {
  const { messages = [] }: { readonly messages?: ReadonlyArray<{ readonly role: string; readonly content: unknown }> } =
    JSON.parse(body)
  const { content, role } = messages.at(-1) ?? { role: "user", content: "" }
  return { role, text: typeof content === "string" ? content : JSON.stringify(content) }
}

/** One call of the tool `weather`. */
const call = {
  tool_calls: [
    { index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: `{"place":"Bern"}` } }
  ]
}

/**
 * A message `say 20 every 50` is answered by 20 words, 50 milliseconds apart. If it begins with `weather`, the tool of
 * this name is called before.
 */
export const start = async (): Promise<PacedModel> => {
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (data: Buffer) => chunks.push(data))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString()
      // the newest one: the history has others
      const [, words = "1", every = "1"] = [...body.matchAll(/say (\d+) every (\d+)/g)].at(-1) ?? []
      response.writeHead(200, { "content-type": "text/event-stream" })
      const last = lastOf(body)
      if (last.role === "user" && last.text.startsWith("weather")) {
        return void response.end(`${chunk(call)}${chunk({}, "tool_calls")}data: [DONE]\n\n`)
      }
      response.write(chunk({ role: "assistant", content: "" }))
      let left = Number(words)
      const timer = setInterval(() => {
        if (left-- > 0) return void response.write(chunk({ content: `@${moment().toFixed(3)}@ ` }))
        response.end(`${chunk({}, "stop")}data: [DONE]\n\n`)
      }, Number(every))
      response.once("close", () => clearInterval(timer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
