// All tests, as one project: workers that each package had for itself would load the same libraries a dozen times.
// Vitest does not look for a file of this name: it is passed with --config.
import { defineConfig } from "vitest/config"
import LongestFirst from "./scripts/LongestFirst.ts"
import { settings } from "./vitest.shared.ts"

export default defineConfig({
  test: {
    ...settings,
    include: ["packages/*/test/**/*.test.ts", "packages/features/src/*/test/**/*.test.ts"],
    globalSetup: [
      "./scripts/compiled-global-setup.ts",
      "@svc-runtime/test-support/seed-global-setup",
      "@svc-runtime/test-support/temporary-global-setup",
      "@svc-runtime/test-support/postgres-global-setup"
    ],
    sequence: { sequencer: LongestFirst },
    passWithNoTests: true,
    reporters: ["default", "./scripts/SummaryReporter.ts"]
  }
})
