// Tests that kill: whole services, thousands of times, and the database under them. They take minutes, so they stand
// beside `npm test` and not in it: `npm run test:chaos`.
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    name: "chaos",
    include: ["packages/*/chaos/*.test.ts"],
    globalSetup: [
      "@svc/testing/temporary-global-setup",
      "@svc/testing/postgres-global-setup",
      "@svc/testing/pglite-global-setup"
    ],
    // most files wait for processes and for the timeouts of nodes
    maxWorkers: availableParallelism() + 1,
    // a test ends when nothing moves any more in it (Progress.ts), however long it takes
    testTimeout: 0,
    hookTimeout: 300_000,
    reporters: ["verbose"]
  }
})
