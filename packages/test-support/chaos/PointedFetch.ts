// What a run asks of the world goes through `fetch`: the model, and the tools. Points stand before a request, when its
// answer begins, and behind every piece of it. The process reports each call of a tool when it begins: its request can
// be on the way for long.
import * as Points from "./Points.ts"

const textOf = (init: RequestInit | undefined): string => typeof init?.body === "string" ? init.body : ""

/** The tool that is called, or the model. */
const kindOf = (url: string): string => /\/effects\/(\w+)$/.exec(url)?.[1] ?? "model"

const pieces = (run: string, kind: string) =>
  new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, controller) => {
      Points.reach(run, kind, "piece")
      controller.enqueue(piece)
    },
    flush: () => Points.reach(run, kind, "end")
  })

export const install = (): void => {
  const real = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const text = textOf(init)
    const kind = kindOf(input instanceof Request ? input.url : String(input))
    // the body of a call is the name of its session
    if (kind !== "model") Points.begins(kind, text)
    const run = Points.runIn(text)
    if (run === undefined) return real(input, init)
    Points.reach(run, kind, "before")
    Points.enter(run, kind)
    const response = await real(input, init)
    Points.reach(run, kind, "begun")
    return new Response(response.body?.pipeThrough(pieces(run, kind)) ?? null, response)
  }
}
