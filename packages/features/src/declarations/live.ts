// What the feature does in a service that has it.
import * as Feature from "../Feature.ts"
import * as DeclaredAccounts from "./DeclaredAccounts.ts"
import * as SqlDeclarationStore from "./SqlDeclarationStore.ts"

export const live = Feature.live({
  stores: SqlDeclarationStore.layer,
  declares: (_, { serviceAccounts = [] }) => DeclaredAccounts.kind(serviceAccounts)
})
