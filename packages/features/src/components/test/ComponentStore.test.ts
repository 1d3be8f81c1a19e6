import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as ComponentStoreSuite from "./ComponentStoreSuite.ts"

everyStore(ComponentStoreSuite.suite)
