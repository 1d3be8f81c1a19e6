// A knowledge base as its author defines it: a name, where it is stored, and how its contents are read and searched.
// `make` fills in the defaults and rejects invalid options, so that mistakes show at start.
import type * as Json from "@svc-runtime/domain/Json"
import type * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import { mismatch, Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { chunkers as ofService } from "@svc-runtime/knowledge"
import { Embedder, embedderNameProblem, type EmbedderRef } from "@svc-runtime/models"
import { Predicate } from "effect"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import type * as Chunker from "./Chunker.ts"
import type * as ContentSource from "./ContentSource.ts"
import { filterOf } from "./filterOf.ts"
import * as KnowledgeSchema from "./Knowledge.ts"
import * as Ocr from "./Ocr.ts"
import type * as Reader from "./Reader.ts"
import * as Reranker from "./Reranker.ts"
import type { VectorStore } from "./VectorStore.ts"

export type { Ocr, Recognize, RecognizedPage, Scan } from "./Ocr.ts"

export interface Options {
  /** Distinguishes the knowledge of one database. Default: `knowledge_` and the id of the database. */
  readonly name?: string | undefined
  /** What its contents are about. Default: none. */
  readonly description?: string | undefined
  /** Where its contents are stored. Default: the service's own database. */
  readonly db?: DatabaseHandle.DatabaseHandle | undefined
  /** `provider:model`, an embedding model of the AI SDK, or an `Embedder`. Default: the embedder of the service. */
  readonly embedder?: EmbedderRef | undefined
  /** The chunker of contents whose upload names none. Default: the first one of the reader. */
  readonly chunker?: string | undefined
  /** Characters of a chunk. Default: 5000. */
  readonly chunkSize?: number | undefined
  /** Characters that a chunk repeats of the one before. Default: 0. */
  readonly chunkOverlap?: number | undefined
  /** Readers beside those of the service. For their files they win. */
  readonly readers?: ReadonlyArray<Reader.Reader> | undefined
  /** Chunkers beside those of the service. */
  readonly chunkers?: ReadonlyArray<Chunker.Chunker> | undefined
  /**
   * Recognizes the text of pictures and of scanned pages of PDF documents: a model of the AI SDK that sees files, or a
   * function. Default: none, so these contents fail, and such pages are named in the status of their content.
   */
  readonly ocr?: Ocr.Ocr | undefined
  /** How it is searched if the request says nothing else. Default: `hybrid`. */
  readonly searchType?: KnowledgeSchema.SearchType | undefined
  /** How many results a search gives if the request says nothing else. Default: 10. */
  readonly maxResults?: number | undefined
  /** Sorts what a search finds anew: a reranking model of the AI SDK, or a function. Default: none. */
  readonly reranker?: Reranker.Reranker | undefined
  /** Only chunks whose metadata match are found, by callers and agents. */
  readonly filters?: Json.Value | undefined
  /**
   * Whose the uploads of isolated callers are. `user` (the default): their own, and only they find them. `shared`:
   * without an owner, so that all callers with `knowledge:read` find them.
   */
  readonly isolation?: "user" | "shared" | undefined
  /** Stores and searches the chunks, in place of the database of the contents. */
  readonly vectorStore?: VectorStore | undefined
  /**
   * A folder whose files are contents after the start. Its path is relative to the folder in which the service is
   * started. It can be a URL of a file, too.
   */
  readonly folder?: string | URL | undefined
  /** Places outside of the service. Callers with `knowledge:write` can upload what these offer. */
  readonly sources?: ReadonlyArray<ContentSource.Source> | undefined
}

export interface Knowledge {
  readonly _tag: "Knowledge"
  readonly name: string | undefined
  readonly description: string | undefined
  readonly db: DatabaseHandle.DatabaseHandle | undefined
  readonly embedder: EmbedderRef | undefined
  readonly chunker: string | undefined
  readonly chunkSize: number
  readonly chunkOverlap: number
  readonly readers: ReadonlyArray<Reader.Reader>
  readonly chunkers: ReadonlyArray<Chunker.Chunker>
  readonly ocr: Ocr.Ocr | undefined
  readonly searchType: KnowledgeSchema.SearchType
  readonly maxResults: number
  readonly reranker: Reranker.Reranker | undefined
  readonly filter: KnowledgeFilter.Filter
  readonly isolation: "user" | "shared"
  /** An absolute path. */
  readonly folder: string | undefined
  readonly sources: ReadonlyArray<ContentSource.Source>
  readonly vectorStore: VectorStore | undefined
}

const kinds: AuthorOptions.Kinds<keyof Options> = {
  name: "text",
  description: "text",
  db: "any",
  embedder: "any",
  chunker: "text",
  chunkSize: "any",
  chunkOverlap: "any",
  readers: "list",
  chunkers: "list",
  ocr: "any",
  searchType: { oneOf: KnowledgeSchema.SearchType.literals },
  maxResults: "any",
  reranker: "any",
  filters: "any",
  isolation: { oneOf: ["user", "shared"] },
  vectorStore: "object",
  sources: "list",
  folder: "any"
}

/** A character that is no blank, and no more than an index takes. */
const nameRule = /^(?=.*\S).{1,200}$/u

const chunkLimits = { size: 100_000 }

const isEmbedder = (value: EmbedderRef): boolean =>
  typeof value === "string" ? embedderNameProblem(value) === undefined : Embedder.isAiSdkEmbeddingModel(value) ||
    (Predicate.hasProperty(value, "embedMany") && Predicate.hasProperty(value, "id"))

/** Throws for what makes no vectors. Whether a text names an embedder is not looked at. */
export const checkEmbedder = (owner: string, embedder: EmbedderRef | undefined): void => {
  if (embedder === undefined || typeof embedder === "string" || isEmbedder(embedder)) return
  throw mismatch(`${owner}: embedder`, "provider:model, an embedding model of the AI SDK, or an Embedder", embedder)
}

const atMost = (owner: string, name: string, maximum: number, value: number): number => {
  if (Validate.wholeNumber(owner, name, 1, value) <= maximum) return value
  throw new Mistake(`${owner}: ${name} must be at most ${maximum}, not ${value}`)
}

const checkedSources = (owner: string, sources: ReadonlyArray<ContentSource.Source>) => {
  const ids = sources.map(({ id }) => Validate.urlId(`${owner}: source`, id))
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw new Mistake(`${owner}: two sources have the id '${twice}'`)
  return sources
}

const folderOf = (owner: string, folder: string | URL | undefined): string | undefined => {
  if (folder === undefined) return undefined
  if (typeof folder === "string" && folder.trim() !== "") return resolve(folder)
  if (folder instanceof URL && folder.protocol === "file:") return fileURLToPath(folder)
  throw new Mistake(`${owner}: folder must be a path, or a URL of a file`)
}

/** Two of one name would hide each other. */
const distinct = <A extends object>(
  owner: string,
  option: string,
  tag: string,
  values: ReadonlyArray<A>,
  of: (value: A) => string
) => {
  if (!values.every(Predicate.isTagged(tag))) throw new Mistake(`${owner}: ${option} must be made by ${tag}.make`)
  const names = values.map(of)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Mistake(`${owner}: two ${option} are called '${twice}'`)
  return values
}

/** Those of the service, and those of the author. */
const checkChunkers = (
  owner: string,
  { chunker, chunkers = [], readers = [] }: Pick<Options, "chunker" | "chunkers" | "readers">
): void => {
  const known = [...Object.keys(ofService), ...chunkers.map(({ key }) => key)]
  const check = (what: string, key: string) => {
    if (known.includes(key)) return
    const meant = Misspelling.meant(key, new Set(known))
    const todo = meant === undefined ? `The chunkers are ${known.join(", ")}` : `Did you mean '${meant}'?`
    throw new Mistake(`${what}: there is no chunker '${key}'. ${todo}`)
  }
  if (chunker !== undefined) check(owner, chunker)
  for (const reader of readers) for (const key of reader.chunkers) check(`${owner}: reader '${reader.id}'`, key)
}

const storeMethods = ["add", "added", "publish", "update", "remove", "prune", "index", "search"] as const

const checkedStore = (owner: string, store: VectorStore | undefined): VectorStore | undefined => {
  const missing = store === undefined ? undefined : storeMethods.find((name) => !Predicate.hasProperty(store, name))
  if (missing !== undefined) throw new Mistake(`${owner}: vectorStore has no ${missing}`)
  return store
}

/**
 * A knowledge base. Agents and teams that have it in their option `knowledge` search it; `serve({ knowledge })` offers
 * it to callers alone.
 *
 * Throws an `Error` that names the knowledge and the option if an option is invalid.
 *
 * ```ts
 * import { Agent, Knowledge, serve } from "@svc-runtime/server"
 *
 * const handbook = Knowledge.make({ name: "handbook", description: "How we work" })
 *
 * serve({ agents: [Agent.make({ id: "assistant", knowledge: handbook })] })
 * ```
 */
export const make = (options: Options = {}): Knowledge => {
  AuthorOptions.check(AuthorOptions.ownerOf("Knowledge", options, "name"), options, kinds)
  const { name } = options
  const owner = name === undefined ? "Knowledge" : `Knowledge '${name}'`
  if (name !== undefined && !(nameRule.test(name) && name.isWellFormed() && !name.includes("\0"))) {
    throw new Mistake(`${owner}: name must be one line of 1 to 200 characters`)
  }
  if (options.embedder !== undefined && !isEmbedder(options.embedder)) {
    throw new Mistake(`${owner}: embedder must be an embedding model of the AI SDK, or an Embedder`)
  }
  if (options.reranker !== undefined && !Reranker.isReranker(options.reranker)) {
    throw new Mistake(`${owner}: reranker must be a reranking model of the AI SDK, or a function`)
  }
  if (options.ocr !== undefined && !Ocr.isOcr(options.ocr)) {
    throw new Mistake(`${owner}: ocr must be a model of the AI SDK, or a function`)
  }
  const chunkSize = atMost(owner, "chunkSize", chunkLimits.size, options.chunkSize ?? 5000)
  const chunkOverlap = Validate.wholeNumber(owner, "chunkOverlap", 0, options.chunkOverlap ?? 0)
  if (chunkOverlap >= chunkSize) {
    throw new Mistake(`${owner}: chunkOverlap must be smaller than chunkSize, not ${chunkOverlap}`)
  }
  const readers = distinct(owner, "readers", "Reader", options.readers ?? [], ({ id }) => id)
  const chunkers = distinct(owner, "chunkers", "Chunker", options.chunkers ?? [], ({ key }) => key)
  checkChunkers(owner, { chunker: options.chunker, chunkers, readers })
  return {
    _tag: "Knowledge",
    name,
    description: options.description,
    db: DatabaseHandle.checked(owner, options.db),
    embedder: options.embedder,
    chunker: options.chunker,
    chunkSize,
    chunkOverlap,
    readers,
    chunkers,
    ocr: options.ocr,
    searchType: options.searchType ?? "hybrid",
    maxResults: atMost(owner, "maxResults", KnowledgeSchema.maxResults, options.maxResults ?? 10),
    reranker: options.reranker,
    filter: filterOf(owner, "filters", options.filters),
    isolation: options.isolation ?? "user",
    folder: folderOf(owner, options.folder),
    sources: checkedSources(owner, options.sources ?? []),
    vectorStore: checkedStore(owner, options.vectorStore)
  }
}

export const isKnowledge = (value: unknown): value is Knowledge => Predicate.isTagged(value, "Knowledge")
