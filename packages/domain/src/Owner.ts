// Whose data a call may touch, and of which session. All isolation uses this rule: every store takes an `Owner`, every
// transport derives it from the caller's `Principal`, and data that it does not cover is shown as missing.
import type { UserId } from "./Ids.ts"

interface Limit {
  /** Of sessions, and of what belongs to a session, only those of this one are covered. */
  readonly session_id?: string
}

export type Owner =
  /** Covers all data, including data without an owner. */
  | { readonly _tag: "Anyone" } & Limit
  /** Covers the data of this user only, not data without an owner. */
  | { readonly _tag: "User"; readonly user_id: UserId } & Limit
  /** An isolated caller without a name: covers nothing. */
  | { readonly _tag: "None" } & Limit

export const anyone: Owner = { _tag: "Anyone" }
export const none: Owner = { _tag: "None" }
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

/** Whether the owner reads shared data: their own, and that without an owner, which all users share. */
export const reads = (owner: Owner, user_id: UserId | null): boolean =>
  covers(owner, user_id) || (owner._tag === "User" && user_id === null)

/** Whether the owner covers data of `user_id`; null is data without an owner. */
export const covers = (owner: Owner, user_id: UserId | null): boolean => {
  switch (owner._tag) {
    case "Anyone":
      return true
    case "User":
      return owner.user_id === user_id
    case "None":
      return false
  }
}
