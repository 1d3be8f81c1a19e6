// Tests that kill: whole services, thousands of times, and the database under them. They take minutes, so they stand
// beside `npm test` and not in it: `npm run test:chaos`.
import { defineConfig } from "vitest/config"
import { settings } from "./vitest.shared.ts"

export default defineConfig({
  test: {
    // most files wait for processes and for the timeouts of nodes
    ...settings,
    name: "chaos",
    include: ["packages/*/chaos/*.test.ts"],
    globalSetup: [
      "@svc/testing/temporary-global-setup",
      "@svc/testing/postgres-global-setup",
      "@svc/testing/pglite-global-setup"
    ],
    // a test ends when nothing moves any more in it (Progress.ts), however long it takes
    testTimeout: 0,
    reporters: ["verbose"]
  }
})
