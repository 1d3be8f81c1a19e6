import * as MemoryRoleStore from "../MemoryRoleStore.ts"
import * as RoleStoreSuite from "./RoleStoreSuite.ts"

RoleStoreSuite.suite("in memory", MemoryRoleStore.layer)
