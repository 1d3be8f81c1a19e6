// Accounts, and what is done with them, as the tests of their store need them. They are new each time.
import { ServiceAccountStore } from "@svc-runtime/auth"
import * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import { Effect, Option } from "effect"
import { newId } from "../Samples.ts"

const accountId = () => ServiceAccount.Id.make(newId("account"))

export const account = (fields: Partial<ServiceAccount.ServiceAccount> = {}): ServiceAccount.ServiceAccount => ({
  id: accountId(),
  name: newId("bot"),
  tenant: null,
  user_id: null,
  token_hash: newId("hash"),
  token_prefix: "svc_pat_12345678",
  scopes: ["agents:run"],
  created_at: 1_700_000_000,
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
  created_by: null,
  ...fields
})

export const entry = (
  { id }: ServiceAccount.ServiceAccount,
  action: ServiceAccount.AuditEntry["action"],
  fields: Partial<ServiceAccount.AuditEntry> = {}
): ServiceAccount.AuditEntry => ({
  account_id: id,
  action,
  actor: "ops",
  credential: "jwt",
  at: 1_700_000_000,
  ...fields
})

export const insert = (one: ServiceAccount.ServiceAccount) =>
  ServiceAccountStore.use((store) => store.insert(one, entry(one, "minted")))

export const find = (one: ServiceAccount.ServiceAccount) =>
  ServiceAccountStore.use((store) => Effect.map(store.findByHash(one.token_hash), Option.getOrUndefined))
