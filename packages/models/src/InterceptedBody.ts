// Changes the bytes of a body where they are read, or where the connection delivers them.

export type Bytes = Uint8Array<ArrayBuffer>

export interface Change {
  /** Returns what is passed on instead of these bytes. */
  readonly next: (chunk: Bytes) => Bytes
  /** Returns what is passed on before the end. */
  readonly end: () => Bytes
}

export interface Splitter extends Change {
  /** The rest of the body is passed on. */
  readonly leave: () => void
}

type Body = ReadableStream<Bytes>

/**
 * The body with other bytes: those of each chunk, and the rest at its end. If the change throws, the body fails and the
 * connection is closed. A transform stream has two more queues and a pump, for each response and chunk.
 */
export const changed = (body: Body, change: Change): Body => {
  const reader = body.getReader()
  const next = (controller: ReadableStreamDefaultController<Bytes>): Promise<void> =>
    reader.read().then(({ done, value }) => {
      const bytes = done ? change.end() : change.next(value)
      if (bytes.length > 0) controller.enqueue(bytes)
      if (done) return controller.close()
      // a pull that has given nothing is not repeated
      return bytes.length > 0 ? undefined : next(controller)
    })
  return new ReadableStream({
    pull: (controller) =>
      next(controller).catch((cause) => {
        controller.error(cause)
        reader.cancel(cause).catch(() => {})
      }),
    cancel: (reason) => reader.cancel(reason)
  }, { highWaterMark: 0 })
}

/** Responses whose body is not read yet, and takes a change without another stream. */
const unread = new WeakMap<Response, (change: Change) => void>()

export const takesChange = (response: Response, take: (change: Change) => void): void => void unread.set(response, take)

/** A reason phrase that responses can have. Servers send others too, and their status counts. */
export const statusTextOf = (text: string): string => /^[\t\x20-\x7e\x80-\xff]*$/.test(text) ? text : ""

/** The response with a changed body. */
export const ofResponse = (response: Response, change: Change): Response => {
  const take = unread.get(response)
  if (take === undefined) {
    const { body, headers, status, statusText } = response
    return body === null
      ? response
      : new Response(changed(body, change), { headers, status, statusText: statusTextOf(statusText) })
  }
  unread.delete(response)
  take(change)
  return response
}
