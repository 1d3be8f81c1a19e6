// `ChannelLinkStore` in memory, for services of tests.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Effect, Layer, Option } from "effect"
import type { Code, Link, Linking } from "./ChannelLink.ts"
import { ChannelLinkStore } from "./ChannelLinkStore.ts"

const make = () => {
  let links: ReadonlyArray<Link> = []
  let codes: ReadonlyArray<Code> = []

  const isOf = (one: Linking) => (other: Linking) => one.channel === other.channel && one.sender === other.sender
  const valid = (hash: string, at: number) => codes.find((code) => code.hash === hash && code.expires_at > at)
  const keep = (isKept: (link: Link) => boolean) => {
    const before = links.length
    links = links.filter(isKept)
    return before - links.length
  }

  return ChannelLinkStore.of({
    find: (channel, sender) =>
      Effect.sync(() => Option.fromUndefinedOr(links.find(isOf({ channel, sender, name: null })))),
    ofUser: (channel, user_id) =>
      Effect.sync(() =>
        Option.fromUndefinedOr(links.find((link) => link.channel === channel && link.user_id === user_id))
      ),
    putCode: (code) =>
      Effect.sync(() => {
        codes = [...codes.filter((other) => !isOf(code)(other)), code]
      }),
    whose: (hash, at) =>
      Effect.sync(() => {
        const code = valid(hash, at)
        return code === undefined
          ? Option.none()
          : Option.some({ channel: code.channel, sender: code.sender, name: code.name })
      }),
    link: (hash, given) =>
      Effect.sync(() => {
        const code = valid(hash, given.created_at)
        if (code === undefined) return Option.none()
        const { channel, name, sender } = code
        const link: Link = { ...given, channel, sender, name }
        codes = codes.filter((other) => other !== code)
        links = [link, ...links.filter((other) => !isOf(link)(other))]
        return Option.some(link)
      }),
    list: (owner, page) =>
      Effect.sync(() => {
        const found = links.filter(({ user_id }) => Owner.covers(owner, user_id))
        return { links: Pagination.slice(page, found), total: found.length }
      }),
    remove: (id, owner) => Effect.sync(() => keep((link) => link.id !== id || !Owner.covers(owner, link.user_id)) > 0),
    removeOf: (user_id) => Effect.sync(() => keep((link) => link.user_id !== user_id))
  })
}

export const layer: Layer.Layer<ChannelLinkStore> = Layer.sync(ChannelLinkStore, make)
