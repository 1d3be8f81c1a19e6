// `StoredChannelStore` in memory, for services of tests.
import { Effect, Layer, Option } from "effect"
import type { Stored } from "./StoredChannel.ts"
import { StoredChannelStore } from "./StoredChannelStore.ts"

const make = () => {
  const channels = new Map<string, Stored>()
  return StoredChannelStore.of({
    // nothing of it is at rest
    oldSecrets: () => Effect.succeed([]),
    replaceSecrets: () => Effect.succeed(false),
    create: (channel, most) =>
      Effect.sync(() => {
        if (channels.has(channel.id)) return "known"
        if (channels.size >= most) return "full"
        channels.set(channel.id, channel)
        return "created"
      }),
    find: (id) => Effect.sync(() => Option.fromUndefinedOr(channels.get(id))),
    all: () => Effect.sync(() => [...channels.values()].toSorted((one, other) => one.id < other.id ? -1 : 1)),
    replace: (channel, revision) =>
      Effect.sync(() => {
        if (channels.get(channel.id)?.revision !== revision) return false
        channels.set(channel.id, channel)
        return true
      }),
    remove: (id) => Effect.sync(() => channels.delete(id))
  })
}

export const layer: Layer.Layer<StoredChannelStore> = Layer.sync(StoredChannelStore, make)
