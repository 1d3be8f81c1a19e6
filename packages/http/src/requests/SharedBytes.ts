// Contents that are in memory once, however many responses send them.
const shared = new WeakSet<Uint8Array>()

export const add = (bytes: Uint8Array): void => void shared.add(bytes)

export const has = (content: unknown): boolean => content instanceof Uint8Array && shared.has(content)
