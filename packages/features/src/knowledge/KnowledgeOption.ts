// The option `knowledge` of agents and teams, and how they use it.
import type * as Json from "@svc-runtime/domain/Json"
import type * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import { mismatch } from "@svc-runtime/engine/userCode/Mistake"
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import { Predicate } from "effect"
import { filterOf } from "./filterOf.ts"
import { isKnowledge, type Knowledge } from "./KnowledgeBase.ts"

export interface Options {
  /** What its runs can search. Several are searched as one. */
  readonly knowledge?: Knowledge | ReadonlyArray<Knowledge> | undefined
  /** The model gets the tool `search_knowledge`. Default: true. */
  readonly searchKnowledge?: boolean | undefined
  /** Before a run its message is searched for, and the model is shown the results. Default: false. */
  readonly addKnowledgeToContext?: boolean | undefined
  /** Only chunks whose metadata match are found. Filters of a request are added to it. */
  readonly knowledgeFilters?: Json.Value | undefined
  /**
   * The model can narrow each search to metadata: it is shown the keys of the contents that the run may find. Default:
   * false.
   */
  readonly agenticKnowledgeFilters?: boolean | undefined
}

export const options: AuthorOptions.Kinds<keyof Options> = {
  knowledge: "any",
  searchKnowledge: "flag",
  addKnowledgeToContext: "flag",
  knowledgeFilters: "any",
  agenticKnowledgeFilters: "flag"
}

export interface AgentKnowledge {
  readonly bases: ReadonlyArray<Knowledge>
  readonly searches: boolean
  readonly addsToContext: boolean
  /** The model chooses filters for its searches. */
  readonly choosesFilters: boolean
  /** As the author gave them. */
  readonly filters: Json.Value | undefined
  readonly filter: KnowledgeFilter.Filter
}

/** A folder that is given alone is what most have in mind with a text. */
export const unmade = (given: unknown): string => {
  const [name = "folder"] = Predicate.isObject(given) ? Object.keys(given) : []
  return `Knowledge.make({ ${name}: … })`
}

/** Undefined: no knowledge. */
export const make = (owner: string, options: Options): AgentKnowledge | undefined => {
  const { addKnowledgeToContext = false, agenticKnowledgeFilters = false, knowledge = [], knowledgeFilters } = options
  const { searchKnowledge = true } = options
  const given: ReadonlyArray<unknown> = Array.isArray(knowledge) ? [...new Set(knowledge)] : [knowledge]
  const bases = given.map((base) => {
    if (!isKnowledge(base)) {
      throw mismatch(`${owner}: knowledge`, "made by Knowledge.make", base, `Write ${unmade(base)}`)
    }
    return base
  })
  const filter = filterOf(owner, "knowledgeFilters", knowledgeFilters)
  if (bases.length === 0) return undefined
  return {
    bases,
    searches: searchKnowledge,
    addsToContext: addKnowledgeToContext,
    choosesFilters: searchKnowledge && agenticKnowledgeFilters,
    filters: knowledgeFilters,
    filter
  }
}
