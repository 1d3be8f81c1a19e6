// Which users of the service the people on a platform are. A link is confirmed by a credential of the user. What the
// person may do is read again for each event: no more than a channel needs, and no more than that user may do then.
import * as RunPermission from "@svc-runtime/agents/runService/RunPermission"
import { Authenticator, FailedAttempts, Roles } from "@svc-runtime/auth"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Role from "@svc-runtime/domain/Role"
import * as Scope from "@svc-runtime/domain/Scope"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import type { Link, Linking, Shown } from "./ChannelLink.ts"
import { ChannelLinkStore } from "./ChannelLinkStore.ts"
import * as LinkCode from "./LinkCode.ts"
import { LiveChannels } from "./LiveChannels.ts"
import * as Policy from "./Policy.ts"

export class CodeRejected extends Schema.TaggedError<CodeRejected>()("CodeRejected", {}) {
  override get message() {
    return "The code is wrong, was used, or is older than 10 minutes. Write to the channel again to get another one"
  }
}

export class TooManyCodes extends Schema.TaggedError<TooManyCodes>()("TooManyCodes", {}) {
  override get message() {
    return "Too many codes were wrong. Try again in a minute"
  }
}

/** The user could do nothing on the channel. */
export class LinkRefused extends Schema.TaggedError<LinkRefused>()("LinkRefused", { message: Schema.String }) {}

/** Who tries a code: each of them is counted. */
export interface Attempt {
  readonly code: string
  /** The user of the credential, and the address of the client. */
  readonly by: ReadonlyArray<string>
}

export interface Confirming extends Attempt {
  readonly principal: Principal.Principal
  readonly user_id: Ids.UserId
}

type Refused = CodeRejected | StorageUnavailable | TooManyCodes

export class ChannelLinks extends Context.Service<ChannelLinks, {
  readonly personOf: Policy.FindPerson
  /** Whose code it is. It changes nothing. */
  readonly preview: (attempt: Attempt & Pick<Confirming, "principal">) => Effect.Effect<Linking, Refused>
  readonly confirm: (confirming: Confirming) => Effect.Effect<Shown, LinkRefused | Refused>
  /** With what the person may do now. */
  readonly shown: (link: Link) => Effect.Effect<Shown, StorageUnavailable>
}>()("@svc-runtime/features/channels/ChannelLinks") {}

/** Attempts in one minute. */
const attempts = 10

const make = Effect.gen(function*() {
  const [store, channels, roles] = [yield* ChannelLinkStore, yield* LiveChannels, yield* Roles]
  const { absent, settings: { adminScope } } = yield* Authenticator
  const mapped = yield* RunPermission.RunScopes
  const { isBlocked, isTooMany } = yield* FailedAttempts.share(attempts)

  /** All that a person can need on the channel, as the routes of runs need it. */
  const needed = ({ component }: Policy.Target) => [
    ...new Set([
      `${ComponentKind.descriptions[component.kind].resource}:run`,
      Policy.approvals,
      ...RunPermission.operations.flatMap((operation) => mapped(operation, component))
    ])
  ]

  const targetOf = ({ component: { id, kind } }: Policy.Target) => ({
    resource: ComponentKind.descriptions[kind].resource,
    id
  })

  const personFor = (channel: Policy.Target, user: Principal.Principal, user_id: Ids.UserId) =>
    Policy.ofUser(
      user,
      user_id,
      needed(channel).filter((scope) => Principal.may(user, scope, targetOf(channel))),
      channel.component
    )

  const { linkLifetime } = channels.limits
  const expiryOf = ({ created_at }: Link) =>
    linkLifetime === undefined ? null : created_at + Math.floor(Duration.toSeconds(linkLifetime))

  const rightsOf = Effect.fnUntraced(function*(channel: Policy.Target, link: Link) {
    const [{ scopes, user_id }, expires_at] = [link, expiryOf(link)]
    if (expires_at !== null && expires_at <= (yield* now)) return undefined
    const user = yield* absent(user_id, scopes)
    return Option.getOrUndefined(Option.map(user, (user) => personFor(channel, user, user_id)))
  })

  const shown = Effect.fnUntraced(function*(link: Link) {
    const channel = Option.getOrUndefined(yield* channels.find(link.channel))
    const person = channel === undefined ? undefined : yield* rightsOf(channel, link)
    return {
      ...link,
      scopes: [...person?.principal.grants?.scopes ?? []],
      approves: person?.approver !== undefined,
      expires_at: expiryOf(link)
    }
  })

  /** The scopes of the credential that count on the channel. A caller without scopes may do everything. */
  const countingIn = Effect.fnUntraced(function*(channel: Policy.Target, { grants, isScoped }: Principal.Principal) {
    if (!isScoped || grants === undefined) return []
    const held = grants.named ?? grants.scopes
    const defined: Role.Roles = held.some((scope) => Role.nameOf(scope) !== undefined)
      ? yield* roles.current
      : new Map()
    return held.filter((scope) => {
      const granted = Scope.grants(Role.expand([scope], defined), adminScope)
      return needed(channel).some((each) => Scope.allows(granted, each, targetOf(channel)))
    })
  })

  /** The channel is of all, or of the tenant of the caller. */
  const isOf = ({ tenant }: Policy.Target, principal: Principal.Principal) =>
    tenant === undefined || tenant === principal.tenant

  const tried = Effect.fnUntraced(function*({ by, code, principal }: Attempt & Pick<Confirming, "principal">) {
    const at = yield* Monotonic.millis
    if (by.some((each) => isBlocked(each, at))) return yield* new TooManyCodes()
    const found = Option.getOrUndefined(yield* store.whose(LinkCode.hash(code), yield* now))
    const channel = found === undefined ? undefined : Option.getOrUndefined(yield* channels.find(found.channel))
    if (found !== undefined && channel !== undefined && isOf(channel, principal)) return { found, channel }
    for (const each of by) isTooMany(each, at)
    return yield* new CodeRejected()
  })

  return ChannelLinks.of({
    personOf: Effect.fnUntraced(function*(channel, sender) {
      const link = yield* store.find(channel.id, sender)
      return Option.isNone(link) ? undefined : yield* rightsOf(channel, link.value)
    }),
    preview: (attempt) => Effect.map(tried(attempt), ({ found }) => found),
    confirm: Effect.fnUntraced(function*(confirming) {
      const { code, principal, user_id } = confirming
      const { channel } = yield* tried(confirming)
      const { component: { id, kind } } = channel
      const { resource } = targetOf(channel)
      if (!Principal.may(principal, `${resource}:run`, targetOf(channel))) {
        return yield* new LinkRefused({
          message: `The ${kind} '${id}' answers on this channel. Linking needs the scope ${resource}:run`
        })
      }
      const scopes = yield* countingIn(channel, principal)
      const link = { id: (yield* NewId)(), user_id, scopes, created_at: yield* now }
      const linked = yield* store.link(LinkCode.hash(code), link)
      return Option.isNone(linked) ? yield* new CodeRejected() : yield* shown(linked.value)
    }),
    shown
  })
})

export const layer = Layer.effect(ChannelLinks, make)
