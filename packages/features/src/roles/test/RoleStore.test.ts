import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as RoleStoreSuite from "./RoleStoreSuite.ts"

everyStore(RoleStoreSuite.suite)
