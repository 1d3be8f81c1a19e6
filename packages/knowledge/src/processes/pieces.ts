// Texts go between processes in pieces. A message is copied at once: a large one would stop the event loop.

/** An item with the first piece of its text, or a text that continues that of the item before. */
export type Piece<Item> = { readonly item: Item } | { readonly text: string }

const batchLength = 512 * 1024
const batchSize = 1000
/** The assumed size of an item without its text. */
const itemLength = 200

/** Batches of pieces, each small enough for one message. */
export function* toBatches<Item extends { readonly text: string }>(
  items: Iterable<Item>
): Generator<ReadonlyArray<Piece<Item>>> {
  let batch: Array<Piece<Item>> = []
  let length = 0
  for (const item of items) {
    const { text } = item
    for (let start = 0; start === 0 || start < text.length; start += batchLength) {
      const piece = text.slice(start, start + batchLength)
      if (batch.length > 0 && (length + piece.length > batchLength || batch.length === batchSize)) {
        yield batch
        batch = []
        length = 0
      }
      batch.push(start === 0 ? { item: { ...item, text: piece } } : { text: piece })
      length += piece.length + itemLength
    }
  }
  if (batch.length > 0) yield batch
}

/** About what a batch takes, in characters. */
export const lengthOf = (batch: ReadonlyArray<Piece<{ readonly text: string }>>): number =>
  batch.reduce((sum, piece) => sum + ("item" in piece ? piece.item.text.length + itemLength : piece.text.length), 0)

/** Adds a batch to the items before it. */
export const addBatch = <Item extends { readonly text: string }>(
  items: Array<Item>,
  batch: ReadonlyArray<Piece<Item>>
): void => {
  for (const piece of batch) {
    const last = items.at(-1)
    if ("item" in piece) items.push(piece.item)
    else if (last !== undefined) items[items.length - 1] = { ...last, text: last.text + piece.text }
  }
}

const bytesLength = 2 * 1024 * 1024

export function* toSlices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += bytesLength) {
    yield bytes.subarray(start, start + bytesLength)
  }
}
