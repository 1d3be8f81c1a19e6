import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as DeclarationStoreSuite from "./DeclarationStoreSuite.ts"

everyStore(DeclarationStoreSuite.suite)
