// The user of a query, whose id is a text for callers.
import * as Ids from "@svc-runtime/domain/Ids"

export const owned = <Query extends { readonly user_id?: string }>({ user_id, ...query }: Query) => ({
  ...query,
  ...(user_id === undefined ? {} : { user_id: Ids.UserId.make(user_id) })
})
