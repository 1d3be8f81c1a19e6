// A vector store of your own, in place of that of the database. This one keeps its chunks in memory: it shows what each
// method has to do. `vectorStore.test.ts` executes the suite of the port on it.
import { Agent, Knowledge, serve, VectorStore } from "@svc-runtime/server"
import { Effect } from "effect"

/** The chunks of one generation of a content. */
interface Generation {
  content: VectorStore.Content
  model: VectorStore.Model | null
  isPublished: boolean
  readonly chunks: Map<number, VectorStore.Chunk>
}

const keyOf = ({ content_id, instance }: VectorStore.Version) => JSON.stringify([instance, content_id])

/** The part of the words that a text has. */
const sharedWords = (query: string, text: string): number => {
  const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
  const found = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
  return [...words].filter((word) => found.has(word)).length / Math.max(1, words.size)
}

export const make = (): VectorStore.VectorStore => {
  let generations: ReadonlyArray<Generation> = []
  /** The latest generation of each content that was stored, published or removed. */
  const latest = new Map<string, number>()

  const find = ({ content_id, generation, instance }: VectorStore.Version) =>
    generations.find(({ content }) =>
      content.instance === instance && content.content_id === content_id && content.generation === generation
    )

  const refuseOld = (content: VectorStore.Version) =>
    (latest.get(keyOf(content)) ?? 0) > content.generation
      ? Effect.fail(new VectorStore.Superseded(content))
      : Effect.sync(() => void latest.set(keyOf(content), content.generation))

  const refuseOther = (instance: string, given: VectorStore.Model | null) => {
    const stored = generations.find(({ chunks, content }) => content.instance === instance && chunks.size > 0)
    return stored === undefined || VectorStore.isSameModel(stored.model, given)
      ? Effect.void
      : Effect.fail(new VectorStore.ModelMismatch({ instance, stored: stored.model, given }))
  }

  interface Ranked {
    readonly content: VectorStore.Content
    readonly chunk: VectorStore.Chunk
    readonly score: number
  }

  const ranked = (
    query: VectorStore.Query,
    scoreOf: (chunk: VectorStore.Chunk) => number | undefined
  ): ReadonlyArray<Ranked> =>
    generations.flatMap(({ chunks, content, isPublished }) =>
      [...chunks.values()].flatMap((chunk): ReadonlyArray<Ranked> => {
        const score = isPublished && VectorStore.isCovered(query, content, chunk) ? scoreOf(chunk) : undefined
        return score === undefined ? [] : [{ content, chunk, score }]
      })
    ).sort((left, right) => right.score - left.score)

  const byMeaning = (query: VectorStore.Query, wanted: Float32Array) =>
    ranked(query, ({ vector }) => vector === null ? undefined : VectorStore.cosine(wanted, vector))

  const byWords = (query: VectorStore.Query, wanted: string, least: number) =>
    ranked(query, ({ text }) => {
      const part = sharedWords(wanted, text)
      return part > 0 && part >= least ? part : undefined
    })

  const found = (query: VectorStore.Query): ReadonlyArray<Ranked> => {
    const { sought } = query
    switch (sought._tag) {
      case "Keyword":
        return byWords(query, sought.text, 1)
      case "Vector":
        return byMeaning(query, sought.vector)
      case "Hybrid": {
        const legs = [byMeaning(query, sought.vector).slice(0, 100), byWords(query, sought.text, 0).slice(0, 100)]
        const known = new Map(legs.flat().map((one) => [one.chunk, one]))
        return VectorStore.fuse(legs.map((leg) => leg.map(({ chunk }) => chunk))).flatMap(([chunk, score]) => {
          const one = known.get(chunk)
          return one === undefined ? [] : [{ ...one, score }]
        })
      }
    }
  }

  return {
    add: Effect.fnUntraced(function*(content, model, chunks) {
      const refused = VectorStore.unusable(model, chunks)
      if (refused !== undefined) return yield* refused
      yield* refuseOther(content.instance, model)
      yield* refuseOld(content)
      const known = find(content)
      const stored: Generation = known ?? { content, model, isPublished: false, chunks: new Map() }
      for (const chunk of chunks) if (!stored.chunks.has(chunk.index)) stored.chunks.set(chunk.index, chunk)
      if (known === undefined) generations = [...generations, stored]
    }),
    added: (version) => Effect.sync(() => new Set(find(version)?.chunks.keys())),
    publish: Effect.fnUntraced(function*(content) {
      yield* refuseOld(content)
      const key = keyOf(content)
      generations = generations.filter((other) =>
        keyOf(other.content) !== key || other.content.generation >= content.generation
      )
      const stored = find(content)
      if (stored !== undefined) stored.isPublished = true
    }),
    update: (content) =>
      Effect.sync(() => {
        for (const stored of generations) if (keyOf(stored.content) === keyOf(content)) stored.content = content
      }),
    remove: ({ content_id, generation, instance, owner }) =>
      Effect.sync(() => {
        const isGone = ({ content }: Generation) =>
          content.instance === instance && content.generation <= generation &&
          (content_id === undefined || content.content_id === content_id) && VectorStore.covers(owner, content.user_id)
        // what is still being processed is not added anymore
        for (const { content } of generations.filter(isGone)) {
          latest.set(keyOf(content), Math.max(generation + 1, latest.get(keyOf(content)) ?? 0))
        }
        generations = generations.filter((stored) => !isGone(stored))
      }),
    // removed at once
    prune: Effect.succeed(0),
    index: Effect.succeed(0),
    search: Effect.fnUntraced(function*(query) {
      const { instance, sought } = query
      if (sought._tag !== "Keyword") {
        const refused = VectorStore.unusableQuery(sought)
        if (refused !== undefined) return yield* refused
        yield* refuseOther(instance, sought.embedding)
      }
      return found(query).slice(0, query.limit).map(({ chunk, content, score }) =>
        VectorStore.found(content, chunk, score)
      )
    })
  }
}

export const manuals = Knowledge.make({ name: "manuals", vectorStore: make() })

if (import.meta.main) serve({ agents: [Agent.make({ id: "guide", knowledge: manuals })] })
