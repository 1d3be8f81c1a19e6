// What requests make, change and remove of channels. What cannot be used is refused with a sentence, and not stored.
import * as Components from "@svc-runtime/agents/runService/Components"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import { platforms } from "@svc-runtime/channels/Platforms"
import * as Approval from "@svc-runtime/domain/Approval"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Principal from "@svc-runtime/domain/Principal"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { Secrets } from "@svc-runtime/http/calls/Secrets"
import { componentNotFound } from "@svc-runtime/http/wire/componentNotFound"
import { Effect, Option, Record, Redacted } from "effect"
import { type LiveChannel, LiveChannels } from "./LiveChannels.ts"
import * as Policy from "./Policy.ts"
import type * as StoredChannel from "./StoredChannel.ts"
import * as StoredChannels from "./StoredChannels.ts"
import { StoredChannelStore } from "./StoredChannelStore.ts"

/** How often a change is tried again that another one has overtaken. */
const attempts = 3

const settingsProblem = (message: string) => Errors.invalidValue(["body", "settings"], message)

/** Everybody on the platform can talk to the component, so it is not the channel of one user. */
const manager = Effect.gen(function*() {
  const principal = yield* CurrentPrincipal
  if (principal.isIsolated && principal.seesTenant !== true) {
    return yield* Errors.forbidden(
      "A channel is of the service, or of a tenant: an admin of it makes and changes channels"
    )
  }
  return principal
})

type Given = Readonly<Record<string, string | null>>

/** The settings by whether they are secret. */
const divided = Effect.fnUntraced(function*(name: string, given: Given) {
  const platform = platforms.get(name)
  if (platform === undefined) {
    const names = [...platforms.keys()].join(", ")
    return yield* Errors.invalidValue(
      ["body", "platform"],
      `There is no platform '${name}'. The platforms are: ${names}`
    )
  }
  const known = [...platform.texts, ...platform.secrets]
  const unknown = Object.keys(given).find((each) => !known.includes(each))
  if (unknown !== undefined) {
    return yield* settingsProblem(`${name} has no setting '${unknown}'. The settings are: ${known.join(", ")}`)
  }
  const isSecret = (_: unknown, each: string) => platform.secrets.includes(each)
  return {
    texts: Record.filter(given, (value, each) => !isSecret(value, each)),
    secrets: Record.map(Record.filter(given, isSecret), (value) => value === null ? null : Redacted.make(value))
  }
})

const merged = <A>(
  before: Readonly<Record<string, A>>,
  changes: Readonly<Record<string, A | null>>
): Readonly<Record<string, A>> =>
  Object.fromEntries(
    Object.entries<A | null>({ ...before, ...changes }).flatMap(([name, value]) =>
      value === null ? [] : [[name, value]]
    )
  )

export const make = Effect.gen(function*() {
  const [store, secrets, channels] = [yield* StoredChannelStore, yield* Secrets, yield* LiveChannels]
  const components = yield* Components.current
  const { maxStored } = channels.limits

  /** The caller may do what people on the channel do then. */
  const checkRights = Effect.fnUntraced(function*(
    { access, component_id: id, component_kind: kind }: Pick<
      StoredChannel.Stored,
      "access" | "component_id" | "component_kind"
    >,
    principal: Principal.Principal
  ) {
    const { resource } = ComponentKind.descriptions[kind]
    if (!Principal.may(principal, `${resource}:run`, { resource, id })) {
      return yield* Errors.forbidden(
        `The ${kind} '${id}' answers on the channel, which needs the scope ${resource}:run`
      )
    }
    yield* Effect.catchTags(components.find({ kind, id }), {
      ComponentNotFound: (error) => componentNotFound(error),
      // it can be usable when a person writes
      ComponentUnusable: () => Effect.void
    })
    const approves = access.type === "open" && (access.approvers ?? []).length > 0
    if (approves && !(Principal.may(principal, Policy.approvals) && Approval.canResolve(principal))) {
      return yield* Errors.forbidden(`The approvers of a channel decide, which needs the scope ${Policy.approvals}`)
    }
  })

  const usable = (
    platform: string,
    texts: StoredChannel.Stored["settings"],
    opened: Record<string, Redacted.Redacted>
  ) =>
    StoredChannels.adapterOf(platform, { texts, secrets: opened }).pipe(
      Effect.mapError(({ message }) => settingsProblem(message))
    )

  const checkKey = secrets.hasKey ? Effect.void : Errors.conflict(
    "Stored channels have secrets, so that the service needs SECRETS_KEY: 32 bytes in base64, as " +
      "`openssl rand -base64 32` makes them. Channels that its code declares need none"
  )

  /** One that the caller may change. */
  const managed = Effect.fnUntraced(function*(id: string) {
    const live = Option.getOrUndefined(yield* channels.find(id))
    const { tenant } = yield* CurrentPrincipal
    const isSeen = live !== undefined &&
      (tenant === undefined || live.tenant === undefined || live.tenant === tenant)
    if (!isSeen) return yield* Errors.notFound("Channel not found")
    yield* manager
    if (live.stored === undefined) {
      return yield* Errors.conflict(
        `The code of the service declares the channel '${id}', so requests do not change it`
      )
    }
    if (live.tenant !== tenant && tenant !== undefined) {
      return yield* Errors.forbidden("The channel is of the service as a whole")
    }
    // what is served can have been read before its secrets were sealed again
    const stored = yield* store.find(id)
    return Option.isSome(stored) ? stored.value : yield* Errors.notFound("Channel not found")
  })

  const serving = (id: string) =>
    Effect.flatMap(
      channels.find(id),
      Option.match({
        onNone: () => Effect.fail(Errors.notFound("Channel not found")),
        onSome: (channel: LiveChannel) => Effect.succeed(channel)
      })
    )

  const create = Effect.fnUntraced(function*(payload: StoredChannel.Create) {
    const principal = yield* manager
    yield* checkKey
    const { access = { type: "linked" }, component_id, component_kind, platform, when_busy = "queue" } = payload
    const id = payload.id ?? platform
    const { secrets: given, texts } = yield* divided(platform, payload.settings)
    const [settings, opened] = [merged({}, texts), merged({}, given)]
    yield* checkRights({ access, component_id, component_kind }, principal)
    yield* usable(platform, settings, opened)
    const known = Errors.conflict(`There is a channel with the id '${id}'. Give this one another id`)
    if (Option.isSome(yield* channels.find(id))) return yield* known
    const stored: StoredChannel.Stored = {
      id,
      revision: (yield* NewId)(),
      platform,
      component_kind,
      component_id,
      access,
      when_busy,
      tenant: principal.tenant ?? null,
      settings,
      secrets: yield* StoredChannels.sealed(secrets, id, opened),
      secret_names: Object.keys(opened),
      created_at: yield* now,
      updated_at: null
    }
    const outcome = yield* store.create(stored, maxStored)
    if (outcome === "known") return yield* known
    if (outcome === "full") {
      return yield* Errors.conflict(`There are too many channels: at most ${maxStored} (MAX_CHANNELS)`)
    }
    return yield* serving(id)
  })

  const changed = Effect.fnUntraced(function*(before: StoredChannel.Stored, patch: StoredChannel.Patch) {
    const { secrets: given, texts } = yield* divided(before.platform, patch.settings ?? {})
    const hasSecrets = Object.keys(given).length > 0
    if (hasSecrets) yield* checkKey
    // what cannot be opened is replaced as a whole
    const known = yield* Effect.option(StoredChannels.secretsOf(secrets, before))
    const opened = merged(Option.getOrElse(known, () => ({})), given)
    const after: StoredChannel.Stored = {
      ...before,
      revision: (yield* NewId)(),
      component_kind: patch.component_kind ?? before.component_kind,
      component_id: patch.component_id ?? before.component_id,
      access: patch.access ?? before.access,
      when_busy: patch.when_busy ?? before.when_busy,
      settings: merged(before.settings, texts),
      updated_at: yield* now
    }
    yield* checkRights(after, yield* CurrentPrincipal)
    if (patch.settings === undefined) return after
    yield* usable(after.platform, after.settings, opened)
    return hasSecrets
      ? {
        ...after,
        secrets: yield* StoredChannels.sealed(secrets, before.id, opened),
        secret_names: Object.keys(opened)
      }
      : after
  })

  const update = Effect.fnUntraced(function*(id: string, patch: StoredChannel.Patch) {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const before = yield* managed(id)
      // with other secrets it can be another bot, which can say of anybody that this person has written
      const isOther = patch.settings !== undefined
      if (yield* store.replace(yield* changed(before, patch), before.revision, isOther)) return yield* serving(id)
    }
    return yield* Errors.conflict("The channel is changed by another request. Try again")
  })

  return {
    create,
    update,
    remove: Effect.fnUntraced(function*(id: string) {
      yield* managed(id)
      if (!(yield* store.remove(id))) return yield* Errors.notFound("Channel not found")
    })
  }
})
