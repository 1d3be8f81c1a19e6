// The channels that requests make, as they are served: each is read again for each use, and made again when it has
// changed, so that all nodes serve it at once.
import type { Adapter } from "@svc-runtime/channels/Adapter"
import type * as Channel from "@svc-runtime/channels/Channel"
import { ChannelError } from "@svc-runtime/channels/ChannelError"
import { type Given, platforms } from "@svc-runtime/channels/Platforms"
import { SettingsError } from "@svc-runtime/channels/Settings"
import type * as Json from "@svc-runtime/domain/Json"
import { Secrets } from "@svc-runtime/http/calls/Secrets"
import { Effect, Option, Record, Redacted, Schema } from "effect"
import * as StoredChannel from "./StoredChannel.ts"
import { StoredChannelStore } from "./StoredChannelStore.ts"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))

const damaged = new SettingsError({ message: "The stored secrets of the channel cannot be read" })

/** The secrets of a channel, opened. */
export const secretsOf = Effect.fnUntraced(function*(
  { open }: Secrets["Service"],
  { id, secrets }: Pick<StoredChannel.Stored, "id" | "secrets">
) {
  const opened = Redacted.value(yield* open(StoredChannel.rowOf(id), secrets))
  const read = decode(opened)
  if (Option.isNone(read)) return yield* damaged
  return Record.map(read.value, (secret) => Redacted.make(secret, { label: "secret" }))
})

/** The form in which they are stored. */
export const sealed = ({ seal }: Secrets["Service"], id: string, secrets: Given["secrets"]): Effect.Effect<string> => {
  const texts: Json.Object = Record.map(secrets, Redacted.value)
  return seal(StoredChannel.rowOf(id), Redacted.make(JSON.stringify(texts)))
}

/** Fails with a sentence about the settings. */
export const adapterOf = Effect.fnUntraced(function*(name: string, given: Given) {
  const platform = platforms.get(name)
  if (platform === undefined) {
    const names = [...platforms.keys()].join(", ")
    return yield* new SettingsError({ message: `There is no platform '${name}'. The platforms are: ${names}` })
  }
  const make = yield* Effect.promise(platform.load)
  return yield* Effect.try({
    try: () => make(given),
    catch: (error) =>
      error instanceof SettingsError ? error : new SettingsError({ message: "The settings cannot be used" })
  })
})

/** What arrives and what is to be written wait until the channel can be used. */
const unusable = (platform: string, message: string): Adapter => {
  const fail = () => Promise.reject(new ChannelError({ reason: "temporary", message }))
  return {
    platform,
    limits: { text: 4000, postEvery: 1000, file: 0, hasButtons: false, hasForms: false },
    split: (markdown) => [markdown],
    receive: fail,
    post: fail,
    test: fail
  }
}

export const optionsOf = (
  { access, component_id, component_kind, id, tenant, when_busy }: StoredChannel.Stored
): Channel.Options & { readonly id: string } => ({
  id,
  [component_kind]: component_id,
  access,
  tenant: tenant ?? undefined,
  whenBusy: when_busy
})

/** How soon a connection follows a change of its channel. */
const looksEvery = "5 seconds"

interface Made<A> {
  readonly revision: string
  readonly channel: A
}

/** `live` makes what is served of a channel, once for each of its revisions. */
export const make = Effect.fnUntraced(function*<A extends { readonly stored: StoredChannel.Stored | undefined }>(
  live: (channel: Channel.Channel, stored: StoredChannel.Stored) => A
) {
  const [store, secrets] = [yield* StoredChannelStore, yield* Secrets]
  const made = new Map<string, Made<A>>()

  const adapter = (stored: StoredChannel.Stored): Effect.Effect<Adapter> =>
    secretsOf(secrets, stored).pipe(
      Effect.flatMap((opened) => adapterOf(stored.platform, { texts: stored.settings, secrets: opened })),
      Effect.catch(({ message }) => Effect.succeed(unusable(stored.platform, message)))
    )

  const served = Effect.fnUntraced(function*(stored: StoredChannel.Stored) {
    const known = made.get(stored.id)
    if (known?.revision === stored.revision) return known.channel
    const channel = live({ ...optionsOf(stored), adapter: yield* adapter(stored) }, stored)
    made.set(stored.id, { revision: stored.revision, channel })
    return channel
  })

  return {
    find: Effect.fnUntraced(function*(id: string) {
      const stored = yield* store.find(id)
      if (Option.isSome(stored)) return Option.some(yield* served(stored.value))
      made.delete(id)
      return Option.none<A>()
    }),
    all: Effect.flatMap(Effect.suspend(store.all), (all) => Effect.forEach(all, served)),
    changed: ({ stored }: A): Effect.Effect<void> =>
      stored === undefined ? Effect.never : store.find(stored.id).pipe(
        Effect.map(Option.exists(({ revision }) => revision === stored.revision)),
        Effect.orElseSucceed(() => true),
        Effect.delay(looksEvery),
        Effect.repeat({ while: (isSame) => isSame }),
        Effect.asVoid
      )
  }
})
