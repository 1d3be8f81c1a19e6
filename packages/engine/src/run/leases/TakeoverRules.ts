// The rules of takeovers, for every store.
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"

/** A run that lost its node this often without progress may crash its nodes. */
export const suspectAfter = 2

/** The entry for all stored components in the list of a node. No component has this key. */
export const storedComponents = "*"

/** Names the component of a run, as nodes list the components that they can execute. */
export const componentKey = (
  { component_id, kind }: { readonly kind: ComponentKind.ComponentKind; readonly component_id: string }
): string => `${kind}/${component_id}`
