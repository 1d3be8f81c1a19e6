// The option `channels` of an application, checked when it is given.
import type * as Channel from "@svc-runtime/channels/Channel"
import * as Tenant from "@svc-runtime/domain/Tenant"
import { mismatch, Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import { Predicate } from "effect"
import { idPattern } from "./StoredChannel.ts"

/** `/channels/links` is no channel. */
const reserved = "links"

const kinds = {
  id: "text",
  agent: "text",
  team: "text",
  workflow: "text",
  tenant: "text",
  access: { options: { type: { oneOf: ["linked", "open"] }, senders: "list", approvers: "list" } },
  whenBusy: { oneOf: ["queue", "interrupt", "reject"] },
  adapter: "object"
} as const

const methods = ["receive", "post", "split", "test"] as const

const checkOne = (channel: Channel.Channel): void => {
  const owner = AuthorOptions.ownerOf("The channel", channel, "id")
  AuthorOptions.check(owner, channel, kinds)
  const { access, adapter, agent, id, team, tenant, workflow } = channel
  if (!idPattern.test(id)) {
    throw new Mistake(`${owner}: the id is a part of an address. Use at most 64 of a-z, 0-9, '-' and '_'`)
  }
  if (id === reserved) throw new Mistake(`${owner}: '${reserved}' is another address. Use another id`)
  if (tenant !== undefined && !Tenant.isName(tenant)) {
    throw new Mistake(`${owner}: the tenant is 1 to 63 letters, digits, '.', '-' and '_'`)
  }
  const components = [agent, team, workflow].filter((component) => component !== undefined)
  if (components.length !== 1) {
    throw new Mistake(`${owner} needs one of agent, team and workflow, and has ${components.length}`)
  }
  if (!Predicate.isObject(adapter) || methods.some((method) => !Predicate.isFunction(adapter[method]))) {
    throw mismatch(`${owner}: adapter`, `an adapter, with ${methods.join(", ")}`, adapter)
  }
  const given: ReadonlyArray<unknown> = access?.type === "open"
    ? [...access.senders ?? [], ...access.approvers ?? []]
    : []
  for (const sender of given) {
    if (typeof sender !== "string") throw mismatch(`${owner}: access`, "ids of people, which are texts", sender)
  }
}

/** Throws for what no channel can be, and for two with one id. */
export const check = (channels: ReadonlyArray<Channel.Channel>): void => {
  const known = new Set<string>()
  for (const channel of channels) {
    checkOne(channel)
    if (known.has(channel.id)) {
      throw new Mistake(`There are two channels with the id '${channel.id}'. Give one of them another id`)
    }
    known.add(channel.id)
  }
}
