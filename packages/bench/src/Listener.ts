// A reader of an event stream. Many of them run at once, each at the price of a socket.
import { Agent, type IncomingMessage, request } from "node:http"
import { formOf } from "./Load.ts"

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

export interface Listener {
  readonly close: () => void
  /** The stream has ended, or broken off. */
  readonly ended: Promise<void>
  /** A piece has come that contains the text. */
  readonly hears: (text: string) => Promise<void>
}

const listener = (
  outgoing: ReturnType<typeof request>,
  onPiece: (piece: string) => void
): Promise<Listener> =>
  new Promise((resolve, reject) => {
    let received = ""
    const waiting: Array<{ readonly text: string; readonly resume: () => void }> = []
    outgoing.once("error", reject)
    outgoing.once("response", (incoming: IncomingMessage) => {
      const ended = new Promise<void>((done) => incoming.once("close", () => done()))
      incoming.on("error", () => {})
      incoming.setEncoding("utf8").on("data", (piece: string) => {
        onPiece(piece)
        received += piece
        for (const { resume, text } of waiting) if (received.includes(text)) resume()
      })
      resolve({
        close: () => outgoing.destroy(),
        ended,
        hears: (text) =>
          new Promise((resume) => received.includes(text) ? resume() : void waiting.push({ text, resume }))
      })
    })
    outgoing.on("error", () => {})
  })

export const start = (base: string, run: string, message: string, onPiece: (piece: string) => void = () => {}) => {
  const { body, type } = formOf({ message, run_id: run, session_id: run })
  const outgoing = request(`${base}/agents/assistant/runs`, {
    method: "POST",
    agent,
    headers: { "content-type": type }
  })
  outgoing.end(body)
  return listener(outgoing, onPiece)
}

/** `session`: that of the run, when it has another id. */
export const watch = (base: string, run: string, onPiece: (piece: string) => void = () => {}, session = run) => {
  const outgoing = request(`${base}/agents/assistant/runs/${run}/events?session_id=${session}`, { agent })
  outgoing.end()
  return listener(outgoing, onPiece)
}
