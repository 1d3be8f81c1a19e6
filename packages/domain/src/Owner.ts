// Whose things a call may touch. This is the one rule by which users are kept apart: every store takes an `Owner`, every
// transport takes it from the caller's `Principal`, and what is not covered looks as if it were not there.
import type { UserId } from "./Ids.ts"

export type Owner =
  /** Whoever owns it, and what nobody owns. */
  | { readonly _tag: "Anyone" }
  /** What this user owns, and nothing else: what has no owner is not covered. */
  | { readonly _tag: "User"; readonly user_id: UserId }
  /** Of a caller who is kept apart from others but has no name: it owns nothing and finds nothing. */
  | { readonly _tag: "Nobody" }

export const anyone: Owner = { _tag: "Anyone" }
export const nobody: Owner = { _tag: "Nobody" }
export const user = (user_id: UserId): Owner => ({ _tag: "User", user_id })

/** Whether what belongs to `user_id` is covered; null is what nobody owns. */
export const covers = (owner: Owner, user_id: UserId | null): boolean => {
  switch (owner._tag) {
    case "Anyone":
      return true
    case "User":
      return owner.user_id === user_id
    case "Nobody":
      return false
  }
}
