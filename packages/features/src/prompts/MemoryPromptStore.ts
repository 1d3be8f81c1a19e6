// `PromptStore` in memory, for services of tests.
import * as Pagination from "@svc-runtime/domain/Pagination"
import { storableText } from "@svc-runtime/domain/storableText"
import { Effect, Layer, Option } from "effect"
import { PromptStore } from "./PromptStore.ts"
import * as StoredPrompt from "./StoredPrompt.ts"

const listed = ({ prompt_id: _, text: __, ...prompt }: StoredPrompt.Stored): StoredPrompt.Listed => prompt

export const layer: Layer.Layer<PromptStore> = Layer.sync(PromptStore, () => {
  /** Newest first. */
  const prompts = new Map<string, ReadonlyArray<StoredPrompt.Stored>>()
  const put = (prompt: StoredPrompt.Stored) => {
    const stored = { ...prompt, text: storableText(prompt.text) }
    prompts.set(prompt.name, [stored, ...prompts.get(prompt.name) ?? []])
    return Option.some(stored)
  }
  const latest = () => [...prompts.keys()].toSorted().flatMap((name) => prompts.get(name)?.[0] ?? [])
  const versioned = (name: string, version: number | undefined) =>
    prompts.get(name)?.find((each) => version === undefined || each.version === version)
  return PromptStore.of({
    create: (prompt) =>
      Effect.sync(() =>
        prompts.has(prompt.name) || prompts.size >= StoredPrompt.maxStored ? Option.none() : put(prompt)
      ),
    addVersion: (prompt) =>
      Effect.sync(() => {
        const before = prompts.get(prompt.name)?.[0]
        return before?.version === prompt.version - 1 && before.prompt_id === prompt.prompt_id
          ? put(prompt)
          : Option.none()
      }),
    heads: Effect.sync(() => latest().map(({ name, prompt_id, version }) => ({ name, prompt_id, version }))),
    texts: (refs) => Effect.sync(() => refs.flatMap(({ name, version }) => versioned(name, version) ?? [])),
    find: (name, version) => Effect.sync(() => Option.fromUndefinedOr(versioned(name, version))),
    list: (page) =>
      Effect.sync(() => {
        const all = latest().map(listed)
        return { prompts: Pagination.slice(page, all), total: all.length }
      }),
    versions: (name) => Effect.sync(() => (prompts.get(name) ?? []).map(listed)),
    remove: (name) => Effect.sync(() => prompts.delete(name))
  })
})
