// What a takeover asks of runs and nodes, in every store.
import type * as ComponentKind from "@svc/domain/ComponentKind"

/** A run that has lost its holder this often without progress may be what kills its holders. */
export const suspectAfter = 2

/** Names what a run is a run of, among what nodes say that they can execute. */
export const componentKey = (
  { component_id, kind }: { readonly kind: ComponentKind.ComponentKind; readonly component_id: string }
): string => `${kind}/${component_id}`
