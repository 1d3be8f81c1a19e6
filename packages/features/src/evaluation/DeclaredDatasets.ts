// Datasets that the code of the application declares, in the service's own database. A change of the items makes a new
// version, in which items that are the same stay as they were.
import type * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as ToolTrajectory from "@svc-runtime/domain/scoring/ToolTrajectory"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { Effect, Option, Result } from "effect"
import { DeclarationRefused, decoderOf, hashOf, type Item, type Kind, sha256 } from "../declarations/Declaration.ts"
import * as Dataset from "./Dataset.ts"
import { exceeded } from "./datasets/DatasetErrors.ts"
import { DatasetStore } from "./datasets/DatasetStore.ts"
import * as ItemLines from "./datasets/ItemLines.ts"
import { EvaluationLimits } from "./EvaluationLimits.ts"
import { ExperimentStore } from "./experiments/ExperimentStore.ts"

export interface ItemDeclaration {
  /** Identifies the item in all versions. Default: made of the input. */
  readonly id?: string | undefined
  /** The input of the component: text, or JSON. */
  readonly input: Json.Value
  /** The answer, for scorers that compare with it. Default: none. */
  readonly expectedOutput?: Json.Value | undefined
  /** Names of tools, or names with arguments. Default: none. */
  readonly expectedToolCalls?: ReadonlyArray<typeof ToolTrajectory.Expected.Encoded> | undefined
  /** Free-form JSON. Default: none. */
  readonly metadata?: Json.Object | undefined
}

export interface Declaration {
  /** Identifies it. */
  readonly name: string
  /** What it is for. Default: none. */
  readonly description?: string | undefined
  /** At most 1000. */
  readonly items: ReadonlyArray<ItemDeclaration>
}

const decode = decoderOf(Dataset.Create, {
  expected_output: "expectedOutput",
  expected_tool_calls: "expectedToolCalls"
})

/** Two items of one input get different ids. */
const idsOf = (items: ReadonlyArray<ItemDeclaration>): ReadonlyArray<string> => {
  const seen = new Map<string, number>()
  return items.map(({ id, input }) => {
    if (id !== undefined) return id
    const made = sha256(JSON.stringify(input) ?? "").slice(0, 16)
    const count = (seen.get(made) ?? 0) + 1
    seen.set(made, count)
    return count === 1 ? made : `${made}-${count}`
  })
}

const given = (fields: Readonly<Record<string, Json.Value | undefined>>): Json.Object =>
  Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => value === undefined ? [] : [[key, value]]))

const requestOf = ({ description, items, name }: Declaration): Json.Object => {
  const ids = idsOf(items)
  return given({
    name,
    description,
    items: items.map(({ expectedOutput, expectedToolCalls, input, metadata }, index) =>
      given({
        id: ids[index],
        input,
        expected_output: expectedOutput,
        expected_tool_calls: expectedToolCalls as ReadonlyArray<Json.Value> | undefined,
        metadata
      })
    )
  })
}

export const kind = Effect.fnUntraced(function*(declared: ReadonlyArray<Declaration>) {
  const [store, experiments, newId] = [yield* DatasetStore, yield* ExperimentStore, yield* NewId]
  const { datasetItems: limit } = yield* EvaluationLimits
  const problems: Array<string> = []
  const items: Array<Item> = []

  for (const each of declared) {
    const subject = `The dataset '${each.name}'`
    const request = requestOf(each)
    const decoded = decode(request)
    if (Result.isFailure(decoded)) {
      problems.push(`${subject}: ${decoded.failure}`)
      continue
    }
    const { description = null, items: inputs, name } = decoded.success
    const invalid = yield* Effect.result(ItemLines.check(inputs ?? []))
    if (Result.isFailure(invalid)) problems.push(`${subject}: ${invalid.failure.message}`)
    const full = exceeded(inputs?.length ?? 0, inputs?.length ?? 0, limit)
    if (full !== undefined) problems.push(`${subject}: ${full.message}`)
    const wanted = (inputs ?? []).map((item) => ({
      id: Dataset.ItemId.make(item.id ?? ""),
      content: Dataset.contentOf(item)
    }))
    const hashOfContent = (content: Dataset.Content) => hashOf({ content: { ...content } as Json.Object })

    items.push({
      name,
      content: request,
      create: Effect.gen(function*() {
        const at = yield* now
        const dataset = {
          id: Dataset.Id.make(newId()),
          name,
          description,
          user_id: null,
          version: 1,
          item_count: 0,
          created_at: at,
          updated_at: at
        }
        return (yield* store.create(dataset, wanted)).id
      }),
      change: Effect.fnUntraced(
        function*(stored) {
          const [id, at] = [Dataset.Id.make(stored), yield* now]
          const found = Option.getOrUndefined(yield* store.find(id, Owner.anyone))
          if (found === undefined) return Option.none()
          if (found.description !== description) yield* store.patch(id, Owner.anyone, { description, at })
          const ids = yield* store.itemIds(id, found.version)
          const before = new Map(
            (yield* store.itemsOf(id, found.version, ids)).map(({ id, version: _, ...content }) =>
              [id, hashOfContent(content)] as const
            )
          )
          const put = wanted.filter((item) => before.get(item.id) !== hashOfContent(item.content))
          const kept = new Set(wanted.map((item) => item.id))
          const remove = ids.filter((each) => !kept.has(each))
          if (put.length + remove.length > 0) {
            yield* store.change(id, Owner.anyone, { put, remove, version: undefined, at, limit })
          }
          return Option.some(stored)
        },
        Effect.catchTags({
          DatasetChanged: Effect.die,
          DatasetFull: ({ message }) => Effect.fail(new DeclarationRefused({ message: `${subject}: ${message}` }))
        })
      )
    })
  }

  const kind: Kind = {
    kind: "dataset",
    items,
    problems,
    remove: Effect.fnUntraced(function*(stored) {
      const id = Dataset.Id.make(stored)
      const { total } = yield* experiments.list({ owner: Owner.anyone, dataset_id: id }, { page: 1, limit: 1 })
      if (total > 0) return false
      yield* store.remove(id, Owner.anyone)
      return true
    })
  }
  return [kind]
})
