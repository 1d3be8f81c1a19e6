// What the feature does in a service that has it.
import { Roles } from "@svc-runtime/auth"
import { Effect } from "effect"
import type { Kind } from "../declarations/Declaration.ts"
import * as Feature from "../Feature.ts"
import * as KeptRoles from "./KeptRoles.ts"
import { handlers } from "./RolesHandlers.ts"
import * as SqlRoleStore from "./SqlRoleStore.ts"

/** Groups whose roles exist nowhere: they are declared in code, or stored, before a group can have them. */
const groupsWithRoles = Effect.gen(function*() {
  const { current, declared, ofGroups } = yield* Roles
  const isKnown = (known: ReadonlyMap<string, unknown>) =>
    [...ofGroups.values()].flat().every((name) => known.has(name))
  const known = isKnown(declared) ? declared : yield* current
  const problems = [...ofGroups].flatMap(([group, names]) =>
    names.filter((name) => !known.has(name)).map((name) =>
      `The group '${group}' has the role '${name}' (GROUP_ROLES), which does not exist. Declare it in ` +
      "'authorization.roles', or create it before the service starts with this setting"
    )
  )
  const kind: Kind = { kind: "role", items: [], problems, remove: () => Effect.succeed(true) }
  return problems.length === 0 ? [] : [kind]
})

export const live = Feature.live({
  handlers,
  stores: SqlRoleStore.layer,
  service: () => KeptRoles.layer,
  declares: () => groupsWithRoles
})
