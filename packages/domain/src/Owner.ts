// Whose data a call may touch. All isolation uses this rule: every store takes an `Owner`, every transport derives it
// from the caller's `Principal`, and data that it does not cover is shown as missing.
import type { UserId } from "./Ids.ts"

export type Owner =
  /** Covers all data, including data without an owner. */
  | { readonly _tag: "Anyone" }
  /** Covers the data of this user only, not data without an owner. */
  | { readonly _tag: "User"; readonly user_id: UserId }
  /** An isolated caller without a name: covers nothing. */
  | { readonly _tag: "None" }

export const anyone: Owner = { _tag: "Anyone" }
export const none: Owner = { _tag: "None" }
export const user = (user_id: UserId): Owner => ({ _tag: "User", user_id })

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
