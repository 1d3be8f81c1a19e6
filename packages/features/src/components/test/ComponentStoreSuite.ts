// What every `ComponentStore` has to do.
import { assert, layer } from "@effect/vitest"
import { type Change, ComponentStore, type NewComponent } from "@svc-runtime/agents/component/ComponentStore"
import * as Component from "@svc-runtime/domain/Component"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"

interface Sample extends Partial<Omit<NewComponent, "config">> {
  readonly config?: Partial<NewComponent["config"]>
}

export const component = ({ config, ...fields }: Sample = {}): NewComponent => ({
  component_id: Component.Id.make(newId("component")),
  component_type: "agent",
  name: "Greeter",
  description: null,
  metadata: null,
  at: 1_000,
  ...fields,
  config: { config: {}, label: null, links: [], notes: null, stage: "published", ...config }
})

const link: Component.Link = {
  link_kind: "member",
  link_key: "member_0",
  child_component_id: Component.Id.make("child"),
  child_version: 1,
  position: 0,
  meta: { note: "\u0000" }
}

const page = { page: 1, limit: 10 }

const created = Effect.fnUntraced(function*(fields: Sample = {}) {
  const store = yield* ComponentStore
  const stored = yield* store.create(component(fields))
  const id = stored.component_id
  const change = (fields: Omit<Change, "at">) => store.change(id, { at: 2_000, ...fields })
  const current = Effect.map(store.find(id), (found) => Option.getOrThrow(found).current_version)
  return { store, stored, id, change, current }
})

const tagOf = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

const messageOf = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

export const suite = <E>(name: string, stores: Layer.Layer<ComponentStore, E>) =>
  layer(stores, { excludeTestServices: true })(`ComponentStore, ${name}`, (it) => {
    it.effect("a new component has version 1, which is current if it is published", () =>
      Effect.gen(function*() {
        const { id, store, stored } = yield* created({
          metadata: { a: "\u0000" },
          config: { config: { instructions: "\u0000\ud800" }, label: "first", links: [link] }
        })
        assert.deepInclude(stored, { current_version: 1, last_version: 1, created_at: 1_000, updated_at: null })
        assert.deepStrictEqual(yield* store.find(id), Option.some(stored))
        assert.deepStrictEqual(Option.getOrThrow(yield* store.config(id, 1)), {
          component_id: id,
          version: 1,
          label: "first",
          stage: "published",
          config: { instructions: "\u0000\ud800" },
          links: [link],
          notes: null,
          created_at: 1_000,
          updated_at: null
        })
        const draft = yield* created({ config: { stage: "draft" } })
        assert.isNull(draft.stored.current_version)
      }))

    it.effect("an id is taken once, and also when its component is removed", () =>
      Effect.gen(function*() {
        const { id, store } = yield* created()
        const again = messageOf(store.create(component({ component_id: id })))
        assert.strictEqual(yield* again, `Component ${id} already exists`)
        assert.isTrue(yield* store.remove(id, 2_000))
        assert.isTrue(yield* store.remove(id, 3_000))
        assert.strictEqual(yield* again, `Component ${id} already exists`)
        assert.isFalse(yield* store.remove(Component.Id.make("unknown"), 2_000))
      }))

    it.effect("a removed component is not found and not changed, but runs can still read its versions", () =>
      Effect.gen(function*() {
        const { change, id, store } = yield* created()
        yield* store.remove(id, 2_000)
        assert.deepStrictEqual(yield* store.find(id), Option.none())
        assert.deepStrictEqual(yield* store.config(id, 1), Option.none())
        assert.deepStrictEqual(yield* store.configs(id), [])
        assert.deepStrictEqual(yield* store.versions(id), [])
        assert.strictEqual(yield* tagOf(change({ fields: { name: "b" } })), "StoredComponentNotFound")
        assert.strictEqual(yield* tagOf(store.removeConfig(id, 1, 2_000)), "StoredComponentNotFound")
        const definition = Option.getOrThrow(yield* store.definition(id, 1))
        assert.isTrue(definition.isRemoved)
        assert.strictEqual(definition.config.version, 1)
        assert.strictEqual(definition.component.name, "Greeter")
      }))

    it.effect("a published version becomes the current one, and a draft does not", () =>
      Effect.gen(function*() {
        const { change, current, id, store } = yield* created()
        const draft = yield* change({ config: { config: { a: 2 } } })
        assert.deepInclude(draft.config, { version: 2, stage: "draft", config: { a: 2 }, created_at: 2_000 })
        assert.strictEqual(yield* current, 1)
        const edited = yield* change({ config: { version: 2, notes: "better", links: [link] } })
        assert.deepInclude(edited.config, { version: 2, notes: "better", links: [link], updated_at: 2_000 })
        yield* change({ config: { version: 2, stage: "published" } })
        assert.strictEqual(yield* current, 2)
        yield* change({ config: { config: {}, stage: "published" } })
        assert.strictEqual(yield* current, 3)
        yield* change({ current: 1 })
        assert.strictEqual(yield* current, 1)
        assert.deepStrictEqual((yield* store.versions(id)).map(({ version }) => version), [3, 2, 1])
        assert.deepStrictEqual((yield* store.configs(id)).map(({ config }) => config), [{}, { a: 2 }, {}])
      }))

    it.effect("a published version does not change, and only a published one becomes current", () =>
      Effect.gen(function*() {
        const { change, current, id } = yield* created()
        assert.strictEqual(
          yield* messageOf(change({ config: { version: 1, notes: "a" } })),
          `Cannot update published config ${id} v1`
        )
        assert.strictEqual(
          yield* messageOf(change({ config: { version: 9, notes: "a" } })),
          `Config ${id} v9 not found`
        )
        yield* change({ config: { config: {} } })
        assert.strictEqual(
          yield* messageOf(change({ current: 2 })),
          `Cannot set draft config ${id} v2 as current. Only published configs can be current.`
        )
        assert.strictEqual(yield* tagOf(change({ current: 9 })), "ConfigNotFound")
        assert.strictEqual(yield* current, 1)
      }))

    it.effect("a refused change leaves the component as it was", () =>
      Effect.gen(function*() {
        const { change, id, store, stored } = yield* created()
        yield* Effect.flip(change({ fields: { name: "b" }, current: 9 }))
        assert.deepStrictEqual(yield* store.find(id), Option.some(stored))
      }))

    it.effect("the config without a version is the current one, or the highest while none is published", () =>
      Effect.gen(function*() {
        const { change, id, store } = yield* created({ config: { stage: "draft" } })
        const version = Effect.map(store.config(id, undefined), (found) => Option.getOrThrow(found).version)
        yield* change({ config: { config: {} } })
        assert.strictEqual(yield* version, 2)
        yield* change({ config: { version: 1, stage: "published" } })
        assert.strictEqual(yield* version, 1)
      }))

    it.effect("a label belongs to one version of a component", () =>
      Effect.gen(function*() {
        const { change, id, store } = yield* created({ config: { label: "a" } })
        yield* change({ config: { config: {}, label: "b" } })
        assert.strictEqual(
          yield* messageOf(change({ config: { config: {}, label: "a" } })),
          `Label 'a' already exists for ${id}`
        )
        assert.strictEqual(yield* tagOf(change({ config: { version: 2, label: "a" } })), "ConfigRejected")
        yield* change({ config: { version: 2, label: "b" } })
        yield* store.removeConfig(id, 2, 3_000)
        assert.strictEqual((yield* change({ config: { config: {}, label: "b" } })).config?.label, "b")
        const other = yield* created({ config: { label: "a" } })
        assert.strictEqual(other.stored.current_version, 1)
      }))

    it.effect("a version other than the current one is removed, and its number is not used again", () =>
      Effect.gen(function*() {
        const { change, id, store } = yield* created()
        assert.strictEqual(
          yield* messageOf(store.removeConfig(id, 1, 2_000)),
          `Cannot delete current config ${id} v1`
        )
        yield* change({ config: { config: { a: 1 } } })
        yield* store.removeConfig(id, 2, 2_000)
        assert.strictEqual(yield* tagOf(store.removeConfig(id, 2, 2_000)), "ConfigNotFound")
        assert.deepStrictEqual(yield* store.config(id, 2), Option.none())
        assert.strictEqual((yield* change({ config: { config: {} } })).config?.version, 3)
        const definition = Option.getOrThrow(yield* store.definition(id, 2))
        assert.isTrue(definition.isRemoved)
        assert.deepStrictEqual(definition.config.config, { a: 1 })
        assert.isFalse(Option.getOrThrow(yield* store.definition(id, 3)).isRemoved)
      }))

    it.effect("changes of the description leave out what they do not name", () =>
      Effect.gen(function*() {
        const { change, stored } = yield* created({ description: "greets", metadata: { a: 1 } })
        const changed = yield* change({ fields: { name: "b", component_type: "team" } })
        assert.deepStrictEqual(changed, {
          component: { ...stored, name: "b", component_type: "team", revision: 2, updated_at: 2_000 },
          config: undefined
        })
      }))

    it.effect("a change of another revision is refused", () =>
      Effect.gen(function*() {
        const { change, id, store } = yield* created()
        yield* change({ revision: 1, config: { config: {} } })
        assert.strictEqual(yield* tagOf(change({ revision: 1, config: { config: {} } })), "ComponentChanged")
        yield* store.removeConfig(id, 2, 2_000)
        assert.strictEqual((yield* change({ revision: 3, fields: { name: "b" } })).component.revision, 4)
      }))

    it.effect("versions that are made at once have numbers of their own", () =>
      Effect.gen(function*() {
        const { change, current, id, store } = yield* created()
        const changes = Array.from(
          { length: 8 },
          (_, index) => change({ config: { config: { index }, stage: "published" } })
        )
        const made = yield* Effect.all(changes, { concurrency: "unbounded" })
        const versions = made.map(({ config }) => config?.version ?? 0).sort((one, other) => one - other)
        assert.deepStrictEqual(versions, [2, 3, 4, 5, 6, 7, 8, 9])
        assert.strictEqual(yield* current, 9)
        assert.lengthOf(yield* store.versions(id), 9)
      }))

    it.effect("changes with a check are made one after the other, and what a failed check refuses is not stored", () =>
      Effect.gen(function*() {
        const [one, other] = [yield* created(), yield* created()]
        const publish = { at: 2_000, config: { config: {}, stage: "published" } } as const
        const isFirst = (id: Component.Id) =>
          Effect.flatMap(
            one.store.find(id),
            (found) => Option.getOrThrow(found).current_version === 1 ? Effect.void : Effect.fail("late" as const)
          )
        const results = yield* Effect.all([
          Effect.result(one.store.change(one.id, publish, isFirst(other.id))),
          Effect.result(one.store.change(other.id, publish, isFirst(one.id)))
        ], { concurrency: "unbounded" })
        assert.deepStrictEqual(results.map(({ _tag }) => _tag).sort(), ["Failure", "Success"])
        assert.deepStrictEqual([yield* one.current, yield* other.current].sort(), [1, 2])
      }))

    it.effect("many versions are read at once, in the order of their keys, as far as they fit and one more", () =>
      Effect.gen(function*() {
        const made = yield* Effect.forEach(
          [1, 2, 3],
          (n) => created({ config: { config: { text: `${n}`.repeat(100) } } })
        )
        const { store } = made[0]!
        const keys = made.map(({ id }) => ({ id, version: 1 })).reverse()
        const unknown = { id: Component.Id.make(newId("unknown")), version: 1 }
        const read = (bytes: number) =>
          Effect.map(
            store.definitions([unknown, ...keys], bytes),
            (found) => found.map(({ component: { component_id: id }, config: { version } }) => ({ id, version }))
          )
        assert.deepStrictEqual(yield* read(10_000), keys)
        assert.deepStrictEqual(yield* read(130), keys.slice(0, 2))
        assert.deepStrictEqual(yield* read(0), [])
        const [first] = yield* store.definitions(keys, 1)
        assert.deepStrictEqual(first, Option.getOrThrow(yield* store.definition(keys[0]!.id, 1)))
        yield* store.remove(made[1]!.id, 2_000)
        assert.deepStrictEqual(yield* read(10_000), keys)
        const present = [keys[0]!, keys[2]!]
        assert.deepStrictEqual([...yield* store.present([...keys, unknown, { ...keys[0]!, version: 2 }])], present)
        const heads = yield* store.heads([...keys.map(({ id }) => id), unknown.id])
        assert.sameDeepMembers(
          [...heads],
          present.map(({ id }) => ({ component_id: id, component_type: "agent", current_version: 1, name: "Greeter" }))
        )
      }))

    it.effect("lists have the newest component first, and count only what matches", () =>
      Effect.gen(function*() {
        const store = yield* ComponentStore
        const make = (at: number, fields: Sample = {}) => Effect.map(created({ at, ...fields }), ({ id }) => id)
        // later than the components of the other tests
        const old = yield* make(5_000, { component_type: "team" })
        const middle = yield* make(6_000, { component_type: "team", config: { stage: "draft" } })
        const young = yield* make(7_000, { component_type: "team" })
        const removed = yield* make(8_000, { component_type: "team" })
        yield* store.remove(removed, 9_000)
        const listed = (fields: object, within = page) =>
          Effect.map(
            store.list({ component_type: "team", without: [], ...fields }, within),
            ({ components, total }) => ({ ids: components.map(({ component_id }) => component_id), total })
          )
        const [first, second, third, ...older] = (yield* listed({})).ids
        assert.deepStrictEqual([first, second, third], [young, middle, old])
        const all = 3 + older.length
        assert.deepStrictEqual(yield* listed({}, { page: 2, limit: 1 }), { ids: [middle], total: all })
        assert.deepStrictEqual(yield* listed({}, { page: 99, limit: 10 }), { ids: [], total: all })
        assert.deepStrictEqual((yield* listed({ without: [young, "unknown"] })).ids.slice(0, 2), [middle, old])
        assert.deepStrictEqual((yield* listed({ isPublished: true })).ids.slice(0, 2), [young, old])
        const everything = yield* store.list({ without: [] }, page)
        assert.strictEqual(everything.components[0]?.component_id, young)
      }))
  })
