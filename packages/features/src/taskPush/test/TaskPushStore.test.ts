import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as TaskPushStoreSuite from "./TaskPushStoreSuite.ts"

everyStore(TaskPushStoreSuite.suite)
