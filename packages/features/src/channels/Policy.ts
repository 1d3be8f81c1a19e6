// Who a person on a platform is for the service, and what the person may do there. Nobody may do anything unless the
// channel says so.
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import type * as Channel from "@svc-runtime/channels/Channel"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Scope from "@svc-runtime/domain/Scope"

/** The scopes of a person whom an open channel admits. */
const scopesOf = ({ id, kind }: ComponentRef, isApprover: boolean): ReadonlyArray<string> => [
  `${ComponentKind.descriptions[kind].resource}:${id}:run`,
  ...(isApprover ? ["approvals:write"] : [])
]

/** Undefined: the channel does not admit the person. */
export const principalOf = (
  { access = { type: "linked" }, component, id }: Channel.Channel & { readonly component: ComponentRef },
  sender: string
): Principal.Principal | undefined => {
  if (access.type !== "open") return undefined
  const { approvers = [], senders } = access
  const isApprover = approvers.includes(sender)
  if (senders !== undefined && !senders.includes(sender) && !isApprover) return undefined
  const grants = Scope.grants(scopesOf(component, isApprover), Scope.defaultAdmin)
  return Principal.person(Principal.channelUser(id, sender), grants)
}
