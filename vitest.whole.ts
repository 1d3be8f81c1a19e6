// Both tiers of tests, with every case of their lists. `npm test` runs the fast tier
// (packages/test-support/src/Tier.ts).
import { mergeConfig } from "vitest/config"

process.env["SVC_TEST_WHOLE"] = "true"
// services of tests have the stores that users run (packages/testing/src/TestDatabase.ts)
process.env["SVC_TEST_STORES"] ??= "sql"

const { default: config } = await import("./vitest.workspace.ts")
export default mergeConfig(config, { test: { globalSetup: ["./scripts/bundled-global-setup.mjs"] } })
