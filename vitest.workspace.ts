// All tests, one project for each package. Vitest does not look for a file of this name: it is passed with --config.
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    projects: ["packages/*"],
    globalSetup: [
      "@svc/testing/sample-global-setup",
      "@svc/testing/temporary-global-setup",
      "@svc/testing/postgres-global-setup",
      "@svc/testing/pglite-global-setup"
    ],
    passWithNoTests: true,
    reporters: ["default", "./scripts/SummaryReporter.ts"]
  }
})
