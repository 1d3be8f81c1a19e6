// The prompts as a node uses them. A run gets their texts without a statement of its own: the node knows which versions
// are the latest ones, reads that again after some seconds, and keeps the texts, which never change.
import { InstructionsUnusable, type RunPart, type ServedPart } from "@svc-runtime/agents/agent/execute/RunPart"
import { ComponentStore } from "@svc-runtime/agents/component/ComponentStore"
import * as ReachedComponents from "@svc-runtime/agents/registry/ReachedComponents"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { Context, Effect, Layer, Option, Predicate, Result, Schema } from "effect"
import * as Included from "./Included.ts"
import { PromptStore } from "./PromptStore.ts"
import * as StoredPrompt from "./StoredPrompt.ts"
import * as Template from "./Template.ts"

/** After it, a version that another node has stored counts on this one. */
const every = "2 seconds"

/** Texts that a node keeps. */
const maxKept = 2000

/** A prompt cannot be written or removed: a sentence that says what to do. */
export class PromptRefused extends Schema.TaggedError<PromptRefused>()("PromptRefused", {
  reason: Schema.Literals(["invalid", "conflict", "missing"]),
  message: Schema.String
}) {}

interface Write {
  readonly name: string
  readonly text: string
  readonly by: string | null
}

type Refusable<A> = Effect.Effect<A, PromptRefused | StorageUnavailable>

export class Prompts extends Context.Service<Prompts, {
  /** Instructions with the texts of the prompts that they name. */
  readonly text: (text: Included.Text) => Effect.Effect<Included.Text, InstructionsUnusable>
  /** Why instructions cannot be stored. Undefined: they can. */
  readonly problemOf: (text: Included.Text) => Effect.Effect<string | undefined, StorageUnavailable>
  readonly create: (prompt: Write) => Refusable<StoredPrompt.Stored>
  readonly addVersion: (prompt: Write) => Refusable<StoredPrompt.Stored>
  readonly remove: (name: string) => Refusable<void>
  readonly usersOf: (name: string) => Effect.Effect<ReadonlyArray<StoredPrompt.User>, StorageUnavailable>
}>()("@svc-runtime/features/prompts/Prompts") {}

type Heads = ReadonlyMap<string, StoredPrompt.Head>

/** A version that is not stored yet. */
interface Written {
  readonly name: string
  readonly version: number
  readonly parts: ReadonlyArray<Template.Part>
}

/** What nothing includes, and where a text has to have all values. A prompt gets further ones where it is included. */
interface Root {
  readonly user: StoredPrompt.User
  readonly parts: ReadonlyArray<Template.Part>
}

const userText = ({ id, kind, version }: StoredPrompt.User): string =>
  `the ${kind} '${id}'${version === null ? "" : ` (version ${version})`}`

const refused = (reason: PromptRefused["reason"], message: string) =>
  Effect.fail(new PromptRefused({ reason, message }))

const notFound = (name: string) => refused("missing", `Prompt with name '${name}' not found`)

const partsOf = (text: Included.Text) => Template.parse(Included.whole(text), "instructions")

const make = Effect.fnUntraced(function*(components: Iterable<unknown>) {
  const [store, newId] = [yield* PromptStore, yield* NewId]
  const stored = Option.getOrUndefined(yield* Effect.serviceOption(ComponentStore))
  /** Null: there is no such version. */
  const kept = new Map<string, ReadonlyArray<Template.Part> | null>()

  const keyOf = (id: string, version: number) => `${id}@${version}`

  const lookupIn = (heads: Heads, unread: Map<string, { name: string; version: number }>, written?: Written) =>
  (
    { name, version }: Template.Ref
  ): Template.Found => {
    if (written?.name === name && (version === undefined || version === written.version)) return written
    const head = heads.get(name)
    const wanted = version ?? head?.version ?? 0
    if (head === undefined || wanted > head.version) return "unknown"
    const key = keyOf(head.prompt_id, wanted)
    const parts = kept.get(key)
    if (parts === undefined) {
      unread.set(key, { name, version: wanted })
      return "unread"
    }
    return parts === null ? "unknown" : { version: wanted, parts }
  }

  /** It reads texts that the node does not have: in one statement for each level of includes. */
  const expand = Effect.fnUntraced(
    function*(parts: ReadonlyArray<Template.Part>, heads: Heads, written?: Written, self?: string) {
      if (kept.size > maxKept) kept.clear()
      for (;;) {
        const unread = new Map<string, { name: string; version: number }>()
        const made = Template.expand(parts, lookupIn(heads, unread, written), self)
        if (unread.size === 0) return made
        for (const { prompt_id, text, version } of yield* store.texts([...unread.values()])) {
          kept.set(keyOf(prompt_id, version), Option.getOrNull(Result.getSuccess(Template.parse(text, "prompt"))))
        }
        for (const key of unread.keys()) if (!kept.has(key)) kept.set(key, null)
      }
    }
  )

  const readHeads = Effect.map(store.heads, (heads): Heads => new Map(heads.map((head) => [head.name, head])))

  let last: Heads | undefined
  const [current, changed] = yield* Effect.cachedInvalidateWithTTL(
    readHeads.pipe(
      Effect.tap((heads) => Effect.sync(() => last = heads)),
      // while the database does not reply, what was read before counts
      Effect.catchTag(
        "StorageUnavailable",
        (failure) => last === undefined ? Effect.fail(failure) : Effect.succeed(last)
      )
    ),
    (exit) => exit._tag === "Success" ? every : 0
  )

  const ofCode = [...ReachedComponents.of(components).agents].flatMap(([{ id, instructions }, kind]): Array<Root> => {
    const parts = Included.is(instructions) ? Option.getOrUndefined(Result.getSuccess(partsOf(instructions.text))) : []
    return parts === undefined || parts.length === 0 ? [] : [{ user: { kind, id, version: null }, parts }]
  })

  const rootsOf = Effect.fnUntraced(function*(heads: Heads) {
    const instructed = stored === undefined ? [] : yield* stored.instructed(Included.sign)
    const ofStored = instructed.flatMap(({ component_id, component_type, instructions, version }): Array<Root> => {
      if (component_type === "workflow" || !Included.isText(instructions)) return []
      const parts = partsOf(instructions)
      return Result.isFailure(parts)
        ? []
        : [{ user: { kind: component_type, id: component_id, version }, parts: parts.success }]
    })
    const ofPrompts = [...heads.values()].map(({ name, version }): Root => ({
      user: { kind: "prompt", id: name, version },
      parts: [{ _tag: "Include", name, version: undefined, given: new Map() }]
    }))
    return [...ofCode, ...ofStored, ...ofPrompts]
  })

  const usersOf = Effect.fnUntraced(function*(name: string) {
    const heads = yield* readHeads
    const users = new Map<string, StoredPrompt.User>()
    const uses = (parts: ReadonlyArray<Template.Part>) => Template.includesOf(parts).some((ref) => ref.name === name)
    for (const { parts, user } of yield* rootsOf(heads)) {
      if (user.kind !== "prompt" && uses(parts)) users.set(JSON.stringify(user), user)
      for (const [key, inner] of (yield* expand(parts, heads)).visited) {
        const at = key.indexOf("@")
        const [id, version] = [key.slice(0, at), Number(key.slice(at + 1))]
        if (id !== name && uses(inner)) users.set(key, { kind: "prompt", id, version })
      }
    }
    return [...users.values()]
  })

  /** Refuses a text that cannot be used, and one with which users of the prompt would be broken. */
  const check = Effect.fnUntraced(function*(written: Written, heads: Heads) {
    const own = yield* expand(written.parts, heads, written, `${written.name}@${written.version}`)
    const problem = own.problems[0] ?? own.unused[0]
    if (problem !== undefined) return yield* refused("invalid", problem)
    if (!heads.has(written.name)) return
    for (const { parts, user } of yield* rootsOf(heads)) {
      const problemIn = (made: Template.Expanded) =>
        user.kind === "prompt" ? made.problems[0] : Template.problemOf(made)
      const after = problemIn(yield* expand(parts, heads, written))
      if (after === undefined || problemIn(yield* expand(parts, heads)) !== undefined) continue
      return yield* refused("conflict", `With this version, ${userText(user)} could not be used. ${after}`)
    }
  })

  const versionOf = Effect.fnUntraced(function*({ by, name, text }: Write, heads: Heads) {
    const parts = Template.parse(text, "prompt")
    if (Result.isFailure(parts)) return yield* refused("invalid", parts.failure)
    const head = heads.get(name)
    const version = (head?.version ?? 0) + 1
    yield* check({ name, version, parts: parts.success }, heads)
    return { name, version, prompt_id: head?.prompt_id ?? newId(), text, created_at: yield* now, created_by: by }
  })

  return Prompts.of({
    text: Effect.fnUntraced(
      function*(text) {
        const heads = yield* current
        const one = Effect.fnUntraced(function*(text: string) {
          const parts = Template.parse(text, "instructions")
          if (Result.isFailure(parts)) return yield* new InstructionsUnusable({ message: parts.failure })
          const made = yield* expand(parts.success, heads)
          const problem = Template.problemOf(made)
          return problem === undefined ? made.text : yield* new InstructionsUnusable({ message: problem })
        })
        return Predicate.isString(text) ? yield* one(text) : yield* Effect.forEach(text, one)
      },
      Effect.catchTag(
        "StorageUnavailable",
        () => Effect.fail(new InstructionsUnusable({ message: "The prompts of the instructions cannot be read now" }))
      )
    ),
    problemOf: Effect.fnUntraced(function*(text) {
      const parts = partsOf(text)
      if (Result.isFailure(parts)) return parts.failure
      const made = yield* expand(parts.success, yield* readHeads)
      return Template.problemOf(made) ?? made.unused[0]
    }),
    create: Effect.fnUntraced(function*(prompt) {
      const { name } = prompt
      const heads = yield* readHeads
      if (heads.has(name)) {
        return yield* refused(
          "conflict",
          `There is a prompt '${name}'. Store its next version at /prompts/${name}/versions`
        )
      }
      const made = yield* store.create(yield* versionOf(prompt, heads))
      if (Option.isNone(made)) {
        return yield* refused(
          "conflict",
          heads.size < StoredPrompt.maxStored
            ? `Another prompt '${name}' was stored at the same time. Store a version of it`
            : `The service has ${StoredPrompt.maxStored} prompts, which is the limit. Delete one first`
        )
      }
      yield* changed
      return made.value
    }),
    addVersion: Effect.fnUntraced(function*(prompt) {
      const { name } = prompt
      const heads = yield* readHeads
      const head = heads.get(name)
      if (head === undefined) return yield* notFound(name)
      if (head.version >= StoredPrompt.maxVersions) {
        return yield* refused(
          "conflict",
          `The prompt '${name}' has ${StoredPrompt.maxVersions} versions, which is the limit. Store it under another name`
        )
      }
      const made = yield* store.addVersion(yield* versionOf(prompt, heads))
      if (Option.isNone(made)) {
        return yield* refused(
          "conflict",
          `Another version of the prompt '${name}' was stored at the same time. Send it again`
        )
      }
      yield* changed
      return made.value
    }),
    remove: Effect.fnUntraced(function*(name) {
      const users = yield* usersOf(name)
      if (users.length > 0) {
        const shown = users.slice(0, 10).map(userText).join(", ")
        const more = users.length > 10 ? ` and ${users.length - 10} more` : ""
        return yield* refused("conflict", `The prompt '${name}' is used by ${shown}${more}. Take it out of them first`)
      }
      if (!(yield* store.remove(name))) return yield* notFound(name)
      yield* changed
    }),
    usersOf
  })
})

export const forAgent = Effect.map(Prompts, ({ text }): ServedPart["forAgent"] => {
  const run: RunPart = { order: 12, instructions: text, gives: Context.empty() }
  return () => Effect.succeed(() => run)
})

export const layer = (components: Iterable<unknown>) => Layer.effect(Prompts, make(components))
