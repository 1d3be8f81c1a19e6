// Who sees what: the rule of owners as a table that every store is held against.
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import { userId } from "./Samples.ts"

export interface View {
  readonly who: string
  readonly owner: Owner.Owner
  /** The owners of `Views` that it covers. */
  readonly covered: ReadonlyArray<Ids.UserId | null>
}

export interface Views {
  /** Null owns what has no owner. */
  readonly owners: ReadonlyArray<Ids.UserId | null>
  readonly all: ReadonlyArray<View>
}

/** An owner who is limited to a session covers nothing of other sessions. */
const limited = (ann: Ids.UserId): ReadonlyArray<View> =>
  [Owner.anyone, Owner.user(ann)].map((owner) => ({
    who: `${owner._tag} in another session`,
    owner: Owner.within(owner, "elsewhere"),
    covered: []
  }))

/** Of users who own nothing yet. */
export const make = ({ isOfSessions = true }: { readonly isOfSessions?: boolean } = {}): Views => {
  const [ann, bob] = [userId(), userId()]
  return {
    owners: [ann, bob, null],
    all: [
      { who: "anyone", owner: Owner.anyone, covered: [ann, bob, null] },
      { who: "a user", owner: Owner.user(ann), covered: [ann] },
      { who: "another user", owner: Owner.user(bob), covered: [bob] },
      { who: "a user who owns nothing", owner: Owner.user(userId()), covered: [] },
      { who: "an owner of nothing", owner: Owner.none, covered: [] },
      ...(isOfSessions
        ? [
          { who: "who acts for a user", owner: Owner.acting(ann), covered: [ann, null] },
          { who: "who acts without a user", owner: Owner.acting(null), covered: [null] },
          ...limited(ann)
        ]
        : [])
    ]
  }
}
