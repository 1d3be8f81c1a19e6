// A cache with a maximum size: the least recently used entry is removed.

export interface BoundedCache<K, V> {
  readonly get: (key: K) => V | undefined
  readonly set: (key: K, value: V) => void
  readonly delete: (key: K) => void
  readonly entries: () => Iterable<readonly [K, V]>
}

export const make = <K, V>(capacity: number): BoundedCache<K, V> => {
  // A Map keeps insertion order, so the first key is the least recently used.
  const entries = new Map<K, V>()
  return {
    get: (key) => {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set: (key, value) => {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size <= capacity) return
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        return
      }
    },
    delete: (key) => void entries.delete(key),
    entries: () => entries
  }
}
