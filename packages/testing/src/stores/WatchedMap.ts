/** A map that reports each value that is set, as triggers of a database do. */
export class WatchedMap<Key, Value> extends Map<Key, Value> {
  readonly #watchers: Array<(value: Value, before: Value | undefined) => void> = []

  watch(watcher: (value: Value, before: Value | undefined) => void): void {
    this.#watchers.push(watcher)
  }

  override set(key: Key, value: Value): this {
    const before = this.get(key)
    super.set(key, value)
    for (const watcher of this.#watchers) watcher(value, before)
    return this
  }
}
