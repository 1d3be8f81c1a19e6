// Who a person on a platform is for the service, and what the person may do there. A person may do nothing that the
// channel, or the user who has linked the account, does not allow.
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import type * as Channel from "@svc-runtime/channels/Channel"
import * as Approval from "@svc-runtime/domain/Approval"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Scope from "@svc-runtime/domain/Scope"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Effect } from "effect"

export interface Person {
  readonly user_id: Ids.UserId
  /** Starts runs, and continues those of the person. */
  readonly principal: Principal.Principal
  /** Decides what the runs of the channel wait for. Undefined: the person may decide about the own ones. */
  readonly approver: Principal.Principal | undefined
}

/** Undefined: the account is not linked, or its user may act no longer. */
export type FindPerson = (
  channel: Target,
  sender: string
) => Effect.Effect<Person | undefined, StorageUnavailable>

export interface Target extends Channel.Channel {
  readonly component: ComponentRef
}

export const approvals = "approvals:write"

const runScope = ({ id, kind }: ComponentRef): string => `${ComponentKind.descriptions[kind].resource}:${id}:run`

const personOf = (user_id: Ids.UserId, scopes: ReadonlyArray<string>, approves: boolean): Person => {
  const principal = Principal.person(user_id, Scope.grants(scopes, Scope.defaultAdmin))
  const wider = principal.tenant === undefined ? { isIsolated: false } : { seesTenant: true }
  return { user_id, principal, approver: approves ? { ...principal, ...wider } : undefined }
}

/** Undefined: the channel does not admit the person. */
export const ofOpen = ({ access, component, id, tenant }: Target, sender: string): Person | undefined => {
  if (access?.type !== "open") return undefined
  const { approvers = [], senders } = access
  const approves = approvers.includes(sender)
  if (senders !== undefined && !senders.includes(sender) && !approves) return undefined
  const scopes = [runScope(component), ...(approves ? [approvals] : [])]
  return personOf(Principal.channelUser(id, sender, tenant), scopes, approves)
}

/** A user of the service, with those of the scopes that a channel needs. */
export const ofUser = (
  user: Principal.Principal,
  user_id: Ids.UserId,
  scopes: ReadonlyArray<string>,
  component: ComponentRef
): Person => {
  const generic = `${ComponentKind.descriptions[component.kind].resource}:run`
  const narrowed = scopes.map((scope) => scope === generic ? runScope(component) : scope)
  return personOf(user_id, narrowed, scopes.includes(approvals) && Approval.canResolve(user))
}
