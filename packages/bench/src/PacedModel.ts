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

/** A message `say 20 every 50` is answered by 20 words, 50 milliseconds apart. */
export const start = async (): Promise<PacedModel> => {
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (data: Buffer) => chunks.push(data))
    request.on("end", () => {
      const match = /say (\d+) every (\d+)/.exec(Buffer.concat(chunks).toString())
      const [, words = "1", every = "1"] = match ?? []
      response.writeHead(200, { "content-type": "text/event-stream" })
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
