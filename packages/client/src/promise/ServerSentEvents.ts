/** One message of a stream. */
export interface Message {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: string
}

const messageOf = (block: string): Message | undefined => {
  let [id, event]: Array<string | undefined> = []
  const data: Array<string> = []
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":")
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)
    if (name === "id") id = value
    else if (name === "event") event = value
    else if (name === "data") data.push(value)
  }
  return data.length === 0 ? undefined : { id, event, data: data.join("\n") }
}

/** Messages of a response, as they arrive. A message that was cut off is left out. */
export async function* messages(body: ReadableStream<Uint8Array>): AsyncGenerator<Message, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      // a carriage return at the end can be half of a line break
      rest = `${rest}${decoder.decode(value, { stream: true })}`.replace(/\r\n|\r(?!$)/g, "\n")
      const blocks = rest.split("\n\n")
      rest = blocks.pop() ?? ""
      for (const block of blocks) {
        const message = messageOf(block)
        if (message !== undefined) yield message
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
