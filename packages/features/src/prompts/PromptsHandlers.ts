// The handlers of prompts. What cannot be used is refused with a sentence, and nothing is stored.
import { Errors } from "@svc-runtime/api"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option, Result } from "effect"
import * as Declared from "../declarations/Declared.ts"
import { type PromptRefused, Prompts } from "./Prompts.ts"
import { Prompts as Endpoints } from "./PromptsApi.ts"
import { PromptStore } from "./PromptStore.ts"
import type * as StoredPrompt from "./StoredPrompt.ts"
import * as Template from "./Template.ts"

const notFound = (name: string) => Errors.notFound(`Prompt with name '${name}' not found`)

const nameOf = (name: string) => Template.isName(name) ? Effect.succeed(name) : Effect.fail(notFound(name))

const refusal = ({ message, reason }: PromptRefused) =>
  Effect.fail(
    reason === "missing"
      ? Errors.notFound(message)
      : reason === "invalid"
      ? Errors.invalidValue(["body", "text"], message)
      : Errors.conflict(message)
  )

const shown = (
  { prompt_id: _, ...prompt }: StoredPrompt.Stored,
  declared: ReadonlySet<string>
): StoredPrompt.Prompt => {
  const parts = Result.getOrElse(Template.parse(prompt.text, "prompt"), () => [])
  return {
    ...prompt,
    variables: Template.variablesOf(parts),
    includes: [...new Set(Template.includesOf(parts).map(Template.refText))],
    declared: declared.has(prompt.name)
  }
}

export const handlers = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const [store, prompts, declared] = [
      yield* PromptStore,
      yield* Prompts,
      yield* Declared.of("prompt", "prompt")
    ]

    return handlers.handleAll({
      list: Effect.fn("Prompts.list")(function*({ query }) {
        const found = yield* store.list(query)
        return JsonResponse.of(Pagination.response(query, found.prompts, found.total))
      }, orUnavailable),
      create: Effect.fn("Prompts.create")(function*({ payload: { name, text, user_id } }) {
        const by = (yield* RequestCaller.ownerOfNew(user_id)) ?? null
        return shown(yield* Effect.catchTag(prompts.create({ name, text, by }), "PromptRefused", refusal), new Set())
      }, orUnavailable),
      get: Effect.fn("Prompts.get")(function*({ params: { prompt_name }, query }) {
        const name = yield* nameOf(prompt_name)
        const found = yield* store.find(name, query.version)
        if (Option.isNone(found)) return yield* notFound(name)
        return { ...shown(found.value, yield* declared.ids), used_by: yield* prompts.usersOf(name) }
      }, orUnavailable),
      versions: Effect.fn("Prompts.versions")(function*({ params: { prompt_name } }) {
        const found = yield* store.versions(yield* nameOf(prompt_name))
        return found.length === 0 ? yield* notFound(prompt_name) : JsonResponse.of(found)
      }, orUnavailable),
      addVersion: Effect.fn("Prompts.addVersion")(function*({ params: { prompt_name }, payload: { text, user_id } }) {
        const name = yield* nameOf(prompt_name)
        yield* declared.refuse(name)
        const by = (yield* RequestCaller.ownerOfNew(user_id)) ?? null
        const added = prompts.addVersion({ name, text, by })
        return shown(yield* Effect.catchTag(added, "PromptRefused", refusal), new Set())
      }, orUnavailable),
      remove: Effect.fn("Prompts.remove")(function*({ params: { prompt_name } }) {
        const name = yield* nameOf(prompt_name)
        yield* declared.refuse(name)
        yield* Effect.catchTag(prompts.remove(name), "PromptRefused", refusal)
      }, orUnavailable)
    })
  })
)
