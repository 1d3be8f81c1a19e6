// The store of skills, for the tests that call all stores.
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SkillStore } from "../SkillStore.ts"
import { nameOf, newVersion } from "./SkillStoreSuite.ts"

export const stores: CheckedStores = {
  history: { skills: ["tables"] },
  tables: ["svc_skills"],
  fill: Effect.fnUntraced(function*(rows) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      insert into svc_skills (name, version, latest, description, allowed_tools, metadata, instructions, files, created_at)
      select 'skill-' || number, 1, true, 'text', '[]', '{}', 'text', '[]', 1 from generate_series(1, ${rows}::int) as number`
  }),
  calls: Effect.map(SkillStore, (skills) => {
    const given = newVersion()
    const { name } = given.skill
    return {
      "skills.create": skills.create(given),
      "skills.addVersion": skills.addVersion(given),
      "skills.about": skills.about([name, nameOf()]),
      "skills.find": skills.find(name, 1),
      "skills.find, the latest": skills.find(name, undefined),
      "skills.list": skills.list({ page: 1, limit: 1 }),
      "skills.versions": skills.versions(name),
      "skills.remove": skills.remove(name)
    }
  }),
  unbounded: {
    "skills.create": "counts the skills, of which there are at most 1,000",
    "skills.list": "counts the skills, of which there are at most 1,000"
  },
  ofOneRow: ["skills.find", "skills.find, the latest"]
}
