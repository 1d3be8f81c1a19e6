// Whose data a call may touch, and of which session. All isolation uses this rule: every store takes an `Owner`, every
// transport derives it from the caller's `Principal`, and data that it does not cover is shown as missing.
import type { UserId } from "./Ids.ts"
import * as Tenant from "./Tenant.ts"

interface Limit {
  /** Of sessions, and of what belongs to a session, only those of this one are covered. */
  readonly session_id?: string
}

export type Owner =
  /** Covers all data, including data without an owner. */
  | { readonly _tag: "Anyone" } & Limit
  /** Covers the data of this user only, not data without an owner. */
  | { readonly _tag: "User"; readonly user_id: UserId } & Limit
  /** Covers the data of all users of this tenant. */
  | { readonly _tag: "Tenant"; readonly tenant: string } & Limit
  /** A caller who is not isolated, for one user: covers what a new run of that user may go into. */
  | { readonly _tag: "Acting"; readonly user_id: UserId | null } & Limit
  /** An isolated caller without a name: covers nothing. */
  | { readonly _tag: "None" } & Limit

export const anyone: Owner = { _tag: "Anyone" }
export const none: Owner = { _tag: "None" }
export const tenant = (tenant: string): Owner => ({ _tag: "Tenant", tenant })
export const acting = (user_id: UserId | null): Owner => ({ _tag: "Acting", user_id })
export const user = (user_id: UserId): Owner => ({ _tag: "User", user_id })

/** The owner's data of one session. Undefined: of all sessions. */
export const within = (owner: Owner, session_id: string | undefined): Owner =>
  session_id === undefined ? owner : { ...owner, session_id }

/** Whether the owner covers what belongs to the session. */
export const coversSession = ({ session_id }: Owner, id: string | null): boolean =>
  session_id === undefined || session_id === id

/** Whether the owner covers what belongs to this user and this session. */
export const coversIn = (
  owner: Owner,
  { session_id, user_id }: { readonly session_id: string | null; readonly user_id: UserId | null }
): boolean => covers(owner, user_id) && coversSession(owner, session_id)

/**
 * Whether the owner reads shared data: their own, that of their tenant, and that without an owner, which all users
 * share.
 */
export const reads = (owner: Owner, user_id: UserId | null): boolean =>
  covers(owner, user_id) || (owner._tag === "User" && (user_id === null || user_id === sharedWith(owner.user_id)))

/** The owner of what the users of the tenant of a user share. Undefined: the user is of no tenant. */
export const sharedWith = (user_id: UserId): UserId | undefined => {
  const tenant = Tenant.of(user_id)
  return tenant === undefined ? undefined : Tenant.itself(tenant)
}

/** Whether the owner covers data of `user_id`; null is data without an owner. */
export const covers = (owner: Owner, user_id: UserId | null): boolean => {
  switch (owner._tag) {
    case "Anyone":
      return true
    case "User":
      return owner.user_id === user_id
    case "Tenant":
      return user_id !== null && Tenant.prefixesOf(owner.tenant).some((prefix) => user_id.startsWith(prefix))
    case "Acting":
      return user_id === null || owner.user_id === user_id
    case "None":
      return false
  }
}
