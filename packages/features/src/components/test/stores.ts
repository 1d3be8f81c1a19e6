// The stores of components, for the tests that call all stores.
import { ComponentStore } from "@svc-runtime/agents/component/ComponentStore"
import * as Component from "@svc-runtime/domain/Component"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as ComponentStoreSuite from "./ComponentStoreSuite.ts"

const fill = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_components (
      component_id, component_type, name, current_version, last_version, revision, created_at
    )
    select 'component-' || number, case number % 2 when 0 then 'agent' else 'team' end, 'name', 1, 1, 1, number
    from generate_series(1, ${rows}::int) as number`
  yield* sql`
    insert into svc_component_configs (component_id, version, label, stage, config, links, bytes, created_at)
    select 'component-' || number, 1, 'label', 'published', '{}', '[]', 2, 1
    from generate_series(1, ${rows}::int) as number`
})

const calls = Effect.gen(function*() {
  const components = yield* ComponentStore
  const one = ComponentStoreSuite.component()
  const first = { page: 1, limit: 1 }
  const stored = Component.Id.make("component-2")
  return {
    "components.create": components.create(one),
    "components.find": components.find(one.component_id),
    "components.heads": components.heads([one.component_id, stored]),
    "components.list": components.list({ without: ["component-1"] }, first),
    "components.list, of a type": components.list({ component_type: "team", isPublished: true, without: [] }, first),
    "components.change": components.change(one.component_id, {
      at: 2_000,
      config: { config: {}, label: "label", stage: "published" }
    }),
    "components.change, of a version": components.change(one.component_id, {
      at: 2_000,
      current: 1,
      config: { version: 2, notes: "notes" }
    }),
    "components.change, with a check": components.change(one.component_id, { at: 2_000, fields: {} }, Effect.void),
    "components.alone": components.alone(one.component_id, Effect.void),
    "components.versions": components.versions(stored),
    "components.configs": components.configs(stored),
    "components.config": components.config(one.component_id, undefined),
    "components.config, of a version": components.config(one.component_id, 1),
    "components.definition": components.definition(one.component_id, 1),
    "components.definitions": components.definitions([{ id: one.component_id, version: 1 }], 1_000),
    "components.instructed": components.instructed("{{>"),
    "components.present": components.present([{ id: one.component_id, version: 1 }]),
    "components.removeConfig": components.removeConfig(one.component_id, 1, 2_000),
    "components.remove": components.remove(one.component_id, 2_000)
  }
})

export const stores: CheckedStores = {
  history: { components: ["tables"] },
  tables: ["svc_component_configs"],
  calls,
  ofOneRow: [
    "components.find",
    "components.alone",
    "components.change",
    "components.change, of a version",
    "components.change, with a check",
    "components.config",
    "components.config, of a version",
    "components.removeConfig",
    "components.definition"
  ],
  fill,
  unbounded: {
    "components.instructed": "looks into all published versions, before a prompt is changed or deleted",
    "components.list": "counts all components, which are few",
    "components.list, of a type": "counts all components of a type, which are few"
  }
}
