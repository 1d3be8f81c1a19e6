// The output of a command: its beginning and its end are kept, because errors are at the end, and what is in between is
// counted only.

export interface Output {
  readonly add: (bytes: Uint8Array) => void
  readonly text: () => string
}

const decoder = new TextDecoder()

/** At most `maximum` bytes are kept. */
export const make = (maximum: number): Output => {
  const half = Math.ceil(maximum / 2)
  const head: Array<Uint8Array> = []
  let headBytes = 0
  let tail: Array<Uint8Array> = []
  let tailBytes = 0
  let total = 0

  const addTail = (bytes: Uint8Array): void => {
    tail.push(bytes.slice(-half))
    tailBytes += Math.min(bytes.length, half)
    if (tailBytes < 2 * half && tail.length < 1024) return
    const kept = Buffer.concat(tail).subarray(-half)
    tail = [kept]
    tailBytes = kept.length
  }

  return {
    add: (bytes) => {
      total += bytes.length
      const first = bytes.subarray(0, half - headBytes)
      if (first.length > 0) head.push(first.slice())
      headBytes += first.length
      if (first.length < bytes.length) addTail(bytes.subarray(first.length))
    },
    text: () => {
      const end = Buffer.concat(tail).subarray(-half)
      const left = total - headBytes - end.length
      if (left === 0) return decoder.decode(Buffer.concat([...head, end]))
      return `${decoder.decode(Buffer.concat(head))}\n[${left} bytes are left out here]\n${decoder.decode(end)}`
    }
  }
}
