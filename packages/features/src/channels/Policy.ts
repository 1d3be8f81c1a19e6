// Who a person on a platform is for the service, and what the person may do there. A person may do nothing that the
// channel, or the user who has linked the account, does not allow.
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import type * as Channel from "@svc-runtime/channels/Channel"
import * as Approval from "@svc-runtime/domain/Approval"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Scope from "@svc-runtime/domain/Scope"
import type { Link } from "./ChannelLink.ts"

export interface Person {
  readonly user_id: Ids.UserId
  /** Starts runs, and continues those of the person. */
  readonly principal: Principal.Principal
  /** Decides what the runs of the channel wait for. Undefined: the person may decide about the own ones. */
  readonly approver: Principal.Principal | undefined
}

interface Target extends Channel.Channel {
  readonly component: ComponentRef
}

const approvals = "approvals:write"

const runScope = ({ id, kind }: ComponentRef): string => `${ComponentKind.descriptions[kind].resource}:${id}:run`

const personOf = (user_id: Ids.UserId, scopes: ReadonlyArray<string>, approves: boolean): Person => {
  const principal = Principal.person(user_id, Scope.grants(scopes, Scope.defaultAdmin))
  const wider = principal.tenant === undefined ? { isIsolated: false } : { seesTenant: true }
  return { user_id, principal, approver: approves ? { ...principal, ...wider } : undefined }
}

/** Undefined: the channel does not admit the person. */
export const ofOpen = ({ access, component, id }: Target, sender: string): Person | undefined => {
  if (access?.type !== "open") return undefined
  const { approvers = [], senders } = access
  const approves = approvers.includes(sender)
  if (senders !== undefined && !senders.includes(sender) && !approves) return undefined
  const scopes = [runScope(component), ...(approves ? [approvals] : [])]
  return personOf(Principal.channelUser(id, sender), scopes, approves)
}

export const ofLink = ({ approves, scopes, user_id }: Link): Person => personOf(user_id, scopes, approves)

/** What a link of this user gets: no more than a channel needs, and no more than the user may do. */
export const grantable = (
  principal: Principal.Principal,
  component: ComponentRef
): Pick<Link, "approves" | "scopes"> | undefined => {
  const { resource } = ComponentKind.descriptions[component.kind]
  if (!Principal.may(principal, `${resource}:run`, { resource, id: component.id })) return undefined
  const mayApprove = Principal.may(principal, approvals)
  return {
    scopes: [runScope(component), ...(mayApprove ? [approvals] : [])],
    approves: mayApprove && Approval.canResolve(principal)
  }
}
