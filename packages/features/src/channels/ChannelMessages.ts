// Writes to people without an event before it. A message is stored with its job and written like a reply, once.
import { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Principal from "@svc-runtime/domain/Principal"
import { now } from "@svc-runtime/engine/now"
import { Context, Effect, Layer, Option } from "effect"
import { replyJob } from "./ChannelJobs.ts"
import { ChannelLinks } from "./ChannelLinks.ts"
import { ChannelLinkStore } from "./ChannelLinkStore.ts"
import type { To } from "./ChannelMessage.ts"
import { type NewReply, type Place, sentCause } from "./ChannelRows.ts"
import { ChannelStore } from "./ChannelStore.ts"
import { LiveChannels } from "./LiveChannels.ts"
import { call } from "./PlatformCalls.ts"
import type * as Policy from "./Policy.ts"
import { AddresseeUnknown, MessagesFull, type SendMessage } from "./Sending.ts"

export class ChannelMessages extends Context.Service<ChannelMessages, {
  readonly send: SendMessage
}>()("@svc-runtime/features/channels/ChannelMessages") {}

/** What a message needs of the one to whom it is. */
interface Addressee extends Pick<Place, "is_direct" | "place" | "thread"> {
  readonly user_id: Ids.UserId | null
  readonly sender: NewReply["sender"]
}

/** Whose people a caller may write to. Who is not isolated writes to everybody on the channels of the own tenant. */
export const ownerOf = ({ tenant }: Pick<Policy.Target, "tenant">, principal: Principal.Principal): Owner.Owner =>
  principal.tenant !== undefined && principal.seesTenant === true && principal.tenant === tenant
    ? Owner.anyone
    : Principal.owner(principal)

const make = Effect.gen(function*() {
  const [store, linkStore, links] = [yield* ChannelStore, yield* ChannelLinkStore, yield* ChannelLinks]
  const { limits: { room } } = yield* LiveChannels
  const { own } = yield* ServedDatabases

  /** The direct conversation that is known, or else the one that the platform gives. */
  const directly = Effect.fnUntraced(function*(
    { adapter: { directPlace }, id }: Policy.Target,
    sender: { readonly id: string; readonly name: string | null },
    user_id: Ids.UserId
  ) {
    const known = yield* store.directPlaceOf(id, sender.id, user_id)
    if (Option.isSome(known)) return { ...known.value, sender }
    if (directPlace === undefined) {
      return yield* new AddresseeUnknown({
        message: "The platform does not let an agent begin a conversation. The person has to write first"
      })
    }
    const place = yield* call((context) => directPlace(sender.id, context))
    const addressee: Addressee = { thread: `direct ${sender.id}`, place, is_direct: true, user_id, sender }
    return addressee
  })

  const addresseeOf = Effect.fnUntraced(function*(channel: Policy.Target, to: To, owner: Owner.Owner) {
    if ("thread" in to) {
      const found = yield* store.placeIn({ channel: channel.id, thread: to.thread }, owner)
      if (Option.isSome(found)) return { ...found.value, sender: null }
      return yield* new AddresseeUnknown({ message: "There is no such conversation" })
    }
    const link = "sender" in to
      ? yield* linkStore.find(channel.id, to.sender)
      : yield* linkStore.ofUser(channel.id, to.user_id)
    if (Option.isSome(link) && Owner.covers(owner, link.value.user_id)) {
      const { name, sender, user_id } = link.value
      if ((yield* links.personOf(channel, sender)) !== undefined) {
        return yield* directly(channel, { id: sender, name }, user_id)
      }
    }
    if ("sender" in to && owner._tag === "Anyone") {
      const user_id = Principal.channelUser(channel.id, to.sender, channel.tenant)
      return yield* directly(channel, { id: to.sender, name: null }, user_id)
    }
    return yield* new AddresseeUnknown({ message: "There is no such linked account on this channel" })
  })

  return ChannelMessages.of({
    send: Effect.fnUntraced(function*(channel, { id, text, to }, owner) {
      const { is_direct, place, sender, thread, user_id } = yield* addresseeOf(channel, to, owner)
      const row: NewReply = {
        channel: channel.id,
        thread,
        id,
        cause: sentCause(id),
        place,
        is_direct,
        sender,
        user_id,
        run: null,
        text,
        pending: null,
        asks: null,
        edits: null,
        posts: [],
        created_at: yield* now
      }
      if (!(yield* store.send({ row, job: yield* replyJob(row) }, room.perChannel))) return yield* new MessagesFull()
      yield* own.jobs.signal
      return thread
    })
  })
})

export const layer = Layer.effect(ChannelMessages, make)
