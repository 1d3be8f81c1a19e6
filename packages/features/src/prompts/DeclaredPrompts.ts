// Prompts that the code of the application declares. A changed text is the next version.
import { Effect, Option, Result } from "effect"
import { DeclarationRefused, decoderOf, type Item, type Kind } from "../declarations/Declaration.ts"
import { type PromptRefused, Prompts } from "./Prompts.ts"
import { PromptStore } from "./PromptStore.ts"
import * as StoredPrompt from "./StoredPrompt.ts"

export interface Declaration {
  /** Instructions include it by this name. */
  readonly name: string
  /** With variables such as `{{brand}}` or `{{brand|our shop}}`, and other prompts such as `{{> tone}}`. */
  readonly text: string
}

const decode = decoderOf(StoredPrompt.Create)

export const kind = Effect.fnUntraced(function*(declared: ReadonlyArray<Declaration>) {
  const [prompts, store] = [yield* Prompts, yield* PromptStore]
  const problems: Array<string> = []
  const items: Array<Item> = []

  for (const { name, text } of declared) {
    const subject = `The prompt '${name}'`
    const decoded = decode({ name, text })
    if (Result.isFailure(decoded)) {
      problems.push(`${subject}: ${decoded.failure}`)
      continue
    }
    const given = { name, text, by: null }
    const refused = ({ message }: PromptRefused) =>
      Effect.fail(new DeclarationRefused({ message: `${subject}: ${message}` }))
    items.push({
      name,
      content: { name, text },
      create: Effect.as(prompts.create(given), name).pipe(Effect.catchTag("PromptRefused", refused)),
      change: Effect.fnUntraced(function*(id) {
        const before = yield* store.find(id, undefined)
        if (Option.isNone(before)) return Option.none()
        if (before.value.text !== text) yield* prompts.addVersion(given)
        return Option.some(id)
      }, Effect.catchTag("PromptRefused", refused))
    })
  }

  const kind: Kind = {
    kind: "prompt",
    items,
    problems,
    // one that is used is kept
    remove: (id) =>
      Effect.as(prompts.remove(id), true).pipe(
        Effect.catchTag("PromptRefused", ({ reason }) => Effect.succeed(reason === "missing"))
      )
  }
  return [kind]
})
