// Tests of the packages as they are published: packed, installed in an empty folder, and used there. They stand beside
// `npm test`, because they compile and pack all packages first: `npm run test:install`.
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    name: "install",
    include: ["packages/test-support/test/install/*.install.ts"],
    globalSetup: [
      "@svc-runtime/test-support/temporary-global-setup",
      "packages/test-support/test/install/packed-global-setup.ts"
    ],
    // by default vitest leaves a core idle; each file has a project of its own
    maxWorkers: availableParallelism(),
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ["verbose"]
  }
})
