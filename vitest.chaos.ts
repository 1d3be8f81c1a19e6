// Tests that kill: whole services, thousands of times, and the database under them. They take minutes, so they stand
// beside `npm test` and not in it: `npm run test:chaos`.
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import LongestFirst from "./scripts/LongestFirst.ts"
import { settings } from "./vitest.shared.ts"

export default defineConfig({
  test: {
    ...settings,
    // most files wait for processes and for the timeouts of nodes
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    name: "chaos",
    include: ["packages/*/chaos/*.test.ts"],
    globalSetup: [
      "@svc-runtime/test-support/seed-global-setup",
      "@svc-runtime/test-support/temporary-global-setup",
      "@svc-runtime/test-support/postgres-global-setup"
    ],
    // a test ends when nothing moves any more in it (Progress.ts), however long it takes
    testTimeout: 0,
    reporters: ["verbose"]
  }
})
