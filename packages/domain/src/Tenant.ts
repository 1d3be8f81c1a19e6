// Tenants: users of one organization. The tenant of a user is the beginning of the id, `tenant:acme:ann`. So all that
// belongs to a user belongs to the tenant, and the same subject in two tenants is two users.
import { Schema } from "effect"
import { UserId } from "./Ids.ts"

const beginning = "tenant:"

const slug = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

/** Whether a text can be the name of a tenant. */
export const isName = (text: string): boolean => slug.test(text)

export const Name = Schema.String.check(
  Schema.makeFilter(isName, {
    message: "Input should be 1 to 63 letters, digits, '.', '-' and '_', beginning with a letter or a digit",
    problem: "string_pattern_mismatch",
    toJsonSchema: () => ({ pattern: slug.source })
  })
)

/** What the ids of all users of the tenant begin with. */
export const prefixOf = (tenant: string): string => `${beginning}${tenant}:`

/** The tenant as an owner: what all of its users share. */
export const itself = (tenant: string): UserId => UserId.make(prefixOf(tenant))

/** The user as one of the tenant. An id that is one of the tenant stays as it is. */
export const userIn = (tenant: string, user: string): UserId =>
  UserId.make(user.startsWith(prefixOf(tenant)) ? user : `${prefixOf(tenant)}${user}`)

/** The name of the service when it executes schedules, and behind it their author. */
export const scheduler = "__scheduler__"

const ofAuthor = `${scheduler}:`

/** The same for what the service does for a user of the tenant. */
export const prefixesOf = (tenant: string): ReadonlyArray<string> => [
  prefixOf(tenant),
  `${ofAuthor}${prefixOf(tenant)}`
]

/** The tenant of a user, or of the user for whom the service acts. Undefined: the user is of none. */
export const of = (id: string): string | undefined => {
  const user_id = id.startsWith(ofAuthor) ? id.slice(ofAuthor.length) : id
  if (!user_id.startsWith(beginning)) return undefined
  const end = user_id.indexOf(":", beginning.length)
  return end === -1 ? undefined : user_id.slice(beginning.length, end)
}

/** The tenant that an id stands for as a whole. */
export const named = (user_id: string): string | undefined => {
  const tenant = of(user_id)
  return tenant !== undefined && user_id === prefixOf(tenant) ? tenant : undefined
}

/** Whether only the service gives out such an id. */
export const isReserved = (user: string): boolean => user.startsWith(beginning)

/** The id without the tenant. */
export const within = (user_id: string): string => {
  const tenant = user_id.startsWith(beginning) ? of(user_id) : undefined
  return tenant === undefined ? user_id : user_id.slice(prefixOf(tenant).length)
}
