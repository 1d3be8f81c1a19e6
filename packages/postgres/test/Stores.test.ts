import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as ApprovalStoreSuite from "@svc-runtime/test-support/suites/ApprovalStoreSuite"
import * as IdempotencyStoreSuite from "@svc-runtime/test-support/suites/IdempotencyStoreSuite"
import * as MediaStoreSuite from "@svc-runtime/test-support/suites/MediaStoreSuite"
import * as MemorySettingsStoreSuite from "@svc-runtime/test-support/suites/MemorySettingsStoreSuite"
import * as UsageStoreSuite from "@svc-runtime/test-support/suites/UsageStoreSuite"

everyStore(ApprovalStoreSuite.suite)
everyStore(IdempotencyStoreSuite.suite)
everyStore(MediaStoreSuite.suite)
everyStore(UsageStoreSuite.suite)
everyStore(MemorySettingsStoreSuite.suite)
