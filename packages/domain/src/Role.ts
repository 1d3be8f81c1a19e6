// Roles: named sets of scopes. A credential names one by the scope `role:NAME`.
import { Schema } from "effect"

const prefix = "role:"

const slug = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

export const isName = (text: string): boolean => slug.test(text)

export const Name = Schema.String.check(
  Schema.makeFilter(isName, {
    message:
      "Input should be 1 to 63 characters of letters, digits, '.', '-' and '_', beginning with a letter or a digit",
    problem: "string_pattern_mismatch",
    toJsonSchema: () => ({ pattern: slug.source })
  })
)

/** The scope that names the role. */
export const scopeOf = (name: string): string => `${prefix}${name}`

/** The role that a scope names. */
export const nameOf = (scope: string): string | undefined =>
  scope.startsWith(prefix) ? scope.slice(prefix.length) : undefined

/** Roles by their names, with their scopes. */
export type Roles = ReadonlyMap<string, ReadonlyArray<string>>

/** The scopes, and behind them those of the roles that they name. Roles name no roles. */
export const expand = (scopes: ReadonlyArray<string>, roles: Roles): ReadonlyArray<string> => [
  ...scopes,
  ...scopes.flatMap((scope) => roles.get(nameOf(scope) ?? "") ?? [])
]

/** Scopes of one role. */
export const maxScopes = 200

const maxScope = 255

/** Why there can be no such role: the end of a sentence. Whether its scopes exist is not known here. */
export const problemOf = (name: string, scopes: ReadonlyArray<unknown>): string | undefined => {
  if (!isName(name)) {
    return "its name has to be 1 to 63 letters, digits, '.', '-' and '_', and to begin with a letter or a digit"
  }
  if (scopes.length > maxScopes) return `it has more than ${maxScopes} scopes`
  for (const scope of scopes) {
    if (typeof scope !== "string" || scope === "" || scope.length > maxScope) {
      return `each of its scopes has to be a text of at most ${maxScope} characters`
    }
    if (nameOf(scope) !== undefined) return `it names the role '${nameOf(scope)}'. List the scopes of that role instead`
  }
  return undefined
}
