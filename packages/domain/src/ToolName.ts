// The names of tools that every provider of models accepts, and how other names become such names.
import * as Fnv1a from "./Fnv1a.ts"

export const rule = /^[a-zA-Z0-9_-]{1,64}$/

const maxLength = 64

const unusable = /[^a-zA-Z0-9_-]/g

const hashed = (name: string): string => {
  const suffix = `_${Fnv1a.of(name)}`
  return `${name.replaceAll(unusable, "_").slice(0, maxLength - suffix.length)}${suffix}`
}

/** One name. What is cut off a long name is in its hash. */
export const of = (name: string): string => name.length > maxLength ? hashed(name) : name.replaceAll(unusable, "_")

/**
 * How the names of a list are shown. Different names stay different: a name that changes and would then be equal to
 * another one gets a hash. So their order does not matter, and no name passes to another tool when the list changes.
 */
export const distinct = (names: Iterable<string>): (name: string) => string => {
  const counts = new Map<string, number>()
  for (const name of new Set(names)) counts.set(of(name), (counts.get(of(name)) ?? 0) + 1)
  return (name) => of(name) === name || counts.get(of(name)) === 1 ? of(name) : hashed(name)
}
