import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as WorkspaceStoreSuite from "./WorkspaceStoreSuite.ts"

everyStore(WorkspaceStoreSuite.suite, { postgres: 2 })
