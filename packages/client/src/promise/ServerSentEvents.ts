/** One message of a stream. */
export interface Message {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: string
}

/** Milliseconds without a byte after which a stream counts as cut. The service sends a heartbeat every 15 seconds. */
const idleTimeoutMillis = 60_000

/** Messages of bytes in pieces. A piece can end anywhere, also inside of a character or a line break. */
export const parser = (): (bytes: Uint8Array) => ReadonlyArray<Message> => {
  const decoder = new TextDecoder()
  let isAfterReturn = false
  let line: Array<string> = []
  let fields: Record<string, string> = {}
  let data: Array<string> = []

  const take = (text: string): Message | undefined => {
    if (text !== "") {
      const [, name = "", value = ""] = /^([^:]*):? ?([^]*)$/.exec(text) ?? []
      if (name === "data") data.push(value)
      else fields[name] = value
      return undefined
    }
    const message = { id: fields["id"], event: fields["event"], data: data.join("\n") }
    const isEmpty = data.length === 0
    fields = {}
    data = []
    return isEmpty ? undefined : message
  }

  return (bytes) => {
    const decoded = decoder.decode(bytes, { stream: true })
    if (decoded === "") return []
    const text = isAfterReturn && decoded.startsWith("\n") ? decoded.slice(1) : decoded
    isAfterReturn = text.endsWith("\r")
    const messages: Array<Message> = []
    const [first = "", ...others] = text.split(/\r\n|\r|\n/)
    line.push(first)
    for (const other of others) {
      const message = take(line.join(""))
      if (message !== undefined) messages.push(message)
      line = [other]
    }
    return messages
  }
}

const timely = <A>(work: Promise<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("it was silent for a minute")), idleTimeoutMillis)
    work.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      }
    )
  })

/** Messages of a response, as they arrive. A message that was cut off is left out. */
export async function* messages(body: ReadableStream<Uint8Array>): AsyncGenerator<Message, void> {
  const reader = body.getReader()
  const parse = parser()
  try {
    for (;;) {
      const { done, value } = await timely(reader.read())
      if (done) return
      yield* parse(value)
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}
